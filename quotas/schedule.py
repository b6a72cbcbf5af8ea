"""Beat's tasks of this app."""

import logging

from celery import shared_task

from portal.kube.client import Cluster, cluster_from_settings
from portal.kube.errors import ClusterError, ClusterUnavailable
from quotas.apply import apply_queue
from quotas.models import ClusterQueue

logger = logging.getLogger(__name__)


@shared_task(name="quotas.resync")
def resync() -> None:
    """Applies what is not in force: hints that were lost, and what was wanted while the cluster was away."""
    apply_unapplied(cluster_from_settings())


def apply_unapplied(cluster: Cluster) -> int:
    """How many queues were applied. One that the cluster refuses does not hold up the others."""
    applied = 0
    for pk, name in ClusterQueue.objects.unapplied().order_by("pk").values_list("pk", "name"):
        try:
            apply_queue(cluster, pk)
        except ClusterUnavailable as error:
            logger.warning("ClusterQueue %s and the rest wait for the cluster: %s", name, error)
            break
        except ClusterError as error:
            logger.error("ClusterQueue %s could not be applied: %s", name, error)
        else:
            applied += 1
    return applied
