"""Sandboxes for tests: in a thread of the test's process, or as a process of its own that can be killed."""

import json
import secrets
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from sandbox.auth import Gate, Rule, User
from sandbox.cluster import Cluster, RealTime, read_cluster_file
from sandbox.server import Server, application
from sandbox.store import Store
from sandbox.watch import Pulse

REPOSITORY = Path(__file__).parent.parent
DEMO_CLUSTER = REPOSITORY / "sandbox" / "demo_cluster.yaml"
_START_SECONDS = 20.0


@dataclass
class Sandbox:
    """How to reach a running sandbox."""

    url: str
    token: str

    def tick(self, seconds: float) -> None:
        """Move the manual clock."""
        self.call("POST", "/_sandbox/tick", {"seconds": seconds})

    def journal(self) -> list[dict]:
        """Every uid ever created, oldest first."""
        return [json.loads(line) for line in self.call("GET", "/_sandbox/journal").splitlines()]

    def compact(self) -> None:
        """Make every version so far too old to watch from."""
        self.call("POST", "/_sandbox/compact")

    def call(self, method: str, path: str, body: object = None, timeout: float = 60) -> str:
        """One request with the token; raises httpx.HTTPStatusError for an answer that is an error."""
        headers = {"Authorization": f"Bearer {self.token}"}
        # Without `verify` every call would read the system's certificates, which plain http has no use for.
        response = httpx.request(
            method, self.url + path, json=body, headers=headers, timeout=timeout, verify=False, trust_env=False
        )
        response.raise_for_status()
        return response.text


@contextmanager
def running_sandbox(
    tmp_path: Path,
    clock: str = "manual",
    cluster: Path | None = DEMO_CLUSTER,
    rules: tuple[Rule, ...] = (),
    window: int = 10_000,
) -> Iterator[Sandbox]:
    """A sandbox in a thread, on a free port; `clock` is "manual" or "real". Beside the admin's token there is
    "nobody", the token of a user who may do what `rules` say."""
    token = secrets.token_urlsafe(16)
    store = Store(tmp_path / "sandbox", window=window)
    alive = Cluster(store)
    if store.is_new:
        alive.found(read_cluster_file(cluster)[0] if cluster else [])
    gate = Gate({token: User("admin", ("system:masters",)), "nobody": User("nobody")}, rules)
    pulse = Pulse()
    app = application(alive, gate, pulse, RealTime(alive, 1) if clock == "real" else None)
    # Named as TCP, or asyncio would not switch Nagle's algorithm off: 40 ms a request.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.bind(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    server = Server(app, pulse, port)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, name=f"sandbox-{port}")
    thread.start()
    try:
        _until(lambda: server.started)
        yield Sandbox(f"http://127.0.0.1:{port}", token)
    finally:
        server.stop()
        thread.join(5)
        listener.close()
        store.close()
    assert not thread.is_alive(), "the sandbox did not stop within 5 s"


@dataclass
class SandboxProcess(Sandbox):
    """A sandbox that can be killed and started again on the same data."""

    folder: Path = Path()
    port: int = 0
    clock: str = "manual"
    process: subprocess.Popen | None = None

    def start(self) -> None:
        """Start and wait until it is ready."""
        arguments = ["--data", self.folder / "data", "--port", self.port, "--token-file", self.folder / "tokens"]
        arguments += ["--clock", self.clock, "--cluster", DEMO_CLUSTER]
        command = [sys.executable, "-m", "sandbox", *map(str, arguments)]
        self.process = subprocess.Popen(command, cwd=REPOSITORY)
        _until(self._ready)

    def kill(self) -> None:
        """kill -9"""
        self.process.kill()
        self.process.wait(10)

    def stop(self) -> float:
        """SIGTERM; returns how many seconds it took to end."""
        began = time.monotonic()
        self.process.terminate()
        self.process.wait(10)
        return time.monotonic() - began

    def _ready(self) -> bool:
        assert self.process.poll() is None, f"the sandbox ended with {self.process.returncode}"
        try:
            return httpx.get(f"{self.url}/readyz", timeout=1, verify=False).is_success
        except httpx.TransportError:
            return False


@contextmanager
def sandbox_process(tmp_path: Path, clock: str = "manual") -> Iterator[SandboxProcess]:
    """A sandbox as its own process, with the demo's cluster."""
    token = secrets.token_urlsafe(16)
    tmp_path.joinpath("tokens").write_text(f"{token},admin,system:masters\n", encoding="utf-8")
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    sandbox = SandboxProcess(f"http://127.0.0.1:{port}", token, tmp_path, port, clock)
    sandbox.start()
    try:
        yield sandbox
    finally:
        if sandbox.process.poll() is None:
            sandbox.process.kill()
            sandbox.process.wait(10)


def _until(condition) -> None:
    """Wait for a start: the only thing here that takes real time."""
    end = time.monotonic() + _START_SECONDS
    while not condition():
        assert time.monotonic() < end, f"the sandbox did not start within {_START_SECONDS} s"
        time.sleep(0.02)
