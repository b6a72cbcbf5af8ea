from dataclasses import replace
from random import Random

import pytest

from portal.names import GPU
from quotas.fit import Fit, QueueQuota, available, reach, verdict

PREMIUM = QueueQuota("premium", "gpu-cohort", 32, borrowing_limit=16)
FREE = QueueQuota("free", "gpu-cohort", 4, borrowing_limit=0)
RESERVE = QueueQuota("reserve", "gpu-cohort", 12)
COHORT = [PREMIUM, FREE, RESERVE]


@pytest.mark.parametrize(
    ("queue", "cohort", "most"),
    [
        (PREMIUM, COHORT, 48),
        (replace(PREMIUM, borrowing_limit=8), COHORT, 40),
        (PREMIUM, [PREMIUM, FREE, replace(RESERVE, nominal=4)], 40),
        (FREE, COHORT, 4),
        (RESERVE, COHORT, 48),
        (replace(PREMIUM, borrowing_limit=None), [PREMIUM, FREE, replace(RESERVE, lending_limit=2)], 38),
        (replace(PREMIUM, cohort=None), COHORT, 32),
        (PREMIUM, [FREE, RESERVE], 48),
        (PREMIUM, [FREE, replace(RESERVE, cohort="other")], 36),
    ],
)
def test_reach(queue, cohort, most):
    assert reach(queue, cohort) == most


@pytest.mark.parametrize(
    ("limit", "reserve", "missing"), [(16, 12, 8), (8, 12, 16), (16, 4, 16)], ids=["as is", "limit 8", "reserve 4"]
)
def test_what_a_second_job_of_24_misses_beside_one_of_32(limit, reserve, missing):
    premium = replace(PREMIUM, borrowing_limit=limit, used=32)
    cohort = [premium, FREE, replace(RESERVE, nominal=reserve)]
    assert 24 - available(premium, cohort) == missing


def some_cohort(random: Random) -> list[QueueQuota]:
    def queue(number: int) -> QueueQuota:
        nominal = random.randrange(0, 40)
        limits = [random.choice([None, random.randrange(0, 40)]) for _ in range(2)]
        return QueueQuota(f"q{number}", "c", nominal, limits[0], limits[1])

    return [queue(number) for number in range(random.randrange(1, 6))]


COHORTS = [some_cohort(Random(seed)) for seed in range(300)]


def test_reach_is_what_is_available_in_an_empty_cohort():
    for cohort in COHORTS:
        for queue in cohort:
            assert available(queue, cohort) == reach(queue, cohort)


def counted_one_by_one(mine: QueueQuota, others: list[QueueQuota]) -> int:
    """The reach by another way: take one piece after the other, own ones first, and borrow from whoever still lends."""
    to_lend = [other.nominal if other.lending_limit is None else other.lending_limit for other in others]
    to_lend = [min(limit, other.nominal) for limit, other in zip(to_lend, others, strict=True)]
    borrowed = 0
    while any(to_lend) and (mine.borrowing_limit is None or borrowed < mine.borrowing_limit):
        lender = next(number for number, left in enumerate(to_lend) if left)
        to_lend[lender] -= 1
        borrowed += 1
    return mine.nominal + borrowed


def test_reach_counted_one_by_one():
    for mine, *others in COHORTS:
        assert reach(mine, others) == counted_one_by_one(mine, others)


def test_admitting_what_is_available_leaves_nothing_and_takes_from_no_guarantee():
    for first, *others in COHORTS:
        full = replace(first, used=available(first, others))
        cohort = [full, *others]
        assert available(full, cohort) == 0
        assert all(available(other, cohort) >= other.guaranteed for other in others)
        assert full.used <= sum(queue.nominal for queue in cohort)


def test_more_of_anything_never_lowers_the_reach():
    for cohort in COHORTS:
        for at, queue in enumerate(cohort):
            richer = [*cohort[:at], replace(queue, nominal=queue.nominal + 5), *cohort[at + 1 :]]
            assert reach(richer[0], richer) >= reach(cohort[0], cohort)


def test_verdict_names_the_gpus_first():
    asks = {"cpu": 999, GPU: 16}
    assert verdict(asks, {"cpu": 1, GPU: 4}) == Fit(False, GPU, 16, 4)
    assert verdict(asks, {"cpu": 1, GPU: 48}) == Fit(False, "cpu", 999, 1)
    assert verdict(asks, {"cpu": 999, GPU: 16}) == Fit(True, GPU, 16, 16)


def test_verdict_on_a_resource_that_the_queue_does_not_cover():
    assert verdict({"rdma/hca": 1}, {GPU: 48}) == Fit(False, "rdma/hca", 1, 0)


def test_verdict_on_nothing():
    assert verdict({GPU: 0}, {}).ok
