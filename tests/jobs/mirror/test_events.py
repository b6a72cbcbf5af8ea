from datetime import UTC, datetime
from typing import Any

import pytest

from jobs.mirror import mirror_event, mirror_events, mirror_pod, mirror_workload
from jobs.models import Event, Submission
from tests.jobs.mirror.cluster import ADMITTED, event, pod, workload


def at(minute: int) -> datetime:
    return datetime(2026, 11, 29, 14, minute, tzinfo=UTC)


def test_about_the_job(submission: Submission) -> None:
    mirror_event(event(submission))
    row = submission.events.get()
    assert (row.reason, row.source, row.regarding_name) == ("CreatedWorkload", "kueue", submission.job_name)


@pytest.mark.parametrize("uid", ["workload-uid", "pod-0"])
def test_about_its_workload_and_pods(uid: str, submission: Submission) -> None:
    mirror_workload(workload(submission, *ADMITTED))
    mirror_pod(pod(submission))
    mirror_event(event(submission, about=uid))
    assert submission.events.count() == 1


@pytest.mark.parametrize(
    ("fields", "expected", "count"),
    [
        ({}, at(0), 1),
        ({"eventTime": "2026-11-29T14:01:00.000000Z"}, at(1), 1),
        ({"lastTimestamp": "2026-11-29T14:02:00Z", "count": 4}, at(2), 4),
        ({"series": {"lastObservedTime": "2026-11-29T14:03:00.000000Z", "count": 9}, "count": 4}, at(3), 9),
    ],
)
def test_time_and_count_of_both_recorders(
    fields: dict[str, Any], expected: datetime, count: int, submission: Submission
) -> None:
    mirror_event(event(submission, **fields))
    row = submission.events.get()
    assert (row.at, row.count) == (expected, count)


def test_a_repeated_event_is_one_row(submission: Submission) -> None:
    mirror_event(event(submission, count=1))
    mirror_event(event(submission, count=5))
    assert submission.events.get().count == 5


def test_an_event_that_came_before_its_object_waits_for_the_next_list(submission: Submission) -> None:
    mirror_event(event(submission, about="pod-0"))
    assert not Event.objects.exists()
    mirror_pod(pod(submission))
    mirror_events([event(submission, about="pod-0")])
    assert submission.events.count() == 1


def test_about_a_job_whose_uid_launch_has_not_recorded(submission: Submission) -> None:
    Submission.objects.update(object_uid="")
    mirror_event(event(submission))
    assert submission.events.count() == 1


def test_from_another_tenant_s_namespace(submission: Submission) -> None:
    found = event(submission)
    found["metadata"]["namespace"] = found["involvedObject"]["namespace"] = "cm-other"
    mirror_event(found)
    assert not Event.objects.exists()


def test_words_that_deceive_are_plain(submission: Submission) -> None:
    mirror_event(event(submission, message="\x1b[2Ja\0b\u202egpj\u200f\tc\nd\x9b"))
    assert submission.events.get().message == "[2Jabgpj\tc\nd"


def test_about_an_earlier_object_of_that_name(submission: Submission) -> None:
    mirror_event(event(submission, about="its-predecessor"))
    assert not Event.objects.exists()


def test_of_another_namespace(submission: Submission) -> None:
    obj = event(submission)
    obj["involvedObject"]["namespace"] = "kube-system"
    mirror_event(obj)
    assert not Event.objects.exists()


def test_poison_is_skipped(submission: Submission) -> None:
    timeless = event(submission, uid="timeless")
    timeless["metadata"]["creationTimestamp"] = "yesterday"
    endless = event(submission, uid="endless", count=2**63)
    mirror_events([{}, {"involvedObject": []}, timeless, endless, event(submission)])
    assert submission.events.get().object_uid == "event-uid"


def test_the_same_list_again_writes_nothing(submission: Submission, django_assert_max_num_queries) -> None:
    items = [event(submission, uid=f"event-{number}") for number in range(50)]
    mirror_events(items)
    with django_assert_max_num_queries(5):
        mirror_events(items)
    assert submission.events.count() == 50


def test_which_image_is_being_pulled(submission: Submission) -> None:
    waits = {"ready": False, "state": {"waiting": {"reason": "ContainerCreating"}}}
    mirror_workload(workload(submission, *ADMITTED))
    mirror_pod(pod(submission, phase="Pending", **waits))
    obj = event(submission, about="pod-0", reason="Pulling", message='Pulling image "registry.internal/pytorch:2.3.0"')
    obj["involvedObject"] |= {"kind": "Pod", "name": pod(submission)["metadata"]["name"]}
    mirror_event(obj)
    submission.refresh_from_db()
    assert submission.reason == "pulling_image"
    assert submission.params["image"] == "registry.internal/pytorch:2.3.0"
    mirror_event({**obj, "metadata": {**obj["metadata"], "uid": "next"}, "reason": "Pulled", "count": 1})
    submission.refresh_from_db()
    assert submission.reason == "pods_starting"


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        (
            "Preempted to accommodate a workload (UID: a, JobUID: b) due to reclamation within the cohort; "
            "preemptor path: /gpu-cohort/rival; preemptee path: /gpu-cohort/own; preemptor effective priority: 3",
            "Preempted to accommodate a workload due to reclamation within the cohort; preemptor effective priority: 3",
        ),
        (
            "Preempted workload cm-rival/secret-1a2b3 (UID: a) in ClusterQueue rival; preemptee effective priority: 1",
            "Preempted a workload; preemptee effective priority: 1",
        ),
        ("Pulled (UID: a)", "Pulled (UID: a)"),
    ],
)
def test_a_preemption_names_no_other_tenant(message: str, kept: str, submission: Submission) -> None:
    mirror_event(event(submission, message=message))
    assert submission.events.get().message == kept
