from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from jobs.logs.lines import MAX_LINE, LogLine, clean, moment, parse


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\x1b[31mred\x1b[0m plain", "red plain"),
        ("a\u061cb\u200ec\u200fd\u202ee\u2066f", "abcdef"),
        ("\x1b[1;38;5;208mstep\x1b[K 1", "step 1"),
        ("\x1b]0;title\x07text", "text"),
        ("\x1b]8;;https://evil.test\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1bPq data\x1b\\after", "after"),
        ("10%\r50%\r100%", "100%"),
        ("windows\r", "windows"),
        ("tab\there", "tab\there"),
        ("nul\0 bell\a back\b", "nul bell back"),
        ("a\u202etxt.exe", "atxt.exe"),
        ("half an escape \x1b[3", "half an escape 3"),
        ("<script>alert(1)</script>", "<script>alert(1)</script>"),
    ],
)
def test_text_only(text: str, expected: str) -> None:
    assert clean(text) == expected


def test_a_long_line_is_cut() -> None:
    assert len(clean("x" * 200_000)) == MAX_LINE


def test_time_and_text() -> None:
    assert parse(b"2026-11-29T14:00:01.5Z step 1") == LogLine("2026-11-29T14:00:01.5Z", "step 1")


def test_an_empty_line_has_a_time() -> None:
    assert parse(b"2026-11-29T14:00:01Z ") == LogLine("2026-11-29T14:00:01Z", "")


@pytest.mark.parametrize("raw", [b"rest of a cut line", b"2026-13-45T99:00:00Z x", b"\xff\xfe", b""])
def test_a_line_without_a_time(raw: bytes) -> None:
    assert parse(raw).time == ""


def test_times_are_compared_as_times() -> None:
    stamps = [
        "2026-11-29T14:00:01.25Z",
        "2026-11-29T14:00:01.5Z",
        "2026-11-29T16:00:02+02:00",
        "2026-11-29T14:00:02.1Z",
    ]
    assert sorted(stamps, key=moment) == stamps


def test_nanoseconds_count() -> None:
    assert moment("2026-11-29T14:00:01.000000001Z") > moment("2026-11-29T14:00:01Z")


@pytest.mark.parametrize("stamp", ["0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59", "2026-02-30T00:00:00Z"])
def test_a_time_that_there_is_not(stamp: str) -> None:
    assert moment(stamp) is None


def test_the_clock_is_the_reader_s() -> None:
    line = LogLine("2026-11-29T14:00:01.123456789Z", "x")
    assert line.at == datetime(2026, 11, 29, 14, 0, 1, 123456, tzinfo=UTC)
    assert line.as_json(ZoneInfo("Asia/Shanghai"))["clock"] == "22:00:01"
    assert LogLine("", "x").as_json(UTC)["clock"] == ""
