"""What stays open: names of channels for live panels, and lines of logs."""

from collections.abc import AsyncIterator
from uuid import UUID

from asgiref.sync import sync_to_async
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.views.decorators.http import require_safe

from jobs.models import Submission
from portal.errors import NotFound
from portal.live import Slot, claim, stream
from quotas.models import ClusterQueue
from tenants.access import Access, tenant_for

MAX_CHANNELS = 10


@require_safe
async def live(request: HttpRequest, tenant: str) -> StreamingHttpResponse:
    """The names of those channels of `?c=` that changed. Each must be the tenant's own, or there is nothing here."""
    channels, slot = await sync_to_async(_listener)(request, tenant)
    return event_stream(stream(channels, slot))


def event_stream(chunks: AsyncIterator[bytes]) -> StreamingHttpResponse:
    response = StreamingHttpResponse(chunks, content_type="text/event-stream")
    response["X-Accel-Buffering"] = "no"  # nginx would hold the events back
    response["Cache-Control"] = "no-store"
    return response


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


async def submission_logs_live(request: HttpRequest, tenant: str, uid: UUID) -> HttpResponse:
    return HttpResponse()
