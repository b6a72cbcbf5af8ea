"""The log of one replica: its newest lines drawn here, what follows by jobs.views.streams."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from jobs import logs, sentences
from jobs.models import Pod, Submission
from jobs.queries import newest_pods, submission_of
from portal.errors import NotFound, PortalError
from portal.kube.client import cluster_from_settings
from portal.templatetags.portal import zone_of
from tenants.access import Access, tenant_for

# How many lines a page may show; each link "earlier" takes the next step.
LINES = (200, 1000, 5000)
CHUNK = 500  # as js/log.js


def log_context(request: HttpRequest, access: Access, submission: Submission) -> Mapping[str, Any]:
    pods = newest_pods(submission)
    pod = chosen_pod(request, submission, pods)
    previous = "previous" in request.GET or (pod is not None and "replica" not in request.GET and broke_before(pod))
    context = {
        "job": submission,
        "replica_names": [_name(each) for each in pods],
        "previous": previous,
    }
    if pod is None:
        words = _no_pod(submission)
        return {**context, "replica": "", "empty": words, "follows": submission.state not in Submission.FINISHED}
    lines = _lines(request)
    log = logs.tail(cluster_from_settings(), submission, pod, lines=lines, previous=previous)
    shown = [line.as_json(zone_of(access.user)) for line in log.lines]
    query = {"replica": _name(pod)} | ({"previous": "1"} if previous else {})
    here = [access.tenant.slug, submission.uid]
    follows = not previous and pod.gone_at is None and pod.phase not in {"Succeeded", "Failed"}
    live = f"{reverse('jobs:submission-logs-live', args=here)}?{urlencode({**query, 'after': _cursor(log.lines)})}"
    return {
        **context,
        "replica": _name(pod),
        "chunks": [shown[start : start + CHUNK] for start in range(0, len(shown), CHUNK)],
        "empty": sentences.why_no_log(log.empty, log.message) if log.empty else "",
        "earlier_lines": _earlier(lines, len(shown), query),
        "raw": f"{reverse('jobs:submission-logs-raw', args=here)}?{urlencode(query)}",
        "follows": follows,
        "stream": live if follows and shown else "",
    }


def broke_before(pod: Pod) -> bool:
    """Whether the run that ended badly is not the one that prints now: its log is the one before the last restart."""
    return pod.state == "running" and pod.restarts > 0 and bool(pod.exit_code)


def log_of(pod: Pod) -> str:
    """The query of the log that tells why a replica broke."""
    return urlencode({"replica": _name(pod)} | ({"previous": "1"} if broke_before(pod) else {}))


@require_safe
def submission_logs_raw(request: HttpRequest, tenant: str, uid: UUID) -> HttpResponse:
    """The whole log of a replica as text. 404 where there is none, 503 where the cluster does not answer."""
    submission = submission_of(tenant_for(request, tenant), uid)
    pod = chosen_pod(request, submission, newest_pods(submission))
    if pod is None:
        raise NotFound(_no_pod(submission))
    log = logs.tail(cluster_from_settings(), submission, pod, lines=None, previous="previous" in request.GET)
    if log.empty == "unreachable":
        raise PortalError("cluster_unavailable", sentences.why_no_log(log.empty, ""), 503, extra={"retry_after": 5})
    if log.empty and log.empty != "nothing_printed":
        raise NotFound(sentences.why_no_log(log.empty, log.message))
    text = "".join(f"{line.time} {line.text}\n" if line.time else f"{line.text}\n" for line in log.lines)
    return HttpResponse(text, content_type="text/plain; charset=utf-8")


def chosen_pod(request: HttpRequest, submission: Submission, pods: Sequence[Pod]) -> Pod | None:
    """The pod of ?replica=, else of the replica that the job's reason names, else the first; None while there is none.

    Raises NotFound for a replica that the job does not have.
    """
    by_name = {_name(pod): pod for pod in pods}
    wanted = request.GET.get("replica", "")
    if wanted and by_name and wanted not in by_name:
        raise NotFound
    named = by_name.get(wanted) or by_name.get(str(submission.params.get("replica")))
    return named or next(iter(pods), None)


def _name(pod: Pod) -> str:
    return f"{pod.role}-{pod.index}"


def _no_pod(submission: Submission) -> str:
    if submission.state in Submission.FINISHED:
        return _("This job ended before any of its replicas was made.")
    return sentences.why_no_log("no_pod", "")


def _lines(request: HttpRequest) -> int:
    wanted = request.GET.get("lines", "")
    return next((lines for lines in LINES if str(lines) == wanted), LINES[0])


def _earlier(asked: int, shown: int, query: Mapping[str, str]) -> str:
    """The link to more lines, or "" where all are shown."""
    more = next((lines for lines in LINES if lines > asked), None)
    return f"?{urlencode({**query, 'lines': more})}" if more and shown >= asked else ""


def _cursor(lines: Sequence[logs.LogLine]) -> str:
    """Where the stream goes on: the newest line's time, and how many lines of that time are shown."""
    newest = next((line.time for line in reversed(lines) if line.time), "")
    return f"{newest}/{sum(line.time == newest for line in lines)}" if newest else ""
