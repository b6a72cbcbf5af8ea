"""An attempt is one admission to its end: observed in the Workload's conditions, never decided here."""

from datetime import datetime

from jobs.models import Attempt, Submission


def admit(submission: Submission, *, at: datetime) -> None:
    """The workload is admitted since `at`. An open attempt of an earlier admission was missed ending, and ends now."""
    newest: Attempt | None = submission.attempts.order_by("-number").first()
    if newest is not None and (newest.admitted_at == at or submission.finished_at is not None):
        return
    end_attempt(submission, at=at)
    submission.attempts.create(number=newest.number + 1 if newest else 1, admitted_at=at)


def end_attempt(submission: Submission, *, at: datetime) -> None:
    attempt = submission.attempts.filter(ended_at=None).order_by("-number").first()
    if attempt is not None:
        attempt.ended_at = max(at, attempt.admitted_at)
        attempt.save(update_fields=["ended_at"])
