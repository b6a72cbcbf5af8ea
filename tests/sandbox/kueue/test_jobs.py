"""Kueue and a job: its Workload, its start, its changes while it waits."""

import pytest

from sandbox.store import Store
from tests.sandbox.world import JOBS, PRODUCT, World, job_manifest

PRIORITY = "kueue.x-k8s.io/priority-class"
CLASSES = "workloadpriorityclasses.kueue.x-k8s.io"


@pytest.fixture
def world(store: Store) -> World:
    made = World(store)
    made.queue("premium", 32)
    return made


def template(world: World, name: str) -> dict:
    return world.job(name)["spec"]["pytorchReplicaSpecs"]["Worker"]["template"]


def test_a_workload_is_made_and_told(world: World) -> None:
    world.submit("demo")
    workload = world.workload("demo")
    name = workload["metadata"]["name"]
    assert ("CreatedWorkload", f"Created Workload: premium/{name}") in world.events("demo")
    (pod_set,) = workload["spec"]["podSets"]
    assert (pod_set["name"], pod_set["count"], workload["spec"]["queueName"]) == ("worker", 4, "training")


def test_admission_says_where_and_how_much(world: World) -> None:
    world.submit("demo")
    admission = world.workload("demo")["status"]["admission"]
    (assignment,) = admission["podSetAssignments"]
    assert (admission["clusterQueue"], assignment["name"], assignment["count"]) == ("premium", "worker", 4)
    assert set(assignment["flavors"].values()) == {"a100"}
    assert assignment["resourceUsage"] == {
        "nvidia.com/gpu": "16",
        "cpu": "128",
        "memory": "1Ti",
        "ephemeral-storage": "400Gi",
    }


def test_a_start_puts_the_flavors_nodes_into_the_template(world: World) -> None:
    world.submit("demo")
    workload, started = world.workload("demo"), template(world, "demo")
    assert started["spec"]["nodeSelector"] == PRODUCT
    assert started["metadata"]["labels"] == {
        "kueue.x-k8s.io/podset": "worker",
        "kueue.x-k8s.io/local-queue-name": "training",
        "kueue.x-k8s.io/cluster-queue-name": "premium",
    }
    assert started["metadata"]["annotations"]["kueue.x-k8s.io/workload"] == workload["metadata"]["name"]
    assert ("Started", "Admitted by clusterQueue premium") in world.events("demo")


def test_a_flavors_tolerations_come_along(world: World) -> None:
    toleration = {"key": "gpu", "operator": "Exists"}
    world.change("resourceflavors.kueue.x-k8s.io", "", "a100", tolerations=[toleration])
    world.submit("demo")
    assert template(world, "demo")["spec"]["tolerations"] == [toleration]


def test_a_job_without_the_label_is_not_kueues(world: World) -> None:
    manifest = job_manifest("free", suspend=False)
    del manifest["metadata"]["labels"]
    world.store.create(JOBS, manifest)
    world.controllers.settle()
    assert world.workload("free") is None
    assert len(world.pods("free")) == 4


def test_a_priority_class_that_is_missing_means_no_workload(world: World) -> None:
    world.submit("demo", labels={PRIORITY: "urgent"})
    assert world.workload("demo") is None
    assert world.state("demo") == "Suspended"
    world.store.create(CLASSES, {"metadata": {"name": "urgent"}, "value": 7})
    world.controllers.settle()
    assert world.workload("demo")["spec"]["priority"] == 7


def test_a_priority_class_gives_the_priority_and_may_change(world: World) -> None:
    for name, value in (("low", 1), ("high", 9)):
        world.store.create(CLASSES, {"metadata": {"name": name}, "value": value})
    world.submit("demo", workers=9, labels={PRIORITY: "low"})
    assert world.workload("demo")["spec"]["priority"] == 1
    job = world.job("demo")
    job["metadata"]["labels"][PRIORITY] = "high"
    world.store.update(JOBS, job)
    world.controllers.settle()
    spec = world.workload("demo")["spec"]
    assert (spec["priority"], spec["priorityClassRef"]["name"]) == (9, "high")


def test_a_waiting_job_may_shrink_or_move(world: World) -> None:
    world.submit("demo", workers=9)
    job = world.job("demo")
    job["spec"]["pytorchReplicaSpecs"]["Worker"]["replicas"] = 8
    world.store.update(JOBS, job)
    world.controllers.settle()
    assert world.waits_because("demo") == ""
    assert len(world.pods("demo")) == 8


def test_who_starts_a_waiting_job_by_hand_is_overruled(world: World) -> None:
    world.submit("demo", workers=9)
    job = world.job("demo")
    job["spec"]["runPolicy"]["suspend"] = False
    world.store.update(JOBS, job)
    world.controllers.settle()
    assert world.job("demo")["spec"]["runPolicy"]["suspend"] is True
    assert ("Stopped", "Not admitted by cluster queue") in world.events("demo")


def test_who_suspends_an_admitted_job_is_overruled(world: World) -> None:
    world.submit("demo")
    world.tick(5)
    job = world.job("demo")
    job["spec"]["runPolicy"]["suspend"] = True
    world.store.update(JOBS, job)
    world.controllers.settle()
    assert world.job("demo")["spec"]["runPolicy"]["suspend"] is False
