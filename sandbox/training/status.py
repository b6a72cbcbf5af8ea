"""The status of a PyTorchJob: its conditions and counters.

The rules of the condition list are those of training-operator 1.9.4, pkg/util/status.go: a changed condition moves to
the end, Failed is the last word, and Running and Restarting exclude each other.
"""

from collections.abc import Mapping
from typing import Any

Status = dict[str, Any]


def has(status: Mapping[str, Any], kind: str) -> bool:
    """Tell whether the condition of that type is True."""
    return any(item["type"] == kind and item["status"] == "True" for item in status.get("conditions") or [])


def put(status: Status, kind: str, true: bool, reason: str, message: str, *, at: str) -> bool:
    """Set a condition in place and tell whether it changed; `reason` is the suffix, such as `Running`."""
    if has(status, "Failed"):
        return False
    new = {
        "type": kind,
        "status": "True" if true else "False",
        "reason": f"PyTorchJob{reason}",
        "message": message,
        "lastUpdateTime": at,
        "lastTransitionTime": at,
    }
    conditions = status.setdefault("conditions", [])
    old = next((item for item in conditions if item["type"] == kind), None)
    if old and (old["status"], old["reason"]) == (new["status"], new["reason"]):
        return False
    if old and old["status"] == new["status"]:
        new["lastTransitionTime"] = old["lastTransitionTime"]
    status["conditions"] = [*_others(conditions, kind), new]
    return True


def _others(conditions: list[Status], kind: str) -> list[Status]:
    excluded = {"Running": {"Running", "Restarting"}, "Restarting": {"Running", "Restarting"}}.get(kind, {kind})
    kept = [dict(item) for item in conditions if item["type"] not in excluded]
    if kind in {"Succeeded", "Failed"}:
        for item in kept:
            if item["type"] == "Running":
                item["status"] = "False"
    return kept


def count(status: Status, role: str, pods: list[Mapping[str, Any]], selector: str) -> dict[str, int]:
    """Write the counters of one replica type and return them; zeros are not written."""
    numbers = {"active": 0, "succeeded": 0, "failed": 0}
    for pod in pods:
        phase = (pod.get("status") or {}).get("phase")
        if phase == "Running":
            numbers["failed" if pod["metadata"].get("deletionTimestamp") else "active"] += 1
        elif phase in {"Succeeded", "Failed"}:
            numbers[phase.lower()] += 1
    written = {name: number for name, number in numbers.items() if number}
    status.setdefault("replicaStatuses", {})[role] = {**written, "selector": selector}
    return numbers


def count_active_as_succeeded(status: Status) -> None:
    """Let what was active when the job succeeded count as succeeded too: its pods may be gone by now."""
    for counters in (status.get("replicaStatuses") or {}).values():
        active = counters.pop("active", 0)
        if active:
            counters["succeeded"] = counters.get("succeeded", 0) + active
