"""Preemption: which admitted Workloads have to go so that a pending one fits.

Rules and order: Kueue 0.19, pkg/scheduler/preemption (classical), for cohorts without parents. Reclaiming never takes
from a queue that is within its nominal quota, and never lets the preemptor itself borrow.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from sandbox.kueue.capacity import Capacity, FlavorResource, Usage

IN_CLUSTER_QUEUE = "InClusterQueue"
IN_COHORT = "InCohortReclamation"


@dataclass(frozen=True)
class Holder:
    """A Workload that holds quota; `key` is its namespace and name."""

    key: tuple[str, str]
    queue: str
    priority: int
    reserved_at: datetime
    created_at: datetime
    usage: Usage = field(hash=False)
    evicted: bool = False


@dataclass(frozen=True)
class Policy:
    """The preemption policy of a ClusterQueue, in the API's own words."""

    within_cluster_queue: str = "Never"
    reclaim_within_cohort: str = "Never"


@dataclass(frozen=True)
class Preemptor:
    """The pending Workload that needs room: `usage` is what it would take."""

    queue: str
    priority: int
    created_at: datetime
    usage: Usage = field(hash=False)


def targets(
    capacity: Capacity, preemptor: Preemptor, policy: Policy, holders: Iterable[Holder]
) -> list[tuple[Holder, str]]:
    """Return the fewest holders to evict, each with the reason; empty when evicting does not help or is not allowed."""
    short = {pair for pair, amount in preemptor.usage.items() if amount > capacity.available(preemptor.queue, pair)}
    own, others = [], []
    for holder in holders:
        if not any(holder.usage.get(pair) for pair in short):
            continue
        if holder.queue == preemptor.queue and _may_preempt_own(policy, preemptor, holder):
            own.append(holder)
        elif holder.queue != preemptor.queue and _may_reclaim(capacity, policy, preemptor, holder):
            others.append(holder)
    within_nominal = not any(capacity.queues[preemptor.queue].borrowed(pair, preemptor.usage[pair]) for pair in short)
    order = [*_ordered(others), *_ordered(own)]
    if others and within_nominal:
        found = _fewest(capacity, preemptor, sorted(order, key=lambda item: not item.evicted), short, borrow=False)
        if found:
            return found
    return _fewest(capacity, preemptor, _ordered(own), short, borrow=True)


def _may_preempt_own(policy: Policy, preemptor: Preemptor, holder: Holder) -> bool:
    if policy.within_cluster_queue == "Never":
        return False
    if holder.priority < preemptor.priority:
        return True
    newer_equal = holder.priority == preemptor.priority and holder.created_at > preemptor.created_at
    return policy.within_cluster_queue == "LowerOrNewerEqualPriority" and newer_equal


def _may_reclaim(capacity: Capacity, policy: Policy, preemptor: Preemptor, holder: Holder) -> bool:
    if policy.reclaim_within_cohort == "Never":
        return False
    if capacity.queues[holder.queue] not in capacity.cohort_members(preemptor.queue):
        return False
    return policy.reclaim_within_cohort == "Any" or holder.priority < preemptor.priority


def _ordered(holders: Sequence[Holder]) -> list[Holder]:
    """Evicted already first, then the lowest priority, then the youngest reservation."""
    return sorted(holders, key=lambda item: (not item.evicted, item.priority, -item.reserved_at.timestamp(), item.key))


def _fewest(
    capacity: Capacity, preemptor: Preemptor, order: Sequence[Holder], short: set[FlavorResource], *, borrow: bool
) -> list[tuple[Holder, str]]:
    """Give back usage in order until the preemptor fits, then keep everyone who turns out not to be needed."""
    taken: list[Holder] = []
    try:
        for holder in order:
            if holder.queue != preemptor.queue and not _borrows(capacity, holder.queue, short):
                continue
            capacity.remove(holder.queue, holder.usage)
            taken.append(holder)
            if _fits(capacity, preemptor, borrow):
                _spare(capacity, preemptor, taken, borrow)
                return [(item, _reason(item, preemptor)) for item in taken]
        return []
    finally:
        for holder in taken:
            capacity.add(holder.queue, holder.usage)


def _spare(capacity: Capacity, preemptor: Preemptor, taken: list[Holder], borrow: bool) -> None:
    for holder in reversed(taken[:-1]):
        capacity.add(holder.queue, holder.usage)
        if _fits(capacity, preemptor, borrow):
            taken.remove(holder)
        else:
            capacity.remove(holder.queue, holder.usage)


def _borrows(capacity: Capacity, queue: str, pairs: Iterable[FlavorResource]) -> bool:
    return any(capacity.queues[queue].borrowed(pair) for pair in pairs)


def _fits(capacity: Capacity, preemptor: Preemptor, borrow: bool) -> bool:
    account = capacity.queues[preemptor.queue]
    wanted: Mapping[FlavorResource, int] = preemptor.usage
    if not borrow and any(account.borrowed(pair, amount) for pair, amount in wanted.items()):
        return False
    return all(amount <= capacity.available(preemptor.queue, pair) for pair, amount in wanted.items())


def _reason(holder: Holder, preemptor: Preemptor) -> str:
    return IN_CLUSTER_QUEUE if holder.queue == preemptor.queue else IN_COHORT
