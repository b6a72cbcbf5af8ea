"""What the training operator reads from the pods of a job (training-operator 1.9.4, pkg/core/{job,pod}.go)."""

from collections.abc import Mapping
from typing import Any

from sandbox.records import Record
from sandbox.training.replicas import CONTAINER


def role(record: Record) -> str:
    """Return the replica type of a pod in lower case."""
    return record.labels.get("training.kubeflow.org/replica-type", "")


def restarts(pod: Mapping[str, Any]) -> int:
    """Return how often the containers of a running pod were restarted."""
    if pod["status"].get("phase") != "Running":
        return 0
    statuses = [*(pod["status"].get("initContainerStatuses") or []), *(pod["status"].get("containerStatuses") or [])]
    return sum(item.get("restartCount", 0) for item in statuses)


def abnormalities(pod: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the reason and the description of everything about an unfinished pod that is not as it should be."""
    found = []
    statuses = pod["status"].get("containerStatuses") or []
    for item in statuses:
        terminated, waiting = item["state"].get("terminated"), item["state"].get("waiting") or {}
        if terminated and terminated["exitCode"]:
            code = f"exitCode: {terminated['exitCode']} terminated message: {terminated.get('message', '')}"
            found.append((terminated["reason"], f"container {item['name']} {code}"))
        if waiting.get("message"):
            found.append((waiting["reason"], f"container {item['name']} waiting message: {waiting['message']}"))
    for condition in () if statuses else pod["status"].get("conditions") or []:
        if condition["status"] != "True" and condition.get("reason"):
            found.append((condition["reason"], f"condition message: {condition.get('message', '')}"))
    return found


def exit_code(pod: Mapping[str, Any]) -> int | None:
    """Return the exit code of the framework's container, or None while it has none."""
    for item in pod["status"].get("containerStatuses") or []:
        terminated = (item.get("state") or {}).get("terminated")
        if item["name"] == CONTAINER and terminated:
            return int(terminated["exitCode"])
    return None
