"""Beat's tasks of this app. How often each runs stands in portal/celery.py."""

from celery import shared_task

from jobs import launch, mirror
from portal.kube.client import cluster_from_settings

# A sweep ends well before Redis takes its message for lost (visibility_timeout) and gives it to another worker.
SWEEP_AT_MOST_SECONDS = 20


@shared_task(name="jobs.launch_due")
def launch_due() -> None:
    """Finds submissions whose hint was lost, whose try is due again, or whose worker died."""
    launch.sweep(cluster_from_settings(), seconds=SWEEP_AT_MOST_SECONDS)


@shared_task(name="jobs.resync")
def resync() -> None:
    """Repairs whatever the watch missed."""
    mirror.resync(cluster_from_settings())
