"""Reads for the pages and REST. What they return belongs to the tenant of the Access that they are given."""

from uuid import UUID

from django.db.models import F, Max

from jobs.models import Pod, Submission, Template
from jobs.models.template import TemplateQuerySet
from jobs.queries.listing import GROUPS, Filters, JobPage, group_counts, job_page, listed
from jobs.queries.timeline import Step, timeline
from portal.errors import NotFound
from tenants.access import Access

__all__ = [
    "GROUPS",
    "Filters",
    "JobPage",
    "Step",
    "group_counts",
    "job_page",
    "listed",
    "newest_pods",
    "recent_images",
    "submission_of",
    "templates_of",
    "timeline",
]


def submission_of(access: Access, uid: UUID) -> Submission:
    """The tenant's submission with what its page shows of other tables. Raises NotFound, also for another tenant's."""
    rows = Submission.objects.of(access.tenant).select_related(
        "tenant", "author", "cancel_requested_by", "template_version__template"
    )
    submission = rows.filter(uid=uid).first()
    if submission is None:
        raise NotFound
    return submission


def templates_of(access: Access) -> TemplateQuerySet:
    """The templates that the tenant may use and that have a published version (the newest: `newest`), its own first."""
    templates = Template.objects.of(access.tenant).annotate(newest=Max("versions__number"))
    return templates.exclude(newest=None).order_by(F("tenant").asc(nulls_last=True), "name")


def recent_images(access: Access) -> list[str]:
    """The images of the tenant's newest jobs, newest first, each once."""
    images = Submission.objects.of(access.tenant).order_by("-id").values_list("values__image", flat=True)[:50]
    return list(dict.fromkeys(image for image in images if image))[:10]


def newest_pods(submission: Submission) -> list[Pod]:
    """The newest pod of each replica, by role and index: a restarted pod has its predecessor's name."""
    newest = {(pod.role, pod.index): pod for pod in submission.pods.order_by("created_at", "id")}
    return [newest[key] for key in sorted(newest)]
