"""Creates the object, or adopts the one that an earlier try made."""

from typing import Any

from django.db.models.functions import Now
from django.utils.translation import gettext as _

from jobs.launch.lease import Lease, Outcome, again
from jobs.models import Submission
from portal.kube.client import Cluster
from portal.kube.errors import AlreadyExists, KindMissing, NotFound, Rejected
from portal.kube.kinds import NAMESPACE, Object, Ref, ref_of
from portal.names import ANNOTATION_SPEC_HASH, LABEL_SUBMISSION


def send(cluster: Cluster, lease: Lease) -> Outcome:
    """Raises ClusterError for what may be different next time."""
    submission = lease.submission
    obstacle = _namespace_obstacle(cluster, submission)
    if obstacle:
        return again(submission, obstacle)
    lease.renew()
    try:
        return _sent(cluster.create(submission.manifest))
    except AlreadyExists:
        lease.renew()
        return _adopt(submission, cluster.get(ref_of(submission.manifest)))
    except KindMissing as error:
        words = _("The cluster does not have the kind %(kind)s: %(words)s")
        return _rejected(words % {"kind": submission.kind, "words": error.message})
    except Rejected as error:
        # A ResourceQuota that is used up frees itself; everything else would be answered the same again.
        return again(submission, error.message) if "exceeded quota" in error.message else _rejected(error.message)


def is_ours(submission: Submission, obj: Object) -> bool:
    """Whether `obj` was created for this submission from this manifest."""
    metadata = obj.get("metadata") or {}
    label = (metadata.get("labels") or {}).get(LABEL_SUBMISSION)
    spec_hash = (metadata.get("annotations") or {}).get(ANNOTATION_SPEC_HASH)
    return label == str(submission.uid) and spec_hash == submission.spec_hash


def uid_of(obj: Object) -> str:
    return str((obj.get("metadata") or {}).get("uid") or "")


def _adopt(submission: Submission, obj: Object) -> Outcome:
    """Ours is adopted even while it is being deleted: who deletes it wants it gone, not made again."""
    if is_ours(submission, obj):
        return _sent(obj)
    words = _("The name %(name)s is taken in %(namespace)s by an object of somebody else; it was left alone.")
    return _rejected(words % {"name": submission.job_name, "namespace": submission.namespace})


def _sent(obj: Object) -> Outcome:
    return Outcome({"sent_at": Now(), "object_uid": uid_of(obj), "send_error": "", "next_try_at": None})


def _rejected(words: str) -> Outcome:
    columns: dict[str, Any] = {"rejected_at": Now(), "send_error": words, "next_try_at": None}
    return Outcome(columns)


def _namespace_obstacle(cluster: Cluster, submission: Submission) -> str:
    """Why nothing may be written into the tenant's namespace now, or "". A namesake of it is not the same namespace."""
    tenant, words = submission.tenant, {"namespace": submission.namespace}
    if not tenant.namespace_uid:
        return _("The namespace %(namespace)s is not set up yet.") % words
    try:
        found = cluster.get(Ref(NAMESPACE, submission.namespace))
    except NotFound:
        return _("The namespace %(namespace)s is gone; a platform admin has to set the tenant up again.") % words
    if uid_of(found) != tenant.namespace_uid:
        return _("The namespace %(namespace)s was made anew by somebody else; a platform admin has to look.") % words
    if (found.get("metadata") or {}).get("deletionTimestamp"):
        return _("The namespace %(namespace)s is being deleted.") % words
    return ""
