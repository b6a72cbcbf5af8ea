#!/bin/sh
# Makes .venv and installs requirements.lock into it, with uv where it is there, else with venv and pip.
# Usage: tools/install.sh [PYTHON]
set -eu
cd "$(dirname "$0")/.."
python=${1:-python3}

if ! command -v "$python" >/dev/null; then
    echo "There is no $python on PATH. Choirmaster needs Python 3.11 or newer: name yours with PYTHON=…" >&2
    exit 1
fi
if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
    echo "$python is $("$python" --version 2>&1); Choirmaster needs 3.11 or newer. Name another with PYTHON=python3.11" >&2
    exit 1
fi

if command -v uv >/dev/null; then
    echo "==> Installing the locked packages into .venv with uv"
    [ -x .venv/bin/python ] || uv venv --quiet --python "$python" .venv
    VIRTUAL_ENV=.venv uv pip install --quiet --require-hashes -r requirements.lock
    exit
fi
if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
    echo "$python cannot make virtual environments. On Debian or Ubuntu: apt-get install python3-venv" >&2
    exit 1
fi
echo "==> Installing the locked packages into .venv with pip (a minute or two, once)"
[ -x .venv/bin/pip ] || "$python" -m venv --clear .venv
.venv/bin/pip install --quiet --disable-pip-version-check --no-input --require-hashes -r requirements.lock
