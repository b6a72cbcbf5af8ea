"""Kueue's messages with more than one pod set or flavor."""

import pytest

from jobs.state import Verdict, verdict
from portal.names import GPU

ASKS = "couldn't assign flavors to pod set "
WAITS = "insufficient unused quota for {} in flavor {}, {} more needed"
NEVER = (
    "insufficient quota for nvidia.com/gpu in flavor {}, previously considered podsets requests ({}) + current podset "
    "request ({}) > maximum capacity ({})"
)


def waits(missing: int, resource: str = GPU, flavor: str = "a100") -> Verdict:
    return Verdict("waits", {"resource": resource, "flavor": flavor, "missing": missing})


def test_the_gpus_are_named_before_other_resources() -> None:
    message = f"{ASKS}worker: {WAITS.format('cpu', 'a100', 32)}, {WAITS.format(GPU, 'a100', 8)}"
    assert verdict(message) == waits(8)


def test_of_two_flavors_the_one_that_lacks_less() -> None:
    message = f"{ASKS}worker: {WAITS.format(GPU, 'a100', 8)}, {WAITS.format(GPU, 'h100', 2)}"
    assert verdict(message) == waits(2, flavor="h100")


def test_a_flavor_that_can_never_do_is_not_waited_for() -> None:
    message = f"{ASKS}worker: {NEVER.format('a100', 0, 64, 48)}, {WAITS.format('cpu', 'a100', 9)}"
    assert verdict(message) == Verdict("never", {"resource": GPU, "flavor": "a100", "needs": 64, "at_most": 48})


def test_one_flavor_that_will_do_is_enough() -> None:
    message = f"{ASKS}worker: {NEVER.format('a100', 0, 64, 48)}, {WAITS.format(GPU, 'h100', 9)}"
    assert verdict(message) == waits(9, flavor="h100")


def test_pod_sets_before_it_count() -> None:
    message = f"{ASKS}worker: {NEVER.format('a100', 8, 48, 48)}"
    assert verdict(message).params["needs"] == 56


def test_the_pod_set_that_lacks_most_decides() -> None:
    message = f"{ASKS}master: {WAITS.format(GPU, 'a100', 4)}; {ASKS}worker: {WAITS.format(GPU, 'a100', 20)}"
    assert verdict(message) == waits(20)


def test_never_wins_over_waiting() -> None:
    message = f"{ASKS}master: {WAITS.format(GPU, 'a100', 4)}; {ASKS}worker: {NEVER.format('a100', 4, 64, 48)}"
    assert verdict(message).code == "never"


@pytest.mark.parametrize(("amount", "missing"), [("500m", 500), ("2", 2000)])
def test_cpus_are_counted_in_thousandths(amount: str, missing: int) -> None:
    assert verdict(f"{ASKS}worker: {WAITS.format('cpu', 'a100', amount)}") == waits(missing, "cpu")


def test_a_number_we_cannot_read_is_left_out() -> None:
    expected = Verdict("waits", {"resource": GPU, "flavor": "a100"})
    assert verdict(f"{ASKS}worker: {WAITS.format(GPU, 'a100', 'many')}") == expected


@pytest.mark.parametrize("message", ["", "Failed to admit workload: boom", ASKS, f"{ASKS}worker: something new"])
def test_other_messages(message: str) -> None:
    assert verdict(message) == Verdict("")


def test_a_suffix_about_preemption_changes_nothing() -> None:
    message = f"{ASKS}worker: {WAITS.format(GPU, 'a100', 8)}. Pending the preemption of 2 workload(s)"
    assert verdict(message) == waits(8)
