"""Objects as the API server gives them, as far as the mirror reads them."""

from typing import Any

from jobs.models import Submission
from portal.names import JOB_UID_LABEL, LABEL_SUBMISSION

WAITS = (
    "couldn't assign flavors to pod set worker: "
    "insufficient unused quota for nvidia.com/gpu in flavor a100, 8 more needed"
)


def condition(kind: str, status: str = "True", reason: str = "", message: str = "", at: int = 0) -> dict[str, str]:
    """`at`: minutes after two."""
    time = f"2026-11-29T14:{at:02}:00Z"
    return {"type": kind, "status": status, "reason": reason, "message": message, "lastTransitionTime": time}


def job(submission: Submission, *conditions: dict[str, str], uid: str = "job-uid", **status: Any) -> dict[str, Any]:
    return {
        "metadata": {
            "name": submission.job_name,
            "namespace": submission.namespace,
            "uid": uid,
            "labels": {LABEL_SUBMISSION: str(submission.uid)},
        },
        "spec": {"runPolicy": {"suspend": not conditions}},
        "status": {"conditions": list(conditions), **status},
    }


def _owner(submission: Submission, uid: str) -> list[dict[str, Any]]:
    return [{"kind": "PyTorchJob", "name": submission.job_name, "uid": uid, "controller": True}]


def workload(
    submission: Submission,
    *conditions: dict[str, str],
    uid: str = "workload-uid",
    job_uid: str = "job-uid",
    **status: Any,
) -> dict[str, Any]:
    return {
        "metadata": {
            "name": f"pytorchjob-{submission.job_name}-1a2b3",
            "namespace": submission.namespace,
            "uid": uid,
            "labels": {JOB_UID_LABEL: job_uid},
            "ownerReferences": _owner(submission, job_uid),
            "creationTimestamp": "2026-11-29T14:00:00Z",
        },
        "spec": {"active": True},
        "status": {"conditions": list(conditions), **status},
    }


ADMITTED = (condition("QuotaReserved", reason="QuotaReserved", at=1), condition("Admitted", reason="Admitted", at=1))
PENDING = (condition("QuotaReserved", "False", "Pending", WAITS),)


def pod(
    submission: Submission,
    index: int = 0,
    *,
    uid: str = "",
    owner: str = "job-uid",
    phase: str = "Running",
    **container: Any,
) -> dict[str, Any]:
    """`container`: its status, by default running since two minutes after two."""
    status = {"ready": True, "state": {"running": {"startedAt": "2026-11-29T14:02:00Z"}}} | container
    return {
        "metadata": {
            "name": f"{submission.job_name}-worker-{index}",
            "namespace": submission.namespace,
            "uid": uid or f"pod-{index}",
            "creationTimestamp": "2026-11-29T14:01:00Z",
            "labels": {
                LABEL_SUBMISSION: str(submission.uid),
                "training.kubeflow.org/replica-type": "worker",
                "training.kubeflow.org/replica-index": str(index),
            },
            "ownerReferences": _owner(submission, owner),
        },
        "spec": {"nodeName": "node-1"},
        "status": {"phase": phase, "containerStatuses": [{"name": "sidecar"}, {"name": "pytorch", **status}]},
    }


def event(submission: Submission, *, uid: str = "event-uid", about: str = "job-uid", **fields: Any) -> dict[str, Any]:
    return {
        "metadata": {"uid": uid, "creationTimestamp": "2026-11-29T14:00:00Z"},
        "involvedObject": {
            "kind": "PyTorchJob",
            "namespace": submission.namespace,
            "name": submission.job_name,
            "uid": about,
        },
        "type": "Normal",
        "reason": "CreatedWorkload",
        "message": "Created Workload: a/b",
        "reportingComponent": "kueue",
    } | fields
