"""The volume claims that a job mounts, looked up before anybody waits for its pods."""

import logging
from collections.abc import Iterator

from django.utils.translation import gettext as _

from jobs import spec
from jobs.translators.base import member
from portal.errors import FieldError
from portal.kube.client import Cluster
from portal.kube.errors import NotFound, Rejected
from portal.kube.kinds import PVC, Object, Ref

logger = logging.getLogger(__name__)


def check_claims(cluster: Cluster, job: spec.JobSpec, body: object) -> Iterator[FieldError]:
    """One error for each claim that is not there, or that the replicas cannot mount together. `body`: the template's.

    Raises ClusterUnavailable. A cluster that does not let us read claims leaves them unchecked.
    """
    for number, pod_set in enumerate(job.pod_sets):
        for place, volume in enumerate(pod_set.volumes):
            if isinstance(volume, spec.ClaimVolume) and (words := _obstacle(cluster, job, volume, pod_set.replicas)):
                yield FieldError(spec.field_of(body, f"pod_sets.{number}.volumes.{place}.claim"), words)


def _obstacle(cluster: Cluster, job: spec.JobSpec, volume: spec.ClaimVolume, replicas: int) -> str:
    names = {"claim": volume.claim, "namespace": job.namespace, "replicas": replicas}
    try:
        found = cluster.get(Ref(PVC, volume.claim, job.namespace))
    except NotFound:
        return _("There is no claim %(claim)s in %(namespace)s. Name another, or ask a platform admin for it.") % names
    except Rejected as error:
        logger.warning("Claim %(claim)s of %(namespace)s is not checked: %(words)s", {**names, "words": error})
        return ""
    if replicas == 1 or _is_shared(found, volume):
        return ""
    return _("Only one node can mount %(claim)s, and there are %(replicas)d replicas. Name a shared claim.") % names


def _is_shared(claim: Object, volume: spec.ClaimVolume) -> bool:
    """Whether pods on several nodes can mount it (k8s.io/api 1.36, core/v1/types.go: PersistentVolumeAccessMode)."""
    modes = set(member(claim, "spec", "accessModes") or [])
    return "ReadWriteMany" in modes or (volume.read_only and "ReadOnlyMany" in modes)
