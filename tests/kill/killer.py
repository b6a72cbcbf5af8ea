"""Kills one program again and again while work arrives, each time only once it had worked again after the last kill."""

import os
import random
import signal
import threading
import time

from tests.kill.stack import Stack
from tests.kill.victims import proof

WORKS_AGAIN_SECONDS = 60


class Killer(threading.Thread):
    """`kills`: moments (monotonic seconds); `recoveries`: seconds until it worked again; `fault`: what failed."""

    def __init__(self, stack: Stack, victim: str, *, least: int, pause: float, over: threading.Event) -> None:
        """Goes on until `over` is set, and has killed at least `least` times."""
        super().__init__(name=f"kill-{victim}", daemon=True)
        self.stack, self.victim, self.least, self.pause, self.over = stack, victim, least, pause, over
        self.kills: list[float] = []
        self.recoveries: list[float] = []
        self.fault = ""
        self._killed = 0

    def run(self) -> None:
        chance = random.Random(self.victim)
        try:
            self._wait_until_it_works()
            while True:
                time.sleep(self.pause * chance.uniform(0.5, 1.0))
                if self.over.is_set() and len(self.kills) >= self.least:
                    return
                self._kill()
                began = time.monotonic()
                self._wait_until_it_works()
                self.recoveries.append(time.monotonic() - began)
        except TimeoutError as error:
            self.fault = str(error)

    def _kill(self) -> None:
        """With all that it forked: supervisor gives each program a process group of its own."""
        self._killed = self._pid(time.monotonic() + WORKS_AGAIN_SECONDS)
        os.killpg(self._killed, signal.SIGKILL)
        self.kills.append(time.monotonic())

    def _pid(self, end: float) -> int:
        """A process that is not the one that was killed last."""
        while (pid := self.stack.pid(self.victim)) in {0, self._killed}:
            self._check(end, "come back")
            time.sleep(0.05)
        return pid

    def _wait_until_it_works(self) -> None:
        end = time.monotonic() + WORKS_AGAIN_SECONDS
        self._pid(end)
        works = proof(self.stack, self.victim)
        while not works():
            self._check(end, "work again")
            time.sleep(0.2)

    def _check(self, end: float, what: str) -> None:
        if time.monotonic() > end:
            raise TimeoutError(f"{self.victim} did not {what} within {WORKS_AGAIN_SECONDS} s")
