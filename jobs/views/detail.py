"""The page of a job: what it is and how it stands, why, its way so far, and one tab below."""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from itertools import zip_longest
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from jobs import sentences
from jobs.models import Submission
from jobs.queries import newest_pods, submission_of, timeline
from jobs.views.logs import log_context, log_of
from jobs.views.manifest import manifest_context, plain_manifest
from jobs.views.pages import mirror, page, part_of
from jobs.views.replicas import replicas
from portal.names import GPU
from portal.templatetags.portal import tone
from tenants.access import Access, tenant_for
from tenants.models import Role

State = Submission.State
MAX_EVENTS = 200
# States that explain themselves; every other one gets the panel that says why.
_WELL = (State.RUNNING, State.SUCCEEDED, State.CANCELLED)
_QUEUED = (State.QUEUED, State.CANNOT_RUN, State.HELD)
# Trouble that the state does not tell: it looks like what it leads to.
_TROUBLE = {"image_failed": "failed", "unschedulable": "warning", "restarting": "warning"}


@require_safe
def submission_detail(request: HttpRequest, tenant: str, uid: UUID) -> HttpResponse:
    """The job with the tab that says most just now; also every live part of the page."""
    access = tenant_for(request, tenant)
    submission = submission_of(access, uid)
    parts: dict[str, Callable[[], Mapping[str, Any]]] = {
        "header": lambda: _header(access, submission),
        "why": lambda: _why(submission),
        "timeline": lambda: _timeline(submission),
        "replicas": lambda: {"job": submission, "replicas": replicas(submission)},
        "events": lambda: _events(submission),
    }
    part = part_of(request, "jobs/submission_detail.html", parts)
    return part or _job_page(request, access, submission, _first_tab(submission))


@require_safe
def submission_logs(request: HttpRequest, tenant: str, uid: UUID) -> HttpResponse:
    """`?part=log` is for a page that waits for the first line; from then on the stream brings the others."""
    access = tenant_for(request, tenant)
    submission = submission_of(access, uid)
    part = part_of(request, "jobs/submission_logs.html", {"log": lambda: log_context(request, access, submission)})
    if part is None:
        return _job_page(request, access, submission, "logs")
    if "replica" not in request.GET and submission.pods.exists():
        part["HX-Refresh"] = "true"  # the page had no replica to choose when it was drawn
    return part


@require_safe
def submission_replicas(request: HttpRequest, tenant: str, uid: UUID) -> HttpResponse:
    return _tab(request, tenant, uid, "replicas")


@require_safe
def submission_events(request: HttpRequest, tenant: str, uid: UUID) -> HttpResponse:
    return _tab(request, tenant, uid, "events")


@require_safe
def submission_manifest(request: HttpRequest, tenant: str, uid: UUID) -> HttpResponse:
    if "plain" in request.GET:
        return plain_manifest(submission_of(tenant_for(request, tenant), uid))
    return _tab(request, tenant, uid, "manifest")


def _tab(request: HttpRequest, tenant: str, uid: UUID, tab: str) -> HttpResponse:
    access = tenant_for(request, tenant)
    submission = submission_of(access, uid)
    part_of(request, "", {})  # these pages have no parts of their own
    return _job_page(request, access, submission, tab)


def _first_tab(submission: Submission) -> str:
    pods = submission.pods.all()
    if any(pod.started_at for pod in pods):
        return "logs"
    return "replicas" if pods else "events"


def _job_page(request: HttpRequest, access: Access, submission: Submission, tab: str) -> HttpResponse:
    content: dict[str, Callable[[], Mapping[str, Any]]] = {
        "logs": lambda: log_context(request, access, submission),
        "replicas": lambda: {"replicas": replicas(submission)},
        "events": lambda: _events(submission),
        "manifest": lambda: manifest_context(submission),
    }
    here = [access.tenant.slug, submission.uid]
    words = {"logs": _("Logs"), "replicas": _("Replicas"), "events": _("Events"), "manifest": _("Manifest")}
    live = reverse("jobs:live", args=[access.tenant.slug])
    context = {
        **_header(access, submission),
        **_why(submission),
        **_timeline(submission),
        **content[tab](),
        "tabs": [(reverse(f"jobs:submission-{name}", args=here), word, name == tab) for name, word in words.items()],
        "section": "jobs",
        "live_url": "" if submission.state in Submission.FINISHED else f"{live}?c=submission.{submission.uid}",
    }
    return page(request, f"jobs/submission_{tab}.html", context)


