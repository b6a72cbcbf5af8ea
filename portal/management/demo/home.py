"""What a demo keeps between its runs, all of it in one folder that only its owner may read."""

import fcntl
import hashlib
import json
import os
import secrets
import shutil
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO

from portal.management.embedded.account import ROOT_STATE, private_folder, server_account

CHECKOUT = Path(__file__).resolve().parents[3]


class AlreadyRunning(Exception):
    """Another process runs this demo; the text says which and where."""


@dataclass(frozen=True)
class Secrets:
    """Random ones, made once: there is no default password anywhere."""

    secret_key: str
    postgres: str
    redis: str
    cluster_token: str


@dataclass(frozen=True)
class Run:
    """One run of the demo, written to run.json for `make smoke`, for tests and for the next start.

    `mark` stands in the environment of every process of the run; `environment` is what the portal's processes get.
    """

    mark: str
    pid: int
    url: str
    folder: str
    supervisor: str
    environment: dict[str, str]


@dataclass(frozen=True)
class Home:
    """The demo's folder, `.choirmaster/` in the checkout unless said otherwise."""

    path: Path

    @property
    def credentials(self) -> Path:
        return self.path / "credentials.json"

    @property
    def logs(self) -> Path:
        return self.path / "logs"

    def log(self, program: str) -> Path:
        return self.logs / f"{program}.log"

    @property
    def cluster_token_file(self) -> Path:
        return self.path / "cluster-token"

    @property
    def postgres(self) -> Path:
        """As root, PostgreSQL runs under another account, which may not be able to reach the checkout."""
        if server_account().uid is None:
            return self.path / "postgres"
        return ROOT_STATE / ("demo-" + hashlib.sha256(str(self.path).encode()).hexdigest()[:12])

    def lock(self) -> IO[str]:
        """Makes the folder and holds it for as long as the returned file is open; raises AlreadyRunning."""
        private_folder(self.path)
        path = self.path / "lock"
        path.touch(mode=0o600)
        file = path.open("r+")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            with file:
                raise AlreadyRunning(self._who_runs(file.read())) from None
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        return file

    def _who_runs(self, pid: str) -> str:
        run = self.last_run()
        where = f" at {run.url}" if run else ""
        return f"This checkout's demo is already running{where} (process {pid}). End that one with Ctrl-C first."

    def reset(self) -> None:
        """Forgets everything: data, jobs, passwords."""
        shutil.rmtree(self.postgres, ignore_errors=True)
        for entry in self.path.iterdir():
            if entry.is_dir():
                shutil.rmtree(entry)
            elif entry.name != "lock":
                entry.unlink()

    def secrets(self) -> Secrets:
        file = self.path / "secrets.json"
        if not file.exists():
            # A database of an earlier checkout at the same path may lie outside of it; its password is gone.
            shutil.rmtree(self.postgres, ignore_errors=True)
            made = Secrets(*(secrets.token_urlsafe(36) for _ in range(4)))
            write_private(file, json.dumps(asdict(made), indent=2))
        return Secrets(**json.loads(file.read_text()))

    def last_run(self) -> Run | None:
        """What the last run wrote and has not taken away: it runs still, or it was killed."""
        try:
            return Run(**json.loads((self.path / "run.json").read_text()))
        except FileNotFoundError:
            return None

    def write_run(self, run: Run) -> None:
        write_private(self.path / "run.json", json.dumps(asdict(run), indent=2))

    def forget_run(self) -> None:
        (self.path / "run.json").unlink(missing_ok=True)


def write_private(path: Path, text: str) -> None:
    """Replaces `path` in one step, mode 0600: a reader sees the old text or the new one."""
    unfinished = path.with_name(path.name + ".new")
    # One that a killed writer left may have been opened to others since.
    unfinished.unlink(missing_ok=True)
    unfinished.touch(mode=0o600)
    unfinished.write_text(text + "\n")
    unfinished.replace(path)
