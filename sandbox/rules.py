"""The rules that the CRDs of the served kinds state in CEL and that a client can break, written out by hand.

Each is quoted from `x-kubernetes-validations` in `crds/`; those about fields that only controllers write are left out.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from sandbox.errors import cause

Cause = dict[str, str]
Rule = Callable[[dict[str, Any], dict[str, Any] | None], Iterator[Cause]]

_EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_ABSENT = object()


def check(resource: str, obj: dict[str, Any], old: dict[str, Any] | None) -> list[Cause]:
    """What is wrong with `obj`; `old` is None on create. The values have already passed the schema."""
    return [found for rule in _RULES.get(resource, ()) for found in rule(obj, old)]


def _broken(message: str, field: str) -> Cause:
    return cause("FieldValueInvalid", f"Invalid value: {message}", field)


def _at(obj: Mapping[str, Any] | None, *path: str) -> Any:
    """The value at a path, or `_ABSENT`."""
    value: Any = obj
    for name in path:
        if not isinstance(value, Mapping) or name not in value:
            return _ABSENT
        value = value[name]
    return value


def _immutable(message: str, *path: str) -> Rule:
    """A field that keeps the value it first got."""

    def rule(obj: dict[str, Any], old: dict[str, Any] | None) -> Iterator[Cause]:
        before, after = _at(old, *path), _at(obj, *path)
        if before is not _ABSENT and after is not _ABSENT and before != after:
            shown = f"{json.dumps(after)}: " if isinstance(after, str) else ""
            yield _broken(shown + message, ".".join(path))

    return rule


def _resource_groups(obj: dict[str, Any], old: dict[str, Any] | None) -> Iterator[Cause]:
    for index, group in enumerate(obj.get("spec", {}).get("resourceGroups") or []):
        covered = len(group["coveredResources"])
        if any(len(flavor.get("resources", [])) != covered for flavor in group["flavors"]):
            message = "flavors must have the same number of resources as the coveredResources"
            yield _broken(message, f"spec.resourceGroups[{index}]")


def _borrowing(obj: dict[str, Any], old: dict[str, Any] | None) -> Iterator[Cause]:
    spec = obj.get("spec", {})
    if "cohortName" in spec:
        return
    quotas = (
        quota
        for group in spec.get("resourceGroups") or []
        for flavor in group["flavors"]
        for quota in flavor.get("resources", [])
    )
    if any("borrowingLimit" in quota for quota in quotas):
        yield _broken("borrowingLimit must be nil when cohort is empty", "spec")


def _preemption(obj: dict[str, Any], old: dict[str, Any] | None) -> Iterator[Cause]:
    preemption = obj.get("spec", {}).get("preemption") or {}
    borrow = (preemption.get("borrowWithinCohort") or {}).get("policy", "Never")
    if preemption.get("reclaimWithinCohort") == "Never" and borrow != "Never":
        message = "reclaimWithinCohort=Never and borrowWithinCohort.Policy!=Never"
        yield _broken(message, "spec.preemption")


def _fungibility(obj: dict[str, Any], old: dict[str, Any] | None) -> Iterator[Cause]:
    rules = obj.get("spec", {}).get("flavorFungibility") or {}
    both = rules.get("whenCanBorrow") == "TryNextFlavor" == rules.get("whenCanPreempt")
    if "preference" in rules and not both:
        message = "preference can only be set when both whenCanBorrow and whenCanPreempt are TryNextFlavor"
        yield _broken(message, "spec.flavorFungibility")


def _taints(obj: dict[str, Any], old: dict[str, Any] | None) -> Iterator[Cause]:
    spec = obj.get("spec", {})
    if any(taint.get("effect") not in _EFFECTS for taint in spec.get("nodeTaints") or []):
        message = "supported taint effect values: 'NoSchedule', 'PreferNoSchedule', 'NoExecute'"
        yield _broken(message, "spec.nodeTaints")
    if "topologyName" in spec and not spec.get("nodeLabels"):
        yield _broken("at least one nodeLabel is required when topology is set", "spec")


def _tolerations(obj: dict[str, Any], old: dict[str, Any] | None) -> Iterator[Cause]:
    listed = obj.get("spec", {}).get("tolerations") or []
    field = "spec.tolerations"
    if any(item.get("operator", "Equal") not in ("Equal", "Exists") for item in listed):
        yield _broken("supported toleration values: 'Equal'(default), 'Exists'", field)
    if any("key" not in item and item.get("operator") != "Exists" for item in listed):
        message = "operator must be Exists when 'key' is empty, which means 'match all values and all keys'"
        yield _broken(message, field)
    if any(item.get("operator") == "Exists" and "value" in item for item in listed):
        yield _broken("a value must be empty when 'operator' is 'Exists'", field)
    if any(item.get("effect", "NoExecute") not in _EFFECTS for item in listed):
        message = "supported taint effect values: 'NoSchedule', 'PreferNoSchedule', 'NoExecute'"
        yield _broken(message, field)


def _containers(obj: dict[str, Any], old: dict[str, Any] | None) -> Iterator[Cause]:
    """Not CEL: kube-apiserver's own validation of what a kubelet cannot do without."""
    containers = obj.get("spec", {}).get("containers")
    if not containers:
        yield cause("FieldValueRequired", "Required value", "spec.containers")
    for index, container in enumerate(containers or []):
        if not container.get("image"):
            yield cause("FieldValueRequired", "Required value", f"spec.containers[{index}].image")


_RULES: dict[str, tuple[Rule, ...]] = {
    "pods": (_containers,),
    "pytorchjobs.kubeflow.org": (
        _immutable(
            "spec.runPolicy.schedulingPolicy.queue is immutable", "spec", "runPolicy", "schedulingPolicy", "queue"
        ),
    ),
    "clusterqueues.kueue.x-k8s.io": (_resource_groups, _borrowing, _preemption, _fungibility),
    "cohorts.kueue.x-k8s.io": (_resource_groups,),
    "localqueues.kueue.x-k8s.io": (_immutable("field is immutable", "spec", "clusterQueue"),),
    "resourceflavors.kueue.x-k8s.io": (_taints, _tolerations),
}
