"""Kueue's Workloads: found by the job's uid, never by a guessed name."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from jobs.mirror.attempts import admit, end_attempt
from jobs.mirror.objects import assign, differs, owner_of, text_of, uid_of
from jobs.mirror.poison import guarded
from jobs.mirror.recompute import conditions_of, settle
from jobs.models import Submission, Workload
from jobs.state import WorkloadFacts
from jobs.translators.base import count, member, text, time
from portal.kube.kinds import Object
from portal.names import JOB_UID_LABEL

# The condition that decides what a person should read first.
PRECEDENCE = ("Finished", "Evicted", "Admitted", "QuotaReserved")


def mirror_workload(obj: Object, as_of: datetime | None = None) -> None:
    as_of = as_of or timezone.now()
    with transaction.atomic():
        submission = _locked(obj)
        if submission is None:
            return
        row = Workload.objects.filter(object_uid=uid_of(obj)).first() or Workload(
            submission=submission,
            object_uid=uid_of(obj),
            created_at=time(obj, "metadata", "creationTimestamp") or as_of,
        )
        if row.pk and (row.seen_at > as_of or row.submission_id != submission.pk):
            return
        changed = assign(row, _columns(row, obj))
        row.seen_at = as_of
        row.save()
        _attempts(submission, row)
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
    uids = {uid_of(obj) for obj in items}
    known = Workload.objects.in_bulk([uid for uid in uids if uid], field_name="object_uid") if uids else {}
    for obj in items:
        row = known.get(uid_of(obj))
        if row is None or guarded(_differs, row, obj) is not False:
            guarded(mirror_workload, obj, began_at)
    Workload.objects.filter(object_uid__in=uids, seen_at__lt=began_at).update(seen_at=began_at)
    missing = Workload.objects.filter(gone_at=None, seen_at__lt=began_at).exclude(object_uid__in=uids)
    for uid in missing.values_list("object_uid", flat=True):
        forget_workload(uid)


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


def _columns(row: Workload, obj: Object) -> dict[str, Any]:
    found = member(obj, "status", "conditions")
    conditions = found if isinstance(found, list) else []
    facts = WorkloadFacts(conditions_of(conditions))
    deciding = next((facts.condition(name) for name in PRECEDENCE if facts.condition(name).true), None)
    evicted, admitted, reserved = (facts.condition(name) for name in ("Evicted", "Admitted", "QuotaReserved"))
    deciding = deciding or reserved
    columns: dict[str, Any] = {
        "name": text_of(text(obj, "metadata", "name"), 253),
        "cluster_queue": text_of(text(obj, "status", "admission", "clusterQueue"), 253) or row.cluster_queue,
        "conditions": conditions,
        "quota_reserved": _truth(facts, "QuotaReserved"),
        "admitted": _truth(facts, "Admitted"),
        "evicted": _truth(facts, "Evicted"),
        "finished": _truth(facts, "Finished"),
        "reason": text_of(deciding.reason, 64),
        "message": text_of(deciding.message),
        "requeues": _evictions(obj),
        "active": member(obj, "spec", "active") is not False,
        "quota_reserved_at": reserved.at if reserved.true else None,
        "admitted_at": admitted.at if admitted.true else None,
        "gone_at": None,
    }
    if evicted.true:
        columns |= {"eviction_reason": text_of(evicted.reason, 64), "eviction_message": text_of(evicted.message)}
    if not reserved.false:
        columns |= {"position": None, "pending_total": None}
    return columns


def _differs(row: Workload, obj: Object) -> bool:
    return differs(row, _columns(row, obj))


def _truth(facts: WorkloadFacts, name: str) -> bool | None:
    condition = facts.condition(name)
    return True if condition.true else False if condition.false else None


def _evictions(obj: Object) -> int:
    """How often it went back to the queue: Kueue >= 0.12 counts evictions by reason, older ones only timed requeues."""
    counted = member(obj, "status", "schedulingStats", "evictions")
    if isinstance(counted, list):
        return sum(count(item, "count") for item in counted)
    return count(obj, "status", "requeueState", "count")


def _attempts(submission: Submission, row: Workload) -> None:
    if row.admitted and row.admitted_at is not None:
        admit(submission, at=row.admitted_at, ended_reason=row.eviction_reason)
    if row.evicted or row.admitted is False:
        evicted = conditions_of(row.conditions).get("Evicted")
        at = evicted.at if evicted and evicted.true else None
        end_attempt(submission, at=at or timezone.now(), reason=row.eviction_reason or "Evicted")
