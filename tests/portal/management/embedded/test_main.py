"""The wrapper as it is used: a process, with real servers below it."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from portal.management.embedded.redis import server

WRAPPER = [sys.executable, "-m", "portal.management.embedded", "--"]
SETTINGS = ("DATABASE_URL", "REDIS_URL", "STATIC_ROOT")


def environment(**settings: str) -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name not in SETTINGS} | settings


def test_the_exit_code_is_that_of_the_command() -> None:
    given = environment(DATABASE_URL="postgresql:///mine", REDIS_URL="redis://mine")
    done = subprocess.run(
        [*WRAPPER, "sh", "-c", "echo $DATABASE_URL $REDIS_URL; exit 7"], env=given, capture_output=True
    )
    assert (done.returncode, done.stdout) == (7, b"postgresql:///mine redis://mine\n")


def test_a_command_that_does_not_exist_is_named() -> None:
    given = environment(DATABASE_URL="postgresql:///mine", REDIS_URL="redis://mine")
    done = subprocess.run([*WRAPPER, "no-such-program"], env=given, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (127, "There is no program no-such-program.\n")


@contextmanager
def wrapped_sleep() -> Iterator[tuple["subprocess.Popen[str]", list[psutil.Process], Path]]:
    """The wrapper around a command that waits; the processes below it; its folder."""
    command = [*WRAPPER, "sh", "-c", "echo $STATIC_ROOT; exec sleep 60"]
    with subprocess.Popen(command, env=environment(), stdout=subprocess.PIPE, text=True) as wrapper:
        assert wrapper.stdout is not None
        folder = Path(wrapper.stdout.readline().strip()).parent
        children = psutil.Process(wrapper.pid).children(recursive=True)
        assert {"postgres", Path(server()).name} <= {child.name() for child in children}
        yield wrapper, children, folder
    shutil.rmtree(folder, ignore_errors=True)  # a killed wrapper cannot


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_stopped_wrapper_leaves_nothing(number: int) -> None:
    with wrapped_sleep() as (wrapper, children, folder):
        wrapper.send_signal(number)
        assert wrapper.wait(10) == 128 + number
        assert psutil.wait_procs(children, timeout=0.1)[1] == []
        assert not folder.exists()


def test_a_killed_wrapper_leaves_no_process() -> None:
    with wrapped_sleep() as (wrapper, children, _):
        wrapper.kill()
        assert psutil.wait_procs(children, timeout=10)[1] == []
