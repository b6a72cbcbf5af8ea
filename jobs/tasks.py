"""Celery's side of launching. A message carries an id and is a hint: jobs.schedule finds what a lost one left."""

import logging

from celery import current_app, shared_task
from kombu.exceptions import KombuError, OperationalError
from redis.exceptions import RedisError

from jobs import launch
from portal.kube.client import cluster_from_settings

logger = logging.getLogger(__name__)

# Who submits waits for the hint; a broker that does not answer may cost no more than this.
HINT_SECONDS = 0.5
_HINT_TRANSPORT = {
    "socket_connect_timeout": HINT_SECONDS,
    "socket_timeout": HINT_SECONDS,
    "max_retries": 0,
}


@shared_task(name="jobs.launch")
def launch_submission(submission_id: int) -> None:
    launch.launch(cluster_from_settings(), submission_id)


def send_hint(submission_id: int) -> None:
    """Asks a worker to act on a submission now. Never raises: without the hint the sweeper does it within seconds."""
    try:
        with current_app.connection_for_write(transport_options=_HINT_TRANSPORT) as connection:
            producer = current_app.amqp.Producer(connection)
            launch_submission.apply_async((submission_id,), producer=producer, retry=False)
    except (KombuError, OperationalError, RedisError, OSError) as error:
        logger.warning("No worker was told of submission %s, the sweeper will find it: %s", submission_id, error)
