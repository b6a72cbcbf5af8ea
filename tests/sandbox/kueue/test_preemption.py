"""Who has to go for whom."""

from datetime import UTC, datetime, timedelta

from sandbox.kueue.capacity import Capacity, QueueQuota, Quota
from sandbox.kueue.preemption import Holder, Policy, Preemptor, targets

GPU = ("a100", "nvidia.com/gpu")
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
ANY, LOWER = Policy(reclaim_within_cohort="Any"), Policy(reclaim_within_cohort="LowerPriority")
OWN = Policy(within_cluster_queue="LowerPriority")


def holder(name: str, queue: str, gpus: int, minute: int = 0, *, priority: int = 0, evicted: bool = False) -> Holder:
    at = NOON + timedelta(minutes=minute)
    return Holder(("team", name), queue, priority, at, at, {GPU: gpus}, evicted)


def found(holders: list[Holder], gpus: int, policy: Policy, priority: int = 0, queue: str = "mine") -> list[str]:
    """The names of those who go for a job of `gpus` in a queue of 8, beside one of 8, in a cohort."""
    accounts = [QueueQuota(name, "research", {GPU: Quota(8)}) for name in ("mine", "theirs")]
    capacity = Capacity(accounts)
    for item in holders:
        capacity.add(item.queue, item.usage)
    before = {name: dict(account.usage) for name, account in capacity.queues.items()}
    result = targets(capacity, Preemptor(queue, priority, NOON, {GPU: gpus}), policy, holders)
    assert before == {name: account.usage for name, account in capacity.queues.items()}
    return [item.key[1] for item, _ in result]


def test_the_youngest_borrower_goes() -> None:
    holders = [holder("old", "theirs", 8, 0), holder("middle", "theirs", 4, 1), holder("young", "theirs", 4, 2)]
    assert found(holders, 4, ANY) == ["young"]
    assert found(holders, 8, ANY) == ["young", "middle"]


def test_who_is_within_its_quota_stays() -> None:
    holders = [holder("mine", "mine", 4), holder("theirs", "theirs", 8)]
    assert found(holders, 8, ANY) == []


def test_only_who_is_needed_goes() -> None:
    holders = [holder("large", "theirs", 12, 0), holder("small", "theirs", 4, 1)]
    assert found(holders, 8, ANY) == ["large"]


def test_never_and_lower_priority() -> None:
    holders = [holder("one", "theirs", 16)]
    assert found(holders, 4, Policy()) == []
    assert found(holders, 4, LOWER) == []
    assert found(holders, 4, LOWER, priority=1) == ["one"]


def test_who_would_borrow_reclaims_nothing() -> None:
    assert found([holder("mine", "mine", 8), holder("one", "theirs", 8)], 4, ANY) == []


def test_a_lower_priority_in_the_own_queue() -> None:
    holders = [holder("low", "mine", 8, priority=1), holder("equal", "mine", 8, 1, priority=5)]
    assert found(holders, 8, OWN, priority=5) == ["low"]
    assert found(holders, 8, OWN, priority=1) == []


def test_newer_of_equal_priority() -> None:
    policy = Policy(within_cluster_queue="LowerOrNewerEqualPriority")
    assert found([holder("newer", "mine", 16, 5)], 8, policy) == ["newer"]
    assert found([holder("older", "mine", 16, -5)], 8, policy) == []


def test_who_is_going_already_goes_first() -> None:
    holders = [holder("going", "theirs", 8, 0, evicted=True), holder("young", "theirs", 8, 9)]
    assert found(holders, 8, ANY) == ["going"]


def test_another_resource_does_not_matter() -> None:
    cpu = Holder(("team", "cpu"), "theirs", 0, NOON, NOON, {("a100", "cpu"): 64000})
    assert found([cpu, holder("one", "theirs", 16)], 4, ANY) == ["one"]
