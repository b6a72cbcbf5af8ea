"""Workload objects: how one is made from a PyTorchJob, read, reserved, released and evicted.

Conditions, reasons and messages: Kueue 0.19, pkg/workload/workload.go and pkg/controller/core/workload_controller.go.
"""

import copy
import hashlib
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from sandbox import conditions, quantity
from sandbox.clock import parse
from sandbox.kueue.capacity import Usage
from sandbox.kueue.flavors import Assignment, PodSet
from sandbox.store import Store
from sandbox.training.replicas import ROLES, owner_reference

WORKLOADS = "workloads.kueue.x-k8s.io"
FINALIZER = "kueue.x-k8s.io/resource-in-use"
QUEUE_LABEL = "kueue.x-k8s.io/queue-name"
PRIORITY_LABEL = "kueue.x-k8s.io/priority-class"
JOB_UID_LABEL = "kueue.x-k8s.io/job-uid"
MANAGER = "kueue"
_ORDER = ("QuotaReserved", "Evicted", "Admitted", "Preempted", "Requeued", "Finished")
_JOB_RECORDER = "kubeflow.org/pytorchjob-kueue-controller"

Object = dict[str, Any]


def name_for(job: Mapping[str, Any]) -> str:
    """Return the name of a job's Workload: kind, name and five digits of a hash over its identity."""
    meta = job["metadata"]
    identity = "\n".join(("PyTorchJob", "kubeflow.org", meta["name"], meta["uid"]))
    digits = hashlib.sha1(identity.encode(), usedforsecurity=False).hexdigest()[:5]
    return f"pytorchjob-{meta['name'][:236]}-{digits}"


def compose(job: Mapping[str, Any], priority_class: Mapping[str, Any] | None) -> Object:
    """Return the Workload of a job, with its pod templates as they are now."""
    meta = job["metadata"]
    specs = job["spec"]["pytorchReplicaSpecs"]
    spec: Object = {
        "active": True,
        "podSets": [
            {
                "name": role.lower(),
                "count": specs[role].get("replicas", 1),
                "template": copy.deepcopy(specs[role]["template"]),
            }
            for role in ROLES
            if role in specs
        ],
        "priority": priority_class["value"] if priority_class else 0,
        "queueName": meta["labels"][QUEUE_LABEL],
    }
    if priority_class:
        name = priority_class["metadata"]["name"]
        spec["priorityClassRef"] = {"group": "kueue.x-k8s.io", "kind": "WorkloadPriorityClass", "name": name}
    return {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "Workload",
        "metadata": {
            "name": name_for(job),
            "namespace": meta["namespace"],
            "labels": {JOB_UID_LABEL: meta["uid"]},
            "ownerReferences": [owner_reference(job)],
            "finalizers": [FINALIZER],
        },
        "spec": spec,
    }


def pod_sets(workload: Mapping[str, Any]) -> list[PodSet]:
    """Return the pod sets with what all their pods together request."""
    found = []
    for item in (workload.get("spec") or {}).get("podSets") or []:
        spec, count = item["template"].get("spec") or {}, item.get("count", 1)
        requests = {name: amount * count for name, amount in quantity.pod_requests(spec).items() if amount}
        found.append(PodSet(item.get("name", "main"), count, requests, spec))
    return found


def reserved_usage(workload: Mapping[str, Any]) -> tuple[str, Usage] | None:
    """Return the ClusterQueue and the quota that a Workload holds, or None when it holds none."""
    admission = (workload.get("status") or {}).get("admission")
    if not admission:
        return None
    usage: Usage = {}
    for item in admission["podSetAssignments"]:
        for resource, flavor in item["flavors"].items():
            amount = quantity.parse(resource, item["resourceUsage"][resource])
            usage[flavor, resource] = usage.get((flavor, resource), 0) + amount
    return admission["clusterQueue"], usage


def queued_at(workload: Mapping[str, Any]) -> datetime:
    """Return since when it waits: since its creation, however often it was evicted.

    Kueue counts anew only from an eviction for PodsReadyTimeout or an admission check, of which there is none here.
    """
    return parse(workload["metadata"]["creationTimestamp"])


def reserve(store: Store, workload: Object, cluster_queue: str, assignment: Assignment) -> None:
    """Give a Workload its quota; with no admission checks it is admitted in the same breath."""
    at, since = store.clock.stamp(), store.clock.now() - queued_at(workload)
    status = workload.setdefault("status", {})
    status.pop("resourceRequests", None)
    status["admission"] = {
        "clusterQueue": cluster_queue,
        "podSetAssignments": [_pod_set_assignment(item, assignment) for item in pod_sets(workload)],
    }
    message = f"Quota reserved in ClusterQueue {cluster_queue}"
    conditions.put(workload, "QuotaReserved", True, "QuotaReserved", message, at=at)
    for kind in ("Evicted", "Preempted"):
        old = conditions.find(workload, kind)
        if old and old["status"] == "True":
            conditions.put(workload, kind, False, "QuotaReserved", f"Previously: {old['message']}", at=at)
    conditions.put(workload, "Admitted", True, "Admitted", "The workload is admitted", at=at)
    save(store, workload)
    announce(store, workload, "QuotaReserved", f"{message}, wait time since queued was {since.total_seconds():.0f}s")
    text = f"Admitted by ClusterQueue {cluster_queue}, wait time since reservation was 0s"
    announce(store, workload, "Admitted", text)


