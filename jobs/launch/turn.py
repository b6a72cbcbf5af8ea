"""One row's turn, and turns for all rows that are due."""

import logging
from time import monotonic

from jobs.launch.lease import Lease, LeaseLost, Outcome, again, claim
from jobs.launch.send import send
from jobs.launch.stop import stop, withdraw
from jobs.models import Submission
from portal.kube.client import Cluster
from portal.kube.errors import ClusterError, ClusterUnavailable

logger = logging.getLogger(__name__)

# Sent, then a cancel that came meanwhile, then its confirmation; more is the sweeper's.
MOST_TURNS = 3


def launch(cluster: Cluster, submission_id: int) -> None:
    """Does what is to be done about one submission now: nothing when it is not due or somebody else is at it."""
    for _turn in range(MOST_TURNS):
        lease = claim(Submission.objects.filter(pk=submission_id))
        if lease is None or _act(cluster, lease).cluster_down:
            return


def sweep(cluster: Cluster, *, seconds: float) -> int:
    """Turns for everything that is due, for at most about `seconds`; how many there were.

    Stops at the first sign that the cluster is down. Sweeps may run side by side: each takes what is not locked.
    """
    end, turns = monotonic() + seconds, 0
    while monotonic() < end:
        lease = claim(Submission.objects.all(), skip_locked=True)
        if lease is None:
            break
        turns += 1
        if _act(cluster, lease).cluster_down:
            break
    return turns


def _act(cluster: Cluster, lease: Lease) -> Outcome:
    submission = lease.submission
    try:
        outcome = _outcome(cluster, lease)
    except LeaseLost:
        logger.warning("Submission %s took longer than its lease; another worker has it", submission.uid)
        return Outcome()
    if not lease.record(outcome):
        logger.warning("What was done about submission %s came too late to be recorded", submission.uid)
        withdraw(cluster, submission)
    return outcome


def _outcome(cluster: Cluster, lease: Lease) -> Outcome:
    submission = lease.submission
    try:
        return stop(cluster, lease) if submission.cancel_requested_at else send(cluster, lease)
    except ClusterUnavailable as error:
        logger.warning("Submission %s waits for the cluster: %s", submission.uid, error)
        return again(submission, error.message, cluster_down=True, least=error.retry_after or 0)
    except ClusterError as error:
        logger.error("Submission %s could not be acted on: %s", submission.uid, error)
        return again(submission, error.message)
