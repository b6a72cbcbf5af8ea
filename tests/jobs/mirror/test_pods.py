from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from jobs.mirror import forget_pod, mirror_job, mirror_pod, mirror_workload
from jobs.mirror.pods import pods_listed
from jobs.models import Pod, Submission
from tests.jobs.mirror.cluster import ADMITTED, condition, job, pod, workload

ENDED = {"exitCode": 1, "reason": "Error", "startedAt": "2026-11-29T14:02:00Z", "finishedAt": "2026-11-29T14:05:00Z"}
KILLED = {**ENDED, "exitCode": 137, "reason": "OOMKilled"}


def test_a_replica(submission: Submission) -> None:
    mirror_pod(pod(submission, 3))
    row = Pod.objects.get()
    assert (row.role, row.index, row.container, row.node) == ("worker", 3, "pytorch", "node-1")
    assert (row.phase, row.ready, row.state, row.exit_code) == ("Running", True, "running", None)
    assert row.started_at == datetime(2026, 11, 29, 14, 2, tzinfo=UTC)


@pytest.mark.parametrize(
    ("container", "expected"),
    [
        ({"state": {"terminated": ENDED}}, ("terminated", "Error", 1)),
        ({"state": {"waiting": {"reason": "ImagePullBackOff"}}}, ("waiting", "ImagePullBackOff", None)),
        (
            {"state": {"waiting": {"reason": "CrashLoopBackOff"}}, "lastState": {"terminated": ENDED}},
            ("waiting", "CrashLoopBackOff", 1),
        ),
        (
            {"state": {"waiting": {"reason": "CrashLoopBackOff"}}, "lastState": {"terminated": KILLED}},
            ("waiting", "OOMKilled", 137),
        ),
        ({"lastState": {"terminated": ENDED}}, ("running", "", 1)),
        ({"state": None}, ("", "", None)),
    ],
)
def test_the_container_s_state(container: dict[str, Any], expected: tuple, submission: Submission) -> None:
    mirror_pod(pod(submission, **container))
    row = Pod.objects.get()
    assert (row.state, row.reason, row.exit_code) == expected


