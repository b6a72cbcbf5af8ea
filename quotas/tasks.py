from celery import shared_task

from portal.kube.client import cluster_from_settings
from quotas import apply


@shared_task(name="quotas.apply")
def apply_queue(cluster_queue_id: int) -> None:
    """A hint: what it misses, quotas.schedule.resync finds."""
    apply.apply_queue(cluster_from_settings(), cluster_queue_id)
