"""Events about a job, its Workload and its pods. Many at a time: there are more of them than of everything else."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Q

from jobs.mirror.objects import differs, text_of, uid_of
from jobs.mirror.poison import MALFORMED, guarded
from jobs.mirror.recompute import recompute
from jobs.models import Event, Pod, Submission, Workload
from jobs.translators.base import count, text, time
from portal.kube.kinds import Object
from portal.live import announce
from portal.names import namespace_of

COLUMNS = ("at", "count", "type", "reason", "message", "source", "regarding_kind", "regarding_name")
# Derive reads these: which image a pod is pulling.
DECIDING = frozenset({"Pulling", "Pulled"})
_VICTIM = re.compile(r"Preempted workload \S+ \(UID: [^)]*\) in ClusterQueue [^;\s]+")
_OTHER_SIDE = re.compile(r" \(UID: [^)]*\)|; preempt(?:or|ee) path: [^;]*")


def mirror_event(obj: Object, as_of: datetime | None = None) -> None:
    mirror_events([obj])


def events_listed(items: Sequence[Object], began_at: datetime) -> None:
    """The cluster forgets events after an hour; our rows stay, so what is missing from a list means nothing."""
    mirror_events(items)


def mirror_events(items: Sequence[Object]) -> None:
    """Store those that are about objects of ours; the same event again is updated in place (it is one object, counted).

    An event that came before the row of its object is not ours yet: the next list brings it again.
    """
    ours = [
        obj for obj in items if text(obj, "involvedObject", "namespace").startswith(namespace_of("")) and uid_of(obj)
    ]
    if not ours:
        return
    owners = _owners(ours)
    known = Event.objects.in_bulk([uid_of(obj) for obj in ours], field_name="object_uid")
    rows: dict[str, Event] = {}
    for obj in ours:
        columns = guarded(_columns, obj)
        row = known.get(uid_of(obj))
        if columns and (submission := _owner(obj, owners)) and (row is None or differs(row, columns)):
            rows[uid_of(obj)] = Event(submission_id=submission, object_uid=uid_of(obj), **columns)
    if not rows:
        return
    # In one order everywhere: two lists at the same time must not lock each other out.
    ordered = [rows[uid] for uid in sorted(rows)]
    try:
        _store(ordered)
    except MALFORMED:
        for event in ordered:
            guarded(_store, [event])


def _store(rows: Sequence[Event]) -> None:
    with transaction.atomic():
        Event.objects.bulk_create(
            rows, update_conflicts=True, unique_fields=["object_uid"], update_fields=COLUMNS, batch_size=500
        )
        changed = {row.submission_id for row in rows}
        for uid in Submission.objects.filter(pk__in=changed).values_list("uid", flat=True):
            announce(f"submission.{uid}")
    for submission in sorted({row.submission_id for row in rows if row.reason in DECIDING}):
        recompute(submission)


def _owners(items: Sequence[Object]) -> dict[tuple[str, str], int]:
    """{(namespace, uid or name) of an involved object: id of its submission}.

    The namespace counts: whoever may write events in one can name any uid in them, but only this namespace
    (Kubernetes 1.36, pkg/apis/core/validation/events.go).
    """
    uids = {text(obj, "involvedObject", "uid") for obj in items} - {""}
    submissions = Submission.objects.filter(object_uid__in=uids).values_list("namespace", "object_uid", "pk")
    found = {(namespace, uid): pk for namespace, uid, pk in submissions}
    for model in (Workload, Pod):
        rows = model.objects.filter(object_uid__in=uids)
        for namespace, uid, pk in rows.values_list("submission__namespace", "object_uid", "submission_id"):
            found[namespace, uid] = pk
    known = {uid for _, uid in found}
    names = {_name(obj) for obj in items if text(obj, "involvedObject", "uid") not in known}
    unrecorded = Submission.objects.filter(object_uid="").filter(_named(names))
    return found | {(namespace, name): pk for namespace, name, pk in _triples(unrecorded, names)}


def _named(names: set[tuple[str, str]]) -> Q:
    return Q(namespace__in={namespace for namespace, _ in names}, job_name__in={name for _, name in names})


def _triples(rows: Any, names: set[tuple[str, str]]) -> Iterator[tuple[str, str, int]]:
    if not names:
        return
    for namespace, name, pk in rows.values_list("namespace", "job_name", "pk"):
        if (namespace, name) in names:
            yield namespace, name, pk


def _name(obj: Object) -> tuple[str, str]:
    return text(obj, "involvedObject", "namespace"), text(obj, "involvedObject", "name")


def _owner(obj: Object, owners: Mapping[tuple[str, str], int]) -> int | None:
    """By uid. By name only for a job that launch has not recorded yet, whose uid nobody else can have."""
    namespace, name = _name(obj)
    return owners.get((namespace, text(obj, "involvedObject", "uid"))) or owners.get((namespace, name))


def _without_others(message: str) -> str:
    """Kueue names to each side of a preemption the other's objects and queue, which may be another tenant's.

    Source: Kueue 0.19, pkg/scheduler/preemption/preemption.go.
    """
    if not message.startswith("Preempted "):
        return message
    return _OTHER_SIDE.sub("", _VICTIM.sub("Preempted a workload", message))


def _columns(obj: Object) -> dict[str, Any]:
    """The newer recorder, Kueue's, leaves lastTimestamp and count empty (Kubernetes 1.36, client-go tools/events)."""
    at = (
        time(obj, "series", "lastObservedTime")
        or time(obj, "lastTimestamp")
        or time(obj, "eventTime")
        or time(obj, "metadata", "creationTimestamp")
    )
    if at is None:
        raise ValueError("The event has no time.")
    return {
        "at": at,
        "count": count(obj, "series", "count") or count(obj, "count") or 1,
        "type": text_of(text(obj, "type"), 16),
        "reason": text_of(text(obj, "reason"), 128),
        "message": text_of(_without_others(text(obj, "message"))),
        "source": text_of(text(obj, "source", "component") or text(obj, "reportingComponent"), 253),
        "regarding_kind": text_of(text(obj, "involvedObject", "kind"), 63),
        "regarding_name": text_of(text(obj, "involvedObject", "name"), 253),
    }
