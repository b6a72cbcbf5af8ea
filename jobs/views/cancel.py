"""Cancelling: GET says what will happen, POST does it."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _

from jobs import services
from jobs.models import Submission
from jobs.queries import submission_of
from jobs.views.pages import get_and_post, page
from portal.errors import Conflict
from portal.http import SeeOther
from tenants.access import tenant_for
from tenants.models import Role


@get_and_post
def submission_cancel(request: HttpRequest, tenant: str, uid: UUID) -> HttpResponse:
    access = tenant_for(request, tenant)
    submission = submission_of(access, uid)
    # As the service has it: authors their own, owners every job.
    access.require(Role.SUBMITTER if submission.author_id == access.user.pk else Role.OWNER)
    job_page = reverse("jobs:submission-detail", args=[tenant, uid])
    if request.method == "POST":
        try:
            services.cancel_submission(access=access, submission=submission)
        except Conflict as error:
            messages.warning(request, error.message)
        else:
            messages.success(request, _("Cancel requested. The page shows when its last pod is gone."))
        return SeeOther(job_page)
    if submission.state in Submission.FINISHED or submission.cancel_requested_at is not None:
        return SeeOther(job_page)
    pods = submission.pods.filter(gone_at=None).exclude(phase__in=["Succeeded", "Failed"]).count()
    return page(request, "jobs/submission_cancel.html", {"job": submission, "pods": pods, "section": "jobs"})
