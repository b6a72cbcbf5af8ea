"""Cohort arithmetic as Kueue does it (0.19, pkg/cache/scheduler/resource_node.go), for one resource of one flavor.

Of a ClusterQueue's nominal quota, the lending limit's part may be used by the cohort; the rest is guaranteed to the
queue itself. All amounts are in portal.quantity's units.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from portal.names import GPU


@dataclass(frozen=True)
class QueueQuota:
    name: str
    cohort: str | None
    nominal: int
    borrowing_limit: int | None = None  # None: no limit
    lending_limit: int | None = None  # None: all of nominal
    used: int = 0

    @property
    def lendable(self) -> int:
        return self.nominal if self.lending_limit is None else min(self.nominal, self.lending_limit)

    @property
    def guaranteed(self) -> int:
        return self.nominal - self.lendable

    @property
    def used_of_cohort(self) -> int:
        return max(0, self.used - self.guaranteed)


@dataclass(frozen=True)
class Fit:
    """Whether a job can ever be admitted. `resource` decides: the first that never fits, else the most wanted one."""

    ok: bool
    resource: str
    asked: int
    at_most: int


def reach(queue: QueueQuota, cohort: Sequence[QueueQuota]) -> int:
    """The most that `queue` could ever use, were the cohort empty. `cohort`: its queues, with or without `queue`."""
    others = _others(queue, cohort)
    most = queue.nominal + sum(other.lendable for other in others)
    if queue.cohort is not None and queue.borrowing_limit is not None:
        most = min(most, queue.nominal + queue.borrowing_limit)
    return most


def available(queue: QueueQuota, cohort: Sequence[QueueQuota]) -> int:
    """What `queue` can take right now without preempting anybody."""
    others = _others(queue, cohort)
    of_cohort = sum(member.lendable - member.used_of_cohort for member in (queue, *others))
    if queue.cohort is not None and queue.borrowing_limit is not None:
        of_cohort = min(of_cohort, queue.lendable - queue.used_of_cohort + queue.borrowing_limit)
    return max(0, queue.guaranteed - queue.used) + max(0, of_cohort)


def _others(queue: QueueQuota, cohort: Sequence[QueueQuota]) -> list[QueueQuota]:
    if queue.cohort is None:
        return []
    return [other for other in cohort if other.cohort == queue.cohort and other.name != queue.name]


def verdict(requests: Mapping[str, int], reach: Mapping[str, int]) -> Fit:
    """Judges a job's total `requests`, GPUs first. One that `reach` does not name cannot be had."""
    names = sorted((name for name, amount in requests.items() if amount), key=lambda name: (name != GPU, name))
    fits = [Fit(requests[name] <= reach.get(name, 0), name, requests[name], reach.get(name, 0)) for name in names]
    refused = [fit for fit in fits if not fit.ok]
    return (refused + fits + [Fit(True, "", 0, 0)])[0]
