"""Beat's tasks of this app. How often each runs stands in portal/celery.py."""

import logging

from celery import shared_task

from jobs import launch, mirror
from portal.kube.client import cluster_from_settings
from portal.kube.errors import ClusterUnavailable

logger = logging.getLogger(__name__)

# A sweep ends well before Redis takes its message for lost (visibility_timeout) and gives it to another worker.
SWEEP_AT_MOST_SECONDS = 20


@shared_task(name="jobs.launch_due")
def launch_due() -> None:
    """Finds submissions whose hint was lost, whose try is due again, or whose worker died."""
    launch.sweep(cluster_from_settings(), seconds=SWEEP_AT_MOST_SECONDS)


@shared_task(name="jobs.resync")
def resync() -> None:
    """Repairs whatever the watch missed."""
    try:
        mirror.resync(cluster_from_settings())
    except ClusterUnavailable as error:
        logger.warning("The resync waits for its next turn: %s", error)


@shared_task(name="jobs.positions")
def positions() -> None:
    """Places in line of the jobs that wait; asks the cluster nothing while none does."""
    try:
        mirror.refresh_positions(cluster_from_settings())
    except ClusterUnavailable as error:
        logger.warning("Places in line wait for their next turn: %s", error)
