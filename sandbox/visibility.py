"""Kueue's visibility API: the order of the pending Workloads (Kueue 0.19, pkg/visibility/storage)."""

from collections.abc import Mapping
from typing import Any

from sandbox import errors
from sandbox.kueue.queues import CLUSTER_QUEUES, LOCAL_QUEUES, cluster_queue_of
from sandbox.kueue.registry import Entry, is_unfinished
from sandbox.kueue.workloads import WORKLOADS
from sandbox.store import Store


def pending_workloads(
    store: Store,
    cluster_queue: str | None = None,
    local_queue: str | None = None,
    namespace: str | None = None,
) -> dict[str, Any]:
    """Return a PendingWorkloadsSummary of one ClusterQueue, or of one LocalQueue in a namespace.

    Positions count from 0. Raises StatusError 404 for a queue that does not exist.
    """
    if local_queue is not None:
        local = store.peek(LOCAL_QUEUES, namespace or "", local_queue)
        if local is None:
            raise errors.not_found("localqueue.visibility.kueue.x-k8s.io", local_queue)
        cluster_queue = cluster_queue_of(local.obj)
    elif store.peek(CLUSTER_QUEUES, "", cluster_queue or "") is None:
        raise errors.not_found("clusterqueue.visibility.kueue.x-k8s.io", cluster_queue or "")
    items = _positions(store, cluster_queue or "")
    if local_queue is not None:
        items = [
            item
            for item in items
            if item["localQueueName"] == local_queue and item["metadata"]["namespace"] == namespace
        ]
    return {
        "kind": "PendingWorkloadsSummary",
        "apiVersion": "visibility.kueue.x-k8s.io/v1beta2",
        "metadata": {},
        "items": items,
    }


def _positions(store: Store, cluster_queue: str) -> list[dict[str, Any]]:
    """List everything that waits for a ClusterQueue, whichever LocalQueue it came through."""
    targets = {(item.namespace, item.name): cluster_queue_of(item.obj) for item in store.select(LOCAL_QUEUES)}
    entries = (Entry(record.obj) for record in store.select(WORKLOADS) if is_unfinished(record))
    waiting = [entry for entry in entries if targets.get(entry.local_queue) == cluster_queue and entry.pending]
    before: dict[tuple[str, str], int] = {}
    items = []
    for position, entry in enumerate(sorted(waiting, key=lambda entry: entry.order)):
        local_position = before.get(entry.local_queue, 0)
        before[entry.local_queue] = local_position + 1
        items.append(_item(entry, position, local_position))
    return items


def _item(entry: Entry, position: int, local_position: int) -> dict[str, Any]:
    meta: Mapping[str, Any] = entry.obj["metadata"]
    owners = [
        {name: owner[name] for name in ("apiVersion", "kind", "name", "uid")}
        for owner in meta.get("ownerReferences") or []
    ]
    return {
        "metadata": {
            "name": meta["name"],
            "namespace": meta["namespace"],
            "creationTimestamp": meta["creationTimestamp"],
            "ownerReferences": owners,
        },
        "priority": entry.priority,
        "localQueueName": entry.local_queue[1],
        "positionInClusterQueue": position,
        "positionInLocalQueue": local_position,
    }