def test_a_pod_that_no_node_took(submission: Submission) -> None:
    obj = pod(submission, phase="Pending")
    message = "0/6 nodes are available: 6 Insufficient nvidia.com/gpu."
    obj["status"] = {
        "phase": "Pending",
        "conditions": [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": message}],
    }
    mirror_workload(workload(submission, *ADMITTED))
    mirror_pod(obj)
    submission.refresh_from_db()
    assert (submission.reason, submission.params) == ("unschedulable", {"replica": "worker-0", "message": message})


def test_an_evicted_pod_has_no_container(submission: Submission) -> None:
    obj = pod(submission)
    obj["status"] = {"phase": "Failed", "reason": "Evicted", "message": "The node was low on resource: memory."}
    mirror_pod(obj)
    assert (Pod.objects.get().reason, Pod.objects.get().state) == ("Evicted", "")


@pytest.mark.parametrize("owner", ["another", ""])
def test_a_label_alone_makes_no_replica(owner: str, submission: Submission) -> None:
    mirror_pod(pod(submission, owner=owner))
    assert not Pod.objects.exists()


def test_a_pod_made_anew_is_another_row(submission: Submission) -> None:
    mirror_pod(pod(submission, uid="first"))
    forget_pod("first")
    mirror_pod(pod(submission, uid="second"))
    assert [(row.object_uid, row.gone_at is None) for row in Pod.objects.order_by("id")] == [
        ("first", False),
        ("second", True),
    ]


def test_missing_from_a_list(submission: Submission) -> None:
    pods_listed([pod(submission, 0), pod(submission, 1)], timezone.now())
    pods_listed([pod(submission, 0)], timezone.now())
    assert list(Pod.objects.filter(gone_at=None).values_list("index", flat=True)) == [0]


def test_a_list_that_began_earlier_brings_nothing_back(submission: Submission) -> None:
    mirror_pod(pod(submission))
    began_at = timezone.now()
    forget_pod("pod-0")
    pods_listed([pod(submission)], began_at)
    assert Pod.objects.get().gone_at is not None


@pytest.mark.parametrize("column", ["stopped_at", "gone_at"])
def test_a_pod_that_comes_after_the_end_of_a_cancelled_job_is_history(column: str, submission: Submission) -> None:
    now = timezone.now()
    Submission.objects.update(cancel_requested_at=now, **{column: now})
    mirror_pod(pod(submission))
    assert not Pod.objects.exists()


def test_the_last_words_of_a_watch_that_lags_bring_nothing_back(submission: Submission) -> None:
    mirror_pod(pod(submission))
    forget_pod("pod-0")
    last = pod(submission)
    last["metadata"]["deletionTimestamp"] = "2026-11-29T14:00:00Z"
    mirror_pod(last)
    assert Pod.objects.get().gone_at is not None


def test_seen_since_the_list_began_is_not_gone(submission: Submission) -> None:
    began_at = timezone.now() - timedelta(seconds=5)
    mirror_pod(pod(submission))
    pods_listed([], began_at)
    assert Pod.objects.get().gone_at is None


def test_a_replica_without_an_index_is_skipped(submission: Submission) -> None:
    broken = pod(submission, 0)
    del broken["metadata"]["labels"]["training.kubeflow.org/replica-index"]
    pods_listed([broken, pod(submission, 1)], timezone.now())
    assert Pod.objects.get().index == 1


def test_replicas_get_ready_one_by_one(submission: Submission) -> None:
    mirror_workload(workload(submission, *ADMITTED))
    for index in range(3):
        mirror_pod(pod(submission, index))
    mirror_pod(pod(submission, 3, phase="Pending", ready=False, state={"waiting": {"reason": "ContainerCreating"}}))
    submission.refresh_from_db()
    assert (submission.state, submission.reason, submission.params) == (
        "starting",
        "pods_starting",
        {"ready": 3, "total": 4},
    )


def test_the_replica_that_failed_first(submission: Submission) -> None:
    mirror_workload(workload(submission, *ADMITTED))
    later = {**ENDED, "finishedAt": "2026-11-29T14:06:00Z"}
    mirror_pod(pod(submission, 0, phase="Failed", state={"terminated": later}))
    waits = {
        "state": {"waiting": {"reason": "CrashLoopBackOff"}},
        "lastState": {"terminated": ENDED},
        "restartCount": 3,
    }
    mirror_pod(pod(submission, 2, **waits))
    mirror_job(job(submission, condition("Failed", message="it has reached the specified backoff limit", at=7)))
    submission.refresh_from_db()
    assert submission.reason == "crashed"
    assert submission.params == {"replica": "worker-2", "exit_code": 1, "restarts": 3}


def test_pods_of_an_earlier_attempt_are_not_to_blame(submission: Submission) -> None:
    mirror_workload(workload(submission, *ADMITTED))
    mirror_pod(pod(submission, 0, uid="old", phase="Failed", state={"terminated": ENDED}))
    mirror_workload(workload(submission, condition("QuotaReserved", at=8), condition("Admitted", at=8)))
    mirror_job(job(submission, condition("Failed", message="boom", at=9)))
    submission.refresh_from_db()
    assert (submission.reason, submission.params) == ("failed", {"message": "boom"})


def test_pods_that_another_clock_made_before_the_admission_count(submission: Submission) -> None:
    mirror_workload(workload(submission, condition("QuotaReserved", at=3), condition("Admitted", at=3)))
    mirror_pod(pod(submission, 0, phase="Failed", state={"terminated": ENDED}))
    mirror_job(job(submission, condition("Failed", message="boom", at=9)))
    submission.refresh_from_db()
    assert submission.params["replica"] == "worker-0"


def test_after_a_cancel_its_pods_are_counted(submission: Submission) -> None:
    mirror_job(job(submission, condition("Running", at=2)))
    mirror_pod(pod(submission, 0))
    mirror_pod(pod(submission, 1))
    Submission.objects.update(cancel_requested_at=timezone.now(), cancel_requested_by=submission.author)
    forget_pod("pod-0")
    submission.refresh_from_db()
    assert (submission.state, submission.params) == ("stopping", {"pods": 1})
    Submission.objects.update(stopped_at=timezone.now())
    forget_pod("pod-1")
    submission.refresh_from_db()
    assert (submission.state, submission.params) == ("cancelled", {"by": str(submission.author)})
