from datetime import UTC, datetime

import pytest

from jobs.translators.base import time


def test_a_time() -> None:
    assert time({"status": {"startTime": "2026-03-01T12:00:00Z"}}, "status", "startTime") == datetime(
        2026, 3, 1, 12, tzinfo=UTC
    )


@pytest.mark.parametrize(
    "text",
    [
        "",
        "yesterday",
        "2026-03-01T12:00:00",
        "0001-01-01T00:00:00Z",
        "0001-01-01T00:00:00+23:59",
        "9999-12-31T23:59:59-23:59",
    ],
)
def test_a_time_that_cannot_be_shown(text: str) -> None:
    assert time({"at": text}, "at") is None
