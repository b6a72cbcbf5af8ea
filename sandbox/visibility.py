"""Kueue's visibility API: the order of the pending workloads."""

from typing import Any

from sandbox.store import Store


def pending_workloads(
    store: Store,
    cluster_queue: str | None = None,
    local_queue: str | None = None,
    namespace: str | None = None,
) -> dict[str, Any]:
    """Return a PendingWorkloadsSummary of one ClusterQueue, or of one LocalQueue in a namespace."""
    return {"kind": "PendingWorkloadsSummary", "apiVersion": "visibility.kueue.x-k8s.io/v1beta2", "items": []}