def _header(access: Access, job: Submission) -> Mapping[str, Any]:
    mine = job.author_id == access.user.pk and access.role.covers(Role.SUBMITTER)
    open_ended = job.state not in Submission.FINISHED and job.cancel_requested_at is None
    return {
        "job": job,
        # A job that is not well has the panel below say it.
        "sentence": sentences.sentence(job.state, job.reason, job.params) if _is_well(job) else "",
        "gpus_each": job.gpus // job.replicas if job.replicas else 0,
        "may_cancel": open_ended and (mine or access.role.covers(Role.OWNER)),
        "others_cancel": open_ended and not mine and access.role == Role.SUBMITTER,
        "finished": job.state in Submission.FINISHED,
        **mirror(),
    }


def _why(job: Submission) -> Mapping[str, Any]:
    """Nothing for a job that is well: `words` is None and the panel is empty."""
    if _is_well(job):
        return {"job": job, "words": None}
    workload = job.workloads.order_by("-id").first()
    conditions = workload.conditions if workload else []
    # Only this condition, and not while it repeats an eviction's message: others name jobs of other tenants.
    reserved = next((each for each in conditions if each.get("type") == "QuotaReserved"), None)
    shown = job.state in _QUEUED or job.reason == "waiting_for_quota"
    return {
        "job": job,
        "words": sentences.words(job.reason, job.params),
        "tone": _TROUBLE.get(job.reason) or tone(job.state),
        "numbers": _numbers(job.params),
        **_culprit(job),
        "scheduler": reserved if shown else None,
    }


def _culprit(job: Submission) -> Mapping[str, str]:
    """The replica that broke, "" where none did, and the query of the log that tells why."""
    name = job.params.get("replica", "") if job.state in {State.FAILED, State.RUNNING} else ""
    pod = next((pod for pod in newest_pods(job) if f"{pod.role}-{pod.index}" == name), None) if name else None
    return {"culprit": name, "culprit_log": log_of(pod) if pod else urlencode({"replica": name})}


def _is_well(job: Submission) -> bool:
    return job.state in _WELL and job.reason != "restarting"


def _numbers(params: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The figures behind a wait, as far as they are known."""
    resource, flavor = str(params.get("resource") or GPU), str(params.get("flavor") or "")
    needs, missing, most = params.get("needs"), params.get("missing"), params.get("at_most")
    rows = [
        (_("Missing"), missing),
        (_("Needs at once"), needs),
        (_("Free to it now"), needs - missing if needs is not None and missing is not None else None),
        (_("Its queue reaches at most"), most),
    ]
    shown = [(word, sentences.amount(amount, resource, flavor)) for word, amount in rows if amount is not None]
    return [*shown, (_("In the queue"), sentences.place(params) or _("position not known yet"))] if shown else []


def _timeline(job: Submission) -> Mapping[str, Any]:
    changes = list(job.changes.order_by("id"))
    ends = [change.at for change in changes[1:]]
    earlier = [
        (change, _lasted(change.at, end), sentences.past_sentence(change.state, change.reason, change.params))
        for change, end in zip_longest(changes, ends)
        if end is not None
    ]
    return {"job": job, "steps": timeline(job), "limit": _time_limit(job), "earlier": earlier[::-1]}


def _lasted(start: datetime, end: datetime | None) -> timedelta:
    return (end or timezone.now()) - start


def _time_limit(job: Submission) -> int | None:
    """Seconds; every kind that the portal writes keeps it in the same place."""
    seconds = job.manifest.get("spec", {}).get("runPolicy", {}).get("activeDeadlineSeconds")
    return seconds if isinstance(seconds, int) else None


def _events(job: Submission) -> Mapping[str, Any]:
    return {"job": job, "events": job.events.order_by("-at", "-id")[:MAX_EVENTS], "most": MAX_EVENTS}
