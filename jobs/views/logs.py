"""The log of one replica: its newest lines drawn here, what follows by jobs.views.streams."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse

from jobs.models import Submission
from tenants.access import Access


def log_context(request: HttpRequest, access: Access, submission: Submission) -> Mapping[str, Any]:
    return {}


def submission_logs_raw(request: HttpRequest, tenant: str, uid: UUID) -> HttpResponse:
    return HttpResponse()
