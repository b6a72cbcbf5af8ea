"""What every kind of job has to answer, and how to read objects that somebody else wrote."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from jobs.spec import JobSpec

Object = Mapping[str, Any]


@dataclass(frozen=True)
class Progress:
    """The job object's own status. `phase` is "" before its controller looked at it, else one of
    Created, Suspended, Running, Restarting, Succeeded, Failed. Times are aware, None where unknown.
    """

    phase: str = ""
    message: str = ""
    suspended: bool | None = None  # spec.suspend, whatever its path
    active: int = 0
    succeeded: int = 0
    failed: int = 0
    started_at: datetime | None = None
    finished_at: datetime | None = None


class Translator(Protocol):
    @property
    def kind(self) -> str: ...

    @property
    def roles(self) -> frozenset[str]:
        """The names that pod sets may have."""
        ...

    @property
    def container(self) -> str:
        """The name of the container that trains, in every pod."""
        ...

    def manifest(self, spec: JobSpec) -> dict[str, Any]:
        """The custom resource, before jobs.policy has forced its part on it."""
        ...

    def progress(self, obj: Object) -> Progress:
        """Never raises: what is missing or malformed in `obj` is unknown."""
        ...

    def pod_set_of(self, pod: Object) -> tuple[str, int]:
        """(role in lower case, index) of a pod of this kind. Raises ValueError when its labels do not say."""
        ...


def member(obj: object, *path: str) -> Any:
    """The value at `path` below `obj`, None when a step is not there or is no object."""
    for step in path:
        if not isinstance(obj, Mapping):
            return None
        obj = obj.get(step)
    return obj


def text(obj: object, *path: str) -> str:
    value = member(obj, *path)
    return value if isinstance(value, str) else ""


def count(obj: object, *path: str) -> int:
    """A number of replicas; controllers leave zeros out (Go's omitempty)."""
    value = member(obj, *path)
    return value if isinstance(value, int) and value > 0 else 0


def time(obj: object, *path: str) -> datetime | None:
    """An RFC 3339 time; None when it is missing, malformed or has no offset, or is Go's zero time (the year 1).

    The calendar of Python ends with the years 1 and 9999: times so near to it cannot be shown in every zone.
    """
    try:
        found = datetime.fromisoformat(text(obj, *path))
    except ValueError:
        return None
    return found if found.tzinfo and 1 < found.year < 9999 else None
