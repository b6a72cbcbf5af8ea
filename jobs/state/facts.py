"""The input and output of derive, as plain values. States are the words of the table 5.1 of the UI specification."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from portal.names import GPU


@dataclass(frozen=True)
class Derived:
    """`reason` is a code, `params` its numbers (JSON) for jobs.sentences. What is not known is left out."""

    state: str
    reason: str
    params: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Condition:
    """One condition of a Kubernetes object. `status` is "True", "False" or "Unknown"; `at`: since when it is so."""

    status: str
    reason: str = ""
    message: str = ""
    at: datetime | None = None

    @property
    def true(self) -> bool:
        return self.status == "True"

    @property
    def false(self) -> bool:
        return self.status == "False"


ABSENT = Condition(status="")


@dataclass(frozen=True)
class WorkloadFacts:
    conditions: Mapping[str, Condition] = field(default_factory=dict)
    active: bool = True
    position: int | None = None  # from 1
    pending_total: int | None = None

    def condition(self, name: str) -> Condition:
        """The condition of that type; one that is neither true nor false where there is none."""
        return self.conditions.get(name, ABSENT)


@dataclass(frozen=True)
class PodFacts:
    """One pod of the present attempt, also when it is gone. The fields are those of the Pod table."""

    role: str
    index: int
    phase: str = ""
    ready: bool = False
    terminating: bool = False
    gone: bool = False
    state: str = ""  # of the training container: waiting, running, terminated
    reason: str = ""
    message: str = ""
    exit_code: int | None = None
    restarts: int = 0
    finished_at: datetime | None = None
    image: str = ""
    pulling: bool = False  # its newest event says so

    @property
    def replica(self) -> str:
        return f"{self.role}-{self.index}"

    @property
    def present(self) -> bool:
        return not (self.gone or self.terminating)


@dataclass(frozen=True)
class Facts:
    # What was asked for.
    replicas: int = 1
    requests: Mapping[str, int] = field(default_factory=dict)  # over all replicas, in portal.quantity's units
    backoff_limit: int | None = None
    deadline_seconds: int | None = None
    reach: Mapping[str, int | None] = field(default_factory=dict)  # the most its queue can give; None: no limit
    queue_stopped: bool = False  # an admin holds its ClusterQueue, as the mirror saw
    # What launch did.
    sent_at: datetime | None = None
    tries: int = 0
    send_error: str = ""
    rejected: bool = False
    cancel_requested_at: datetime | None = None
    cancelled_by: str = ""
    stopped: bool = False
    # What the mirror saw.
    phase: str = ""  # Created, Suspended, Running, Restarting, Succeeded, Failed
    message: str = ""
    suspended: bool | None = None
    active: int = 0  # replicas that run, as the operator counts them
    succeeded: int = 0
    started_at: datetime | None = None
    finished_at: datetime | None = None
    gone: bool = False
    workload: WorkloadFacts | None = None
    pods: Sequence[PodFacts] = ()

    @property
    def pods_left(self) -> int:
        """Pods that still hold their place, terminating ones among them."""
        return sum(not pod.gone for pod in self.pods)

    @property
    def gpus(self) -> int:
        return self.requests.get(GPU, 0)
