"""What templates show again and again: icons, state chips, times and durations.

Tags and not includes, because a list draws hundreds of chips. They escape what they are given and return safe HTML.
"""

from datetime import datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django import template
from django.template.context import Context
from django.templatetags.static import static
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

register = template.Library()

ICONS = "vendor/lucide-1.62.0/icons.svg"
_UNKNOWN = ("circle-question-mark", "quiet")
# Shape and tone of each state. Hues fall together for some eyes: no two states that can be confused share an outline.
_LOOKS = {
    "submitted": ("circle-dashed", "starting"),
    "queued": ("clock", "queued"),
    "held": ("circle-pause", "quiet"),
    "cannot_run": ("octagon-x", "failed"),
    "starting": ("contrast", "starting"),
    "running": ("circle-play", "running"),
    "preempted": ("undo-2", "preempted"),
    "stopping": ("square-dot", "quiet"),
    "succeeded": ("circle-check", "succeeded"),
    "failed": ("octagon-x", "failed"),
    "cancelled": ("ban", "quiet"),
    "rejected": ("octagon-x", "failed"),
    "unknown": _UNKNOWN,
}
_MINUTE, _HOUR, _DAY = 60, 3600, 86400


@register.simple_tag
def icon(name: str) -> SafeString:
    """The icon of that name in ICONS, for decoration: the word beside it carries the meaning."""
    return format_html(
        '<svg class="icon" aria-hidden="true" focusable="false"><use href="{}#{}"/></svg>', static(ICONS), name
    )


@register.simple_tag
def chip(tone: str, glyph: str, word: str) -> SafeString:
    return format_html('<span class="chip tone-{}">{}{}</span>', tone, icon(glyph), word)


@register.simple_tag
def status_chip(state: str, word: str) -> SafeString:
    """A job's state as shape, word and colour. `state` is a code of Submission.State, `word` its translated label."""
    glyph, look = _LOOKS.get(state, _UNKNOWN)
    return chip(look, glyph, word)


@register.filter
def tone(state: str) -> str:
    """The CSS tone of a job's state: {{ "queued"|tone }} is "queued", for `class="tone-…"`."""
    return _LOOKS.get(state, _UNKNOWN)[1]


@register.filter
def duration(seconds: float | None) -> str:
    """Two units at most: "12 s", "3 min 12 s", "2 h 12 min", "3 d 4 h"."""
    if seconds is None:
        return _("not known yet")
    left = max(0, int(seconds))
    if left < _MINUTE:
        return _("%(s)d s") % {"s": left}
    if left < _HOUR:
        return _pair(left, _MINUTE, _("%d min"), 1, _("%d s"))
    if left < _DAY:
        return _pair(left, _HOUR, _("%d h"), _MINUTE, _("%d min"))
    return _pair(left, _DAY, _("%d d"), _HOUR, _("%d h"))


def _pair(seconds: int, big: int, big_words: str, small: int, small_words: str) -> str:
    rest = seconds % big // small
    return big_words % (seconds // big) + (f" {small_words % rest}" if rest else "")


@register.filter
def since(start: datetime | None, end: datetime | None = None) -> str:
    """How long from `start` to `end`, or to now: {{ job.started_at|since:job.finished_at }}."""
    return duration(None if start is None else ((end or timezone.now()) - start).total_seconds())


@register.simple_tag(takes_context=True)
def moment(context: Context, at: datetime | None) -> SafeString | str:
    """A point in time in the person's zone: the clock for today, else the day too; the whole of it in the title."""
    if at is None:
        return _("not yet")
    zone = zone_of(context.get("user"))
    local = timezone.localtime(at, zone)
    today = local.date() == timezone.localtime(timezone.now(), zone).date()
    return _time(local, date_format(local, "H:i:s" if today else "j M Y, H:i"))


@register.simple_tag(takes_context=True)
def age(context: Context, at: datetime | None) -> SafeString | str:
    """How long ago, for less than a day; the day and clock before that. The title holds the whole moment."""
    if at is None:
        return _("not yet")
    local = timezone.localtime(at, zone_of(context.get("user")))
    seconds = (timezone.now() - at).total_seconds()
    if seconds >= _DAY:
        return _time(local, date_format(local, "j M Y, H:i"))
    return _time(local, _("%(duration)s ago") % {"duration": duration(seconds)})


def _time(local: datetime, text: str) -> SafeString:
    whole = f"{date_format(local, 'j F Y, H:i:s')} {local.tzname()}"
    return format_html('<time datetime="{}" title="{}">{}</time>', local.isoformat(timespec="seconds"), whole, text)


def zone_of(user: object) -> ZoneInfo:
    """The zone that a person chose; UTC for nobody, and for a name that this machine does not know."""
    try:
        return ZoneInfo(getattr(user, "time_zone", "UTC"))
    except (ZoneInfoNotFoundError, ValueError):
        return ZoneInfo("UTC")
