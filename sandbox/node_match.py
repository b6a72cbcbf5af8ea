"""Which nodes a pod may go to: node selectors, required node affinity, taints and tolerations.

Semantics: k8s.io/component-helpers, scheduling/corev1 (Kubernetes 1.36). Preferred rules have no effect here.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Any


def matches_affinity(spec: Mapping[str, Any], labels: Mapping[str, str], keys: Collection[str] | None = None) -> bool:
    """Tell whether `labels` satisfy the pod's nodeSelector and required node affinity.

    With `keys`, only demands about these label keys count, as Kueue does when it looks at a flavor.
    """
    selector = spec.get("nodeSelector") or {}
    if any(labels.get(key) != value for key, value in selector.items() if keys is None or key in keys):
        return False
    affinity = (spec.get("affinity") or {}).get("nodeAffinity") or {}
    required = affinity.get("requiredDuringSchedulingIgnoredDuringExecution")
    if not required:
        return True
    return any(_term_matches(term, labels, keys) for term in required.get("nodeSelectorTerms") or [])


def _term_matches(term: Mapping[str, Any], labels: Mapping[str, str], keys: Collection[str] | None) -> bool:
    demands = [item for item in term.get("matchExpressions") or [] if keys is None or item["key"] in keys]
    return all(_demand_met(item, labels.get(item["key"])) for item in demands)


def _demand_met(demand: Mapping[str, Any], value: str | None) -> bool:
    operator, values = demand["operator"], demand.get("values") or []
    if operator == "In":
        return value in values
    if operator == "NotIn":
        return value not in values
    if operator == "Exists":
        return value is not None
    if operator == "DoesNotExist":
        return value is None
    if value is None or not value.isdigit() or not values[0].isdigit():
        return False
    return int(value) > int(values[0]) if operator == "Gt" else int(value) < int(values[0])


def tolerated(taint: Mapping[str, Any], tolerations: Iterable[Mapping[str, Any]]) -> bool:
    """Tell whether a pod with `tolerations` may run beside `taint`; PreferNoSchedule never keeps a pod away."""
    return taint["effect"] == "PreferNoSchedule" or any(_tolerates(item, taint) for item in tolerations)


def _tolerates(toleration: Mapping[str, Any], taint: Mapping[str, Any]) -> bool:
    if toleration.get("effect") and toleration["effect"] != taint["effect"]:
        return False
    if toleration.get("key") and toleration["key"] != taint["key"]:
        return False
    if toleration.get("operator", "Equal") == "Exists":
        return True
    return bool(toleration.get("key")) and toleration.get("value", "") == taint.get("value", "")
