"""Who may act on a row now. Only the holder of its token writes the send columns; a dead holder's lease runs out."""

import random
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now

from jobs.mirror import recompute
from jobs.models import Submission
from jobs.models.submission import SubmissionQuerySet

# Until this many tries the longest pause is short, so that work goes on soon after an outage of minutes.
PATIENT_TRIES = 40
FIRST_PAUSE, SHORT_PAUSE, LONG_PAUSE = 0.5, 15.0, 60.0


class LeaseLost(Exception):
    """Another worker has the row now; whatever we meant to write is theirs to find out."""


@dataclass(frozen=True)
class Lease:
    """A row that is ours for settings.LAUNCH_LEASE_SECONDS, by the database's clock, from the last `renew`."""

    submission: Submission
    token: UUID

    def renew(self) -> None:
        """Before each call to the cluster, so that no call outlives its lease. Raises LeaseLost."""
        if not self._row().update(lease_expires_at=_end()):
            raise LeaseLost

    def record(self, outcome: "Outcome") -> bool:
        """Writes what came of the turn and gives the lease back; False when it was no longer ours."""
        with transaction.atomic():
            released: dict[str, Any] = {"lease_token": None, "lease_expires_at": None}
            if not self._row().update(**released, **outcome.columns):
                return False
            row = recompute(self.submission.pk)
            if row.cancel_requested_at and not self.submission.cancel_requested_at:
                wake(row.pk)  # the pause was for a try that nobody wants any more
        return True

    def _row(self) -> SubmissionQuerySet:
        return Submission.objects.filter(pk=self.submission.pk, lease_token=self.token)


@dataclass(frozen=True)
class Outcome:
    """The send columns that a turn changes. `cluster_down`: the cluster did not answer, others need not try either."""

    columns: dict[str, Any] = field(default_factory=dict)
    cluster_down: bool = False


def claim(rows: SubmissionQuerySet, *, skip_locked: bool = False) -> Lease | None:
    """The lease of the first of `rows` that something is to be done about, or None."""
    token = uuid4()
    with transaction.atomic():
        due = rows.due().select_for_update(skip_locked=skip_locked, no_key=True, of=("self",))
        submission = due.select_related("tenant").order_by(F("next_try_at").asc(nulls_first=True), "pk").first()
        if submission is None:
            return None
        Submission.objects.filter(pk=submission.pk).update(
            lease_token=token, lease_expires_at=_end(), tries=F("tries") + 1
        )
        submission.tries += 1
    return Lease(submission, token)


def wake(submission_id: int) -> None:
    """Ends a pause between tries: there is something new to do."""
    Submission.objects.filter(pk=submission_id).update(next_try_at=None)


def again(submission: Submission, words: str, *, cluster_down: bool = False, least: float = 0) -> Outcome:
    """A later try; `words` are for people to read meanwhile. Pauses grow, and differ so that rows get out of step."""
    longest = SHORT_PAUSE if submission.tries <= PATIENT_TRIES else LONG_PAUSE
    pause = min(longest, FIRST_PAUSE * 2 ** min(submission.tries, 10)) * random.uniform(0.5, 1)
    pause = max(pause, min(least, LONG_PAUSE))
    return Outcome({"next_try_at": Now() + timedelta(seconds=pause), "send_error": words}, cluster_down)


def _end() -> Any:
    return Now() + timedelta(seconds=settings.LAUNCH_LEASE_SECONDS)
