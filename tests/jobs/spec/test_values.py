import random
from typing import Any

import jsonschema
import pytest

from jobs.spec import check_values
from tests.jobs.factories import INPUT, demo_template

PREFIXES = ("registry.internal/",)
SCHEMA = demo_template()["schema"]


def deep(levels: int) -> list:
    value: list = []
    for _ in range(levels):
        value = [value]
    return value


def messages(**values: object) -> dict[str, str]:
    """Message by path, for the issue's input changed by `values`."""
    _clean, errors = check_values(SCHEMA, INPUT | values, PREFIXES)
    return {error.path: error.message for error in errors}


def one(field: dict, value: object) -> str:
    _clean, errors = check_values({"type": "object", "properties": {"a": field}}, {"a": value})
    return errors[0].message if errors else ""


def test_defaults_are_added() -> None:
    clean, errors = check_values(SCHEMA, INPUT, PREFIXES)
    assert errors == []
    assert clean["workers"] == 4 and clean["memory"] == "256Gi" and "arguments" not in clean


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("workers", 65, "Enter 64 or less."),
        ("workers", 0, "Enter 1 or more."),
        ("workers", -(10**4000), "Enter a number of at most 9007199254740991."),
        ("workers", "4", "Enter a whole number in digits, such as 4."),
        ("workers", 4.0, "Enter a whole number in digits, such as 4."),
        ("workers", 1e3, "Enter a whole number in digits, such as 4."),
        ("workers", float("nan"), "Enter a whole number in digits, such as 4."),
        ("workers", True, "Enter a whole number in digits, such as 4."),
        ("workers", [4], "Enter a whole number in digits, such as 4."),
        ("workers", {"a": 1}, "Enter a whole number in digits, such as 4."),
        ("workers", deep(50_000), "Enter a whole number in digits, such as 4."),
        ("gpus_per_worker", 3, "Choose one of 1, 2, 4, 8."),
        ("image", "evil.example/x:1", "Choose an image from registry.internal/."),
        ("image", 7, "Enter text."),
        ("model", "x" * 300, "Use at most 96 characters; this has 300."),
        ("model", "a\x00b", "Remove the invisible character U+0000 at position 2."),
        ("model", "a: &a [*a, *a]", "Enter a model's name, such as meta-llama/Llama-3-8B."),
        ("model", "-lead", "Enter a model's name, such as meta-llama/Llama-3-8B."),
        ("script", "../../etc/passwd", "Enter the path of a Python file, such as train.py."),
        ("output", "/etc", "Enter /checkpoints or a folder below it; nothing else outlives the job."),
        ("memory", "1e12", "Write the amount without an exponent, such as 64Gi."),
        ("memory", 4, "Enter text."),
        ("data_claim", "Training Data", "Write the claim's name in lower case letters, digits, - and . (at most 253"),
        ("arguments", "--lr=1", "Send a list."),
        ("arguments", ["ok", 1], "Entry 2: Enter text."),
        ("arguments", ["x"] * 41, "Use at most 40 entries; this has 41."),
        ("arguments", ["bad\nline"], "Entry 1: Remove the invisible character U+000A at position 4."),
        ("rehearsal", "explode", "Choose one of succeed, "),
        ("nodes", 1, "This template has no field 'nodes'."),
    ],
)
def test_one_message_by_the_field(name: str, value: object, message: str) -> None:
    found = messages(**{name: value})
    assert list(found) == [f"values.{name}"]
    assert found[f"values.{name}"].startswith(message)


@pytest.mark.parametrize("values", [None, [], "x", 4, float("nan")])
def test_values_are_an_object(values: object) -> None:
    assert [error.path for error in check_values(SCHEMA, values)[1]] == ["values"]


@pytest.mark.parametrize("nothing", [None, ""])
def test_nothing_is_the_default_or_missing(nothing: object) -> None:
    assert messages(model=nothing) == {"values.model": "Fill in Model."}
    clean, errors = check_values(SCHEMA, INPUT | {"workers": nothing, "arguments": nothing}, PREFIXES)
    assert errors == [] and clean["workers"] == 4


