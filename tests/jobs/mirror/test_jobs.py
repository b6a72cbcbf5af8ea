from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from jobs.mirror import forget_job, mirror_job
from jobs.mirror.jobs import jobs_listed
from jobs.models import Submission
from tests.jobs.mirror.cluster import condition, job

RUNNING = (condition("Created"), condition("Running", at=2))


def now() -> datetime:
    return timezone.now()


def test_progress_is_written_down(submission: Submission) -> None:
    replicas = {"Worker": {"active": 3, "succeeded": 1}}
    mirror_job(job(submission, *RUNNING, replicaStatuses=replicas))
    submission.refresh_from_db()
    assert (submission.job_phase, submission.replicas_active, submission.replicas_succeeded) == ("Running", 3, 1)
    assert submission.started_at == datetime(2026, 11, 29, 14, 2, tzinfo=UTC)
    assert (submission.state, submission.reason) == ("running", "running")


def test_every_change_of_state_is_kept(submission: Submission) -> None:
    mirror_job(job(submission))
    mirror_job(job(submission, *RUNNING))
    mirror_job(job(submission, *RUNNING))
    mirror_job(job(submission, condition("Succeeded", at=9)))
    kept = list(submission.changes.order_by("id").values_list("state", "reason"))
    assert kept[-2:] == [("running", "running"), ("succeeded", "succeeded")]
    assert kept.count(("running", "running")) == 1


def test_it_started_when_it_first_ran(submission: Submission) -> None:
    mirror_job(job(submission, condition("Running", at=2)))
    mirror_job(job(submission, condition("Running", at=7)))
    submission.refresh_from_db()
    assert submission.started_at == datetime(2026, 11, 29, 14, 2, tzinfo=UTC)


@pytest.mark.parametrize(
    "change",
    [
        {"uid": "another-incarnation"},
        {"name": "another-name"},
        {"namespace": "cm-other"},
        {"labels": {}},
        {"labels": {"choirmaster.dev/submission": "junk"}},
        {"labels": None},
    ],
    ids=str,
)
def test_what_is_not_ours_is_ignored(change: dict, submission: Submission) -> None:
    obj = job(submission, *RUNNING)
    obj["metadata"] |= change
    mirror_job(obj)
    submission.refresh_from_db()
    assert submission.seen_at is None
    assert submission.job_phase == ""


def test_it_is_known_by_its_label_before_launch_recorded_it(submission: Submission) -> None:
    Submission.objects.update(object_uid="")
    mirror_job(job(submission, *RUNNING))
    submission.refresh_from_db()
    assert (submission.job_phase, submission.object_uid) == ("Running", "")


def test_an_old_look_overwrites_nothing(submission: Submission) -> None:
    mirror_job(job(submission, condition("Succeeded", at=9)))
    mirror_job(job(submission, *RUNNING), now() - timedelta(seconds=9))
    submission.refresh_from_db()
    assert submission.state == "succeeded"


def test_deleted_outside(submission: Submission) -> None:
    mirror_job(job(submission, *RUNNING))
    forget_job("job-uid")
    submission.refresh_from_db()
    assert (submission.state, submission.reason) == ("unknown", "deleted_outside")
    assert not Submission.objects.due().exists()


def test_a_success_outlives_its_object(submission: Submission) -> None:
    mirror_job(job(submission, condition("Succeeded", at=9)))
    forget_job("job-uid")
    submission.refresh_from_db()
    assert submission.state == "succeeded"


def test_what_a_complete_list_lacks_is_gone(submission: Submission) -> None:
    jobs_listed("PyTorchJob", [job(submission, *RUNNING)], now())
    jobs_listed("PyTorchJob", [], now())
    submission.refresh_from_db()
    assert submission.reason == "deleted_outside"


def test_what_was_sent_after_the_list_began_is_not_gone(submission: Submission) -> None:
    jobs_listed("PyTorchJob", [], submission.sent_at - timedelta(seconds=1))
    submission.refresh_from_db()
    assert submission.gone_at is None


def test_what_was_seen_after_the_list_began_is_not_gone(submission: Submission) -> None:
    began_at = now()
    mirror_job(job(submission, *RUNNING))
    jobs_listed("PyTorchJob", [], began_at)
    submission.refresh_from_db()
    assert submission.gone_at is None


def test_gone_before_anybody_saw_it_is_unknown(submission: Submission) -> None:
    jobs_listed("PyTorchJob", [], now())
    submission.refresh_from_db()
    assert (submission.state, submission.reason) == ("unknown", "deleted_outside")


def test_a_list_of_another_kind_says_nothing(submission: Submission) -> None:
    jobs_listed("TFJob", [], now())
    submission.refresh_from_db()
    assert submission.gone_at is None


def test_a_list_that_began_earlier_brings_nothing_back(submission: Submission) -> None:
    mirror_job(job(submission, *RUNNING))
    began_at = now()
    forget_job("job-uid")
    jobs_listed("PyTorchJob", [job(submission, *RUNNING)], began_at)
    submission.refresh_from_db()
    assert submission.reason == "deleted_outside"


def test_it_is_there_after_all(submission: Submission) -> None:
    forget_job("job-uid")
    mirror_job(job(submission, *RUNNING))
    submission.refresh_from_db()
    assert (submission.state, submission.gone_at) == ("running", None)


def test_one_poison_object_does_not_stop_the_others(submission: Submission) -> None:
    poison = job(submission, *RUNNING)
    poison["status"]["conditions"] = [{"type": ["x"], "status": "True"}, "y", None]
    poison["metadata"]["namespace"] = {"a": 1}
    jobs_listed("PyTorchJob", [{}, {"metadata": None}, poison, job(submission, *RUNNING)], now())
    submission.refresh_from_db()
    assert submission.state == "running"


def test_a_list_that_changes_nothing_writes_no_row_but_the_look(
    submission: Submission, django_assert_max_num_queries
) -> None:
    obj = job(submission, *RUNNING)
    jobs_listed("PyTorchJob", [obj], now())
    with django_assert_max_num_queries(5):
        jobs_listed("PyTorchJob", [obj], now())


def test_text_that_postgresql_cannot_store(submission: Submission) -> None:
    mirror_job(job(submission, condition("Failed", message="a\0\ud800b")))
    submission.refresh_from_db()
    assert submission.job_message == "ab"
