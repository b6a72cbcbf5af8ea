"""A running demo on free ports with data of its own, and what can be asked of it from outside."""

import json
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import psycopg
from psycopg.rows import dict_row

from portal.management.demo.home import Home, Run
from portal.management.demo.supervision import ask
from portal.management.embedded.ports import free_port
from portal.management.smoke.credentials import Credentials, read_credentials

CHECKOUT = Path(__file__).resolve().parents[2]
START_SECONDS = 90


@dataclass
class Stack:
    run: Run
    credentials: Credentials
    home: Home

    @property
    def url(self) -> str:
        return self.run.url

    def pid(self, program: str) -> int:
        """The program's process, as supervisor knows it; 0 while it is not running."""
        for info in ask(Path(self.run.supervisor), "getAllProcessInfo"):
            if info["name"] == program:
                return int(info["pid"]) if info["statename"] in {"RUNNING", "STARTING"} else 0
        raise LookupError(program)

    def rows(self, sql: str) -> list[dict[str, Any]]:
        with psycopg.connect(self.run.environment["DATABASE_URL"], row_factory=dict_row) as connection:
            return connection.execute(sql).fetchall()  # type: ignore[call-overload]

    def log(self, program: str) -> Path:
        return self.home.path / "logs" / f"{program}.log"

    def journal(self) -> list[dict[str, Any]]:
        """Everything that was ever created on the sandbox."""
        environment = self.run.environment
        token = Path(environment["CLUSTER_TOKEN_FILE"]).read_text().strip()
        answer = httpx.get(
            environment["CLUSTER_URL"] + "/_sandbox/journal", headers={"Authorization": f"Bearer {token}"}, timeout=30
        )
        answer.raise_for_status()
        return [json.loads(line) for line in answer.text.splitlines()]


@contextmanager
def running_stack(folder: Path) -> Iterator[Stack]:
    """Starts the demo as `make demo` does and ends it as Ctrl-C does; its output goes to demo.log in `folder`."""
    data = folder / "data"
    command = [sys.executable, "-m", "portal.management.demo", "--port", str(free_port()), "--data", str(data)]
    with (folder / "demo.log").open("w") as output:
        process = subprocess.Popen(
            command, cwd=CHECKOUT, stdout=output, stderr=subprocess.STDOUT, start_new_session=True
        )
        home = Home(data)
        try:
            _wait_until_ready(process, folder / "demo.log")
            run = home.last_run()
            assert run is not None
            yield Stack(run, read_credentials(home.credentials), home)
        finally:
            process.send_signal(signal.SIGINT)
            with suppress(subprocess.TimeoutExpired):
                process.wait(20)
            process.kill()
            process.wait()
            # As root it lies outside of `folder`.
            shutil.rmtree(Home(data).postgres, ignore_errors=True)


def _wait_until_ready(process: "subprocess.Popen[bytes]", output: Path) -> None:
    end = time.monotonic() + START_SECONDS
    while "Choirmaster is at" not in output.read_text():
        assert process.poll() is None, output.read_text()
        assert time.monotonic() < end, f"The demo did not start within {START_SECONDS} s:\n{output.read_text()}"
        time.sleep(0.2)
