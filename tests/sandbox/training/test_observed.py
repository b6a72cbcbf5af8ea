"""What the training operator reads from pods."""

from typing import Any

import pytest

from sandbox.training import observed


def pod(phase: str = "Running", restarts: int = 0, **state: Any) -> dict[str, Any]:
    status = {"name": "pytorch", "restartCount": restarts, "state": state}
    return {"metadata": {}, "status": {"phase": phase, "containerStatuses": [status]}}


def test_only_running_pods_count_their_restarts() -> None:
    assert observed.restarts(pod(restarts=3)) == 3
    assert observed.restarts(pod("Pending", restarts=3)) == 0


def test_the_exit_code_is_that_of_the_frameworks_container() -> None:
    ended = pod("Failed", terminated={"exitCode": 137, "reason": "OOMKilled"})
    assert observed.exit_code(ended) == 137
    ended["status"]["containerStatuses"][0]["name"] = "sidecar"
    assert observed.exit_code(ended) is None
    assert observed.exit_code({"status": {}}) is None


@pytest.mark.parametrize(
    ("state", "found"),
    [
        ({"running": {}}, []),
        ({"waiting": {"reason": "ContainerCreating"}}, []),
        ({"waiting": {"reason": "X", "message": "why"}}, [("X", "container pytorch waiting message: why")]),
        ({"terminated": {"exitCode": 0, "reason": "Completed"}}, []),
        (
            {"terminated": {"exitCode": 1, "reason": "Error"}},
            [("Error", "container pytorch exitCode: 1 terminated message: ")],
        ),
    ],
)
def test_what_is_abnormal_about_a_container(state: dict[str, Any], found: list[tuple[str, str]]) -> None:
    assert observed.abnormalities(pod(**state)) == found


def test_a_pod_without_containers_has_conditions() -> None:
    condition = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "no node"}
    waiting = {"status": {"conditions": [condition]}}
    assert observed.abnormalities(waiting) == [("Unschedulable", "condition message: no node")]
