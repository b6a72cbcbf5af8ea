"""A job's way from submitted to finished, out of its kept changes of state."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import pairwise

from django.utils import timezone
from django.utils.translation import gettext as _

from jobs.models import StateChange, Submission

State = Submission.State
# The step that a state belongs to; a finished state is always the last one.
_STEP_OF = {
    State.SUBMITTED: "submitted",
    State.QUEUED: "queued",
    State.HELD: "queued",
    State.CANNOT_RUN: "queued",
    State.PREEMPTED: "queued",
    State.STARTING: "starting",
    State.RUNNING: "running",
    State.STOPPING: "running",
}


@dataclass(frozen=True)
class Step:
    """`status`: done, current, failed, later, passed (over in no time) or skipped (never reached, and never will be).

    `at` is the first time it was reached, `lasted` how long it took in all (None for moments), `times` how often.
    """

    name: str
    label: str
    status: str
    at: datetime | None = None
    lasted: timedelta | None = None
    times: int = 0


@dataclass(frozen=True)
class _Span:
    step: str
    start: datetime
    end: datetime | None


def timeline(submission: Submission) -> list[Step]:
    """The six steps, for a job in any state."""
    changes = list(submission.changes.order_by("id"))
    spans = _spans(submission, changes)
    finished = submission.state in Submission.FINISHED
    current = "" if finished else _STEP_OF.get(State(submission.state), spans[-1].step if spans else "submitted")
    labels = {
        "submitted": _("Submitted"),
        "queued": _("Queued"),
        "admitted": _("Admitted"),
        "starting": _("Starting"),
        "running": _("Running"),
    }
    reached = [
        _moment(
            name, label, submission.submitted_at if name == "submitted" else _admitted_at(submission, changes), finished
        )
        if name in {"submitted", "admitted"} and name != current
        else _stretch(name, label, [span for span in spans if span.step == name], current, finished)
        for name, label in labels.items()
    ]
    steps = [_or_passed(step, reached[place + 1 :]) for place, step in enumerate(reached)]
    return [*steps, _last(submission, finished)]


def _or_passed(step: Step, after: Sequence[Step]) -> Step:
    """A step without a trace was passed where a later one has one: an admission at once leaves no time in the queue."""
    passed = step.at is None and step.status != "current" and any(later.at for later in after)
    return replace(step, status="passed") if passed else step


def _spans(submission: Submission, changes: Sequence[StateChange]) -> list[_Span]:
    """Stretches of time in one step; changes of reason within a step run together."""
    marks = [("submitted", submission.submitted_at)]
    for change in changes:
        step = "finished" if change.state in Submission.FINISHED else _STEP_OF.get(State(change.state), marks[-1][0])
        if step != marks[-1][0]:
            marks.append((step, change.at))
    spans = [_Span(step, start, end) for (step, start), (_next, end) in pairwise(marks)]
    return [*spans, _Span(*marks[-1], end=None)]


def _admitted_at(submission: Submission, changes: Sequence[StateChange]) -> datetime | None:
    first = submission.attempts.order_by("number").values_list("admitted_at", flat=True).first()
    return first or next((change.at for change in changes if change.state in {State.STARTING, State.RUNNING}), None)


def _moment(name: str, label: str, at: datetime | None, finished: bool) -> Step:
    if at is None:
        return Step(name, label, "skipped" if finished else "later")
    return Step(name, label, "done", at=at, times=1)


def _stretch(name: str, label: str, spans: Sequence[_Span], current: str, finished: bool) -> Step:
    if not spans:
        return Step(name, label, "current" if name == current else "skipped" if finished else "later")
    now = timezone.now()
    lasted = sum(((span.end or now) - span.start for span in spans), timedelta())
    return Step(name, label, "current" if name == current else "done", spans[0].start, lasted, len(spans))


def _last(submission: Submission, finished: bool) -> Step:
    if not finished:
        return Step("finished", _("Finished"), "later")
    failed = submission.state in {State.FAILED, State.REJECTED}
    at = submission.finished_at or submission.stopped_at or submission.rejected_at or submission.state_since
    return Step("finished", submission.get_state_display(), "failed" if failed else "done", at=at, times=1)
