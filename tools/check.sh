#!/bin/sh
# All checks that need no browser and no running product; goes on after a failure, so that one run shows everything.
cd "$(dirname "$0")/.." || exit 1
PATH="$PWD/.venv/bin:$PATH"
failed=""

step() {
    name=$1
    shift
    echo "==> $name"
    "$@" || failed="$failed $name,"
}

step "Style" ruff check --quiet .
step "Format" ruff format --check --quiet .
step "Types" mypy
step "Import rules" lint-imports --no-logo
step "Migrations" python manage.py makemigrations --check --dry-run
step "Conventions" python -m pytest -q -p no:randomly tests/test_conventions.py

if [ -n "$failed" ]; then
    echo "Failed:${failed%,}. Many of these are mended by \`make fix\`." >&2
    exit 1
fi
echo "All checks passed."
