"""Quota arithmetic of ClusterQueues that share a cohort: what a queue may still take, and what it could take at most.

The formulas are those of Kueue 0.19, pkg/cache/scheduler/resource_node.go, for a cohort without a parent.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

FlavorResource = tuple[str, str]
"""A flavor's name and a resource's name."""
Usage = dict[FlavorResource, int]


@dataclass(frozen=True)
class Quota:
    """The quota of one resource in one flavor; None means no limit."""

    nominal: int
    borrowing_limit: int | None = None
    lending_limit: int | None = None

    @property
    def kept(self) -> int:
        """The part of the nominal quota that is never lent."""
        return 0 if self.lending_limit is None else max(0, self.nominal - self.lending_limit)


NO_QUOTA = Quota(0)


@dataclass
class QueueQuota:
    """The quota and the present usage of one ClusterQueue; `cohort` is empty for a queue on its own."""

    name: str
    cohort: str = ""
    quotas: Mapping[FlavorResource, Quota] = field(default_factory=dict)
    usage: Usage = field(default_factory=dict)

    def used(self, pair: FlavorResource) -> int:
        return self.usage.get(pair, 0)

    def quota(self, pair: FlavorResource) -> Quota:
        return self.quotas.get(pair, NO_QUOTA)

    def borrowed(self, pair: FlavorResource, more: int = 0) -> int:
        """Return how much of `pair` is, or with `more` would be, used above the nominal quota."""
        return max(0, self.used(pair) + more - self.quota(pair).nominal)


class Capacity:
    """The ClusterQueues of a cluster with their cohorts' own quota."""

    def __init__(self, queues: Iterable[QueueQuota], cohort_quotas: Mapping[str, Usage] | None = None) -> None:
        self.queues = {queue.name: queue for queue in queues}
        self._cohort_quotas = cohort_quotas or {}
        self._members: dict[str, list[QueueQuota]] = {}
        for queue in self.queues.values():
            if queue.cohort:
                self._members.setdefault(queue.cohort, []).append(queue)

    def cohort_members(self, name: str) -> list[QueueQuota]:
        """Return every queue of the cohort of queue `name`, that queue included."""
        queue = self.queues[name]
        return self._members.get(queue.cohort, [queue])

    def available(self, name: str, pair: FlavorResource) -> int:
        """Return how much of `pair` queue `name` can take now without preempting anything; never negative."""
        queue = self.queues[name]
        quota, used = queue.quota(pair), queue.used(pair)
        if not queue.cohort:
            return max(0, quota.nominal - used)
        shared = self._lent_to_cohort(queue.cohort, pair) - self._taken_from_cohort(queue.cohort, pair)
        if quota.borrowing_limit is not None:
            stored, taken = quota.nominal - quota.kept, max(0, used - quota.kept)
            shared = min(shared, stored - taken + quota.borrowing_limit)
        return max(0, max(0, quota.kept - used) + shared)

    def maximum(self, name: str, pair: FlavorResource) -> int:
        """Return how much of `pair` queue `name` could take if nobody used anything."""
        queue = self.queues[name]
        quota = queue.quota(pair)
        if not queue.cohort:
            return quota.nominal
        most = quota.kept + self._lent_to_cohort(queue.cohort, pair)
        if quota.borrowing_limit is not None:
            most = min(most, quota.nominal + quota.borrowing_limit)
        return most

    def add(self, name: str, usage: Mapping[FlavorResource, int]) -> None:
        """Charge `usage` to queue `name`; a queue that is not there keeps no account."""
        queue = self.queues.get(name)
        for pair, amount in usage.items() if queue else ():
            queue.usage[pair] = queue.usage.get(pair, 0) + amount  # type: ignore[union-attr]

    def remove(self, name: str, usage: Mapping[FlavorResource, int]) -> None:
        """Give back what `add` charged."""
        self.add(name, {pair: -amount for pair, amount in usage.items()})

    def _lent_to_cohort(self, cohort: str, pair: FlavorResource) -> int:
        own = self._cohort_quotas.get(cohort, {}).get(pair, 0)
        quotas = (member.quota(pair) for member in self._members[cohort])
        return own + sum(quota.nominal - quota.kept for quota in quotas)

    def _taken_from_cohort(self, cohort: str, pair: FlavorResource) -> int:
        return sum(max(0, member.used(pair) - member.quota(pair).kept) for member in self._members[cohort])
