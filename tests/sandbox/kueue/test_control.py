"""The life of a Workload beyond admission: switches, stops, deletions and counters."""

from typing import Any

from sandbox.store import Store
from tests.sandbox.world import CLUSTER_QUEUES, GPU, LOCAL_QUEUES, WORKLOADS, World, conditions

FLAVORS = "resourceflavors.kueue.x-k8s.io"
QUEUE = (CLUSTER_QUEUES, "", "premium")
LOCAL = (LOCAL_QUEUES, "premium", "training")


def premium(store: Store) -> World:
    world = World(store)
    world.queue("premium", 32, 16)
    world.queue("reserve", 16)
    return world


def workload_key(world: World, name: str) -> tuple[str, str, str]:
    return WORKLOADS, "premium", world.workload(name)["metadata"]["name"]


def condition(world: World, name: str, kind: str) -> tuple[str, str, str]:
    return conditions(world.workload(name))[kind]


def test_a_job_without_its_local_queue(store: Store) -> None:
    world = premium(store)
    world.submit("demo", labels={"kueue.x-k8s.io/queue-name": "ghost"})
    assert condition(world, "demo", "QuotaReserved") == ("False", "Inadmissible", "LocalQueue ghost doesn't exist")
    local = {"metadata": {"name": "ghost", "namespace": "premium"}, "spec": {"clusterQueue": "nobody"}}
    store.create(LOCAL_QUEUES, local)
    world.controllers.settle()
    assert world.waits_because("demo") == "ClusterQueue nobody doesn't exist"
    state = conditions(store.get(LOCAL_QUEUES, "premium", "ghost"))["Active"]
    assert state == ("False", "ClusterQueueDoesNotExist", "Can't submit new workloads to clusterQueue")


def test_a_held_queue_admits_nobody_and_lets_the_running_run(store: Store) -> None:
    world = premium(store)
    world.submit("first")
    world.change(*QUEUE, stopPolicy="Hold")
    world.submit("second")
    assert condition(world, "second", "QuotaReserved") == ("False", "Inadmissible", "ClusterQueue premium is inactive")
    assert condition(world, "first", "Admitted")[0] == "True"
    active = conditions(store.get(*QUEUE))["Active"]
    assert active == ("False", "Stopped", "Can't admit new workloads: is stopped.")
    world.change(*QUEUE, stopPolicy="None")
    assert condition(world, "second", "Admitted")[0] == "True"
    assert conditions(store.get(*QUEUE))["Active"] == ("True", "Ready", "Can admit new workloads")


def test_a_drained_queue_stops_its_jobs_until_it_opens_again(store: Store) -> None:
    world = premium(store)
    world.submit("demo")
    world.tick(5)
    world.change(*QUEUE, stopPolicy="HoldAndDrain")
    assert condition(world, "demo", "Evicted") == ("True", "ClusterQueueStopped", "The ClusterQueue is stopped")
    assert condition(world, "demo", "Requeued")[:2] == ("False", "ClusterQueueStopped")
    assert condition(world, "demo", "QuotaReserved") == ("False", "Inadmissible", "ClusterQueue premium is inactive")
    assert world.state("demo") == "Suspended"
    world.tick(5)
    assert world.pods("demo") == []
    world.change(*QUEUE, stopPolicy="None")
    assert condition(world, "demo", "Requeued")[:2] == ("True", "ClusterQueueRestarted")
    assert condition(world, "demo", "Admitted")[0] == "True"


def test_a_drained_local_queue(store: Store) -> None:
    world = premium(store)
    world.submit("demo")
    world.change(*LOCAL, stopPolicy="HoldAndDrain")
    assert condition(world, "demo", "Evicted") == ("True", "LocalQueueStopped", "The LocalQueue is stopped")
    assert conditions(store.get(*LOCAL))["Active"] == ("False", "Stopped", "LocalQueue is stopped")
    world.submit("late")
    assert world.waits_because("late") == "LocalQueue training is inactive"
    world.change(*LOCAL, stopPolicy="None")
    assert [condition(world, name, "Admitted")[0] for name in ("demo", "late")] == ["True", "True"]


