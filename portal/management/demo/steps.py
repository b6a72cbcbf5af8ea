"""The steps of a start, each said in one line with the seconds it took."""

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPException
from pathlib import Path

from portal.management.demo.home import CHECKOUT

WAIT_SECONDS = 30


class StepFailed(Exception):
    """The text says what to do or where to look."""


@contextmanager
def step(what: str) -> Iterator[None]:
    print(f"==> {what}", end=" ", flush=True)
    started = time.monotonic()
    try:
        yield
    finally:
        print(f"({time.monotonic() - started:.1f} s)", flush=True)


def wait_for_http(what: str, port: int, path: str, log: Path, *, seconds: float = WAIT_SECONDS) -> None:
    """Returns when `path` on loopback answers anything but a server error; raises StepFailed after `seconds`."""
    deadline = time.monotonic() + seconds
    while True:
        answer = _ask(port, path)
        if answer.isdecimal() and int(answer) < 500:
            return
        if time.monotonic() > deadline:
            last_words = log.read_text(errors="replace")[-2000:] if log.exists() else ""
            raise StepFailed(f"{what} did not answer within {seconds:g} s ({answer}). The end of {log}:\n{last_words}")
        time.sleep(0.1)


def _ask(port: int, path: str) -> str:
    """The status code, or what went wrong."""
    connection = HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", path)
        return str(connection.getresponse().status)
    except (OSError, HTTPException) as error:
        return str(error)
    finally:
        connection.close()


def manage(arguments: list[str], environment: dict[str, str]) -> str:
    """Runs manage.py and returns what it says to a person; raises StepFailed with that and the end of its log."""
    command = [sys.executable, "manage.py", *arguments]
    done = subprocess.run(command, cwd=CHECKOUT, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        said = f"{done.stdout}{done.stderr[-4000:]}"
        raise StepFailed(f"manage.py {arguments[0]} failed with code {done.returncode}:\n{said}")
    return done.stdout
