"""ClusterQueues and LocalQueues: what they offer, whether they are active, and the counters in their status.

Reasons and messages: Kueue 0.19, pkg/cache/scheduler/clusterqueue.go and pkg/controller/core/localqueue_controller.go.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sandbox import conditions, quantity
from sandbox.kueue.capacity import Capacity, FlavorResource, QueueQuota, Quota, Usage
from sandbox.kueue.flavors import ResourceGroup
from sandbox.kueue.preemption import Policy
from sandbox.kueue.workloads import FINALIZER, MANAGER
from sandbox.store import Store

CLUSTER_QUEUES = "clusterqueues.kueue.x-k8s.io"
LOCAL_QUEUES = "localqueues.kueue.x-k8s.io"
FLAVORS = "resourceflavors.kueue.x-k8s.io"
COHORTS = "cohorts.kueue.x-k8s.io"

Object = dict[str, Any]


@dataclass(frozen=True)
class ClusterQueue:
    """A ClusterQueue's spec as the scheduler needs it; `inactive` says why it cannot admit: a reason and a message."""

    name: str
    cohort: str
    groups: tuple[ResourceGroup, ...]
    quotas: Mapping[FlavorResource, Quota]
    strict: bool
    stop_policy: str
    policy: Policy
    selector: Mapping[str, Any] | None
    inactive: tuple[str, str] | None

    @property
    def path(self) -> str:
        """Its place in the cohort, as preemption messages write it."""
        return f"/{self.cohort}/{self.name}" if self.cohort else f"/{self.name}"

    def selects(self, labels: Mapping[str, str]) -> bool:
        """Tell whether a namespace with these labels may use the queue; no selector selects nothing."""
        if self.selector is None:
            return False
        if any(labels.get(key) != value for key, value in (self.selector.get("matchLabels") or {}).items()):
            return False
        return all(_expression(item, labels) for item in self.selector.get("matchExpressions") or [])


