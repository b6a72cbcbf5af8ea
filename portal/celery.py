"""The worker and beat processes: celery -A portal.celery worker|beat. Every process that may send a hint loads it too (apps.py)."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings")
app = Celery("choirmaster")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["jobs", "quotas"], related_name="tasks")
app.autodiscover_tasks(["jobs", "quotas"], related_name="schedule")
