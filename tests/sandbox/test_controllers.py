"""The control loops together: a job from its submission to each of its ends, by the clock alone."""

import time

from sandbox.controllers import Controllers
from sandbox.store import Store
from tests.sandbox.world import JOBS, World, conditions, job_manifest


def demo(store: Store, limit: int = 16, reserve: int = 12) -> World:
    """The demo's three queues."""
    world = World(store)
    world.queue("premium", 32, limit)
    world.queue("free", 4, 0)
    world.queue("reserve", reserve)
    return world


def test_the_input_job_is_admitted_runs_and_succeeds(store: Store) -> None:
    world = demo(store)
    world.submit("llama")
    assert world.job("llama")["spec"]["runPolicy"]["suspend"] is False
    assert [pod["status"]["phase"] for pod in world.pods("llama")] == ["Pending"] * 4
    world.tick(5)
    assert world.state("llama") == "Running"
    assert world.job("llama")["status"]["replicaStatuses"]["Worker"]["active"] == 4
    world.tick(60)
    assert list(conditions(world.job("llama")).items()) == [
        ("Created", ("True", "PyTorchJobCreated", "PyTorchJob llama is created.")),
        ("Suspended", ("False", "PyTorchJobResumed", "PyTorchJob llama is resumed.")),
        ("Running", ("False", "PyTorchJobRunning", "PyTorchJob premium/llama is running.")),
        ("Succeeded", ("True", "PyTorchJobSucceeded", "PyTorchJob premium/llama successfully completed.")),
    ]
    assert list(conditions(world.workload("llama")).items()) == [
        ("QuotaReserved", ("True", "QuotaReserved", "Quota reserved in ClusterQueue premium")),
        ("Admitted", ("True", "Admitted", "The workload is admitted")),
        ("Finished", ("True", "Succeeded", "PyTorchJob premium/llama successfully completed.")),
    ]


def test_the_input_runs_in_a_restricted_namespace_with_its_claims(store: Store) -> None:
    world = demo(store)
    namespace = store.get("namespaces", "", "premium")
    namespace["metadata"]["labels"]["pod-security.kubernetes.io/enforce"] = "restricted"
    store.update("namespaces", namespace)
    claims = {"training-data": "/data", "checkpoint-pvc": "/checkpoints"}
    for name in claims:
        store.create("persistentvolumeclaims", {"metadata": {"name": name, "namespace": "premium"}})
    volumes = [{"name": name, "persistentVolumeClaim": {"claimName": name}} for name in claims]
    volumes.append({"name": "shm", "emptyDir": {"medium": "Memory", "sizeLimit": "64Gi"}})
    seccomp = {"type": "RuntimeDefault"}
    context = {"runAsNonRoot": True, "runAsUser": 1000, "fsGroup": 1000, "seccompProfile": seccomp}
    manifest = job_manifest("llama", suspend=True, pod={"volumes": volumes, "securityContext": context})
    container = manifest["spec"]["pytorchReplicaSpecs"]["Worker"]["template"]["spec"]["containers"][0]
    container["securityContext"] = {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}
    store.create(JOBS, manifest)
    world.controllers.settle()
    world.tick(64)
    assert world.state("llama") == "Succeeded"


def test_the_second_job_waits_for_the_first(store: Store) -> None:
    world = demo(store)
    world.submit("first", workers=8)
    world.submit("second", workers=6)
    assert world.waits_because("second") == (
        "couldn't assign flavors to pod set worker: "
        "insufficient unused quota for nvidia.com/gpu in flavor a100, 8 more needed"
    )
    world.tick(64)
    assert (world.state("first"), world.waits_because("second")) == ("Succeeded", "")
    world.tick(64)
    assert world.state("second") == "Succeeded"


def test_at_most_forty_with_a_limit_of_eight(store: Store) -> None:
    world = demo(store, limit=8)
    world.submit("first", workers=8)
    world.submit("second", workers=6)
    assert "16 more needed" in world.waits_because("second")


def test_at_most_forty_with_little_to_borrow(store: Store) -> None:
    world = demo(store, reserve=4)
    world.submit("first", workers=8)
    world.submit("second", workers=6)
    assert "16 more needed" in world.waits_because("second")


def test_what_can_never_fit_says_so(store: Store) -> None:
    world = demo(store)
    world.submit("huge", workers=8, gpus=8)
    assert world.waits_because("huge") == (
        "couldn't assign flavors to pod set worker: insufficient quota for nvidia.com/gpu in flavor a100, "
        "previously considered podsets requests (0) + current podset request (64) > maximum capacity (48)"
    )


def test_a_crash_that_repeats_fails_the_job(store: Store) -> None:
    world = demo(store)
    world.submit("crash", scenario={"crash-after": "5", "crash-replica": "2"})
    world.tick(9)
    assert world.container("crash", 2)["restartCount"] == 1
    world.tick(60)
    status, reason, message = conditions(world.job("crash"))["Failed"]
    assert (status, reason) == ("True", "PyTorchJobFailed")
    assert message == "Job crash has failed because it has reached the specified backoff limit"
    assert conditions(world.workload("crash"))["Finished"] == ("True", "Failed", message)
    assert world.pods("crash") == []


def test_a_hanging_job_runs_until_its_deadline(store: Store) -> None:
    world = demo(store)
    world.submit("stuck", scenario={"hang": "true"}, activeDeadlineSeconds=3600)
    world.tick(3590)
    assert world.state("stuck") == "Running"
    world.tick(20)
    message = conditions(world.job("stuck"))["Failed"][2]
    assert message == "Job stuck has failed because it was active longer than specified deadline"


def test_deleting_a_job_takes_all_with_it_and_frees_the_quota(store: Store) -> None:
    world = demo(store)
    world.submit("first", workers=8)
    world.submit("second", workers=6)
    world.tick(5)
    world.delete("first")
    assert world.workload("first") is None
    assert world.waits_because("second") == ""
    assert {pod["metadata"]["deletionGracePeriodSeconds"] for pod in world.pods("first")} == {30}
    world.tick(2)
    assert world.pods("first") == []
    assert store.list("services", "premium", {"training.kubeflow.org/job-name": "first"}) == []


def test_everything_goes_on_after_a_restart(store: Store) -> None:
    world = demo(store)
    world.submit("first", workers=8)
    world.submit("second", workers=6)
    world.tick(20)
    world.controllers = Controllers(store)
    world.controllers.settle()
    world.tick(110)
    assert (world.state("first"), world.state("second")) == ("Succeeded", "Succeeded")


def test_a_settled_world_stays_as_it_is(store: Store) -> None:
    world = demo(store)
    world.submit("first", workers=8)
    world.submit("second", workers=6)
    world.tick(10)
    version = store.version
    Controllers(store).settle()
    world.controllers.settle()
    assert store.version == version


def test_two_hundred_jobs_are_no_burden(store: Store) -> None:
    world = demo(store)
    began = time.process_time()
    for number in range(200):
        store.create(JOBS, job_manifest(f"job-{number}", gpus=1, suspend=True))
        world.controllers.settle()
    assert len(store.select("workloads.kueue.x-k8s.io")) == 200
    assert time.process_time() - began < 10
