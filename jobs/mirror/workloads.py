"""Kueue's Workloads: found by the job's uid, never by a guessed name."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from jobs.mirror.attempts import admit, end_attempt
from jobs.mirror.listed import compare
from jobs.mirror.objects import assign, differs, is_past, owner_of, text_of, uid_of
from jobs.mirror.recompute import conditions_of, settle
from jobs.models import Submission, Workload
from jobs.state import ABSENT, Condition
from jobs.translators.base import member, text
from portal.kube.kinds import Object
from portal.names import JOB_UID_LABEL


def mirror_workload(obj: Object, as_of: datetime | None = None) -> None:
    as_of = as_of or timezone.now()
    with transaction.atomic():
        submission = _locked(obj)
        if submission is None:
            return
        row = Workload.objects.filter(object_uid=uid_of(obj)).first()
        row = row or Workload(submission=submission, object_uid=uid_of(obj))
        if row.pk and (row.seen_at > as_of or row.submission_id != submission.pk):
            return
        if is_past(obj, row.gone_at, as_of):
            return
        changed = assign(row, _columns(obj))
        row.seen_at = as_of
        row.save()
        _attempts(submission, conditions_of(row.conditions))
        settle(submission, changed=changed)


def forget_workload(uid: str) -> None:
    with transaction.atomic():
        row = Workload.objects.filter(object_uid=uid, gone_at=None).first()
        if row is None:
            return
        submission = Submission.objects.select_for_update(no_key=True).get(pk=row.submission_id)
        row.gone_at = timezone.now()
        row.position = row.pending_total = None
        row.save(update_fields=["gone_at", "position", "pending_total"])
        settle(submission, changed=True)


def workloads_listed(items: Sequence[Object], began_at: datetime) -> None:
    compare(
        items,
        began_at,
        rows=Workload.objects.all(),
        expected=Workload.objects.filter(gone_at=None),
        differs=_differs,
        mirror=mirror_workload,
        forget=forget_workload,
    )


def _locked(obj: Object) -> Submission | None:
    """By the label with the job's uid, else by the owner; by the owner's name only until launch recorded the uid.

    In the job's namespace only: whoever may write Workloads in another one could label them with any uid.
    """
    owner = owner_of(obj)
    job_uid = text(obj, "metadata", "labels", JOB_UID_LABEL) or text(owner, "uid")
    if not job_uid or not uid_of(obj):
        return None
    unrecorded = Q(object_uid="", job_name=text(owner, "name"), kind=text(owner, "kind"))
    rows = Submission.objects.select_for_update(no_key=True).filter(namespace=text(obj, "metadata", "namespace"))
    return rows.filter(Q(object_uid=job_uid) | unrecorded).first()


def _columns(obj: Object) -> dict[str, Any]:
    found = member(obj, "status", "conditions")
    conditions = conditions_of(found)
    columns: dict[str, Any] = {
        "name": text_of(text(obj, "metadata", "name"), 253),
        "conditions": found if isinstance(found, list) else [],
        "quota_reserved": _truth(conditions, "QuotaReserved"),
        "finished": _truth(conditions, "Finished"),
        "active": member(obj, "spec", "active") is not False,
        "gone_at": None,
    }
    if columns["quota_reserved"] is not False:
        columns |= {"position": None, "pending_total": None}
    return columns


def _differs(row: Workload, obj: Object) -> bool:
    return differs(row, _columns(obj))


def _truth(conditions: Mapping[str, Condition], name: str) -> bool | None:
    condition = conditions.get(name, ABSENT)
    return True if condition.true else False if condition.false else None


def _attempts(submission: Submission, conditions: Mapping[str, Condition]) -> None:
    admitted, evicted = conditions.get("Admitted", ABSENT), conditions.get("Evicted", ABSENT)
    if admitted.true and admitted.at is not None:
        admit(submission, at=admitted.at)
    if evicted.true or admitted.false:
        end_attempt(submission, at=(evicted.at if evicted.true else None) or timezone.now())