def _expression(item: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    value, values = labels.get(item["key"]), item.get("values") or []
    outcomes = {
        "In": value in values,
        "NotIn": value not in values,
        "Exists": value is not None,
        "DoesNotExist": value is None,
    }
    return outcomes[item["operator"]]


def cluster_queue_of(local_queue: Mapping[str, Any]) -> str:
    """Return the name of the ClusterQueue that a LocalQueue points to."""
    name: str = (local_queue.get("spec") or {}).get("clusterQueue") or ""
    return name


def read_cluster_queue(obj: Mapping[str, Any], flavors: Mapping[str, Any]) -> ClusterQueue:
    """Read a ClusterQueue object; `flavors` are the ResourceFlavors there are."""
    spec = obj.get("spec") or {}
    preemption = spec.get("preemption") or {}
    groups = tuple(
        ResourceGroup(frozenset(group["coveredResources"]), tuple(item["name"] for item in group["flavors"]))
        for group in spec.get("resourceGroups") or []
    )
    stop_policy = spec.get("stopPolicy") or "None"
    return ClusterQueue(
        name=obj["metadata"]["name"],
        cohort=spec.get("cohortName") or "",
        groups=groups,
        quotas=_quotas(spec),
        strict=spec.get("queueingStrategy") == "StrictFIFO",
        stop_policy=stop_policy,
        policy=Policy(
            preemption.get("withinClusterQueue") or "Never", preemption.get("reclaimWithinCohort") or "Never"
        ),
        selector=spec.get("namespaceSelector"),
        inactive=_inactive(obj, stop_policy, [name for group in groups for name in group.flavors], flavors),
    )


def _quotas(spec: Mapping[str, Any]) -> dict[FlavorResource, Quota]:
    def amount(item: Mapping[str, Any], field: str) -> int | None:
        return quantity.parse(item["name"], item[field]) if item.get(field) is not None else None

    return {
        (flavor["name"], item["name"]): Quota(
            amount(item, "nominalQuota") or 0, amount(item, "borrowingLimit"), amount(item, "lendingLimit")
        )
        for group in spec.get("resourceGroups") or []
        for flavor in group["flavors"]
        for item in flavor["resources"]
    }


def _inactive(
    obj: Mapping[str, Any], stop_policy: str, wanted: Iterable[str], flavors: Mapping[str, Any]
) -> tuple[str, str] | None:
    if obj["metadata"].get("deletionTimestamp"):
        return "Terminating", "Can't admit new workloads; clusterQueue is terminating"
    problems = []
    if stop_policy != "None":
        problems.append(("Stopped", "is stopped"))
    missing = [name for name in wanted if name not in flavors]
    if missing:
        problems.append(("FlavorNotFound", f"references missing ResourceFlavor(s): {','.join(missing)}"))
    if not problems:
        return None
    return problems[0][0], f"Can't admit new workloads: {', '.join(text for _, text in problems)}."


def read_capacity(store: Store, cluster_queues: Iterable[ClusterQueue]) -> Capacity:
    """Return the quota of all queues and cohorts, with nothing used."""
    own: dict[str, Usage] = {
        record.name: {pair: quota.nominal for pair, quota in _quotas(record.obj.get("spec") or {}).items()}
        for record in store.select(COHORTS)
    }
    return Capacity((QueueQuota(item.name, item.cohort, item.quotas) for item in cluster_queues), own)


@dataclass(frozen=True)
class Counts:
    """How many Workloads of a queue wait, hold quota and are admitted, and what the last two use."""

    pending: int
    reserving: int
    admitted: int
    reservation: Usage
    usage: Usage

    def status(self) -> Object:
        """Return the counters as fields of a queue's status."""
        return {
            "pendingWorkloads": self.pending,
            "reservingWorkloads": self.reserving,
            "admittedWorkloads": self.admitted,
        }


def write_cluster_queue_status(store: Store, queue: ClusterQueue, counts: Counts) -> None:
    """Bring a ClusterQueue's status up to date, and keep it from vanishing while Workloads use it."""
    obj = store.get(CLUSTER_QUEUES, "", queue.name)
    if obj is None:
        return
    obj = _keep(store, CLUSTER_QUEUES, obj, in_use=counts.reserving > 0)
    if obj is None:
        return
    status = {**(obj.get("status") or {}), **counts.status()}
    for field, usage in (("flavorsReservation", counts.reservation), ("flavorsUsage", counts.usage)):
        status[field] = _flavor_usage(queue, usage, borrowing=True)
    obj["status"] = status
    reason, message = queue.inactive or ("Ready", "Can admit new workloads")
    conditions.put(obj, "Active", queue.inactive is None, reason, message, at=store.clock.stamp())
    store.update_status(CLUSTER_QUEUES, obj, manager=MANAGER)


def write_local_queue_status(store: Store, obj: Object, queue: ClusterQueue | None, counts: Counts) -> None:
    """Bring a LocalQueue's status up to date; `queue` is the ClusterQueue it points to, or None if there is none."""
    status = {**(obj.get("status") or {}), **counts.status()}
    if queue:
        status["flavorsReservation"] = _flavor_usage(queue, counts.reservation, borrowing=False)
        status["flavorsUsage"] = _flavor_usage(queue, counts.usage, borrowing=False)
    obj["status"] = status
    if ((obj.get("spec") or {}).get("stopPolicy") or "None") != "None":
        state = (False, "Stopped", "LocalQueue is stopped")
    elif queue is None:
        state = (False, "ClusterQueueDoesNotExist", "Can't submit new workloads to clusterQueue")
    elif queue.inactive:
        state = (False, "ClusterQueueIsInactive", "Can't submit new workloads to clusterQueue")
    else:
        state = (True, "Ready", "Can submit new workloads to localQueue")
    conditions.put(obj, "Active", *state, at=store.clock.stamp())
    store.update_status(LOCAL_QUEUES, obj, manager=MANAGER)


def keep_flavor(store: Store, name: str, *, in_use: bool) -> None:
    """Keep a ResourceFlavor from vanishing while a ClusterQueue refers to it."""
    obj = store.get(FLAVORS, "", name)
    if obj:
        _keep(store, FLAVORS, obj, in_use=in_use)


def _keep(store: Store, resource: str, obj: Object, *, in_use: bool) -> Object | None:
    """Add Kueue's finalizer, or take it off when the object is to go and nothing uses it; None when it is gone."""
    meta = obj["metadata"]
    finalizers = list(meta.get("finalizers") or [])
    if not meta.get("deletionTimestamp"):
        if FINALIZER in finalizers:
            return obj
        meta["finalizers"] = [*finalizers, FINALIZER]
    elif in_use or FINALIZER not in finalizers:
        return obj
    else:
        meta["finalizers"] = [name for name in finalizers if name != FINALIZER]
    store.update(resource, obj, manager=MANAGER)
    return store.get(resource, "", meta["name"])


def _flavor_usage(queue: ClusterQueue, usage: Usage, *, borrowing: bool) -> list[Object]:
    found: dict[str, list[Object]] = {}
    for (flavor, resource), quota in queue.quotas.items():
        total = usage.get((flavor, resource), 0)
        entry = {"name": resource, "total": quantity.show(resource, total)}
        if borrowing:
            entry["borrowed"] = quantity.show(resource, max(0, total - quota.nominal))
        found.setdefault(flavor, []).append(entry)
    return [
        {"name": flavor, "resources": sorted(items, key=lambda item: item["name"])} for flavor, items in found.items()
    ]
