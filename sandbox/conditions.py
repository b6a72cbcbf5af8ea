"""`metav1.Condition` lists: find, ask, set (k8s.io/apimachinery, pkg/api/meta/conditions.go)."""

from collections.abc import Mapping
from typing import Any

Condition = dict[str, Any]


def find(obj: Mapping[str, Any], kind: str) -> Condition | None:
    """Return the condition of that type in the object's status, or None."""
    conditions = (obj.get("status") or {}).get("conditions") or []
    return next((condition for condition in conditions if condition["type"] == kind), None)


def is_true(obj: Mapping[str, Any], kind: str) -> bool:
    """Tell whether the object has that condition with status True."""
    condition = find(obj, kind)
    return condition is not None and condition["status"] == "True"


def put(obj: dict[str, Any], kind: str, status: bool, reason: str, message: str, *, at: str) -> bool:
    """Set a condition in place and tell whether anything changed; its time moves only with its status."""
    new = {
        "type": kind,
        "status": "True" if status else "False",
        "reason": reason,
        "message": message,
        "lastTransitionTime": at,
        "observedGeneration": obj["metadata"].get("generation", 0),
    }
    old = find(obj, kind)
    if old is None:
        obj.setdefault("status", {}).setdefault("conditions", []).append(new)
        return True
    if old["status"] == new["status"]:
        new["lastTransitionTime"] = old["lastTransitionTime"]
    changed = old != new
    old.update(new)
    return changed
