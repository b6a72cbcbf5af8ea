"""Ties a child process to its parent, so that a killed parent leaves nothing behind."""

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Callable

PR_SET_PDEATHSIG = 1  # linux/prctl.h


def dies_with_parent(signal_number: int) -> Callable[[], None]:
    """A `preexec_fn`: the kernel sends `signal_number` to the child when the thread that started it ends.

    Linux only; elsewhere the child merely outlives a parent that was killed. It is set after `subprocess` has switched
    the account, since such a switch clears it.
    """
    parent = os.getpid()

    def tie() -> None:
        if not sys.platform.startswith("linux"):
            return
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal_number)
        if os.getppid() != parent:  # it died before the line above
            os.kill(os.getpid(), signal_number)

    return tie


def end(process: "subprocess.Popen[bytes]", signal_number: int = signal.SIGTERM, seconds: float = 10) -> None:
    """Asks `process` to stop, and kills it after `seconds`."""
    if process.poll() is not None:
        return
    process.send_signal(signal_number)
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