def _pod_set_assignment(item: PodSet, assignment: Assignment) -> Object:
    flavors = assignment.flavors[item.name]
    return {
        "name": item.name,
        "flavors": flavors,
        "resourceUsage": {name: quantity.show(name, item.requests[name]) for name in flavors},
        "count": item.count,
    }


def wait(store: Store, workload: Object, reason: str, message: str) -> None:
    """Record why a Workload has no quota: `Pending` with the scheduler's words, or `Inadmissible`."""
    at, status = store.clock.stamp(), workload.setdefault("status", {})
    if reason == "Pending":
        status["resourceRequests"] = [
            {"name": item.name, "resources": {name: quantity.show(name, n) for name, n in item.requests.items()}}
            for item in pod_sets(workload)
        ]
    if conditions.put(workload, "QuotaReserved", False, reason, message, at=at):
        save(store, workload)
        if reason == "Pending":
            announce(store, workload, "Pending", message, warning=True)


def release(store: Store, workload: Object) -> None:
    """Take the quota back from an evicted Workload whose job has stopped; only a preempted one queues again at once."""
    evicted, at = conditions.find(workload, "Evicted"), store.clock.stamp()
    assert evicted is not None
    reason, message = evicted["reason"], evicted["message"]
    workload["status"].pop("admission", None)
    conditions.put(workload, "QuotaReserved", False, "Pending", message, at=at)
    conditions.put(workload, "Admitted", False, "NoReservation", "The workload has no reservation", at=at)
    conditions.put(workload, "Requeued", reason == "Preempted", reason, message, at=at)
    save(store, workload)


def requeue(store: Store, workload: Object, reason: str, message: str) -> None:
    """Let a Workload queue again after what held it back is over."""
    if conditions.put(workload, "Requeued", True, reason, message, at=store.clock.stamp()):
        save(store, workload)


def evict(store: Store, workload: Object, reason: str, message: str, *, preempted: str = "") -> None:
    """Mark a Workload as evicted; its job is stopped and its quota released by the job's reconciler.

    `preempted` is the reason of the condition Preempted, where that is why.
    """
    at, held = store.clock.stamp(), bool(workload.get("status", {}).get("admission"))
    conditions.put(workload, "Evicted", True, reason, message, at=at)
    if preempted:
        conditions.put(workload, "Preempted", True, preempted, message, at=at)
    if held:
        _count_eviction(workload["status"], reason)
    save(store, workload)
    if held:
        announce(store, workload, f"EvictedDueTo{reason}", message)


def _count_eviction(status: Object, reason: str) -> None:
    evictions = status.setdefault("schedulingStats", {}).setdefault("evictions", [])
    entry = next((item for item in evictions if item["reason"] == reason), None)
    if entry:
        entry["count"] += 1
    else:
        evictions.append({"reason": reason, "underlyingCause": "", "count": 1})


def finish(store: Store, workload: Object, reason: str, message: str) -> None:
    """Declare a Workload finished; it holds no quota from then on, and nothing keeps it from being deleted."""
    conditions.put(workload, "Finished", True, reason, message, at=store.clock.stamp())
    save(store, workload)
    drop_finalizer(store, workload)


def drop_finalizer(store: Store, workload: Object) -> None:
    """Let go of a Workload, so that a deletion can complete."""
    current = store.get(WORKLOADS, workload["metadata"]["namespace"], workload["metadata"]["name"])
    if current and FINALIZER in (current["metadata"].get("finalizers") or []):
        current["metadata"]["finalizers"].remove(FINALIZER)
        store.update(WORKLOADS, current, manager=MANAGER)


def save(store: Store, workload: Object) -> None:
    """Write the status, its conditions in the order that Kueue's field managers leave them in, and take the version."""
    places = {kind: place for place, kind in enumerate(_ORDER)}
    workload["status"]["conditions"].sort(key=lambda condition: places.get(condition["type"], len(places)))
    saved = store.update_status(WORKLOADS, workload, manager=MANAGER)
    workload["metadata"] = saved["metadata"]


def announce(store: Store, obj: Mapping[str, Any], reason: str, message: str, *, warning: bool = False) -> None:
    """Record an event as Kueue's recorder does, with null first and last times."""
    kind = "Warning" if warning else "Normal"
    stopped = reason.startswith("EvictedDueTo") and not reason.endswith("Preempted")
    component = (
        _JOB_RECORDER if obj["kind"] == "PyTorchJob" else f"kueue-{'workload-controller' if stopped else 'admission'}"
    )
    store.record_event(obj, type=kind, reason=reason, message=message[:1024], component=component, series=True)


def owner_of(obj: Mapping[str, Any], kind: str) -> Mapping[str, Any] | None:
    """Return the controlling ownerReference if it is of that kind."""
    references: Iterable[Mapping[str, Any]] = obj["metadata"].get("ownerReferences") or ()
    return next((item for item in references if item.get("controller") and item["kind"] == kind), None)
