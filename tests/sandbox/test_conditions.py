"""Condition lists."""

from typing import Any

from sandbox import conditions

NOON, LATER = "2026-03-01T12:00:00Z", "2026-03-01T12:01:00Z"


def test_a_condition_is_added_then_changed_in_its_place() -> None:
    obj: dict[str, Any] = {"metadata": {"generation": 3}}
    assert conditions.put(obj, "Active", True, "Ready", "yes", at=NOON)
    assert conditions.put(obj, "Other", True, "Ready", "yes", at=NOON)
    assert conditions.put(obj, "Active", True, "Ready", "still", at=LATER)
    assert not conditions.put(obj, "Active", True, "Ready", "still", at=LATER)
    assert obj["status"]["conditions"][0] == {
        "type": "Active",
        "status": "True",
        "reason": "Ready",
        "message": "still",
        "lastTransitionTime": NOON,
        "observedGeneration": 3,
    }


def test_the_time_moves_with_the_status() -> None:
    obj: dict[str, Any] = {"metadata": {}}
    conditions.put(obj, "Active", True, "Ready", "", at=NOON)
    conditions.put(obj, "Active", False, "Stopped", "", at=LATER)
    assert conditions.find(obj, "Active")["lastTransitionTime"] == LATER
    assert not conditions.is_true(obj, "Active")


def test_no_status_has_no_conditions() -> None:
    assert conditions.find({}, "Active") is None
    assert not conditions.is_true({"status": None}, "Active")
