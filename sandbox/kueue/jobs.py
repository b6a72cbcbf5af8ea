"""Kueue's side of a PyTorchJob: make its Workload, start it when admitted, stop it when evicted, note its end.

The order of the steps is that of Kueue 0.19, pkg/controller/jobframework/reconciler.go.
"""

from collections.abc import Mapping
from typing import Any

from sandbox import conditions
from sandbox.kueue import workloads
from sandbox.kueue.queues import FLAVORS
from sandbox.kueue.workloads import MANAGER, PRIORITY_LABEL, QUEUE_LABEL, WORKLOADS, Object
from sandbox.store import Store
from sandbox.training.replicas import JOBS, ROLES

PRIORITY_CLASSES = "workloadpriorityclasses.kueue.x-k8s.io"


def reconcile(store: Store, namespace: str, name: str) -> None:
    """Bring one job and its Workload a step nearer to each other."""
    job = store.get(JOBS, namespace, name)
    if job is None or job["metadata"].get("deletionTimestamp"):
        return
    if not (job["metadata"].get("labels") or {}).get(QUEUE_LABEL):
        return
    workload = store.get(WORKLOADS, namespace, workloads.name_for(job))
    if workload is None:
        _without_workload(store, job)
    elif not workload["metadata"].get("deletionTimestamp") and not conditions.is_true(workload, "Finished"):
        _with_workload(store, job, workload)


def _without_workload(store: Store, job: Object) -> None:
    if finished(job):
        return
    if suspended(job):
        _create_workload(store, job)
    else:
        stop(store, job, None, "Missing Workload; unable to restore pod templates")


def _create_workload(store: Store, job: Object) -> None:
    wanted = job["metadata"]["labels"].get(PRIORITY_LABEL)
    priority_class = store.get(PRIORITY_CLASSES, "", wanted) if wanted else None
    if wanted and priority_class is None:
        return  # Kueue only logs it, and tries again: the job waits without a Workload.
    workload = store.create(WORKLOADS, workloads.compose(job, priority_class), manager=MANAGER)
    meta = workload["metadata"]
    workloads.announce(store, job, "CreatedWorkload", f"Created Workload: {meta['namespace']}/{meta['name']}")


def _with_workload(store: Store, job: Object, workload: Object) -> None:
    end = finished(job)
    if end:
        _finish(store, job, workload, end)
        return
    if _sync(store, job, workload):
        return
    evicted = conditions.find(workload, "Evicted")
    if evicted and evicted["status"] == "True" and workload.get("status", {}).get("admission"):
        if not suspended(job):
            stop(store, job, workload, evicted["message"])
        elif not active(job):
            workloads.release(store, workload)
        return
    admitted = conditions.is_true(workload, "Admitted")
    if admitted and suspended(job):
        _start(store, job, workload)
    elif not admitted and not suspended(job):
        stop(store, job, workload, "Not admitted by cluster queue")


def _sync(store: Store, job: Object, workload: Object) -> bool:
    """Follow a change of the queue, the priority class or, while it waits, the pods; tell whether there was one."""
    labels, spec = job["metadata"]["labels"], workload["spec"]
    if not workload.get("status", {}).get("admission") and suspended(job):
        spec["queueName"] = labels[QUEUE_LABEL]
        wanted = workloads.compose(job, None)["spec"]["podSets"]
        if wanted != spec["podSets"]:
            spec["podSets"] = wanted
            meta = workload["metadata"]
            text = f"Updated not matching Workload for suspended job: {meta['namespace']}/{meta['name']}"
            workloads.announce(store, job, "UpdatedWorkload", text)
    priority_class = store.get(PRIORITY_CLASSES, "", labels.get(PRIORITY_LABEL, ""))
    if priority_class and spec.get("priorityClassRef"):
        spec["priorityClassRef"]["name"] = priority_class["metadata"]["name"]
        spec["priority"] = priority_class["value"]
    saved = store.update(WORKLOADS, workload, manager=MANAGER)
    return bool(saved["metadata"]["resourceVersion"] != workload["metadata"]["resourceVersion"])


def _finish(store: Store, job: Object, workload: Object, end: Mapping[str, Any]) -> None:
    reason = "Succeeded" if end["type"] == "Succeeded" else "Failed"
    workloads.finish(store, workload, reason, end["message"])
    meta = workload["metadata"]
    text = f"Workload '{meta['namespace']}/{meta['name']}' is declared finished"
    workloads.announce(store, job, "FinishedWorkload", text)


def _start(store: Store, job: Object, workload: Object) -> None:
    """Put the flavors' node labels and tolerations into the pod templates, and let the job run."""
    admission = workload["status"]["admission"]
    assignments = {item["name"]: item for item in admission["podSetAssignments"]}
    labels = {
        "kueue.x-k8s.io/local-queue-name": workload["spec"]["queueName"],
        "kueue.x-k8s.io/cluster-queue-name": admission["clusterQueue"],
    }
    for role, template in _templates(job).items():
        assignment = assignments[role.lower()]
        meta, spec = template.setdefault("metadata", {}), template["spec"]
        meta.setdefault("labels", {}).update(labels | {"kueue.x-k8s.io/podset": role.lower()})
        meta.setdefault("annotations", {})["kueue.x-k8s.io/workload"] = workload["metadata"]["name"]
        for flavor in sorted(set(assignment["flavors"].values())):
            _inject(spec, store.get(FLAVORS, "", flavor) or {})
    _set_suspend(job, False)
    store.update(JOBS, job, manager=MANAGER)
    workloads.announce(store, job, "Started", f"Admitted by clusterQueue {admission['clusterQueue']}")


def _inject(spec: Object, flavor: Mapping[str, Any]) -> None:
    flavor_spec = flavor.get("spec") or {}
    if flavor_spec.get("nodeLabels"):
        spec["nodeSelector"] = {**(spec.get("nodeSelector") or {}), **flavor_spec["nodeLabels"]}
    for toleration in flavor_spec.get("tolerations") or []:
        if toleration not in spec.setdefault("tolerations", []):
            spec["tolerations"].append(toleration)


def stop(store: Store, job: Object, workload: Mapping[str, Any] | None, message: str) -> None:
    """Suspend a job and put its pod templates back as the Workload remembers them."""
    if workload:
        remembered = {item["name"]: item["template"] for item in workload["spec"]["podSets"]}
        for role, replica in job["spec"]["pytorchReplicaSpecs"].items():
            replica["template"] = remembered.get(role.lower(), replica["template"])
    _set_suspend(job, True)
    store.update(JOBS, job, manager=MANAGER)
    workloads.announce(store, job, "Stopped", message)


def _templates(job: Object) -> dict[str, Object]:
    specs = job["spec"]["pytorchReplicaSpecs"]
    return {role: specs[role]["template"] for role in ROLES if role in specs}


def _set_suspend(job: Object, suspend: bool) -> None:
    job["spec"].setdefault("runPolicy", {})["suspend"] = suspend


def suspended(job: Mapping[str, Any]) -> bool:
    """Tell whether the job is told not to run."""
    return bool((job["spec"].get("runPolicy") or {}).get("suspend"))


def active(job: Mapping[str, Any]) -> bool:
    """Tell whether pods of the job still run, as far as its operator has noted."""
    statuses = (job.get("status") or {}).get("replicaStatuses") or {}
    return any(status.get("active") for status in statuses.values())


def finished(job: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the condition that ended the job, or None."""
    for kind in ("Succeeded", "Failed"):
        if conditions.is_true(job, kind):
            return conditions.find(job, kind)
    return None
