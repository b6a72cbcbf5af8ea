"""The rules in their order: the first that has something to say decides.

Positive evidence only: a job that is gone has not succeeded, and nothing is concluded from what we do not know.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from jobs.state.facts import Condition, Derived, Facts, WorkloadFacts
from jobs.state.failure import failure
from jobs.state.pending import pending
from jobs.state.pods import running, starting
from portal.names import GPU


def derive(facts: Facts) -> Derived:
    """The state of a job, the code of the reason and the numbers of its sentence."""
    for rule in RULES:
        if result := rule(facts):
            return result
    return _without_workload(facts)


def _rejected(facts: Facts) -> Derived | None:
    return Derived("rejected", "rejected", _said(facts.send_error)) if facts.rejected else None


def _succeeded(facts: Facts) -> Derived | None:
    """Stays when the object vanishes afterwards, and wins over a cancel that came too late."""
    finished = _workload(facts).condition("Finished")
    if facts.phase != "Succeeded" and not (finished.true and finished.reason == "Succeeded"):
        return None
    ended = facts.finished_at or finished.at
    if facts.started_at is None or ended is None:
        return Derived("succeeded", "succeeded")
    return Derived("succeeded", "succeeded", {"seconds": int((ended - facts.started_at).total_seconds())})


def _failed(facts: Facts) -> Derived | None:
    finished = _workload(facts).condition("Finished")
    # Kueue ends by itself what it could never start: its Workload alone says so, the job stays suspended.
    if facts.phase != "Failed" and not (finished.true and finished.reason in {"Failed", "FailedToStart"}):
        return None
    asked, ended = facts.cancel_requested_at, facts.finished_at or finished.at
    if asked and (ended is None or ended > asked):
        return None  # what fails after a cancel fails because of it
    return failure(facts if facts.phase == "Failed" else replace(facts, message=finished.message))


def _cancelled(facts: Facts) -> Derived | None:
    if facts.cancel_requested_at is None:
        return None
    if (facts.stopped or facts.gone) and not facts.pods_left:
        return Derived("cancelled", "cancelled", {"by": facts.cancelled_by} if facts.cancelled_by else {})
    return Derived("stopping", "stopping", {"pods": facts.pods_left})


def _gone(facts: Facts) -> Derived | None:
    return Derived("unknown", "deleted_outside") if facts.gone else None


def _unsent(facts: Facts) -> Derived | None:
    if facts.sent_at:
        return None
    if facts.send_error:
        return Derived("submitted", "send_failed", {"tries": facts.tries, **_said(facts.send_error)})
    return Derived("submitted", "sending" if facts.tries else "pending")


def _held(facts: Facts) -> Derived | None:
    """An admin stopped the queue, or somebody set the workload inactive: evictions that are no preemptions."""
    workload = _workload(facts)
    evicted = workload.condition("Evicted")
    if evicted.true and evicted.reason in {"ClusterQueueStopped", "LocalQueueStopped"}:
        return Derived("held", "queue_stopped", _said(evicted.message))
    if not workload.active or (evicted.true and evicted.reason.startswith("Deactivated")):
        return Derived("held", "held", _said(evicted.message))
    return None


def _evicted(facts: Facts) -> Derived | None:
    """Kueue took the quota back. Its pods stop first, then it queues again with the numbers of any queued job.

    Admitted stays True until the job has stopped; Evicted turns False at the next reservation (Kueue 0.19,
    pkg/controller/jobframework/reconciler.go and pkg/workload/workload.go).
    """
    workload = _workload(facts)
    evicted, preempted = workload.condition("Evicted"), workload.condition("Preempted")
    if not evicted.true:
        return None
    # How, but not for whom: the messages name queues and objects of other tenants.
    cause = {"cause": preempted.reason if preempted.true else evicted.reason}
    if facts.pods_left:
        return Derived("preempted", "preempted", cause)
    reserved = workload.condition("QuotaReserved")
    waits = _queued(facts, reserved) if reserved.false else None
    if waits and waits.reason == "waiting_for_quota":
        return Derived("preempted", waits.reason, waits.params)
    return Derived("preempted", "requeued", cause)


def _waiting(facts: Facts) -> Derived | None:
    """In the queue, unless the job runs although Kueue has not admitted it (then Kueue does not manage it)."""
    if facts.workload is None or facts.phase in {"Running", "Restarting"}:
        return None
    reserved = facts.workload.condition("QuotaReserved")
    return _queued(facts, reserved) if reserved.false else None


def _queued(facts: Facts, reserved: Condition) -> Derived:
    derived = pending(reserved)
    if derived.reason == "misconfigured" and facts.queue_stopped:
        # Kueue says "inactive" of a ClusterQueue that is stopped as of one that lacks a flavor.
        return Derived("held", "queue_stopped", derived.params)
    if derived.state != "queued":
        return derived
    workload = _workload(facts)
    numbers: dict[str, Any] = {"position": workload.position, "of": workload.pending_total}
    resource = derived.params.get("resource", GPU)
    numbers |= {"needs": facts.requests.get(resource), "at_most": facts.reach.get(resource)}
    known = {name: value for name, value in numbers.items() if value is not None}
    return replace(derived, params={**derived.params, **known})


def _checked(facts: Facts) -> Derived | None:
    """Has its quota, but an admission check holds it."""
    workload = _workload(facts)
    admitted = workload.condition("Admitted")
    if workload.condition("QuotaReserved").true and admitted.false:
        return Derived("held", "held", _said(admitted.message))
    return None


def _active(facts: Facts) -> Derived | None:
    workload = _workload(facts)
    if facts.phase in {"Running", "Restarting"}:
        return running(facts)
    if workload.condition("QuotaReserved").true or workload.condition("Admitted").true or facts.suspended is False:
        return starting(facts)
    return None


def _without_workload(facts: Facts) -> Derived:
    """`since`: without a Workload at all, which stays so where Kueue does not manage this kind of job."""
    since = {"since": facts.sent_at.isoformat()} if facts.sent_at and facts.workload is None else {}
    return Derived("submitted", "no_workload", since)


def _workload(facts: Facts) -> WorkloadFacts:
    return facts.workload or WorkloadFacts()


def _said(message: str) -> dict[str, Any]:
    return {"message": message} if message else {}


RULES: tuple[Callable[[Facts], Derived | None], ...] = (
    _rejected,
    _succeeded,
    _failed,
    _cancelled,
    _gone,
    _unsent,
    _held,
    _evicted,
    _waiting,
    _checked,
    _active,
)
