"""What the pods of an admitted job are doing, and which of them keeps the others waiting."""

from typing import Any

from jobs.state.facts import Derived, Facts, PodFacts

# Waiting reasons that a kubelet does not get out of by itself (Kubernetes 1.36, pkg/kubelet/{images,kuberuntime}).
CANNOT_START = frozenset(
    {
        "ErrImagePull",
        "ImagePullBackOff",
        "InvalidImageName",
        "ErrImageNeverPull",
        "CreateContainerConfigError",
        "CreateContainerError",
        "RunContainerError",
        "StartError",
    }
)


def running(facts: Facts) -> Derived:
    """The operator calls a job Running as soon as one replica runs; we do when all of them have come to run."""
    present = [pod for pod in facts.pods if pod.present]
    if facts.phase == "Restarting":
        return Derived("running", "restarting", _restarts([pod for pod in facts.pods if pod.exit_code]))
    counted = facts.active + facts.succeeded
    if 0 < counted < facts.replicas or (not counted and any(pod.phase == "Pending" for pod in present)):
        return starting(facts)
    crashing = [pod for pod in present if pod.state == "waiting" and pod.restarts]
    if crashing:
        return Derived("running", "restarting", _restarts(crashing))
    since = {"since": facts.started_at.isoformat()} if facts.started_at else {}
    return Derived("running", "running", since)


def starting(facts: Facts) -> Derived:
    """Why not all replicas run yet: the worst trouble first."""
    present = sorted((pod for pod in facts.pods if pod.present), key=lambda pod: (pod.role, pod.index))
    for pod in present:
        if pod.state == "waiting" and pod.reason in CANNOT_START:
            return Derived("starting", "image_failed", _replica(pod, image=pod.image, message=pod.message))
    for pod in present:
        if pod.reason == "Unschedulable":
            return Derived("starting", "unschedulable", _replica(pod, message=pod.message))
    ready = sum(pod.ready or pod.phase == "Succeeded" for pod in present) if present else facts.active + facts.succeeded
    if not present and not ready:
        return Derived("starting", "admitted")
    counts = {"ready": ready, "total": max(facts.replicas, len(present))}
    for pod in present:
        if pod.pulling and not pod.ready:
            return Derived("starting", "pulling_image", _replica(pod, image=pod.image, message="") | counts)
    return Derived("starting", "pods_starting", counts)


def _replica(pod: PodFacts, **more: str) -> dict[str, Any]:
    return {"replica": pod.replica, **{name: value for name, value in more.items() if value}}


def _restarts(crashing: list[PodFacts]) -> dict[str, Any]:
    if not crashing:
        return {}
    worst = max(crashing, key=lambda pod: pod.restarts)
    code = {} if worst.exit_code is None else {"exit_code": worst.exit_code}
    return {"replica": worst.replica, "restarts": worst.restarts, **code}
