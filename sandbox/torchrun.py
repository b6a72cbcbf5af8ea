"""What a rehearsed training prints: the lines of torchrun and of the first process of one pod.

Everything follows from the pod, its scenario and the time, so that nothing has to be stored.
"""

import math
import re
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sandbox.scenario import Scenario

Line = tuple[datetime, str]
_SETTLED = timedelta(seconds=3)
_PACE = ((120.0, 1.5), (3600.0, 10.0), (math.inf, 60.0))
"""Seconds of running up to which a step is printed every so many seconds."""


@dataclass(frozen=True)
class Run:
    """One run of a container: `end` is None while it runs; `number` counts the restarts before it."""

    pod: Mapping[str, Any]
    container: Mapping[str, Any]
    scenario: Scenario
    number: int
    start: datetime
    end: datetime | None = None
    code: int = 0

    @property
    def index(self) -> int:
        return replica_index(self.pod)

    def option(self, name: str, default: str) -> str:
        """Return an option of the command line, written `--name=value` or `--name value`."""
        words = " ".join([*(self.container.get("command") or []), *(self.container.get("args") or [])])
        match = re.search(rf"--{name}[= ](\S+)", words)
        return match.group(1) if match else default

    @property
    def processes(self) -> int:
        resources = self.container.get("resources") or {}
        gpus = {**(resources.get("requests") or {}), **(resources.get("limits") or {})}.get("nvidia.com/gpu", "1")
        text = self.option("nproc_per_node", str(gpus))
        return int(text) if text.isdigit() else 1

    @property
    def nodes(self) -> str:
        environment = {item["name"]: item.get("value", "") for item in self.container.get("env") or []}
        return self.option("nnodes", environment.get("PET_NNODES", "1"))

    @property
    def rank(self) -> int:
        """The global rank of the pod's first process."""
        return self.index * self.processes

    def noise(self, step: int) -> float:
        """A number from 0 to 1 that belongs to this pod and step."""
        return zlib.crc32(f"{self.pod['metadata']['uid']}:{self.number}:{step}".encode()) / 0xFFFFFFFF


def replica_index(pod: Mapping[str, Any]) -> int:
    """Return the index among the pods of its role that the training operator gave a pod; 0 for any other pod."""
    text = (pod["metadata"].get("labels") or {}).get("training.kubeflow.org/replica-index", "0")
    return int(text) if text.isdigit() else 0


def lines(run: Run, until: datetime) -> list[Line]:
    """Return every line that the run printed up to `until`, oldest first."""
    limit = min(until, run.end) if run.end else until
    found = [line for line in _rendezvous(run) if line[0] <= limit]
    if not run.scenario.hang:
        for line in _steps(run):
            if line[0] > limit:
                break
            found.append(line)
    if run.end and run.end <= until:
        found += [(run.end, text) for text in _last_words(run)]
    return found


def _logged(level: str, at: datetime, source: str, text: str) -> str:
    """A line as Python's logging is set up by torch: level, month and day, time, process, source."""
    return f"{level}{at:%m%d %H:%M:%S.%f} 1 torch/distributed/{source}] {text}"


def _rendezvous(run: Run) -> Iterator[Line]:
    endpoint = run.option("rdzv_endpoint", f"{run.pod['metadata']['name']}:29500")
    address, _, port = endpoint.partition(":")
    start, ready = run.start, run.start + timedelta(seconds=1.2)
    launch, agent = "launcher/api.py:195", "elastic/agent/server/api.py:866"
    yield start, _logged("I", start, launch, "Starting elastic_operator with launch configs:")
    configuration = {
        "nnodes": run.nodes,
        "nproc_per_node": run.processes,
        "rdzv_backend": run.option("rdzv_backend", "static"),
        "rdzv_endpoint": endpoint,
    }
    for name, value in configuration.items():
        yield start, f"  {name:<16} : {value}"
    joining = start + timedelta(seconds=0.4)
    yield joining, _logged("I", joining, agent, "[default] Rendezvous'ing worker group")
    yield ready, _logged("I", ready, agent, "[default] Rendezvous complete for workers. Result:")
    ranks = list(range(run.rank, run.rank + run.processes))
    result = {
        "restart_count": run.number,
        "master_addr": address,
        "master_port": port,
        "group_rank": run.index,
        "group_world_size": run.nodes,
        "global_ranks": ranks,
    }
    for name, result_value in result.items():
        yield ready, f"  {name}={result_value}"
    joined = start + timedelta(seconds=2.1)
    yield joined, f"[rank {run.rank}] NCCL communicator ready, backend=nccl, local processes {run.processes}"


def _steps(run: Run) -> Iterator[Line]:
    elapsed, number = _SETTLED.total_seconds(), 0
    while True:
        number += 1
        noise = run.noise(number)
        loss = 1.1 + 1.6 * math.exp(-number / 40) + 0.08 * noise
        speed = 40_500 + int(3_000 * noise)
        at = run.start + timedelta(seconds=elapsed)
        yield at, f"[rank {run.rank}] step={number * 10} loss={loss:.4f} tokens/s={speed}"
        elapsed += next(interval for end, interval in _PACE if elapsed < end)


def _last_words(run: Run) -> list[str]:
    ending = run.scenario.ending
    if run.code == 0:
        return [f"[rank {run.rank}] training finished, checkpoint saved to {run.option('output', '/checkpoints')}"]
    if ending and ending.reason == "OOMKilled":
        return ["Killed"]
    return _traceback(run)


def _traceback(run: Run) -> list[str]:
    assert run.end is not None
    seconds = (run.end - run.start).total_seconds()
    source = "elastic/multiprocessing/api.py:874"
    failed = f"failed (exitcode: {run.code}) local_rank: 0 (pid: 71) of binary: /opt/conda/bin/python"
    return [
        f"[rank {run.rank}]: Traceback (most recent call last):",
        f'[rank {run.rank}]:   File "/workspace/train.py", line 214, in <module>',
        f"[rank {run.rank}]:     main()",
        f'[rank {run.rank}]:   File "/workspace/train.py", line 187, in main',
        f"[rank {run.rank}]:     loss = train_step(model, batch, optimizer)",
        f"[rank {run.rank}]: RuntimeError: rehearsed crash after {seconds:.0f} s",
        _logged("E", run.end, source, failed),
        "torch.distributed.elastic.multiprocessing.errors.ChildFailedError:",
        "Root Cause (first observed failure):",
        f"  rank      : {run.rank} (local_rank: 0)",
        f"  exitcode  : {run.code} (pid: 71)",
    ]
