"""With a real supervisord and programs that only wait."""

import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from portal.management.demo.programs import SERVICES, Program, configuration
from portal.management.demo.supervision import MARK, Supervisor, ask, end_leftovers, leftovers, state
from portal.management.embedded.account import temporary_folder

PATIENCE = 8  # seconds
WAITS = [sys.executable, "-c", "import time; time.sleep(60)"]


@pytest.fixture
def supervisor() -> Iterator[Supervisor]:
    folder = temporary_folder()
    file = folder / "supervisord.conf"
    file.write_text(configuration([Program("waiting", SERVICES, WAITS)], folder, folder))
    one = Supervisor(file, folder / "supervisor.sock", {**os.environ, MARK: folder.name})
    one.start("services:*")
    yield one
    one.stop()
    end_leftovers(folder.name)
    shutil.rmtree(folder)


def pid_of(supervisor: Supervisor) -> int:
    return int(ask(supervisor.socket, "getProcessInfo", "services:waiting")["pid"])


def until(true: Callable[[], bool]) -> None:
    process = psutil.Process()
    for _ in range(PATIENCE * 20):
        if true():
            return
        process.cpu_percent(interval=0.05)
    raise AssertionError(f"not within {PATIENCE} s")


def test_a_killed_program_comes_back(supervisor: Supervisor) -> None:
    until(lambda: state(supervisor.socket, "services:waiting") == "RUNNING")
    killed = pid_of(supervisor)
    os.kill(killed, signal.SIGKILL)
    until(lambda: pid_of(supervisor) not in (0, killed))


def test_stopping_leaves_no_process(supervisor: Supervisor) -> None:
    program = psutil.Process(pid_of(supervisor))
    supervisor.stop()
    assert not program.is_running()
    assert leftovers(supervisor.socket.parent.name) == []


def test_what_a_killed_supervisor_left_is_found_and_ended(supervisor: Supervisor) -> None:
    mark, program = supervisor.socket.parent.name, psutil.Process(pid_of(supervisor))
    supervisor.process.kill()
    supervisor.process.wait()
    assert leftovers(mark) == [program]
    assert end_leftovers(mark) == 1
    assert not program.is_running()


def test_processes_of_others_are_never_leftovers(supervisor: Supervisor) -> None:
    assert leftovers("another-mark") == []
    assert end_leftovers("another-mark") == 0


def test_an_unknown_program_has_no_state_but_a_reason(supervisor: Supervisor, tmp_path: Path) -> None:
    assert "BAD_NAME" in state(supervisor.socket, "services:unknown")
    assert "No such file" in state(tmp_path / "no.sock", "services:waiting")
