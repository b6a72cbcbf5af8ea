"""supervisord as a child process: started, asked over its own socket, ended; and what a killed one left behind."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from xmlrpc.client import Fault, ServerProxy

import psutil
from supervisor.xmlrpc import SupervisorTransport

from portal.management.embedded.tether import dies_with_parent, end

MARK = "CHOIRMASTER_RUN"
START_SECONDS = 10
# The portal's group may take 6 s and the services' 4 s.
STOP_SECONDS = 12
LEFTOVER_SECONDS = 3


class SupervisorFailed(Exception):
    """supervisord did not come up; its log says why."""


class Supervisor:
    """A running supervisord that ends with this process, in order if it can."""

    def __init__(self, configuration: Path, socket: Path, environment: dict[str, str]) -> None:
        self.socket = socket
        # A session of its own: the terminal's Ctrl-C reaches only the demo, which then stops things in order.
        self.process = subprocess.Popen(
            [sys.executable, "-m", "supervisor.supervisord", "--nodaemon", "--configuration", str(configuration)],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            preexec_fn=dies_with_parent(signal.SIGTERM),
        )
        self._wait()

    def _wait(self) -> None:
        deadline = time.monotonic() + START_SECONDS
        while not self.socket.exists():
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.stop()
                raise SupervisorFailed("supervisord did not start; see logs/supervisord.log in the demo's folder.")
            time.sleep(0.05)

    def start(self, name: str) -> None:
        """Starts the program or, with `group:*`, a whole group, and returns at once."""
        if name.endswith(":*"):
            ask(self.socket, "startProcessGroup", name.removesuffix(":*"), False)
        else:
            ask(self.socket, "startProcess", name, False)

    def stop(self) -> None:
        end(self.process, signal.SIGTERM, STOP_SECONDS)


def ask(socket: Path, method: str, *arguments: object) -> Any:
    """What a method of supervisord's namespace `supervisor` (getAllProcessInfo, startProcess …) returns."""
    transport = SupervisorTransport(None, None, f"unix://{socket}")
    with ServerProxy("http://127.0.0.1", transport) as server:
        return getattr(server.supervisor, method)(*arguments)


def state(socket: Path, name: str) -> str:
    """The program's state in supervisor's words (RUNNING, BACKOFF …), or what supervisord said instead."""
    try:
        return str(ask(socket, "getProcessInfo", name)["statename"])
    except (Fault, OSError) as error:
        return str(error)


def leftovers(mark: str) -> list[psutil.Process]:
    """Live processes that carry the mark of this run in their environment, which nobody else's can: it is random."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.pid != os.getpid() and process.environ().get(MARK) == mark:
                found.append(process)
        except (psutil.NoSuchProcess, psutil.AccessDenied):
            continue
    return found


def end_leftovers(mark: str) -> int:
    """Ends them, supervisord first so that it restarts nothing; returns how many there were."""
    processes = leftovers(mark)
    for process in sorted(processes, key=lambda one: "supervisord" not in " ".join(_words(one))):
        _signal(process, signal.SIGINT)
    _, alive = psutil.wait_procs(processes, timeout=LEFTOVER_SECONDS)
    for process in alive:
        _signal(process, signal.SIGKILL)
    psutil.wait_procs(alive, timeout=LEFTOVER_SECONDS)
    return len(processes)


def _words(process: psutil.Process) -> list[str]:
    try:
        return list(process.cmdline())
    except psutil.Error:
        return []


def _signal(process: psutil.Process, number: int) -> None:
    with contextlib.suppress(psutil.NoSuchProcess):
        process.send_signal(number)
