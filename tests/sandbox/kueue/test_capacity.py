"""What a queue may take now, and at most."""

from sandbox.kueue.capacity import Capacity, QueueQuota, Quota

GPU = ("a100", "nvidia.com/gpu")


def queue(name: str, quota: Quota, used: int = 0, cohort: str = "gpu-cohort") -> QueueQuota:
    return QueueQuota(name, cohort, {GPU: quota}, {GPU: used})


def demo(premium: int = 0, free: int = 0, reserve: int = 0, limit: int | None = 16) -> Capacity:
    """The demo's three queues with what they use."""
    return Capacity(
        [
            queue("premium", Quota(32, limit), premium),
            queue("free", Quota(4, 0), free),
            queue("reserve", Quota(12), reserve),
        ]
    )


def test_a_queue_on_its_own_has_its_nominal_quota() -> None:
    capacity = Capacity([queue("alone", Quota(8), used=3, cohort="")])
    assert (capacity.available("alone", GPU), capacity.maximum("alone", GPU)) == (5, 8)


def test_a_borrowing_limit_caps() -> None:
    assert demo().maximum("premium", GPU) == 48
    assert demo(limit=8).maximum("premium", GPU) == 40
    assert demo(premium=32).available("premium", GPU) == 16
    assert demo(premium=32, limit=8).available("premium", GPU) == 8


def test_no_limit_borrows_all_the_cohort_has() -> None:
    assert demo(limit=None).maximum("premium", GPU) == 48
    assert demo().maximum("reserve", GPU) == 48


def test_what_others_use_cannot_be_borrowed() -> None:
    assert demo(premium=32, free=4).available("premium", GPU) == 12
    assert demo(premium=32, free=4, reserve=12).available("premium", GPU) == 0


def test_a_limit_of_zero_keeps_to_the_nominal_quota() -> None:
    assert (demo().maximum("free", GPU), demo(free=4).available("free", GPU)) == (4, 0)


def test_a_lending_limit_keeps_the_rest_at_home() -> None:
    capacity = Capacity([queue("a", Quota(8)), queue("b", Quota(10, lending_limit=3))])
    assert capacity.maximum("a", GPU) == 11
    capacity.add("a", {GPU: 11})
    assert (capacity.available("a", GPU), capacity.available("b", GPU)) == (0, 7)


def test_what_is_over_the_quota_never_counts_as_negative() -> None:
    assert demo(premium=60).available("premium", GPU) == 0


def test_a_cohort_can_own_quota() -> None:
    capacity = Capacity([queue("a", Quota(8))], {"gpu-cohort": {GPU: 5}})
    assert capacity.maximum("a", GPU) == 13


def test_borrowed() -> None:
    account = demo(premium=40).queues["premium"]
    assert (account.borrowed(GPU), account.borrowed(GPU, 4)) == (8, 12)
    assert demo(premium=3).queues["premium"].borrowed(GPU) == 0


def test_add_and_remove() -> None:
    capacity = demo()
    capacity.add("premium", {GPU: 10})
    assert capacity.queues["premium"].used(GPU) == 10
    capacity.remove("premium", {GPU: 10})
    assert capacity.available("premium", GPU) == 48
    capacity.add("ghost", {GPU: 1})
