"""Scenarios: what annotations mean, and what is ignored."""

import pytest

from sandbox import scenario
from sandbox.scenario import PREFIX, Ending, Scenario


def parse(replica: int = 0, **keys: str) -> Scenario:
    return scenario.parse({PREFIX + key.replace("_", "-"): value for key, value in keys.items()}, replica)[0]


def test_nothing_set_succeeds_after_a_minute() -> None:
    assert parse().ending == Ending(60, 0, "Completed")


def test_succeed_after() -> None:
    assert parse(succeed_after="20").ending == Ending(20, 0, "Completed")


def test_a_crash_concerns_its_replica_only() -> None:
    keys = {"crash_after": "5", "crash_code": "3", "crash_replica": "2", "succeed_after": "9"}
    assert parse(2, **keys).ending == Ending(5, 3, "Error")
    assert parse(1, **keys).ending == Ending(9, 0, "Completed")


def test_a_crash_concerns_every_replica_unless_one_is_named() -> None:
    assert [parse(replica, crash_after="5").ending.code for replica in range(3)] == [1, 1, 1]


def test_out_of_memory() -> None:
    assert parse(1, oom_after="7", oom_replica="1").ending == Ending(7, 137, "OOMKilled")


def test_the_earlier_failure_wins_even_over_an_earlier_success() -> None:
    assert parse(oom_after="7", crash_after="9", succeed_after="1").ending == Ending(7, 137, "OOMKilled")


def test_hang_has_no_end() -> None:
    assert parse(hang="true", crash_after="5").ending is None


def test_image_and_delay() -> None:
    assert parse(missing_image="true", start_delay="15") == Scenario(missing_image=True, start_delay=15)


def test_other_annotations_do_not_matter() -> None:
    assert scenario.parse({"example.com/hang": "true"}, 0) == (Scenario(), [])


@pytest.mark.parametrize(
    ("key", "value", "says"),
    [
        ("succeed-after", "soon", "could not convert string to float"),
        ("succeed-after", "-1", "from 0 to 31536000"),
        ("succeed-after", "inf", "from 0 to 31536000"),
        ("crash-code", "0", "exit code from 1 to 255"),
        ("crash-replica", "-1", "from 0 to 9999"),
        ("hang", "yes", '"true" or "false"'),
        ("explode", "true", "known keys are succeed-after"),
    ],
)
def test_a_bad_annotation_is_ignored_and_told(key: str, value: str, says: str) -> None:
    read, problems = scenario.parse({PREFIX + key: value}, 0)
    assert read == Scenario()
    assert len(problems) == 1 and f"Annotation {PREFIX}{key} is ignored" in problems[0] and says in problems[0]
