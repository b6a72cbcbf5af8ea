import pytest

from jobs.logs.cursor import Cursor

FIRST, SECOND = "2026-11-29T14:00:01Z", "2026-11-29T14:00:02Z"


def read(cursor: Cursor, *times: str) -> list[bool]:
    return [cursor.is_new(time) for time in times]


def test_a_new_request_repeats_nothing() -> None:
    cursor = Cursor()
    assert read(cursor, FIRST, SECOND, SECOND) == [True, True, True]
    cursor.rewind()
    assert read(cursor, FIRST, SECOND, SECOND, SECOND) == [False, False, False, True]


def test_the_browser_s_id_goes_on() -> None:
    cursor = Cursor()
    read(cursor, FIRST, FIRST)
    again = Cursor(str(cursor))
    again.rewind()
    assert again.time == FIRST
    assert read(again, FIRST, FIRST, FIRST, SECOND) == [False, False, True, True]


def test_lines_of_the_same_second_are_told_apart_by_nanoseconds() -> None:
    cursor = Cursor("2026-11-29T14:00:01.5Z/1")
    cursor.rewind()
    times = ["2026-11-29T14:00:01.25Z", "2026-11-29T14:00:01.5Z", "2026-11-29T14:00:01.500000001Z"]
    assert read(cursor, *times) == [False, False, True]


@pytest.mark.parametrize(
    "text", ["", "/", "junk", "yesterday/1", f"{FIRST}/x", f"{FIRST}/-1", f"{FIRST}/²", f"{FIRST}/{'9' * 99}"]
)
def test_an_id_that_we_did_not_write(text: str) -> None:
    cursor = Cursor(text)
    cursor.rewind()
    assert cursor.time == ""
    assert read(cursor, FIRST) == [True]


def test_a_line_without_a_time_is_always_new() -> None:
    assert read(Cursor(f"{FIRST}/1"), "", "") == [True, True]
