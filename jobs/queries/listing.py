"""The list of a tenant's jobs: filters, groups of states, pages by key.

Pages go by key and not by number, so that a job that arrives meanwhile moves nothing: `after` is the last uid of the
page before. `until` holds a page that refreshes itself to the jobs it began with; what is newer is only counted.
"""

from dataclasses import dataclass, replace
from uuid import UUID

from django.db.models import Count, Q

from jobs.models import Submission
from jobs.models.submission import SubmissionQuerySet
from tenants.access import Access

State = Submission.State
PAGE_SIZE = 50
# Kilobytes of JSON that no list shows.
UNLISTED = ("manifest", "values", "template_version__schema", "template_version__body")
GROUPS: dict[str, tuple[str, ...]] = {
    "active": tuple(state for state in State.values if state not in Submission.FINISHED),
    "queued": (State.SUBMITTED, State.QUEUED, State.HELD, State.PREEMPTED),
    "running": (State.STARTING, State.RUNNING, State.STOPPING),
    "failed": (State.FAILED, State.REJECTED, State.CANNOT_RUN),
    "finished": tuple(Submission.FINISHED),
}


@dataclass(frozen=True)
class Filters:
    """What the list is narrowed to; empty values narrow nothing. `group` is a key of GROUPS."""

    text: str = ""
    group: str = ""
    mine: bool = False
    template: str = ""
    after: UUID | None = None
    until: UUID | None = None

    @property
    def any(self) -> bool:
        return bool(self.text or self.group or self.mine or self.template)


@dataclass(frozen=True)
class JobPage:
    """`next` is the `after` of the page with older jobs, None on the last; `newer` counts what came after `until`."""

    rows: list[Submission]
    next: UUID | None
    newer: int


def job_page(access: Access, filters: Filters) -> JobPage:
    """One page of the tenant's jobs, newest first."""
    page = matching = _matching(listed(access), filters, access)
    if filters.after is not None:
        page = page.filter(id__lt=_id_of(access, filters.after))
    newer = 0
    if filters.until is not None:
        newest = _id_of(access, filters.until)
        page = page.filter(id__lte=newest)
        newer = matching.filter(id__gt=newest).count()
    rows = list(page[: PAGE_SIZE + 1])
    shown = rows[:PAGE_SIZE]
    return JobPage(rows=shown, next=shown[-1].uid if len(rows) > PAGE_SIZE else None, newer=newer)


def group_counts(access: Access, filters: Filters) -> dict[str, int]:
    """How many of the jobs that the other filters leave are in each group; "" counts all of them."""
    others = replace(filters, group="")
    by_state = dict(
        _matching(Submission.objects.of(access.tenant), others, access)
        .order_by()
        .values_list("state")
        .annotate(count=Count("id"))
        .values_list("state", "count")
    )
    groups = {group: sum(by_state.get(state, 0) for state in states) for group, states in GROUPS.items()}
    return {"": sum(by_state.values()), **groups}


def listed(access: Access) -> SubmissionQuerySet:
    """The tenant's jobs, newest first, with what a list shows of other tables and without what none shows."""
    rows = Submission.objects.of(access.tenant).select_related("tenant", "author", "template_version__template")
    return rows.defer(*UNLISTED).order_by("-id")


def _matching(rows: SubmissionQuerySet, filters: Filters, access: Access) -> SubmissionQuerySet:
    if filters.group:
        rows = rows.filter(state__in=GROUPS[filters.group])
    if filters.mine:
        rows = rows.filter(author=access.user)
    if filters.template:
        rows = rows.filter(template_version__template__slug=filters.template)
    if filters.text:
        rows = rows.filter(_says(filters.text))
    return rows


def _says(text: str) -> Q:
    """Jobs whose name, name on the cluster or image holds `text`, or whose uid it is."""
    found = Q(title__icontains=text) | Q(job_name__icontains=text) | Q(values__image__icontains=text)
    try:
        return found | Q(uid=UUID(text))
    except ValueError:
        return found


def _id_of(access: Access, uid: UUID) -> int:
    """The key of the tenant's job; 0 for a uid that is not one, so that nothing is older or as old."""
    return Submission.objects.of(access.tenant).filter(uid=uid).values_list("id", flat=True).first() or 0
