"""The worker and beat processes: `celery -A portal.celery worker|beat`.

Every process that may send a hint loads this too (portal/apps.py).
"""

import os

from celery import Celery
from django.conf import settings

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings")
app = Celery("choirmaster")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["jobs", "quotas"], related_name="tasks")
app.autodiscover_tasks(["jobs", "quotas"], related_name="schedule")

# A run that no worker took before the next one is due is dropped: after an outage nobody works off a heap of them.
_PERIODS = {
    "jobs.launch_due": settings.SWEEP_SECONDS,
    "jobs.resync": settings.RESYNC_SECONDS,
    "jobs.positions": settings.POSITION_SECONDS,
    "quotas.resync": settings.RESYNC_SECONDS,
}
app.conf.beat_schedule = {
    name: {"task": name, "schedule": seconds, "options": {"expires": seconds}} for name, seconds in _PERIODS.items()
}
