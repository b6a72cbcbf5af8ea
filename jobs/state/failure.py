"""Why a job failed: its time limit, or the replica that ended first; the others' errors are usually consequences.

The operator's wordings: training-operator 1.9.3, pkg/controller.v1/common/job.go.
"""

from datetime import UTC, datetime
from typing import Any

from jobs.state.facts import Derived, Facts, PodFacts

BACKOFF = "reached the specified backoff limit"
_LATE = datetime.max.replace(tzinfo=UTC)


def failure(facts: Facts) -> Derived:
    if "active longer than specified deadline" in facts.message:
        limit = {} if facts.deadline_seconds is None else {"seconds": facts.deadline_seconds}
        return Derived("failed", "deadline", limit)
    said = {"message": facts.message} if facts.message else {}
    culprit = first_to_fail(facts)
    if culprit:
        code = "out_of_memory" if culprit.reason == "OOMKilled" else "crashed"
        return Derived("failed", code, _numbers(facts, culprit))
    if BACKOFF in facts.message:
        limit = {} if facts.backoff_limit is None else {"limit": facts.backoff_limit}
        return Derived("failed", "backoff_limit", {**limit, **said})
    return Derived("failed", "failed", said)


def first_to_fail(facts: Facts) -> PodFacts | None:
    """The pod whose container ended first with a code other than 0; None where no such end was seen."""
    ended = [pod for pod in facts.pods if pod.exit_code]
    return min(ended, key=lambda pod: (pod.finished_at or _LATE, -pod.restarts, pod.index), default=None)


def _numbers(facts: Facts, culprit: PodFacts) -> dict[str, Any]:
    """`restarts`: in place by the kubelet, and by new pods of its name; at most as many as it may have: what the
    kubelet restarts after the end of the job (cleanPodPolicy None) had no part in it. The end of the job may be seen
    before the last restart: that the limit was reached then says how many there were.
    """
    pods = [pod for pod in facts.pods if pod.replica == culprit.replica]
    restarts = sum(pod.restarts for pod in pods) + len(pods) - 1
    if facts.backoff_limit is not None:
        if BACKOFF in facts.message:
            others = sum(pod.restarts for pod in facts.pods if pod.replica != culprit.replica)
            restarts = max(restarts, facts.backoff_limit - others)
        restarts = min(restarts, facts.backoff_limit)
    return {"replica": culprit.replica, "exit_code": culprit.exit_code, "restarts": restarts}
