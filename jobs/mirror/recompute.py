"""The stored result of jobs.state.derive, brought up to date in the transaction that changed one of its inputs."""

import re
from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.utils import timezone

from jobs.models import Attempt, Event, Pod, Submission, Workload
from jobs.state import Condition, Facts, PodFacts, WorkloadFacts, derive
from jobs.translators.base import member, text, time
from portal.errors import PortalError
from portal.live import announce
from portal.names import GPU
from quotas.models import QueueStatus
from quotas.queries import reach_of

_IMAGE = re.compile(r'image "([^"]+)"')


def recompute(submission_id: int) -> Submission:
    """Derive the state anew from what the tables say now; locks the row. For whoever changed a column of it."""
    with transaction.atomic():
        submission = Submission.objects.select_for_update(no_key=True).get(pk=submission_id)
        settle(submission)
    return submission


def settle(submission: Submission, *, changed: bool = False) -> None:
    """Inside the transaction that holds the row's lock. `changed`: something that pages show was written already."""
    now = timezone.now()
    derived = derive(facts_of(submission))
    told = (derived.state, derived.reason) != (submission.state, submission.reason)
    if told:
        submission.changes.create(state=derived.state, reason=derived.reason, params=dict(derived.params), at=now)
        if derived.state != submission.state:
            submission.state_since = now
    if told or derived.params != submission.params:
        submission.state, submission.reason, submission.params = derived.state, derived.reason, dict(derived.params)
        submission.save(update_fields=["state", "reason", "params", "state_since"])
        announce(f"jobs.{submission.tenant.uid}")
        changed = True
    if changed:
        announce(f"submission.{submission.uid}")


def facts_of(submission: Submission) -> Facts:
    """Everything that derive needs to know about one submission, read from the tables."""
    workload = _workload(submission)
    asker = submission.cancel_requested_by
    return Facts(
        replicas=submission.replicas,
        requests={GPU: submission.gpus} if submission.gpus else {},
        backoff_limit=_limit(submission, "backoffLimit"),
        deadline_seconds=_limit(submission, "activeDeadlineSeconds"),
        reach=_reach(submission, workload),
        queue_stopped=_queue_stopped(submission, workload),
        sent_at=submission.sent_at,
        tries=submission.tries,
        send_error=submission.send_error,
        rejected=submission.rejected_at is not None,
        cancel_requested_at=submission.cancel_requested_at,
        cancelled_by=str(asker) if asker else "",
        stopped=submission.stopped_at is not None,
        phase=submission.job_phase,
        message=submission.job_message,
        suspended=submission.job_suspended,
        active=submission.replicas_active,
        succeeded=submission.replicas_succeeded,
        started_at=submission.started_at,
        finished_at=submission.finished_at,
        gone=submission.gone_at is not None,
        workload=workload,
        pods=_pods(submission),
    )


def _workload(submission: Submission) -> WorkloadFacts | None:
    """The newest one. One that vanished says nothing about the present, unless it had finished."""
    row: Workload | None = submission.workloads.order_by("-id").first()
    if row is None or (row.gone_at and not row.finished):
        return None
    return WorkloadFacts(conditions_of(row.conditions), row.active, row.position, row.pending_total)


def conditions_of(found: object) -> dict[str, Condition]:
    """A Kubernetes list of conditions by type; what is malformed is left out."""
    items = found if isinstance(found, list) else []
    return {text(item, "type"): _condition(item) for item in items if isinstance(item, Mapping) and text(item, "type")}


def _condition(item: Mapping[str, Any]) -> Condition:
    return Condition(
        text(item, "status"), text(item, "reason"), text(item, "message"), time(item, "lastTransitionTime")
    )


def _pods(submission: Submission) -> list[PodFacts]:
    """The pods of the newest attempt; those of earlier ones ended because of an eviction.

    They were made after the end of the attempt before. The admission itself is no border: its time is by Kueue's clock,
    a pod's by the API server's, and the two are seconds apart at best.
    """
    rows = submission.pods.order_by("id")
    before: Attempt | None = submission.attempts.order_by("-number")[1:2].first()
    if before is not None and before.ended_at is not None:
        rows = rows.filter(created_at__gte=before.ended_at)
    pods = list(rows)
    images = _pulled_now(submission) if any(pod.phase == "Pending" for pod in pods) else {}
    return [_pod(pod, images.get(pod.name)) for pod in pods]


def _pod(row: Pod, image: str | None) -> PodFacts:
    return PodFacts(
        role=row.role,
        index=row.index,
        phase=row.phase,
        ready=row.ready,
        terminating=row.terminating,
        gone=row.gone_at is not None,
        state=row.state,
        reason=row.reason,
        message=row.message,
        exit_code=row.exit_code,
        restarts=row.restarts,
        finished_at=row.finished_at,
        image=image or "",
        pulling=image is not None,
    )


def _pulled_now(submission: Submission) -> dict[str, str]:
    """{pod name: image} of the pods whose newest event about images is that the pull began."""
    about = submission.events.filter(regarding_kind="Pod", reason__in=("Pulling", "Pulled")).order_by("at", "id")
    newest: dict[str, Event] = {event.regarding_name: event for event in about}
    return {
        name: match[1] if (match := _IMAGE.search(event.message)) else ""
        for name, event in newest.items()
        if event.reason == "Pulling"
    }


def _limit(submission: Submission, name: str) -> int | None:
    value = member(submission.manifest, "spec", "runPolicy", name)
    return value if isinstance(value, int) else None


def _reach(submission: Submission, workload: WorkloadFacts | None) -> Mapping[str, int | None]:
    """The most that its queue can give, for the sentence of a job that waits for quota."""
    if workload is None or not workload.condition("QuotaReserved").false or not submission.flavor:
        return {}
    try:
        return reach_of(submission.tenant, submission.flavor)
    except PortalError:  # the tenant's queue was taken away
        return {}


def _queue_stopped(submission: Submission, workload: WorkloadFacts | None) -> bool:
    if workload is None or not workload.condition("QuotaReserved").false:
        return False
    stopped = QueueStatus.objects.filter(cluster_queue__tenant=submission.tenant_id, active=False, reason="Stopped")
    return stopped.exists()
