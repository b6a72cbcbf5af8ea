"""Positions of the pending Workloads."""

import pytest

from sandbox.errors import StatusError
from sandbox.store import Store
from sandbox.visibility import pending_workloads
from tests.sandbox.world import LOCAL_QUEUES, World


def full_world(store: Store) -> World:
    """A queue whose quota is taken."""
    world = World(store)
    world.queue("premium", 32)
    world.submit("first", workers=8)
    return world


def owners(summary: dict) -> list[str]:
    return [item["metadata"]["ownerReferences"][0]["name"] for item in summary["items"]]


def test_an_empty_queue(store: Store) -> None:
    full_world(store)
    assert pending_workloads(store, cluster_queue="premium") == {
        "kind": "PendingWorkloadsSummary",
        "apiVersion": "visibility.kueue.x-k8s.io/v1beta2",
        "metadata": {},
        "items": [],
    }


def test_positions_count_from_zero_in_the_order_of_waiting(store: Store) -> None:
    world = full_world(store)
    for name in ("second", "third"):
        world.tick(1)
        world.submit(name)
    summary = pending_workloads(store, cluster_queue="premium")
    assert owners(summary) == ["second", "third"]
    assert [item["positionInClusterQueue"] for item in summary["items"]] == [0, 1]
    assert summary["items"][0]["localQueueName"] == "training"
    assert set(summary["items"][0]["metadata"]["ownerReferences"][0]) == {"apiVersion", "kind", "name", "uid"}


def test_a_priority_goes_before(store: Store) -> None:
    world = full_world(store)
    urgent = {"metadata": {"name": "urgent"}, "value": 100}
    store.create("workloadpriorityclasses.kueue.x-k8s.io", urgent)
    world.submit("second")
    world.tick(1)
    world.submit("third", labels={"kueue.x-k8s.io/priority-class": "urgent"})
    summary = pending_workloads(store, cluster_queue="premium")
    assert [(name, item["priority"]) for name, item in zip(owners(summary), summary["items"], strict=True)] == [
        ("third", 100),
        ("second", 0),
    ]


def test_a_local_queue_has_positions_of_its_own(store: Store) -> None:
    world = full_world(store)
    other = {"metadata": {"name": "other", "namespace": "premium"}, "spec": {"clusterQueue": "premium"}}
    store.create(LOCAL_QUEUES, other)
    world.submit("second")
    world.tick(1)
    world.submit("third", labels={"kueue.x-k8s.io/queue-name": "other"})
    (item,) = pending_workloads(store, local_queue="other", namespace="premium")["items"]
    assert (item["positionInClusterQueue"], item["positionInLocalQueue"]) == (1, 0)


def test_what_is_switched_off_does_not_queue(store: Store) -> None:
    world = full_world(store)
    world.submit("second")
    world.change("workloads.kueue.x-k8s.io", "premium", world.workload("second")["metadata"]["name"], active=False)
    assert owners(pending_workloads(store, cluster_queue="premium")) == []


def test_an_unknown_queue(store: Store) -> None:
    for queue in ({"cluster_queue": "ghost"}, {"local_queue": "ghost", "namespace": "team-a"}):
        with pytest.raises(StatusError) as caught:
            pending_workloads(store, **queue)
        assert caught.value.code == 404
