"""Deletes the object of a cancelled submission, and knows it gone only when the cluster has said so."""

import logging
from datetime import timedelta

from django.db.models.functions import Now
from django.utils import timezone
from django.utils.translation import gettext as _

from jobs.launch.lease import Lease, Outcome
from jobs.launch.send import is_ours, uid_of
from jobs.models import Submission
from portal.kube.client import Cluster
from portal.kube.errors import ClusterError, Conflict, NotFound
from portal.kube.kinds import Object, ref_of

logger = logging.getLogger(__name__)

SOONEST, LATEST = 1.0, 30.0  # seconds between looks at an object that is being deleted


def stop(cluster: Cluster, lease: Lease) -> Outcome:
    """Raises ClusterError for what may be different next time."""
    submission = lease.submission
    if submission.sent_at is None and submission.tries == 1:
        return _stopped()  # this is the first turn of all: nothing was ever sent
    found = _ours(cluster, lease)
    if found is None:
        return _stopped()
    if not (found.get("metadata") or {}).get("deletionTimestamp"):
        lease.renew()
        try:
            cluster.delete(ref_of(submission.manifest), uid=uid_of(found))
        except Conflict:
            return _stopped()  # replaced by a namesake since we looked: ours is gone
        found = _ours(cluster, lease)
        if found is None:
            return _stopped()
    return _wait(submission, found)


def withdraw(cluster: Cluster, submission: Submission) -> None:
    """Takes back an object that was created too late: when the lease was lost and the submission stopped meanwhile."""
    row = Submission.objects.get(pk=submission.pk)
    if row.cancel_requested_at is None:
        return
    ref = ref_of(row.manifest)
    try:
        found = cluster.get(ref)
        if is_ours(row, found):
            cluster.delete(ref, uid=uid_of(found))
    except NotFound:
        return
    except ClusterError as error:
        logger.error("The object of cancelled submission %s may be left on the cluster: %s", row.uid, error)


def _ours(cluster: Cluster, lease: Lease) -> Object | None:
    """The submission's object as it is now; None when there is none. Another's object of that name is none."""
    submission = lease.submission
    lease.renew()
    try:
        found = cluster.get(ref_of(submission.manifest))
    except NotFound:
        return None
    if submission.object_uid:
        return found if uid_of(found) == submission.object_uid else None
    return found if is_ours(submission, found) else None


def _stopped() -> Outcome:
    return Outcome({"stopped_at": Now(), "send_error": "", "next_try_at": None})


def _wait(submission: Submission, found: Object) -> Outcome:
    """Looks again after a quarter of the time that the deletion has taken so far."""
    asked_at = submission.cancel_requested_at or timezone.now()
    pause = min(LATEST, max(SOONEST, (timezone.now() - asked_at).total_seconds() / 4))
    held = ", ".join(map(str, (found.get("metadata") or {}).get("finalizers") or []))
    words = _("Being deleted; held by %(held)s.") % {"held": held} if held else ""
    return Outcome({"next_try_at": Now() + timedelta(seconds=pause), "send_error": words})