def test_many_unknown_fields_are_named_up_to_ten_and_cut() -> None:
    found = messages(**{f"{'x' * 1000}{number}": 1 for number in range(50)} | {"bad\x00": 1})
    assert 1 <= len(found) <= 10
    assert all(len(path) < 60 for path in found)


def test_everything_wrong_is_told_at_once() -> None:
    assert set(messages(workers=0, image="x", model="")) == {"values.workers", "values.image", "values.model"}


def test_the_total_is_bounded() -> None:
    schema = {"type": "object", "properties": {f"p{i}": {"type": "string"} for i in range(20)}}
    _clean, errors = check_values(schema, {f"p{i}": "x" * 4000 for i in range(20)})
    assert errors[0].path == "values" and "use at most 32768" in errors[0].message


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ({"type": "boolean"}, "true", "Choose yes or no (true or false)."),
        ({"type": "number"}, float("inf"), "Enter a number, such as 0.5."),
        ({"type": "number", "exclusiveMinimum": 0}, 0, "Enter more than 0."),
        ({"type": "number", "exclusiveMaximum": 1}, 1.0, "Enter less than 1."),
        ({"type": "integer", "multipleOf": 8}, 12, "Enter a multiple of 8."),
        ({"type": "string", "minLength": 3}, "ab", "Use at least 3 characters; this has 2."),
        ({"type": "string", "const": "yes"}, "no", "This must be yes."),
        ({"type": "string", "format": "shell"}, "set -e\npython x.py", ""),
        ({"type": "string", "pattern": "^a$"}, "b", "This does not have the form ^a$."),
        ({"type": "array", "items": {"type": "integer"}, "minItems": 1}, [], "List at least 1; this has 0."),
        (
            {"type": "array", "items": {"type": "integer"}, "uniqueItems": True},
            [1, 1],
            "Remove the entry that is there twice.",
        ),
        ({"type": "object", "additionalProperties": {"type": "string"}}, {"A": 1}, "Entry 1: Enter text."),
        ({"type": "object", "additionalProperties": {"type": "string"}}, {"A": "1"}, ""),
        ({"type": "object", "additionalProperties": {"type": "string"}}, ["A"], "Send a map of names to texts."),
        ({"type": "object", "additionalProperties": {"type": "string"}, "maxProperties": 0}, {"A": "1"}, "Use 0 to 0"),
    ],
)
def test_other_types(field: dict, value: object, message: str) -> None:
    assert one(field, value).startswith(message) and bool(one(field, value)) == bool(message)


FIELDS: list[dict[str, Any]] = [
    {"type": "integer", "minimum": 1, "maximum": 8, "multipleOf": 2},
    {"type": "number", "exclusiveMinimum": 0},
    {"type": "string", "minLength": 1, "maxLength": 3, "pattern": "^[a-z]+$"},
    {"type": "string", "enum": ["a", "b"]},
    {"type": "boolean"},
    {"type": "array", "items": {"type": "integer", "maximum": 2}, "maxItems": 2, "uniqueItems": True},
    {"type": "object", "additionalProperties": {"type": "string"}, "maxProperties": 1},
]
VALUES: list[object] = [0, 1, 2, 3, 8, 9, -1, 2.5, True, False, "a", "b", "abc", "abcd", "A", "a1", [], [1], [1, 1]]
VALUES += [[1, 2], [1, 2, 0], ["a"], {}, {"a": "b"}, {"a": 1}, {"a": "b", "c": "d"}]


def test_verdicts_are_those_of_json_schema() -> None:
    """An oracle that shares no code with ours: the reference implementation for the same keywords."""
    random.seed(3)
    for field in FIELDS:
        for value in random.sample(VALUES, len(VALUES)):
            valid = jsonschema.Draft202012Validator(field).is_valid(value)
            assert (one(field, value) == "") == valid, (field, value)
