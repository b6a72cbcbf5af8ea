"""Scheduling cycles: order, blocking, preemption and the words for it."""

from typing import Any

from sandbox.store import Store
from tests.sandbox.world import World, conditions

PRIORITY = "kueue.x-k8s.io/priority-class"


def world_of(store: Store, **spec: Any) -> World:
    """premium (32, limit 16) and free (4), which may reclaim; `spec` changes premium."""
    world = World(store)
    world.queue("premium", 32, 16, **spec)
    world.queue("free", 4, 0)
    world.queue("reserve", 12)
    for name, value in (("low", -10), ("high", 10)):
        store.create("workloadpriorityclasses.kueue.x-k8s.io", {"metadata": {"name": name}, "value": value})
    return world


def admitted(world: World, *names: str) -> list[bool]:
    return [conditions(world.workload(name)).get("Admitted", ("False",))[0] == "True" for name in names]


def test_a_small_job_overtakes_a_large_one_that_waits(store: Store) -> None:
    world = world_of(store)
    for name, workers in (("first", 10), ("large", 4), ("small", 2)):
        world.submit(name, workers)
        world.tick(1)
    assert admitted(world, "first", "large", "small") == [True, False, True]


def test_strict_fifo_lets_nobody_overtake(store: Store) -> None:
    world = world_of(store, queueingStrategy="StrictFIFO")
    for name, workers in (("first", 10), ("large", 4), ("small", 2)):
        world.submit(name, workers)
        world.tick(1)
    assert admitted(world, "first", "large", "small") == [True, False, False]
    world.tick(70)
    assert admitted(world, "large", "small") == [True, True]


def test_priority_decides_who_is_next(store: Store) -> None:
    world = world_of(store)
    world.submit("first", 12)
    world.submit("early", 12)
    world.tick(1)
    world.submit("urgent", 12, labels={PRIORITY: "high"})
    world.tick(65)
    assert admitted(world, "early", "urgent") == [False, True]


def test_a_lender_takes_back_what_is_its_own(store: Store) -> None:
    world = world_of(store)
    for name, workers in (("old", 8), ("young", 4)):
        world.submit(name, workers)
        world.tick(1)
    world.tick(5)
    world.submit("mine", 1, 4, namespace="free")
    victim, preemptor = world.workload("young"), world.workload("mine", "free")["metadata"]
    message = (
        f"Preempted to accommodate a workload (UID: {preemptor['uid']}, "
        f"JobUID: {preemptor['labels']['kueue.x-k8s.io/job-uid']}) due to reclamation within the cohort; "
        "preemptor path: /gpu-cohort/free; preemptee path: /gpu-cohort/premium"
    )
    assert conditions(victim) | {"QuotaReserved": None} == {
        "QuotaReserved": None,
        "Admitted": ("False", "NoReservation", "The workload has no reservation"),
        "Evicted": ("True", "Preempted", message),
        "Preempted": ("True", "InCohortReclamation", message),
        "Requeued": ("True", "Preempted", message),
    }
    assert "4 more needed" in world.waits_because("young")
    assert victim["status"]["schedulingStats"]["evictions"][0]["count"] == 1
    assert admitted(world, "old", "young") == [True, False]


def test_a_victim_is_stopped_restored_and_runs_again_later(store: Store) -> None:
    world = world_of(store)
    world.submit("old", 8, scenario={"succeed-after": "600"})
    world.tick(1)
    world.submit("young", 4)
    world.tick(5)
    world.submit("mine", 1, 4, namespace="free", scenario={"succeed-after": "30"})
    job = world.job("young")
    assert job["spec"]["runPolicy"]["suspend"] is True
    assert "nodeSelector" not in job["spec"]["pytorchReplicaSpecs"]["Worker"]["template"]["spec"]
    assert world.state("young") == "Suspended"
    assert ("Stopped", conditions(world.workload("young"))["Evicted"][2]) in world.events("young")
    world.tick(40)
    evicted = conditions(world.workload("young"))["Evicted"]
    assert (evicted[0], evicted[1]) == ("False", "QuotaReserved") and evicted[2].startswith("Previously: Preempted")
    assert world.state("young") == "Running"


def test_nobody_reclaims_where_it_is_not_allowed(store: Store) -> None:
    world = world_of(store)
    world.change("clusterqueues.kueue.x-k8s.io", "", "free", preemption={"reclaimWithinCohort": "Never"})
    world.submit("all", 12)
    world.submit("mine", 1, 4, namespace="free")
    assert world.waits_because("mine", "free") == (
        "couldn't assign flavors to pod set worker: "
        "insufficient unused quota for nvidia.com/gpu in flavor a100, 4 more needed"
    )
    assert admitted(world, "all") == [True]


def test_a_higher_priority_preempts_in_its_own_queue(store: Store) -> None:
    world = world_of(store, preemption={"withinClusterQueue": "LowerPriority"})
    world.submit("humble", 12, labels={PRIORITY: "low"})
    world.submit("urgent", 8, labels={PRIORITY: "high"})
    assert admitted(world, "humble", "urgent") == [False, True]
    status, reason, message = conditions(world.workload("humble"))["Preempted"]
    assert (status, reason) == ("True", "InClusterQueue")
    assert "due to prioritization in the ClusterQueue; preemptor path: /gpu-cohort/premium" in message


def test_waiting_for_the_victims_is_told(store: Store) -> None:
    world = world_of(store)
    world.submit("all", 12)
    world.tick(5)
    world.submit("mine", 1, 4, namespace="free")
    told = world.events(world.workload("mine", "free")["metadata"]["name"])
    assert [text for reason, text in told if reason == "Pending"] == [
        "couldn't assign flavors to pod set worker: insufficient unused quota for nvidia.com/gpu in flavor a100, "
        "4 more needed. Pending the preemption of 1 workload(s)"
    ]


def test_a_namespace_must_be_selected(store: Store) -> None:
    world = world_of(store, namespaceSelector=None)
    world.submit("demo")
    assert world.waits_because("demo") == "workload namespace doesn't match ClusterQueue selector"
    expression = {"key": "team", "operator": "In", "values": ["red"]}
    queue = ("clusterqueues.kueue.x-k8s.io", "", "premium")
    world.change(*queue, namespaceSelector={"matchExpressions": [expression]})
    assert world.waits_because("demo") != ""
    namespace = store.get("namespaces", "", "premium")
    namespace["metadata"]["labels"]["team"] = "red"
    store.update("namespaces", namespace)
    world.controllers.settle()
    assert admitted(world, "demo") == [True]


def test_what_was_asked_for_is_shown_while_it_waits(store: Store) -> None:
    world = world_of(store)
    world.submit("all", 12)
    world.submit("demo")
    requests = world.workload("demo")["status"]["resourceRequests"]
    assert requests[0]["resources"]["nvidia.com/gpu"] == "16" and requests[0]["resources"]["memory"] == "1Ti"
    assert ("Pending", world.waits_because("demo")) in world.events(world.workload("demo")["metadata"]["name"])
