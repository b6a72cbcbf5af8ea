"""The pages of jobs: one function per route, named as the route."""

from jobs.views.cancel import submission_cancel
from jobs.views.detail import (
    submission_detail,
    submission_events,
    submission_logs,
    submission_manifest,
    submission_replicas,
)
from jobs.views.listing import submission_list, tenant_home
from jobs.views.logs import submission_logs_raw
from jobs.views.streams import live, submission_logs_live
from jobs.views.submit import submission_create, template_list

__all__ = [
    "live",
    "submission_cancel",
    "submission_create",
    "submission_detail",
    "submission_events",
    "submission_list",
    "submission_logs",
    "submission_logs_live",
    "submission_logs_raw",
    "submission_manifest",
    "submission_replicas",
    "template_list",
    "tenant_home",
]
