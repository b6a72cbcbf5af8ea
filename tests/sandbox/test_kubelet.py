"""Pods from their node to their end, and their logs."""

import pytest

from sandbox.clock import parse
from sandbox.errors import StatusError
from sandbox.kubelet import log_lines
from sandbox.store import Store
from tests.sandbox.world import World, conditions


def premium(store: Store) -> World:
    world = World(store)
    world.queue("premium", 32, 16)
    return world


def texts(world: World, name: str, index: int = 0, previous: bool = False) -> list[str]:
    return [text for _, text in log_lines(world.store, world.pod(name, index), None, previous)]


def refusal(world: World, name: str, container: str | None = None, previous: bool = False) -> str:
    with pytest.raises(StatusError) as caught:
        log_lines(world.store, world.pod(name), container, previous)
    assert caught.value.code == 400
    return caught.value.message


def test_a_pod_waits_for_its_image_then_runs_then_succeeds(store: Store) -> None:
    world = premium(store)
    world.submit("demo", 1, scenario={"succeed-after": "20"})
    assert world.container("demo")["state"] == {"waiting": {"reason": "ContainerCreating"}}
    world.tick(4)
    pod = world.pod("demo")
    assert pod["status"]["phase"] == "Running" and pod["status"]["podIP"].startswith("10.244.")
    assert conditions_of(pod)["Ready"] == "True"
    world.tick(20)
    ended = world.container("demo")["state"]["terminated"]
    assert (world.pod("demo")["status"]["phase"], ended["exitCode"], ended["reason"]) == ("Succeeded", 0, "Completed")


def conditions_of(pod: dict) -> dict[str, str]:
    return {item["type"]: item["status"] for item in pod["status"]["conditions"]}


def test_events_tell_the_way_of_a_pod(store: Store) -> None:
    world = premium(store)
    world.submit("demo", 1)
    world.tick(4)
    reasons = [reason for reason, _ in world.events("demo-worker-0")]
    assert reasons == ["Scheduled", "Pulling", "Pulled", "Created", "Started"]
    assert world.events("demo-worker-0")[0][1] == "Successfully assigned premium/demo-worker-0 to a100-0"


def test_a_slow_start(store: Store) -> None:
    world = premium(store)
    world.submit("demo", 1, scenario={"start-delay": "15"})
    world.tick(15)
    assert "waiting" in world.container("demo")["state"]
    world.tick(4)
    assert "running" in world.container("demo")["state"]


def test_a_missing_image(store: Store) -> None:
    world = premium(store)
    world.submit("demo", 1, scenario={"missing-image": "true"})
    seen = []
    for _ in range(8):
        world.tick(0.5)
        seen.append(world.container("demo")["state"]["waiting"]["reason"])
    assert list(dict.fromkeys(seen)) == ["ContainerCreating", "ErrImagePull", "ImagePullBackOff"]
    assert world.container("demo")["state"]["waiting"]["message"].endswith("not found")
    world.tick(3600)
    assert world.container("demo")["state"]["waiting"]["reason"] == "ImagePullBackOff"
    assert ("BackOff", 'Back-off pulling image "registry.internal/pytorch:2.3.0-cuda12.1"') in world.events(
        "demo-worker-0"
    )


def test_a_crash_restarts_in_place_and_backs_off(store: Store) -> None:
    world = premium(store)
    world.submit("demo", 1, scenario={"crash-after": "2", "crash-code": "9"}, backoffLimit=99)
    starts = {}
    for _ in range(1000):
        world.tick(1)
        status = world.container("demo")
        if "running" in status["state"]:
            starts[status["restartCount"]] = parse(status["state"]["running"]["startedAt"])
    gaps = [(starts[number + 1] - starts[number]).total_seconds() for number in range(7)]
    assert gaps == [3, 12, 22, 42, 82, 162, 302]


def test_a_container_that_backs_off_says_so(store: Store) -> None:
    world = premium(store)
    world.submit("demo", 1, scenario={"crash-after": "2", "crash-code": "9"}, backoffLimit=99)
    world.tick(10)
    status, uid = world.container("demo"), world.pod("demo")["metadata"]["uid"]
    assert status["state"]["waiting"] == {
        "reason": "CrashLoopBackOff",
        "message": f"back-off 10s restarting failed container=pytorch pod=demo-worker-0_premium({uid})",
    }
    ended = status["lastState"]["terminated"]
    assert (status["restartCount"], ended["exitCode"], ended["reason"]) == (1, 9, "Error")
    assert world.pod("demo")["status"]["phase"] == "Running"


