"""Events as the two recorders of client-go write them (tools/record and tools/events, Kubernetes 1.37)."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sandbox.clock import Clock, parse

LIFETIME_SECONDS = 3600


@dataclass(frozen=True, slots=True)
class Occurrence:
    """What happened to which object. `series` chooses the newer recorder, whose first and last times are null."""

    regarding: Mapping[str, Any]
    type: str
    reason: str
    message: str
    component: str
    series: bool = False

    @property
    def key(self) -> tuple[str, ...]:
        """Equal for occurrences that are counted in one event."""
        uid = str(self.regarding["metadata"].get("uid", ""))
        return (uid, self.type, self.reason, self.message, self.component)

    @property
    def namespace(self) -> str:
        """Events about objects without a namespace live in `default`."""
        return self.regarding["metadata"].get("namespace") or "default"


def key_of(event: Mapping[str, Any]) -> tuple[str, ...]:
    """The `Occurrence.key` that a stored event counts."""
    component = event.get("reportingComponent") or event.get("source", {}).get("component", "")
    uid = event.get("involvedObject", {}).get("uid", "")
    return (uid, event.get("type", ""), event.get("reason", ""), event.get("message", ""), component)


def first(occurrence: Occurrence, clock: Clock, number: int) -> dict[str, Any]:
    """The event of a first occurrence; `number` tells events about one object apart by name."""
    about = occurrence.regarding
    event: dict[str, Any] = {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": f"{about['metadata']['name']}.{number:016x}", "namespace": occurrence.namespace},
        "involvedObject": _reference(about),
        "type": occurrence.type,
        "reason": occurrence.reason,
        "message": occurrence.message,
        "reportingComponent": occurrence.component,
        "reportingInstance": "",
    }
    if occurrence.series:
        event |= {
            "action": occurrence.reason,
            "eventTime": clock.micro(),
            "firstTimestamp": None,
            "lastTimestamp": None,
            "reportingInstance": f"{occurrence.component}-sandbox",
            "source": {},
        }
    else:
        event |= {
            "count": 1,
            "eventTime": None,
            "firstTimestamp": clock.stamp(),
            "lastTimestamp": clock.stamp(),
            "source": {"component": occurrence.component},
        }
    return event


def repeat(event: dict[str, Any], clock: Clock) -> None:
    """Count one more occurrence in a stored event."""
    if event.get("eventTime"):
        count = event.get("series", {}).get("count", 1) + 1
        event["series"] = {"count": count, "lastObservedTime": clock.micro()}
    else:
        event["count"] = event.get("count", 1) + 1
        event["lastTimestamp"] = clock.stamp()


def _reference(obj: Mapping[str, Any]) -> dict[str, Any]:
    meta = obj["metadata"]
    reference = {"apiVersion": obj["apiVersion"], "kind": obj["kind"], "name": meta["name"]}
    for name in ("namespace", "uid", "resourceVersion"):
        if meta.get(name):
            reference[name] = meta[name]
    return reference


def last_seen(event: Mapping[str, Any]) -> datetime:
    """When the event was last written."""
    latest = event.get("series", {}).get("lastObservedTime") or event.get("lastTimestamp") or event.get("eventTime")
    return parse(latest or event["metadata"]["creationTimestamp"])
