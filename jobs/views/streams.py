"""What stays open: names of channels for live panels, and lines of logs."""

from collections.abc import AsyncIterator
from uuid import UUID

from asgiref.sync import sync_to_async
from django.http import HttpRequest, StreamingHttpResponse
from django.views.decorators.http import require_safe

from jobs import logs
from jobs.models import Pod, Submission
from jobs.queries import newest_pods, submission_of
from jobs.views.logs import chosen_pod
from portal.errors import NotFound
from portal.kube.client import cluster_from_settings
from portal.live import Slot, claim, stream
from portal.templatetags.portal import zone_of
from quotas.models import ClusterQueue
from tenants.access import Access, tenant_again, tenant_for

MAX_CHANNELS = 10


@require_safe
async def live(request: HttpRequest, tenant: str) -> StreamingHttpResponse:
    """The names of those channels of `?c=` that changed. Each must be the tenant's own, or there is nothing here."""
    channels, slot = await sync_to_async(_listener)(request, tenant)
    return event_stream(stream(channels, allowed=lambda: tenant_again(request, tenant), slot=slot))


@require_safe
async def submission_logs_live(request: HttpRequest, tenant: str, uid: UUID) -> StreamingHttpResponse:
    """The lines of a replica's log after `?after=`, or after what the browser got before it lost the connection."""
    access, submission, pod, slot = await sync_to_async(_reader)(request, tenant, uid)
    lines = logs.stream(
        cluster_from_settings(),
        submission,
        pod,
        after=request.headers.get("Last-Event-ID") or request.GET.get("after", ""),
        allowed=lambda: submission_of(tenant_again(request, tenant), uid),
        zone=zone_of(access.user),
        slot=slot,
    )
    return event_stream(lines)


def event_stream(chunks: AsyncIterator[bytes]) -> StreamingHttpResponse:
    response = StreamingHttpResponse(chunks, content_type="text/event-stream")
    response["X-Accel-Buffering"] = "no"  # nginx would hold the events back
    response["Cache-Control"] = "no-store"
    return response


def _reader(request: HttpRequest, tenant: str, uid: UUID) -> tuple[Access, Submission, Pod, Slot]:
    access = tenant_for(request, tenant)
    submission = submission_of(access, uid)
    pod = chosen_pod(request, submission, newest_pods(submission))
    if pod is None:
        raise NotFound
    return access, submission, pod, claim(access.user.uid)


def _listener(request: HttpRequest, tenant: str) -> tuple[list[str], Slot]:
    access = tenant_for(request, tenant)
    channels = request.GET.get("c", "").split(",")
    if len(channels) > MAX_CHANNELS or not all(_is_own(access, channel) for channel in channels):
        raise NotFound
    return channels, claim(access.user.uid)


def _is_own(access: Access, channel: str) -> bool:
    kind, _dot, text = channel.partition(".")
    try:
        uid = UUID(text)
    except ValueError:
        return False
    if str(uid) != text:
        return False  # the channel's name is the uid as we write it
    match kind:
        case "submission":
            return Submission.objects.of(access.tenant).filter(uid=uid).exists()
        case "jobs":
            return access.tenant.uid == uid
        case "queue":
            return ClusterQueue.objects.filter(tenant=access.tenant, uid=uid).exists()
    return False
