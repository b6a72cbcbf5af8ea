"""Flavor assignment: which flavor each resource of each pod set gets from a ClusterQueue, or why none fits.

Order of the checks and wordings: Kueue 0.19, pkg/scheduler/flavorassigner/flavorassigner.go.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

from sandbox import quantity
from sandbox.kueue.capacity import Capacity, FlavorResource, Usage
from sandbox.node_match import matches_affinity, tolerated


class Mode(IntEnum):
    """How well a pod set fits: never as things are, after preempting others, or now."""

    NO_FIT = 0
    PREEMPT = 1
    FIT = 2


@dataclass(frozen=True)
class PodSet:
    """One pod set of a Workload; `requests` are those of all its pods together."""

    name: str
    count: int
    requests: Mapping[str, int]
    spec: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class ResourceGroup:
    """One of a ClusterQueue's resource groups: the resources it covers and its flavors in the order they are tried."""

    resources: frozenset[str]
    flavors: tuple[str, ...]


@dataclass
class Assignment:
    """The outcome for a whole Workload: its mode, the flavor of each pod set's resources, and the reasons."""

    mode: Mode = Mode.FIT
    flavors: dict[str, dict[str, str]] = field(default_factory=dict)
    usage: Usage = field(default_factory=dict)
    reasons: dict[str, list[str]] = field(default_factory=dict)
    borrows: bool = False

    @property
    def message(self) -> str:
        """Why it does not fit now, one clause for each pod set."""
        return "; ".join(
            f"couldn't assign flavors to pod set {name}: {', '.join(sorted(reasons))}"
            for name, reasons in self.reasons.items()
        )


@dataclass(frozen=True)
class Assigner:
    """Assigns the flavors of one ClusterQueue; `flavors` holds the ResourceFlavor objects by name."""

    capacity: Capacity
    queue: str
    groups: Sequence[ResourceGroup]
    flavors: Mapping[str, Mapping[str, Any]]

    def assign(self, pod_sets: Sequence[PodSet]) -> Assignment:
        """Return the best assignment; it stops at the first pod set that has no flavor at all."""
        result = Assignment()
        for pod_set in pod_sets:
            mode, chosen, reasons = self._assign_pod_set(pod_set, result.usage)
            result.mode = min(result.mode, mode)
            if mode is not Mode.FIT:
                result.reasons[pod_set.name] = reasons
            if mode is Mode.NO_FIT:
                return result
            result.flavors[pod_set.name] = chosen
            for resource, flavor in chosen.items():
                pair = (flavor, resource)
                result.usage[pair] = result.usage.get(pair, 0) + pod_set.requests[resource]
        account = self.capacity.queues[self.queue]
        result.borrows = any(account.borrowed(pair, amount) for pair, amount in result.usage.items())
        return result

    def _assign_pod_set(self, pod_set: PodSet, assumed: Usage) -> tuple[Mode, dict[str, str], list[str]]:
        """Return the pod set's mode, the flavor of each of its resources, and why other flavors were passed over."""
        covered = frozenset[str]().union(*(group.resources for group in self.groups))
        missing = [name for name in pod_set.requests if name not in covered]
        if missing:
            return Mode.NO_FIT, {}, [f"resource {name} unavailable in ClusterQueue" for name in missing]
        mode, chosen, reasons = Mode.FIT, dict[str, str](), list[str]()
        for group in self.groups:
            wanted = [name for name in pod_set.requests if name in group.resources]
            if not wanted:
                continue
            flavor, best, why = self._best_flavor(pod_set, group, wanted, assumed)
            mode = min(mode, best)
            chosen |= dict.fromkeys(wanted, flavor)
            reasons += why
        return mode, chosen, reasons

    def _best_flavor(
        self, pod_set: PodSet, group: ResourceGroup, wanted: Sequence[str], assumed: Usage
    ) -> tuple[str, Mode, list[str]]:
        """Try the flavors in order (MayStopSearch, TryNextFlavor): the first that fits, else one to preempt in."""
        best, flavor_of_best, reasons = Mode.NO_FIT, "", list[str]()
        for flavor in group.flavors:
            obstacle = self._obstacle(pod_set, flavor, group)
            if obstacle:
                reasons.append(obstacle)
                continue
            checks = [self._check((flavor, name), pod_set.requests[name], assumed) for name in wanted]
            mode = min(mode for mode, _ in checks)
            reasons += [reason for _, reason in checks if reason]
            if mode > best:
                best, flavor_of_best = mode, flavor
            if best is Mode.FIT:
                break
        return flavor_of_best, best, reasons

    def _obstacle(self, pod_set: PodSet, flavor: str, group: ResourceGroup) -> str:
        """Return why pods of this pod set could not run on the flavor's nodes, or an empty text."""
        spec = (self.flavors.get(flavor) or {}).get("spec") or {}
        if flavor not in self.flavors:
            return f"flavor {flavor} not found"
        tolerations = [*(pod_set.spec.get("tolerations") or []), *(spec.get("tolerations") or [])]
        for taint in spec.get("nodeTaints") or []:
            if not tolerated(taint, tolerations):
                shown = f"{taint['key']} {taint.get('value', '')} {taint['effect']} <nil>"
                return f"untolerated taint {{{shown}}} in flavor {flavor}"
        others = (self.flavors.get(name) or {} for name in group.flavors)
        keys = {key for other in others for key in (other.get("spec") or {}).get("nodeLabels") or {}}
        if not matches_affinity(pod_set.spec, spec.get("nodeLabels") or {}, keys):
            return f"flavor {flavor} doesn't match node affinity"
        return ""

    def _check(self, pair: FlavorResource, request: int, assumed: Usage) -> tuple[Mode, str]:
        """Return the mode of one resource in one flavor, with the reason when it does not fit now."""
        flavor, resource = pair
        before = assumed.get(pair, 0)
        value = before + request
        maximum = self.capacity.maximum(self.queue, pair)
        if value > maximum:
            numbers = [quantity.show(resource, amount) for amount in (before, request, maximum)]
            return Mode.NO_FIT, (
                f"insufficient quota for {resource} in flavor {flavor}, previously considered podsets requests "
                f"({numbers[0]}) + current podset request ({numbers[1]}) > maximum capacity ({numbers[2]})"
            )
        available = self.capacity.available(self.queue, pair)
        if value <= available:
            return Mode.FIT, ""
        nominal = self.capacity.queues[self.queue].quota(pair).nominal
        mode = Mode.PREEMPT if value <= nominal else Mode.NO_FIT
        more = quantity.show(resource, value - available)
        return mode, f"insufficient unused quota for {resource} in flavor {flavor}, {more} more needed"
