"""A job whose queue is stopped, in whatever order the cluster tells it."""

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from jobs.mirror import mirror_workload
from jobs.mirror.queues import mirror_queue, queues_listed
from jobs.models import Submission
from portal.kube.kinds import Object
from tests.jobs.mirror.cluster import condition, workload

INACTIVE = condition("QuotaReserved", "False", "Inadmissible", "ClusterQueue train is inactive")


def queue(submission: Submission, reason: str) -> Object:
    active = condition("Active", "True" if reason == "Ready" else "False", reason)
    metadata = {"name": submission.tenant.cluster_queue.name, "uid": "queue-uid"}
    return {"metadata": metadata, "status": {"conditions": [active]}}


def listed(obj: Object) -> None:
    queues_listed([obj], datetime.now(UTC))


@pytest.mark.parametrize("look", [mirror_queue, listed])
def test_the_queue_may_be_told_after_the_workload(look: Callable[[Object], None], submission: Submission) -> None:
    mirror_workload(workload(submission, INACTIVE))
    submission.refresh_from_db()
    assert submission.reason == "misconfigured"
    look(queue(submission, "Stopped"))
    submission.refresh_from_db()
    assert (submission.state, submission.reason) == ("held", "queue_stopped")


def test_a_queue_without_its_flavor_is_not_stopped(submission: Submission) -> None:
    mirror_queue(queue(submission, "FlavorNotFound"))
    mirror_workload(workload(submission, INACTIVE))
    submission.refresh_from_db()
    assert (submission.state, submission.reason) == ("cannot_run", "misconfigured")
