"""The replicas. Keyed by the pod's uid: the operator makes a new pod of the same name."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from jobs.mirror.listed import compare
from jobs.mirror.objects import assign, differs, is_past, owner_of, text_of, uid_of
from jobs.mirror.recompute import settle
from jobs.models import Pod, Submission
from jobs.translators import translator_for
from jobs.translators.base import count, member, text, time
from portal.kube.kinds import Object
from portal.names import LABEL_SUBMISSION


def mirror_pod(obj: Object, as_of: datetime | None = None) -> None:
    as_of = as_of or timezone.now()
    with transaction.atomic():
        submission = _locked(obj)
        if submission is None:
            return
        translator = translator_for(submission.kind)
        row = Pod.objects.filter(object_uid=uid_of(obj)).first()
        if row is None and _is_over(submission):
            return
        if row is None:
            role, index = translator.pod_set_of(obj)
            created_at = time(obj, "metadata", "creationTimestamp") or as_of
            row = Pod(submission=submission, object_uid=uid_of(obj), role=role, index=index, created_at=created_at)
            row.container = translator.container
        elif row.seen_at > as_of or row.submission_id != submission.pk or is_past(obj, row.gone_at, as_of):
            return
        changed = assign(row, _columns(row.container, obj))
        row.seen_at = as_of
        row.save()
        settle(submission, changed=changed)


def _is_over(submission: Submission) -> bool:
    """Cancelled, and its job is gone: pods go with it, and what a watch that lags behind tells of others is history."""
    gone = submission.stopped_at is not None or submission.gone_at is not None
    return gone and submission.cancel_requested_at is not None


def forget_pod(uid: str) -> None:
    with transaction.atomic():
        row = Pod.objects.filter(object_uid=uid, gone_at=None).first()
        if row is None:
            return
        submission = Submission.objects.select_for_update(no_key=True).get(pk=row.submission_id)
        row.gone_at = timezone.now()
        row.save(update_fields=["gone_at"])
        settle(submission, changed=True)


def pods_listed(items: Sequence[Object], began_at: datetime) -> None:
    compare(
        items,
        began_at,
        rows=Pod.objects.all(),
        expected=Pod.objects.filter(gone_at=None),
        differs=_differs,
        mirror=mirror_pod,
        forget=forget_pod,
    )


def _locked(obj: Object) -> Submission | None:
    """The submission of our label, if its job controls the pod: anybody in the namespace can write a label."""
    owner = owner_of(obj)
    try:
        uid = UUID(text(obj, "metadata", "labels", LABEL_SUBMISSION))
    except ValueError:
        return None
    rows = Submission.objects.select_for_update(no_key=True)
    submission = rows.filter(uid=uid, namespace=text(obj, "metadata", "namespace")).first()
    if submission is None or text(owner, "kind") != submission.kind or not uid_of(obj):
        return None
    if submission.object_uid:
        return submission if text(owner, "uid") == submission.object_uid else None
    return submission if text(owner, "name") == submission.job_name else None


def _columns(container: str, obj: Object) -> dict[str, Any]:
    status = _container_status(obj, container)
    state = next((name for name in ("waiting", "running", "terminated") if member(status, "state", name)), "")
    ended = _newest_end(status)
    code = member(ended, "exitCode")
    reason, message = _reason(obj, status, state, ended)
    return {
        "name": text_of(text(obj, "metadata", "name"), 253),
        "node": text_of(text(obj, "spec", "nodeName"), 253),
        "phase": text_of(text(obj, "status", "phase"), 16),
        "ready": member(status, "ready") is True,
        "terminating": bool(text(obj, "metadata", "deletionTimestamp")),
        "state": state,
        "reason": text_of(reason, 128),
        "message": text_of(message),
        "exit_code": code if isinstance(code, int) else None,
        "restarts": count(status, "restartCount"),
        "started_at": time(status, "state", "running", "startedAt") or time(ended, "startedAt"),
        "finished_at": None if state == "running" else time(ended, "finishedAt"),
        "gone_at": None,
    }


def _differs(row: Pod, obj: Object) -> bool:
    return differs(row, _columns(row.container, obj))


def _container_status(obj: Object, container: str) -> Mapping[str, Any]:
    """{} before the kubelet reported, and on pods that it never took (contract of a Pending or evicted pod)."""
    for status in member(obj, "status", "containerStatuses") or []:
        if text(status, "name") == container:
            found: Mapping[str, Any] = status
            return found
    return {}


def _newest_end(status: Mapping[str, Any]) -> Mapping[str, Any]:
    return member(status, "state", "terminated") or member(status, "lastState", "terminated") or {}


def _reason(obj: Object, status: Mapping[str, Any], state: str, ended: Mapping[str, Any]) -> tuple[str, str]:
    """Why the container is as it is. Running out of memory stays visible while it waits to run, or runs, again."""
    if state and text(ended, "reason") == "OOMKilled":
        return "OOMKilled", text(ended, "message")
    if state in {"waiting", "terminated"}:
        return text(status, "state", state, "reason"), text(status, "state", state, "message")
    if reason := text(obj, "status", "reason"):
        return reason, text(obj, "status", "message")
    for condition in member(obj, "status", "conditions") or []:
        if text(condition, "type") == "PodScheduled" and text(condition, "status") == "False":
            return text(condition, "reason"), text(condition, "message")
    return "", ""
