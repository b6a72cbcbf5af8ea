"""The status of a pod, step by step."""

from typing import Any

import pytest

from sandbox import podstatus

NOON, LATER = "2026-03-01T12:00:00Z", "2026-03-01T12:01:00Z"


def pod() -> dict[str, Any]:
    made: dict[str, Any] = {
        "metadata": {"uid": "1"},
        "spec": {"containers": [{"name": "a", "image": "a:1"}, {"name": "b", "image": "b:1"}]},
        "status": {"phase": "Pending"},
    }
    podstatus.admit(made, NOON)
    return made


def ready(made: dict[str, Any]) -> str:
    return next(item["status"] for item in made["status"]["conditions"] if item["type"] == "Ready")


def test_admitted_containers_are_being_created() -> None:
    states = [item["state"] for item in pod()["status"]["containerStatuses"]]
    assert states == [{"waiting": {"reason": "ContainerCreating"}}] * 2
    assert ready(pod()) == "False"


def test_a_start_and_an_end() -> None:
    made = pod()
    podstatus.start(made, NOON, "10.244.0.1", again=False)
    assert (made["status"]["phase"], ready(made)) == ("Running", "True")
    podstatus.terminate(made, LATER, 0, "Completed")
    podstatus.end(made, LATER, failed=False)
    assert (made["status"]["phase"], ready(made)) == ("Succeeded", "False")
    ended = made["status"]["containerStatuses"][1]["state"]["terminated"]
    assert (ended["startedAt"], ended["finishedAt"], ended["exitCode"]) == (NOON, LATER, 0)


def test_a_restart_remembers_the_run_before() -> None:
    made = pod()
    podstatus.start(made, NOON, "10.244.0.1", again=False)
    first = made["status"]["containerStatuses"][0]["containerID"]
    podstatus.terminate(made, LATER, 1, "Error")
    podstatus.wait(made, "a", "CrashLoopBackOff", "back-off")
    podstatus.start(made, LATER, "10.244.0.1", again=True)
    waited, direct = made["status"]["containerStatuses"]
    assert waited["lastState"]["terminated"]["exitCode"] == direct["lastState"]["terminated"]["exitCode"] == 1
    assert waited["restartCount"] == direct["restartCount"] == 1
    assert waited["containerID"] != first


def test_a_condition_keeps_its_time_while_its_status_stays() -> None:
    made = pod()
    assert podstatus.put(made, "Ready", False, at=LATER, reason="Other") is True
    condition = next(item for item in made["status"]["conditions"] if item["type"] == "Ready")
    assert (condition["lastTransitionTime"], condition["reason"]) == (NOON, "Other")
    assert podstatus.put(made, "Ready", False, at=LATER, reason="Other") is False


@pytest.mark.parametrize(("seconds", "text"), [(10, "10s"), (80, "1m20s"), (300, "5m0s")])
def test_durations_are_gos(seconds: int, text: str) -> None:
    assert podstatus.duration(seconds) == text
