from datetime import UTC, datetime, timedelta

from django.utils import timezone

from jobs.mirror import forget_workload, mirror_job, mirror_workload
from jobs.mirror.workloads import workloads_listed
from jobs.models import Submission, Workload
from tests.jobs.mirror.cluster import ADMITTED, PENDING, condition, job, workload


def evicted(at: int) -> tuple[dict[str, str], ...]:
    message = (
        "Preempted to accommodate a workload; preemptor path: /gpu-cohort/free; preemptee path: /gpu-cohort/premium"
    )
    return (
        *PENDING,
        condition("Admitted", "False", "NoReservation", at=at),
        condition("Evicted", "True", "Preempted", message, at=at),
        condition("Preempted", "True", "InCohortReclamation", message, at=at),
    )


def state(submission: Submission) -> tuple[str, str]:
    submission.refresh_from_db()
    return submission.state, submission.reason


def test_it_waits_with_numbers(submission: Submission) -> None:
    mirror_workload(workload(submission, *PENDING))
    assert state(submission) == ("queued", "waiting_for_quota")
    expected = {"resource": "nvidia.com/gpu", "flavor": "a100", "missing": 8, "needs": 16, "at_most": 48}
    assert expected == submission.params


def test_admitted_is_the_first_attempt(submission: Submission) -> None:
    mirror_workload(workload(submission, *ADMITTED))
    mirror_workload(workload(submission, *ADMITTED))
    assert state(submission) == ("starting", "admitted")
    attempt = submission.attempts.get()
    assert (attempt.number, attempt.admitted_at) == (1, datetime(2026, 11, 29, 14, 1, tzinfo=UTC))


def test_an_eviction_ends_the_attempt_and_another_admission_begins_one(submission: Submission) -> None:
    mirror_workload(workload(submission, *ADMITTED))
    mirror_workload(workload(submission, *evicted(5)))
    again = [condition("QuotaReserved", at=8), condition("Admitted", at=8), condition("Evicted", "False", at=8)]
    mirror_workload(workload(submission, *again))
    first, second = submission.attempts.order_by("number")
    assert first.ended_at.minute == 5
    assert (second.number, second.admitted_at.minute, second.ended_at) == (2, 8, None)


def test_an_eviction_that_nobody_saw(submission: Submission) -> None:
    mirror_workload(workload(submission, *ADMITTED))
    mirror_workload(workload(submission, condition("QuotaReserved", at=8), condition("Admitted", at=8)))
    first, second = submission.attempts.order_by("number")
    assert (first.ended_at, second.number) == (second.admitted_at, 2)


def test_the_end_of_the_job_ends_the_attempt(submission: Submission) -> None:
    mirror_workload(workload(submission, *ADMITTED))
    mirror_job(job(submission, condition("Succeeded", at=9)))
    mirror_workload(workload(submission, *ADMITTED, condition("Finished", reason="Succeeded", at=9)))
    assert submission.attempts.get().ended_at.minute == 9


def test_preempted_waits_again_with_numbers(submission: Submission) -> None:
    mirror_workload(workload(submission, *ADMITTED))
    mirror_job(job(submission, condition("Suspended", at=5)))
    mirror_workload(workload(submission, *evicted(5)))
    assert state(submission) == ("preempted", "waiting_for_quota")


def test_it_is_found_by_its_owner_where_the_label_is_missing(submission: Submission) -> None:
    obj = workload(submission, *PENDING)
    del obj["metadata"]["labels"]
    mirror_workload(obj)
    assert state(submission)[0] == "queued"


def test_it_is_found_by_the_owner_s_name_before_launch_recorded_the_uid(submission: Submission) -> None:
    Submission.objects.update(object_uid="")
    mirror_workload(workload(submission, *PENDING))
    assert submission.workloads.count() == 1


def test_other_people_s_workloads_are_ignored(submission: Submission) -> None:
    mirror_workload(workload(submission, *PENDING, job_uid="another"))
    assert not Workload.objects.exists()


def test_one_in_another_tenant_s_namespace_is_ignored(submission: Submission) -> None:
    found = workload(submission, *ADMITTED)
    found["metadata"]["namespace"] = "cm-other"
    mirror_workload(found)
    assert not Workload.objects.exists()


def test_a_list_that_began_earlier_brings_nothing_back(submission: Submission) -> None:
    mirror_workload(workload(submission, *ADMITTED))
    began_at = timezone.now()
    forget_workload("workload-uid")
    workloads_listed([workload(submission, *ADMITTED)], began_at)
    assert submission.workloads.get().gone_at is not None


def test_the_newest_of_two_counts(submission: Submission) -> None:
    mirror_workload(workload(submission, *ADMITTED))
    forget_workload("workload-uid")
    assert state(submission) == ("submitted", "no_workload")
    mirror_workload(workload(submission, *PENDING, uid="second"))
    assert state(submission) == ("queued", "waiting_for_quota")


def test_missing_from_a_list(submission: Submission) -> None:
    workloads_listed([workload(submission, *PENDING)], timezone.now())
    workloads_listed([], timezone.now() - timedelta(minutes=1))
    assert submission.workloads.get().gone_at is None
    workloads_listed([], timezone.now())
    assert submission.workloads.get().gone_at is not None


def test_the_place_in_line_ends_with_the_waiting(submission: Submission) -> None:
    mirror_workload(workload(submission, *PENDING))
    submission.workloads.update(position=1, pending_total=2)
    mirror_workload(workload(submission, *ADMITTED))
    assert submission.workloads.get().position is None
