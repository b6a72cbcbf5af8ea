"""The training operator: pods, ends, restarts and clean-up of a PyTorchJob."""

import pytest

from sandbox.store import Store
from tests.sandbox.world import JOBS, World, conditions, job_manifest


@pytest.fixture
def world(store: Store) -> World:
    made = World(store)
    made.queue("premium", 32)
    return made


def failure(world: World, name: str = "demo") -> str:
    return conditions(world.job(name))["Failed"][2]


def test_every_replica_gets_a_pod_and_a_service(world: World) -> None:
    world.submit("demo")
    names = [f"demo-worker-{index}" for index in range(4)]
    assert [pod["metadata"]["name"] for pod in world.pods("demo")] == names
    assert [item["metadata"]["name"] for item in world.store.list("services", "premium")] == names
    reasons = [reason for reason, _ in world.events("demo")]
    assert reasons.count("SuccessfulCreatePod") == reasons.count("SuccessfulCreateService") == 4


def test_a_suspended_job_says_so_once(world: World) -> None:
    world.submit("demo", workers=9)
    assert list(conditions(world.job("demo")).items()) == [
        ("Created", ("True", "PyTorchJobCreated", "PyTorchJob demo is created.")),
        ("Suspended", ("True", "PyTorchJobSuspended", "PyTorchJob demo is suspended.")),
    ]
    assert [reason for reason, _ in world.events("demo")].count("PyTorchJobSuspended") == 1
    assert "startTime" not in world.job("demo")["status"]


def test_never_fails_at_the_first_pod_that_fails(world: World) -> None:
    world.submit("demo", restart="Never", cleanPodPolicy="None", scenario={"oom-after": "3", "oom-replica": "1"})
    world.tick(10)
    assert failure(world) == "PyTorchJob demo is failed because 1 Worker replica(s) failed."
    counters = world.job("demo")["status"]["replicaStatuses"]["Worker"]
    assert (counters["active"], counters["failed"], counters.get("succeeded")) == (3, 1, None)
    assert [pod["status"]["phase"] for pod in world.pods("demo")] == ["Running", "Failed", "Running", "Running"]
    assert ("ExitedWithCode", "Pod: premium.demo-worker-1 exited with code 137") in world.events("demo")


def test_exit_code_restarts_what_may_be_tried_again(world: World) -> None:
    world.submit("demo", 1, restart="ExitCode", scenario={"crash-after": "3", "crash-code": "137"})
    uid = world.pod("demo")["metadata"]["uid"]
    world.tick(7)
    assert world.pod("demo")["metadata"]["uid"] != uid
    assert world.pod("demo")["spec"]["restartPolicy"] == "Never"
    messages = [message for reason, message in world.events("demo") if reason == "PyTorchJobRestarting"]
    assert messages == [
        "job demo is restarting because Worker replica(s) failed.",
        "PyTorchJob demo is restarting because 1 Worker replica(s) failed.",
    ]


def test_exit_code_fails_for_good_on_a_small_code(world: World) -> None:
    world.submit("demo", 1, restart="ExitCode", scenario={"crash-after": "3", "crash-code": "2"})
    world.tick(7)
    assert failure(world) == 'job "demo" is failing because "Worker" replica(s) failed.'
    assert "completionTime" not in world.job("demo")["status"]


def test_without_a_backoff_limit_it_goes_on_for_ever(world: World) -> None:
    world.submit("demo", 1, scenario={"crash-after": "1"}, backoffLimit=None)
    world.tick(3600)
    assert "Failed" not in conditions(world.job("demo"))
    assert world.container("demo")["restartCount"] > 10


def test_a_backoff_limit_of_zero_allows_no_restart(world: World) -> None:
    world.submit("demo", 1, scenario={"crash-after": "1"}, backoffLimit=0)
    world.tick(6)
    assert failure(world) == "Job demo has failed because it has reached the specified backoff limit"


@pytest.mark.parametrize(("policy", "left"), [("None", 4), ("Running", 1), ("All", 0)])
def test_clean_pod_policy(world: World, policy: str, left: int) -> None:
    world.submit("demo", restart="Never", cleanPodPolicy=policy, scenario={"crash-after": "5", "crash-replica": "1"})
    world.tick(12)
    assert failure(world)
    assert len(world.pods("demo")) == left


def test_a_finished_job_goes_after_its_time(world: World) -> None:
    world.submit("demo", 1, ttlSecondsAfterFinished=100)
    world.tick(160)
    assert world.state("demo") == "Succeeded"
    world.tick(10)
    assert (world.job("demo"), world.workload("demo"), world.pods("demo")) == (None, None, [])


def test_a_master_decides(world: World) -> None:
    manifest = job_manifest("demo", workers=2, suspend=True)
    specs = manifest["spec"]["pytorchReplicaSpecs"]
    specs["Master"] = {**specs["Worker"], "replicas": 1}
    world.store.create(JOBS, manifest)
    world.controllers.settle()
    world.tick(5)
    assert conditions(world.job("demo"))["Running"][2] == "PyTorchJob demo is running."
    world.tick(60)
    assert conditions(world.job("demo"))["Succeeded"][2] == "PyTorchJob demo is successfully completed."


def test_a_refused_pod_is_told_and_tried_again(world: World) -> None:
    world.submit("demo", 1, pod={"serviceAccountName": "ghost"})
    message = (
        'Error creating: pods "demo-worker-0" is forbidden: error looking up service account '
        'premium/ghost: serviceaccount "ghost" not found'
    )
    assert ("FailedCreatePod", message) in world.events("demo")
    assert world.pods("demo") == []
    world.store.create("serviceaccounts", {"metadata": {"name": "ghost", "namespace": "premium"}})
    world.tick(10)
    assert world.state("demo") == "Running"


def test_a_missing_image_is_told_on_the_job(world: World) -> None:
    world.submit("demo", 1, scenario={"missing-image": "true"})
    world.tick(5)
    told = dict(world.events("demo"))
    assert told["ErrImagePull"].startswith("Error pod demo-worker-0 container pytorch waiting message: rpc error")
    assert told["ImagePullBackOff"].endswith("not found")


def test_a_deadline_without_bounds_does_no_harm(world: World) -> None:
    world.submit("demo", 1, activeDeadlineSeconds=2**62)
    world.tick(5)
    assert world.state("demo") == "Running"


def test_a_job_managed_by_another_is_left_alone(world: World) -> None:
    manifest = job_manifest("demo", managedBy="kueue.x-k8s.io/multikueue", suspend=False)
    del manifest["metadata"]["labels"]
    world.store.create(JOBS, manifest)
    world.controllers.settle()
    assert (world.job("demo").get("status", {}), world.pods("demo")) == ({}, [])


def test_a_job_that_comes_back_under_its_name_gets_pods_of_its_own(world: World) -> None:
    world.submit("demo", 1)
    world.tick(5)
    world.delete("demo")
    world.submit("demo", 1)
    world.tick(10)
    (pod,) = world.pods("demo")
    assert pod["metadata"]["ownerReferences"][0]["uid"] == world.job("demo")["metadata"]["uid"]
    assert world.state("demo") == "Running"
