"""JSON that two readers could read differently, or that PostgreSQL cannot keep, is refused with the reason."""

import io

import pytest

from jobs.api.parsing import MAX_DEPTH, StrictJSONParser, loads
from portal.errors import PortalError


def parse(body: bytes, media_type: str = "application/json") -> object:
    return StrictJSONParser().parse(io.BytesIO(body), media_type)


def nested(depth: int) -> str:
    return "[" * depth + "]" * depth


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": [1, 2.5, true, null, "x"]}', {"a": [1, 2.5, True, None, "x"]}),
        ("3", 3),
        ('"\\ud83d\\ude00"', "\U0001f600"),
        (nested(3), [[[]]]),
        ("1e300", 1e300),
        ("9" * 40, int("9" * 40)),
    ],
)
def test_json_passes(text: str, value: object) -> None:
    assert loads(text) == value


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"a": 1, "a": 2}', "'a' stands twice"),
        ('[{"b": {"c": 1, "c": 1}}]', "'c' stands twice"),
        ("NaN", "NaN is not a number"),
        ("[Infinity]", "Infinity is not a number"),
        ("[-Infinity]", "-Infinity is not a number"),
        ("1e999", "too large"),
        ("9" * 41, "41 digits"),
        ("9" * 100_000, "100000 digits"),
        (nested(MAX_DEPTH + 1), "deeper than 20"),
        (nested(100_000), "deeper than 20"),
        ('{"a":' * 50_000, "deeper than 20"),
        ('"\\u0000"', "NUL"),
        ('{"\\u0000": 1}', "NUL"),
        ('"\\ud800"', "surrogate"),
        ('{"\\udfff": 1}', "surrogate"),
        ('"a\tb"', "not JSON"),
        ("{'a': 1}", "not JSON"),
        ('{"a": 1,}', "not JSON"),
        ('{"a": 1} {"b": 2}', "not JSON"),
        ("\ufeff{}", "not JSON"),
        ("", "not JSON"),
        ("// comment\n{}", "not JSON"),
    ],
)
def test_the_reason_is_told(text: str, words: str) -> None:
    with pytest.raises(PortalError) as refusal:
        loads(text)
    assert (refusal.value.status, refusal.value.code) == (400, "malformed_json")
    assert words in refusal.value.message
    assert len(refusal.value.message) < 200


def test_other_encodings_are_refused() -> None:
    with pytest.raises(PortalError, match="byte 1"):
        parse(b'"\xff"')


@pytest.mark.parametrize(
    "media_type", ["application/json", "application/json; charset=utf-8", "Application/JSON;charset=UTF-8"]
)
def test_the_type_may_name_utf_8(media_type: str) -> None:
    assert parse(b"{}", media_type) == {}


@pytest.mark.parametrize(
    "media_type",
    ["", "text/plain", "application/json; charset=latin-1", "application/json; a=b", "application/jsonx", "text/json"],
)
def test_other_types_are_refused(media_type: str) -> None:
    with pytest.raises(PortalError) as refusal:
        parse(b"{}", media_type)
    assert refusal.value.status == 415
