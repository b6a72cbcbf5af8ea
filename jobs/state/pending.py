"""Why Kueue does not admit a workload, read out of its QuotaReserved condition.

Stock Kueue 0.9-0.19 gives one reason, Pending, and the numbers only in the message (pkg/scheduler/flavorassigner and
pkg/scheduler/scheduler.go; it wrote the second form of "maximum capacity" until 0.14). The granular reasons of 0.19's
gate UnadmittedWorkloadsObservability are understood too. What we cannot read is passed on as it is.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from jobs.state.facts import Condition, Derived
from portal import quantity
from portal.names import GPU

_WAITS = re.compile(
    r"insufficient unused quota for (?P<resource>\S+) in flavor (?P<flavor>\S+), (?P<missing>\S+) more needed"
)
_NEVER = re.compile(
    r"insufficient quota for (?P<resource>\S+) in flavor (?P<flavor>\S+), (?:"
    r"previously considered podsets requests \((?P<before>[^)]+)\) \+ current podset request \((?P<asks>[^)]+)\)"
    r" > maximum capacity \((?P<most>[^)]+)\)"
    r"|request > maximum capacity \((?P<old_asks>\S+) > (?P<old_most>[^)]+)\))"
)
_MISMATCH = re.compile(
    r"flavor (?P<a>\S+) doesn't match node affinity|untolerated taint .*? in flavor (?P<b>[^\s,;]+)"
    r"|flavor (?P<c>\S+) not found"
)
_UNCOVERED = re.compile(r"resource (?P<resource>\S+) unavailable in ClusterQueue")
_POD_SETS = re.compile(r"couldn't assign flavors to pod set ")

# Reasons of the condition that speak for themselves (Kueue 0.19, apis/kueue/v1beta2/workload_types.go).
_BY_REASON = {
    "OnHold": ("held", "held"),
    "AdmissionGated": ("held", "held"),
    "Suspended": ("held", "queue_stopped"),
    "PendingEvaluation": ("submitted", "no_workload"),
    "NoMatchingFlavor": ("cannot_run", "no_matching_flavor"),
    "Misconfigured": ("cannot_run", "misconfigured"),
}
_BY_MESSAGE = (
    (re.compile(r"is stopped\b"), ("held", "queue_stopped")),
    (
        re.compile(
            r"doesn't exist|\bnot found\b|is inactive|doesn't match ClusterQueue selector"
            r"|resources validation failed|LimitRange constraints"
        ),
        ("cannot_run", "misconfigured"),
    ),
)


@dataclass(frozen=True)
class Verdict:
    """`code`: waits, never, mismatch, uncovered, or "" for another kind of message. Amounts as in portal.quantity."""

    code: str
    params: Mapping[str, Any] = field(default_factory=dict)


def pending(condition: Condition) -> Derived:
    """The state and reason of a workload whose QuotaReserved is False, with its message where that says more."""
    said = {"message": condition.message} if condition.message else {}
    if found := _BY_REASON.get(condition.reason):
        return Derived(*found, said)
    read = verdict(condition.message)
    if read.code == "waits":
        return Derived("queued", "waiting_for_quota", read.params)
    if read.code == "never":
        return Derived("cannot_run", "exceeds_max_quota", read.params)
    if read.code == "mismatch":
        return Derived("cannot_run", "no_matching_flavor", said)
    if read.code == "uncovered":
        return Derived("cannot_run", "misconfigured", {**read.params, **said})
    for pattern, outcome in _BY_MESSAGE:
        if pattern.search(condition.message):
            return Derived(*outcome, said)
    return Derived("queued", "scheduler" if said else "no_workload", said)


def verdict(message: str) -> Verdict:
    """The worst verdict over the pod sets, for all must be admitted together: never before mismatch before waiting."""
    found = [_pod_set(part) for part in _POD_SETS.split(message)[1:]]
    for code in ("uncovered", "never", "mismatch"):
        for item in found:
            if item.code == code:
                return item
    waits = [item for item in found if item.code == "waits"]
    # Each pod set's number already counts what the pod sets before it need.
    return max(waits, key=_gpus_first, default=Verdict(""))


def _pod_set(text: str) -> Verdict:
    """The best verdict over the flavors that were tried: it waits if one flavor can still become free enough."""
    if uncovered := _UNCOVERED.search(text):
        return Verdict("uncovered", {"resource": uncovered["resource"]})
    never = list(_nevers(text))
    mismatch = {match["a"] or match["b"] or match["c"] for match in _MISMATCH.finditer(text)}
    dead = mismatch | {item.params["flavor"] for item in never}
    waits = [item for item in _waits(text) if item.params["flavor"] not in dead]
    if waits:
        # The flavor that lacks least; within it the GPUs, which people think in.
        flavors = {item.params["flavor"]: max(_of(waits, item.params["flavor"]), key=_gpus_first) for item in waits}
        return min(flavors.values(), key=_gpus_first)
    if never:
        return max(never, key=lambda item: (item.params["resource"] == GPU, item.params.get("at_most", 0)))
    return Verdict("mismatch") if mismatch else Verdict("")


def _of(items: list[Verdict], flavor: str) -> list[Verdict]:
    return [item for item in items if item.params["flavor"] == flavor]


def _gpus_first(item: Verdict) -> tuple[bool, int]:
    return item.params["resource"] == GPU, item.params.get("missing", 0)


def _waits(text: str) -> Iterator[Verdict]:
    for match in _WAITS.finditer(text):
        resource = match["resource"]
        missing = _amount(match["missing"], resource)
        numbers = {} if missing is None else {"missing": missing}
        yield Verdict("waits", {"resource": resource, "flavor": match["flavor"], **numbers})


def _nevers(text: str) -> Iterator[Verdict]:
    for match in _NEVER.finditer(text):
        resource = match["resource"]
        asks = [_amount(part, resource) for part in (match["before"], match["asks"] or match["old_asks"]) if part]
        most = _amount(match["most"] or match["old_most"], resource)
        params: dict[str, Any] = {"resource": resource, "flavor": match["flavor"]}
        if most is not None and None not in asks:
            params |= {"needs": sum(ask for ask in asks if ask is not None), "at_most": most}
        yield Verdict("never", params)


def _amount(text: str, resource: str) -> int | None:
    try:
        return quantity.parse(text, resource)
    except quantity.BadQuantity:
        return None
