from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest
from django.template import Context
from django.utils import timezone

from portal.templatetags import portal


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0 s"),
        (59.9, "59 s"),
        (60, "1 min"),
        (192, "3 min 12 s"),
        (3600, "1 h"),
        (7920, "2 h 12 min"),
        (90000, "1 d 1 h"),
        (-5, "0 s"),
        (None, "not known yet"),
    ],
)
def test_duration(seconds, text):
    assert portal.duration(seconds) == text


def test_a_moment_is_in_the_zone_of_the_person():
    at = datetime(2026, 1, 15, 23, 30, tzinfo=UTC)
    context = Context({"user": SimpleNamespace(time_zone="Asia/Tokyo")})
    html = portal.moment(context, at)
    assert ">16 Jan 2026, 08:30<" in html
    assert 'datetime="2026-01-16T08:30:00+09:00"' in html


@pytest.mark.parametrize("zone", ["Nowhere/At_all", "../etc/passwd", ""])
def test_an_unknown_zone_is_utc(zone):
    assert portal.zone_of(SimpleNamespace(time_zone=zone)).key == "UTC"


def test_age_is_relative_for_a_day_and_holds_the_whole_moment():
    now = timezone.now()
    assert ">3 min 12 s ago<" in portal.age(Context(), now - timedelta(seconds=192.5))
    assert "ago" not in portal.age(Context(), now - timedelta(days=2))
    assert portal.age(Context(), None) == "not yet"


def test_a_chip_has_shape_word_and_colour_and_escapes_its_word():
    html = portal.status_chip("queued", "<Queued>")
    assert "tone-queued" in html
    assert "#clock" in html
    assert "&lt;Queued&gt;" in html
    assert 'aria-hidden="true"' in html


def test_an_unknown_state_is_drawn_as_unknown():
    assert portal.tone("brand-new") == "quiet"
    assert "circle-question-mark" in portal.status_chip("brand-new", "Brand new")


def test_states_that_can_be_confused_differ_in_shape():
    looks = [portal._LOOKS[state] for state in portal._LOOKS]
    shapes = {}
    for glyph, tone in looks:
        shapes.setdefault(glyph, set()).add(tone)
    assert all(len(tones) == 1 for tones in shapes.values())