def test_out_of_memory(store: Store) -> None:
    world = premium(store)
    world.submit("demo", 2, restart="Never", scenario={"oom-after": "3", "oom-replica": "1"})
    world.tick(8)
    ended = world.container("demo", 1)["state"]["terminated"]
    assert (ended["exitCode"], ended["reason"]) == (137, "OOMKilled")
    assert texts(world, "demo", 1)[-1] == "Killed"
    assert conditions(world.job("demo"))["Failed"][2] == (
        "PyTorchJob demo is failed because 1 Worker replica(s) failed."
    )


def test_a_bad_scenario_is_told_on_the_pod(store: Store) -> None:
    world = premium(store)
    world.submit("demo", 1, scenario={"succeed-after": "soon"})
    (message,) = [message for reason, message in world.events("demo-worker-0") if reason == "InvalidScenario"]
    assert message.startswith("Annotation rehearsal.choirmaster.dev/succeed-after is ignored")


def test_no_node_fits(store: Store) -> None:
    world = premium(store)
    world.submit("demo", 1, gpus=16)
    (condition,) = world.pod("demo")["status"]["conditions"]
    assert (condition["status"], condition["reason"]) == ("False", "Unschedulable")
    assert condition["message"].startswith("0/6 nodes are available: 6 Insufficient nvidia.com/gpu. no new claims")
    assert ("FailedScheduling", condition["message"]) in world.events("demo-worker-0")
    told = ("Unschedulable", f"Error pod demo-worker-0 condition message: {condition['message']}")
    assert told in world.events("demo")
    assert refusal(world, "demo") == "pod demo-worker-0 does not have a host assigned"


def test_a_log_grows_and_ends(store: Store) -> None:
    world = premium(store)
    world.submit("demo", 4, scenario={"succeed-after": "30"})
    world.tick(10)
    early = texts(world, "demo", 2)
    assert early[4] == "  rdzv_endpoint    : demo-worker-0:29500"
    assert "[rank 8] step=10" in "\n".join(early)
    world.tick(30)
    assert texts(world, "demo", 2)[: len(early)] == early
    assert texts(world, "demo", 2)[-1] == "[rank 8] training finished, checkpoint saved to /checkpoints"


def test_a_hanging_job_falls_silent(store: Store) -> None:
    world = premium(store)
    world.submit("demo", 1, scenario={"hang": "true"})
    world.tick(10)
    early = texts(world, "demo")
    world.tick(3600)
    assert early and texts(world, "demo") == early


def test_the_log_of_the_run_before(store: Store) -> None:
    world = premium(store)
    world.submit("demo", 1, scenario={"crash-after": "5"}, backoffLimit=99)
    world.tick(4)
    assert refusal(world, "demo", previous=True) == (
        'previous terminated container "pytorch" in pod "demo-worker-0" not found'
    )
    world.tick(6)
    before = texts(world, "demo", previous=True)
    assert any("RuntimeError: rehearsed crash after 5 s" in text for text in before)
    assert "  restart_count=0" in before and before[-1] == "  exitcode  : 1 (pid: 71)"


def test_lines_come_in_the_order_of_time(store: Store) -> None:
    world = premium(store)
    world.submit("demo", 1, scenario={"succeed-after": "7200"})
    world.tick(7300)
    times = [at for at, _ in log_lines(store, world.pod("demo"), None, False)]
    assert times == sorted(times) and len(times) < 700


def test_what_cannot_be_read_says_why(store: Store) -> None:
    world = premium(store)
    world.submit("demo", 1, scenario={"missing-image": "true"})
    start = 'container "pytorch" in pod "demo-worker-0" is waiting to start: '
    assert refusal(world, "demo") == start + "ContainerCreating"
    world.tick(5)
    assert refusal(world, "demo") == start + "trying and failing to pull image"
    assert refusal(world, "demo", "sidecar") == "container sidecar is not valid for pod demo-worker-0"


def test_one_of_several_containers_must_be_named(store: Store) -> None:
    pod = {"metadata": {"name": "p"}, "spec": {"containers": [{"name": "a"}, {"name": "b"}]}}
    with pytest.raises(StatusError, match=r"must be specified for pod p, choose one of: \[a b\]"):
        log_lines(store, pod, None, False)


def test_a_deleted_pod_is_gone_a_second_later(store: Store) -> None:
    world = premium(store)
    world.submit("demo", 1)
    world.tick(5)
    uid = world.pod("demo")["metadata"]["uid"]
    store.delete("pods", "premium", "demo-worker-0")
    world.controllers.settle()
    assert world.pod("demo")["metadata"]["uid"] == uid
    world.tick(1)
    assert world.pod("demo")["metadata"]["uid"] != uid
