"""An attempt is one admission to its end: observed in the Workload's conditions, never decided here."""

from datetime import datetime

from jobs.models import Attempt, Submission


def admit(submission: Submission, *, at: datetime, ended_reason: str) -> None:
    """The workload is admitted since `at`. An open attempt of an earlier admission was missed ending, and ends now."""
    newest: Attempt | None = submission.attempts.order_by("-number").first()
    if newest is not None and (newest.admitted_at == at or submission.finished_at is not None):
        return
    if newest is not None and newest.ended_at is None:
        _end(newest, at=at, reason=ended_reason or "Evicted")
    submission.attempts.create(number=newest.number + 1 if newest else 1, admitted_at=at)


def note_running(submission: Submission) -> None:
    """The job runs: the open attempt has reached its goal. The time is that of the job's own condition."""
    newest = submission.attempts.filter(ended_at=None, running_at=None).order_by("-number").first()
    if newest is not None:
        newest.running_at = max(submission.started_at or newest.admitted_at, newest.admitted_at)
        newest.save(update_fields=["running_at"])


def end_attempt(submission: Submission, *, at: datetime, reason: str) -> None:
    newest = submission.attempts.filter(ended_at=None).order_by("-number").first()
    if newest is not None:
        _end(newest, at=at, reason=reason)


def _end(attempt: Attempt, *, at: datetime, reason: str) -> None:
    attempt.ended_at, attempt.end_reason = max(at, attempt.admitted_at), reason[:64]
    attempt.save(update_fields=["ended_at", "end_reason"])
