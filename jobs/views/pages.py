"""One rendering path: a page and each of its live parts come from the same view, template and access check."""

from collections.abc import Callable, Mapping
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from jobs.models import Heartbeat
from portal.errors import NotFound

get_and_post = require_http_methods(["GET", "HEAD", "POST"])


def page(request: HttpRequest, template: str, context: Mapping[str, Any], *, status: int = 200) -> HttpResponse:
    """The whole page. A view that has parts asks `part_of` first."""
    return render(request, template, dict(context), status=status)


def part_of(
    request: HttpRequest, template: str, parts: Mapping[str, Callable[[], Mapping[str, Any]]]
) -> HttpResponse | None:
    """The part that `?part=` names, or None where the whole page is asked for. Raises NotFound for other names.

    `parts` maps names of the template's partials to what makes their context: only the asked one is made.
    """
    name = request.GET.get("part")
    if name is None:
        return None
    if name not in parts:
        raise NotFound
    return render(request, f"{template}#{name}", dict(parts[name]()))


def mirror() -> dict[str, Any]:
    """`stale`: whether the cluster was last heard (`seen_at`, None: never) too long ago to speak of the present."""
    seen_at = Heartbeat.objects.last_seen()
    fresh = seen_at is not None and (timezone.now() - seen_at).total_seconds() <= settings.MIRROR_STALE_SECONDS
    return {"stale": not fresh, "seen_at": seen_at}
