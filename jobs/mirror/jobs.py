"""The job objects themselves."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from jobs.mirror.attempts import end_attempt
from jobs.mirror.listed import compare
from jobs.mirror.objects import assign, differs, is_past, text_of, uid_of
from jobs.mirror.recompute import settle
from jobs.models import Submission
from jobs.translators import translator_for
from jobs.translators.base import text
from portal.kube.kinds import Object
from portal.names import LABEL_SUBMISSION

OBSERVED = (
    "job_phase",
    "job_message",
    "job_suspended",
    "replicas_active",
    "replicas_succeeded",
    "replicas_failed",
    "started_at",
    "finished_at",
    "seen_at",
    "gone_at",
)


def mirror_job(obj: Object, as_of: datetime | None = None) -> None:
    as_of = as_of or timezone.now()
    with transaction.atomic():
        submission = _locked(obj)
        if submission is None or (submission.seen_at and submission.seen_at > as_of):
            return
        if is_past(obj, submission.gone_at, as_of):
            return
        changed = assign(submission, _columns(submission, obj))
        submission.seen_at = as_of
        submission.save(update_fields=OBSERVED)
        if submission.finished_at is not None:
            end_attempt(submission, at=submission.finished_at)
        settle(submission, changed=changed)


def forget_job(uid: str) -> None:
    """The object is gone: a DELETED event or a complete list says so."""
    with transaction.atomic():
        rows = Submission.objects.select_for_update(no_key=True)
        submission = rows.filter(object_uid=uid, gone_at=None).first() if uid else None
        if submission is None:
            return
        submission.gone_at = timezone.now()
        submission.save(update_fields=["gone_at"])
        end_attempt(submission, at=submission.gone_at)
        settle(submission, changed=True)


def jobs_listed(kind: str, items: Sequence[Object], began_at: datetime) -> None:
    """What was sent after the list began cannot be in it."""
    compare(
        items,
        began_at,
        rows=Submission.objects.defer("manifest", "values"),
        expected=Submission.objects.filter(kind=kind, gone_at=None, sent_at__lt=began_at).exclude(object_uid=""),
        differs=_differs,
        mirror=mirror_job,
        forget=forget_job,
    )


def _locked(obj: Object) -> Submission | None:
    """The submission of our label, if launch made this object: the same name, and the same uid once it is recorded."""
    try:
        uid = UUID(text(obj, "metadata", "labels", LABEL_SUBMISSION))
    except ValueError:
        return None
    rows = Submission.objects.select_for_update(no_key=True)
    name, namespace = text(obj, "metadata", "name"), text(obj, "metadata", "namespace")
    submission = rows.filter(uid=uid, namespace=namespace, job_name=name).first()
    if submission is None or submission.object_uid not in {"", uid_of(obj)}:
        return None
    return submission


def _columns(submission: Submission, obj: Object) -> dict[str, Any]:
    progress = translator_for(submission.kind).progress(obj)
    return {
        "job_phase": text_of(progress.phase, 16),
        "job_message": text_of(progress.message),
        "job_suspended": progress.suspended,
        "replicas_active": progress.active,
        "replicas_succeeded": progress.succeeded,
        "replicas_failed": progress.failed,
        "started_at": submission.started_at or progress.started_at,
        "finished_at": progress.finished_at,
        "gone_at": None,
    }


def _differs(submission: Submission, obj: Object) -> bool:
    return differs(submission, _columns(submission, obj))
