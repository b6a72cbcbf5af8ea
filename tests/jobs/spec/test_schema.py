import jsonschema
import pytest

from jobs.spec import check_schema, example, ordered_properties
from tests.jobs.factories import demo_template

TEXT = {"type": "string"}


def form(**properties: object) -> dict:
    return {"type": "object", "properties": properties}


def test_the_demo_form_may_be_published() -> None:
    schema = demo_template()["schema"]
    assert check_schema(schema) == []
    jsonschema.Draft202012Validator.check_schema(schema)


@pytest.mark.parametrize(
    ("schema", "path"),
    [
        (None, "schema"),
        ([], "schema"),
        ({"type": "array"}, "schema"),
        (form(), "schema.properties"),
        ({"type": "object", "properties": []}, "schema.properties"),
        (form(**{f"p{i}": TEXT for i in range(61)}), "schema.properties"),
        (form(a=TEXT) | {"oneOf": [{}]}, "schema.oneOf"),
        (form(a=TEXT) | {"additionalProperties": True}, "schema.additionalProperties"),
        (form(a=TEXT) | {"required": ["b"]}, "schema.required"),
        (form(a=TEXT) | {"x-order": ["a", "a"]}, "schema.x-order"),
        (form(A=TEXT), "schema.properties.A"),
        (form(a={"type": "null"}), "schema.properties.a"),
        (form(a=TEXT | {"$ref": "#"}), "schema.properties.a.$ref"),
        (form(a=TEXT | {"minimum": 1}), "schema.properties.a.minimum"),
        (form(a=TEXT | {"format": "email"}), "schema.properties.a.format"),
        (form(a={"type": "array"}), "schema.properties.a.items"),
        (form(a={"type": "array", "items": {"type": "array"}}), "schema.properties.a.items"),
        (form(a={"type": "object"}), "schema.properties.a"),
        (form(a=TEXT | {"pattern": "("}), "schema.properties.a.pattern"),
        (form(a=TEXT | {"maxLength": "9"}), "schema.properties.a.maxLength"),
        (form(a={"type": "integer", "default": "4"}), "schema.properties.a"),
        (form(a={"type": "integer", "maximum": 3, "examples": [4]}), "schema.properties.a"),
    ],
)
def test_what_may_not_be_published_is_named_by_its_path(schema: object, path: str) -> None:
    assert path in [error.path for error in check_schema(schema)]


def test_the_order_of_the_form_survives_a_sorted_store() -> None:
    schema = form(b=TEXT, a=TEXT) | {"x-order": ["b", "a"]}
    schema["properties"] = dict(sorted(schema["properties"].items()))
    assert list(ordered_properties(schema)) == ["b", "a"]


def test_an_example_takes_default_then_example_then_first_choice() -> None:
    schema = form(
        a=TEXT | {"default": "d", "examples": ["e"]},
        b=TEXT | {"examples": ["e"]},
        c=TEXT | {"enum": ["first", "second"]},
        d={"type": "boolean", "default": False},
        e=TEXT,
    )
    assert example(schema) == {"a": "d", "b": "e", "c": "first", "d": False}
