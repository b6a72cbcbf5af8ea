from datetime import timedelta

import pytest

from jobs.models import Attempt, Submission
from jobs.queries import timeline
from tests.jobs.factories import make_submission, make_submitter
from tests.jobs.views.pages import move

pytestmark = pytest.mark.django_db


@pytest.fixture
def job():
    return make_submission(make_submitter("vision"))


def shown(job):
    return [(step.label, step.status, step.times) for step in timeline(job)]


def test_a_new_job(job):
    assert shown(job) == [
        ("Submitted", "current", 1),
        ("Queued", "later", 0),
        ("Admitted", "later", 0),
        ("Starting", "later", 0),
        ("Running", "later", 0),
        ("Finished", "later", 0),
    ]


def test_a_job_that_went_all_the_way(job):
    for after, state in ((2, "queued"), (62, "starting"), (72, "running"), (1072, "succeeded")):
        move(job, state, after=after)
    Attempt.objects.create(submission=job, number=1, admitted_at=job.submitted_at + timedelta(seconds=62))
    steps = timeline(job)
    assert [step.status for step in steps] == ["done"] * 6
    assert [round(step.lasted.total_seconds()) for step in steps if step.lasted] == [60, 10, 1000]
    assert steps[-1].label == "Succeeded"


def test_a_job_that_was_admitted_at_once_has_no_time_in_the_queue(job):
    move(job, "running")
    assert [(step.label, step.status) for step in timeline(job)][1:4] == [
        ("Queued", "passed"),
        ("Admitted", "done"),
        ("Starting", "passed"),
    ]


def test_a_job_that_queues_twice_counts_both(job):
    for after, state in ((10, "queued"), (20, "running"), (50, "preempted"), (80, "running")):
        move(job, state, after=after)
    queued = timeline(job)[1]
    assert (queued.times, round(queued.lasted.total_seconds())) == (2, 40)


def test_reasons_within_a_state_are_one_stretch(job):
    for reason in ("no_workload", "waiting_for_quota", "waiting_for_quota"):
        move(job, "queued", reason)
    assert timeline(job)[1].times == 1


def test_a_job_that_was_cancelled_while_it_waited_never_ran(job):
    move(job, "queued")
    move(job, "cancelled")
    assert shown(job)[2:] == [
        ("Admitted", "skipped", 0),
        ("Starting", "skipped", 0),
        ("Running", "skipped", 0),
        ("Cancelled", "done", 1),
    ]


@pytest.mark.parametrize("state", ["failed", "rejected"])
def test_a_failure_is_marked_at_the_end(job, state):
    move(job, state)
    assert timeline(job)[-1].status == "failed"


@pytest.mark.parametrize("state", Submission.State.values)
def test_every_state_has_a_timeline(job, state):
    move(job, state)
    assert len(timeline(job)) == 6
