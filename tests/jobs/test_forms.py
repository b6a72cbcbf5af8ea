import pytest
from django.http import QueryDict

from jobs.forms import SubmissionForm, parsed
from portal.errors import FieldError

SCHEMA = {
    "type": "object",
    "required": ["image", "workers"],
    "x-order": ["image", "workers", "gpus", "arguments", "note", "debug", "labels"],
    "properties": {
        "image": {"type": "string", "format": "image", "title": "Image", "x-section": "Training"},
        "workers": {"type": "integer", "title": "Workers", "default": 4, "x-section": "Resources"},
        "gpus": {"type": "integer", "enum": [1, 2, 4, 8], "default": 4, "x-section": "Resources"},
        "arguments": {"type": "array", "items": {"type": "string"}, "x-section": "Training", "x-advanced": True},
        "note": {"type": "string", "maxLength": 400, "x-section": "Training"},
        "debug": {"type": "boolean", "x-section": "Training"},
        "labels": {"type": "object", "additionalProperties": {"type": "string"}, "x-section": "Training"},
    },
}


def form(**data):
    query = QueryDict(mutable=True)
    query.update(data)
    return SubmissionForm(SCHEMA, version=1, data=query if data else None)


@pytest.mark.parametrize(
    ("schema", "raw", "value"),
    [
        ({"type": "integer"}, " 12 ", 12),
        ({"type": "integer"}, "-3", -3),
        ({"type": "integer"}, "1e3", "1e3"),
        ({"type": "integer"}, "9" * 31, "9" * 31),
        ({"type": "integer"}, "٣", "٣"),
        ({"type": "number"}, "0.5", 0.5),
        ({"type": "number"}, "nan", "nan"),
        ({"type": "string"}, "  x ", "x"),
        ({"type": "string"}, "", None),
        ({"type": "string", "format": "shell"}, "a\r\n b", "a\n b"),
        ({"type": "array", "items": {"type": "string"}}, "--a\r\n\r\n --b ", ["--a", "--b"]),
        ({"type": "array", "items": {"type": "integer"}}, "1\nx", [1, "x"]),
        ({"type": "object"}, "A=1\nB", {"A": "1", "B": None}),
        ({"type": "boolean"}, "on", True),
        ({"type": "boolean"}, None, False),
    ],
)
def test_text_becomes_json_and_what_is_none_stays_text(schema, raw, value):
    assert parsed(schema, raw) == value


def test_sections_keep_the_order_of_the_schema_and_the_name_leads():
    sections = list(form().sections())
    names = [
        (each.title, [field.name for field in each.fields], [field.name for field in each.advanced])
        for each in sections
    ]
    training = ["name", "values.image", "values.note", "values.debug", "values.labels"]
    assert names == [
        ("Training", training, ["values.arguments"]),
        ("Resources", ["values.workers", "values.gpus"], []),
    ]


def test_values_are_what_rest_would_send():
    filled = form(name="n", **{"values.image": "r/i:1", "values.workers": "2", "values.gpus": "8", "surprise": "1"})
    assert filled.is_valid()
    assert filled.values() == {"image": "r/i:1", "workers": 2, "gpus": 8, "debug": False, "surprise": "1"}


def test_an_error_stands_by_its_field_and_one_without_field_above_the_form():
    filled = form(name="n")
    filled.is_valid()
    filled.show([FieldError("values.workers", "Enter 64 or less."), FieldError("values.surprise", "No such field.")])
    assert filled.errors["values.workers"] == ["Enter 64 or less."]
    assert filled.non_field_errors() == ["No such field."]


def test_what_was_typed_is_shown_again():
    html = str(form(name="<b>", **{"values.workers": "many"})["values.workers"])
    assert 'value="many"' in html


@pytest.mark.parametrize(("arguments", "unfolded"), [("", False), ("--x", True)])
def test_advanced_fields_unfold_when_they_are_filled_in(arguments, unfolded):
    filled = form(name="n", **{"values.arguments": arguments})
    assert next(filled.sections()).open is unfolded


def test_each_form_has_a_key_of_its_own_and_keeps_it_when_it_comes_back():
    first, second = form()["idempotency_key"].value(), form()["idempotency_key"].value()
    assert first != second
    assert form(name="n", idempotency_key=first)["idempotency_key"].value() == first


def test_a_field_is_checked_alone_and_names_its_message():
    attrs = form()["values.workers"].field.widget.attrs
    assert attrs["hx-post"] == "?part=field&f=values.workers"
    assert attrs["aria-describedby"] == "id_values.workers_error"


def test_a_viewer_cannot_type():
    readonly = SubmissionForm(SCHEMA, version=1, readonly=True)
    assert readonly.fields["values.workers"].disabled
    assert "hx-post" not in readonly.fields["values.workers"].widget.attrs
