"""The jobs of a tenant: filters, groups of states, pages by key, rows that follow the cluster."""

from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from jobs import sentences
from jobs.models import Submission, Template
from jobs.queries import GROUPS, Filters, group_counts, job_page
from jobs.views.pages import mirror, page, part_of
from tenants.access import Access, tenant_for

TEMPLATE = "jobs/submission_list.html"
MAX_TEXT = 100


@require_safe
def tenant_home(request: HttpRequest, tenant: str) -> HttpResponse:
    tenant_for(request, tenant)
    return redirect("jobs:submission-list", tenant)


@require_safe
def submission_list(request: HttpRequest, tenant: str) -> HttpResponse:
    access = tenant_for(request, tenant)
    filters = _filters(request)
    part = part_of(request, TEMPLATE, {"table": lambda: _table(access, filters)})
    if part is not None:
        return part
    context = {
        **_table(access, filters),
        "templates": Template.objects.of(access.tenant).order_by("name"),
        "section": "jobs",
        "live_url": f"{reverse('jobs:live', args=[tenant])}?c=jobs.{access.tenant.uid}",
    }
    return page(request, TEMPLATE, context)


def _filters(request: HttpRequest) -> Filters:
    """Filters out of the query string; what is malformed narrows nothing, as an old bookmark may hold it."""
    query = request.GET
    return Filters(
        text=query.get("q", "").strip()[:MAX_TEXT],
        group=query.get("state", "") if query.get("state") in GROUPS else "",
        mine=query.get("author") == "me",
        template=query.get("template", "")[:MAX_TEXT],
        after=_uid(query.get("after", "")),
        until=_uid(query.get("until", "")),
    )


def _uid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None


def _table(access: Access, filters: Filters) -> dict[str, Any]:
    jobs = job_page(access, filters)
    newest = filters.until or (jobs.rows[0].uid if jobs.rows and filters.after is None else None)
    again = {**_query(filters), "part": "table"}
    if filters.after is not None:
        again["after"] = str(filters.after)
    elif newest is not None:
        again["until"] = str(newest)
    return {
        "rows": [(job, sentences.sentence(job.state, job.reason, job.params)) for job in jobs.rows],
        "newer": jobs.newer,
        "older": f"?{urlencode({**_query(filters), 'after': str(jobs.next)})}" if jobs.next else "",
        "first": f"?{urlencode(_query(filters))}",
        "again": f"?{urlencode(again)}",
        "groups": _groups(access, filters),
        "active": _active(access, filters),
        "filters": filters,
        "finished": Submission.FINISHED,
        **mirror(),
    }


def _query(filters: Filters, **changed: str) -> dict[str, str]:
    """The query string of `filters` without its place in the list."""
    query = {
        "q": filters.text,
        "state": filters.group,
        "author": "me" if filters.mine else "",
        "template": filters.template,
        **changed,
    }
    return {name: value for name, value in query.items() if value}


def _groups(access: Access, filters: Filters) -> list[tuple[str, str, int, bool]]:
    """Per group of states: its link, word and count, and whether it is the one shown."""
    words = {
        "": _("All"),
        "active": _("Active"),
        "queued": _("Queued"),
        "running": _("Running"),
        "failed": _("Failed"),
        "finished": _("Finished"),
    }
    counts = group_counts(access, filters)
    return [
        (f"?{urlencode(_query(filters, state=group))}", word, counts[group], group == filters.group)
        for group, word in words.items()
    ]


def _active(access: Access, filters: Filters) -> list[tuple[str, str]]:
    """Per filter in force: its words, and the link that takes it away."""
    active = []
    if filters.text:
        active.append((_("Text: %(text)s") % {"text": filters.text}, _query(filters, q="")))
    if filters.mine:
        active.append((_("Only mine"), _query(filters, author="")))
    if filters.template:
        template = Template.objects.of(access.tenant).filter(slug=filters.template).first()
        words = {"name": template.name if template else filters.template}
        active.append((_("Template: %(name)s") % words, _query(filters, template="")))
    return [(words, f"?{urlencode(query)}") for words, query in active]
