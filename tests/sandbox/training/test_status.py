"""The conditions and counters of a job's status."""

from typing import Any

from sandbox.training import status

NOON, LATER = "2026-03-01T12:00:00Z", "2026-03-01T12:01:00Z"


def types(found: dict[str, Any]) -> list[tuple[str, str]]:
    return [(item["type"], item["status"]) for item in found["conditions"]]


def running() -> dict[str, Any]:
    found: dict[str, Any] = {}
    status.put(found, "Created", True, "Created", "", at=NOON)
    status.put(found, "Running", True, "Running", "", at=NOON)
    return found


def test_a_change_moves_to_the_end() -> None:
    found = running()
    status.put(found, "Created", False, "Created", "", at=LATER)
    assert types(found) == [("Running", "True"), ("Created", "False")]


def test_the_same_again_changes_nothing() -> None:
    found = running()
    assert status.put(found, "Running", True, "Running", "other words", at=LATER) is False
    assert found == running()


def test_another_reason_keeps_the_time_of_the_transition() -> None:
    found = running()
    status.put(found, "Running", True, "Restarted", "", at=LATER)
    assert found["conditions"][-1]["lastTransitionTime"] == NOON
    assert found["conditions"][-1]["lastUpdateTime"] == LATER


def test_running_and_restarting_exclude_each_other() -> None:
    found = running()
    status.put(found, "Restarting", True, "Restarting", "", at=LATER)
    assert types(found) == [("Created", "True"), ("Restarting", "True")]
    status.put(found, "Running", True, "Running", "", at=LATER)
    assert types(found) == [("Created", "True"), ("Running", "True")]


def test_an_end_stops_running_and_failed_is_the_last_word() -> None:
    found = running()
    status.put(found, "Failed", True, "Failed", "", at=LATER)
    assert types(found) == [("Created", "True"), ("Running", "False"), ("Failed", "True")]
    assert status.put(found, "Succeeded", True, "Succeeded", "", at=LATER) is False


def test_zeros_are_not_written() -> None:
    found: dict[str, Any] = {}
    pods = [{"metadata": {}, "status": {"phase": phase}} for phase in ("Running", "Pending", "Running")]
    pods.append({"metadata": {"deletionTimestamp": NOON}, "status": {"phase": "Running"}})
    assert status.count(found, "Worker", pods, "s") == {"active": 2, "succeeded": 0, "failed": 1}
    assert found["replicaStatuses"] == {"Worker": {"active": 2, "failed": 1, "selector": "s"}}


def test_success_counts_the_active_in() -> None:
    found = {"replicaStatuses": {"Worker": {"active": 3, "succeeded": 1, "selector": "s"}}}
    status.count_active_as_succeeded(found)
    assert found["replicaStatuses"]["Worker"] == {"succeeded": 4, "selector": "s"}
