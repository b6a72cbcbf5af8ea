from datetime import UTC, datetime, timedelta

import pytest

from sandbox.clock import Clock, parse

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def test_a_clock_stands_still_until_it_is_moved():
    clock = Clock(NOON)
    assert clock.now() == clock.now() == NOON
    clock.move_to(NOON + timedelta(seconds=1.5))
    assert (clock.stamp(), clock.micro()) == ("2026-03-01T12:00:01Z", "2026-03-01T12:00:01.500000Z")


def test_a_clock_never_goes_back():
    clock = Clock(NOON)
    clock.move_to(NOON - timedelta(hours=1))
    assert clock.now() == NOON


def test_a_time_without_zone_is_refused():
    with pytest.raises(ValueError, match="no time zone"):
        parse("2026-03-01T12:00:00")


@pytest.mark.parametrize("text", ["0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59"])
def test_a_time_at_an_end_of_the_calendar(text):
    assert parse(text).isoformat()[:10] == text[:10]
