from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from portal.names import ANNOTATION_GENERATION, GPU
from quotas.mirror import cluster_queues_listed, forget_cluster_queue, mirror_cluster_queue
from quotas.models import ClusterQueue, QueueStatus
from tests.factories import make_queue


@pytest.fixture
def queue(db: None) -> ClusterQueue:
    return make_queue("premium", gpus=32, borrowing=16)


def observed(name: str = "premium", generation: str = "3", **status: Any) -> dict[str, Any]:
    """As Kueue 0.19 shows a queue that lends and borrows."""
    resources = [
        {"name": "cpu", "total": "24"},
        {"name": "memory", "total": "96Gi", "borrowed": "0"},
        {"name": GPU, "total": "48", "borrowed": "16"},
    ]
    ready = {"type": "Active", "status": "True", "reason": "Ready", "message": "Can admit new workloads"}
    return {
        "metadata": {"name": name, "uid": "queue-uid", "annotations": {ANNOTATION_GENERATION: generation}},
        "status": {
            "conditions": [ready],
            "flavorsReservation": [{"name": "a100", "resources": resources}],
        }
        | status,
    }


def test_the_observed_side(queue: ClusterQueue) -> None:
    mirror_cluster_queue(observed())
    row = QueueStatus.objects.get(cluster_queue=queue)
    assert (row.observed_generation, row.active, row.reason) == (3, True, "Ready")
    assert row.usage == {"a100": {"cpu": 24_000, "memory": 96 * 2**30, GPU: 48}}


def test_a_queue_without_status(queue: ClusterQueue) -> None:
    mirror_cluster_queue({"metadata": {"name": "premium", "uid": "queue-uid"}})
    row = QueueStatus.objects.get()
    assert (row.active, row.usage, row.observed_generation) == (False, {}, 0)


@pytest.mark.parametrize("generation", ["", "-1", "many", "²"])
def test_a_generation_that_somebody_else_wrote(generation: str, queue: ClusterQueue) -> None:
    mirror_cluster_queue(observed(generation=generation))
    assert QueueStatus.objects.get().observed_generation == 0


def test_other_people_s_queues_are_ignored(queue: ClusterQueue) -> None:
    mirror_cluster_queue(observed(name="research"))
    assert not QueueStatus.objects.exists()


def test_an_old_look_overwrites_nothing(queue: ClusterQueue) -> None:
    mirror_cluster_queue(observed())
    mirror_cluster_queue(observed(generation="2"), timezone.now() - timedelta(minutes=1))
    assert QueueStatus.objects.get().observed_generation == 3


def test_a_queue_that_is_gone_is_not_known(queue: ClusterQueue) -> None:
    cluster_queues_listed([observed()], timezone.now())
    cluster_queues_listed([], timezone.now() - timedelta(minutes=1))
    assert QueueStatus.objects.exists()
    cluster_queues_listed([], timezone.now())
    assert not QueueStatus.objects.exists()


def test_forgetting_what_is_not_known(queue: ClusterQueue) -> None:
    mirror_cluster_queue(observed())
    forget_cluster_queue("another-uid")
    assert QueueStatus.objects.exists()


def test_poison_does_not_stop_the_others(queue: ClusterQueue) -> None:
    broken = {"name": "a100", "resources": [{"name": GPU, "total": "forty"}]}
    make_queue("broken", gpus=1)
    poison = observed(name="broken", flavorsReservation=[broken])
    poison["metadata"]["uid"] = "broken-uid"
    cluster_queues_listed([poison, observed()], timezone.now())
    assert QueueStatus.objects.get().cluster_queue == queue