def test_switching_a_workload_off_parks_its_job(store: Store) -> None:
    world = premium(store)
    world.submit("demo")
    world.tick(5)
    world.change(*workload_key(world, "demo"), active=False)
    assert condition(world, "demo", "Evicted") == ("True", "Deactivated", "The workload is deactivated")
    assert condition(world, "demo", "QuotaReserved") == ("False", "Pending", "The workload is deactivated")
    assert (world.state("demo"), world.job("demo")["spec"]["runPolicy"]["suspend"]) == ("Suspended", True)
    name = world.workload("demo")["metadata"]["name"]
    assert ("EvictedDueToDeactivated", "The workload is deactivated") in world.events(name)
    world.tick(5)
    world.change(*workload_key(world, "demo"), active=True)
    assert condition(world, "demo", "Requeued") == ("True", "Reactivated", "The workload was reactivated")
    assert condition(world, "demo", "Admitted")[0] == "True"


def test_a_deleted_workload_stops_the_job_and_is_made_again(store: Store) -> None:
    world = premium(store)
    world.submit("demo")
    world.tick(5)
    uid = world.workload("demo")["metadata"]["uid"]
    store.delete(*workload_key(world, "demo"))
    world.controllers.settle()
    assert ("Stopped", "Workload is deleted") in world.events("demo")
    assert world.workload("demo")["metadata"]["uid"] != uid
    assert condition(world, "demo", "Admitted")[0] == "True"


def test_the_counters_of_a_queue(store: Store) -> None:
    world = premium(store)
    world.submit("first", workers=9)
    world.submit("second", workers=4)
    status = store.get(*QUEUE)["status"]
    counters = ("pendingWorkloads", "reservingWorkloads", "admittedWorkloads")
    assert [status[name] for name in counters] == [1, 1, 1]
    assert gpus(status["flavorsUsage"]) == {"name": GPU, "total": "36", "borrowed": "4"}
    local = store.get(*LOCAL)["status"]
    assert [local[name] for name in counters] == [1, 1, 1]
    assert gpus(local["flavorsReservation"]) == {"name": GPU, "total": "36"}
    world.tick(140)
    assert [store.get(*QUEUE)["status"][name] for name in counters] == [0, 0, 0]


def gpus(flavors: list[dict[str, Any]]) -> dict[str, str]:
    (flavor,) = flavors
    assert flavor["name"] == "a100"
    return next(item for item in flavor["resources"] if item["name"] == GPU)


def test_a_queue_in_use_outlives_its_deletion(store: Store) -> None:
    world = premium(store)
    world.submit("demo")
    store.delete(*QUEUE)
    world.controllers.settle()
    assert conditions(store.get(*QUEUE))["Active"][1] == "Terminating"
    world.delete("demo")
    assert store.get(*QUEUE) is None


def test_a_flavor_in_use_outlives_its_deletion(store: Store) -> None:
    world = premium(store)
    store.delete(FLAVORS, "", "a100")
    world.controllers.settle()
    assert store.get(FLAVORS, "", "a100") is not None
    for name in ("premium", "reserve"):
        store.delete(CLUSTER_QUEUES, "", name)
    world.controllers.settle()
    assert store.get(FLAVORS, "", "a100") is None


def test_a_missing_flavor_makes_a_queue_inactive(store: Store) -> None:
    world = premium(store)
    queue = store.get(*QUEUE)
    queue["spec"]["resourceGroups"][0]["flavors"][0]["name"] = "h100"
    store.update(CLUSTER_QUEUES, queue)
    world.controllers.settle()
    reason, message = conditions(store.get(*QUEUE))["Active"][1:]
    assert reason == "FlavorNotFound"
    assert message == "Can't admit new workloads: references missing ResourceFlavor(s): h100."


def test_more_quota_lets_the_waiting_in(store: Store) -> None:
    world = premium(store)
    world.submit("huge", workers=13)
    assert "maximum capacity (48)" in world.waits_because("huge")
    queue = store.get(*QUEUE)
    queue["spec"]["resourceGroups"][0]["flavors"][0]["resources"][0]["nominalQuota"] = "52"
    store.update(CLUSTER_QUEUES, queue)
    world.controllers.settle()
    assert world.waits_because("huge") == ""
