"""Checks what somebody filled in against a template's schema: one message per field, saying what to do.

Every check looks at a scalar or at one level of a list or map, so that no input can make it recurse.
"""

import math
import re
from collections.abc import Mapping
from typing import Any

from jobs.spec.canonical import canonical
from jobs.spec.schema import Schema, ordered_properties
from jobs.spec.text import MAX_TEXT, bad_character, check_claim, check_image, check_quantity
from portal.errors import FieldError

MAX_VALUES_BYTES = 32 * 1024
MAX_ITEMS = 200
MAX_INTEGER = 2**53 - 1  # the largest whole number that every JSON reader keeps exactly (RFC 8259, section 6)
MAX_UNKNOWN = 10  # messages about unknown fields; more help nobody


def check_values(
    schema: Schema, values: object, image_prefixes: tuple[str, ...] = ()
) -> tuple[dict[str, Any], list[FieldError]]:
    """The values with defaults added, and the errors, each with the path "values.<field>".

    With errors, the values are those that passed. null counts as left out. `schema` passed check_schema.
    """
    if not isinstance(values, Mapping):
        return {}, [FieldError("values", "Send the values as an object of fields.")]
    clean: dict[str, Any] = {}
    properties = ordered_properties(schema)
    errors = _unknown(values, properties)
    for name, field in properties.items():
        value = values.get(name, None)
        if value is None or value == "":
            value = field.get("default")
        if value is None:
            message = _missing(field) if name in schema.get("required", []) else ""
        else:
            message = check_value(field, value, image_prefixes)
        if message:
            errors.append(FieldError(f"values.{name}", message))
        elif value is not None:
            clean[name] = value
    return clean, errors or _too_big(clean)


def check_value(field: Schema, value: object, image_prefixes: tuple[str, ...] = ()) -> str:
    """What is wrong with one field's value, or ""."""
    match field["type"]:
        case "array":
            return _list(field, value, image_prefixes)
        case "object":
            return _map(field, value)
        case _:
            return _scalar(field, value, image_prefixes)


def _unknown(values: Mapping[Any, Any], properties: Mapping[str, Schema]) -> list[FieldError]:
    names = [str(name)[:40] for name in values if name not in properties]
    shown = [name if not bad_character(name) else "?" for name in names]
    return [FieldError(f"values.{name}", f"This template has no field {name!r}.") for name in shown[:MAX_UNKNOWN]]


def _missing(field: Schema) -> str:
    return f"Fill in {field.get('title', 'this field')}."


def _too_big(values: dict[str, Any]) -> list[FieldError]:
    size = len(canonical(values))
    if size <= MAX_VALUES_BYTES:
        return []
    return [FieldError("values", f"All values together are {size} bytes; use at most {MAX_VALUES_BYTES}.")]


def _scalar(field: Schema, value: object, image_prefixes: tuple[str, ...] = ()) -> str:
    match field["type"]:
        case "string":
            message = _string(field, value, image_prefixes)
        case "boolean":
            message = "" if isinstance(value, bool) else "Choose yes or no (true or false)."
        case "integer":
            message = _integer(value) or _range(field, value)
        case _:
            message = _number(value) or _range(field, value)
    return message or _choice(field, value)


def _choice(field: Schema, value: object) -> str:
    choices = [field["const"]] if "const" in field else field.get("enum")
    if choices is None or any(value == choice and type(value) is type(choice) for choice in choices):
        return ""
    return f"Choose one of {', '.join(map(str, choices))}." if len(choices) > 1 else f"This must be {choices[0]}."


def _string(field: Schema, value: object, image_prefixes: tuple[str, ...]) -> str:
    if not isinstance(value, str):
        return "Enter text."
    most = field.get("maxLength", MAX_TEXT)
    if len(value) > most:
        return f"Use at most {most} characters; this has {len(value)}."
    if len(value) < field.get("minLength", 0):
        return f"Use at least {field['minLength']} characters; this has {len(value)}."
    wrong = bad_character(value, lines=field.get("format") == "shell")
    if wrong:
        return wrong
    if "pattern" in field and not re.search(field["pattern"], value):
        return str(field.get("x-message") or f"This does not have the form {field['pattern']}.")
    return _format(field.get("format", ""), value, image_prefixes)


def _format(name: str, value: str, image_prefixes: tuple[str, ...]) -> str:
    match name:
        case "image":
            return check_image(value, image_prefixes)
        case "pvc":
            return check_claim(value)
        case "quantity":
            return check_quantity(value)
        case _:
            return ""


def _integer(value: object) -> str:
    if not isinstance(value, int) or isinstance(value, bool):
        return "Enter a whole number in digits, such as 4."
    return "" if abs(value) <= MAX_INTEGER else f"Enter a number of at most {MAX_INTEGER}."


def _number(value: object) -> str:
    if not isinstance(value, int | float) or isinstance(value, bool) or not math.isfinite(value):
        return "Enter a number, such as 0.5."
    return "" if abs(value) <= MAX_INTEGER else f"Enter a number of at most {MAX_INTEGER}."


def _range(field: Schema, value: Any) -> str:
    if "minimum" in field and value < field["minimum"]:
        return f"Enter {field['minimum']} or more."
    if "maximum" in field and value > field["maximum"]:
        return f"Enter {field['maximum']} or less."
    if "exclusiveMinimum" in field and value <= field["exclusiveMinimum"]:
        return f"Enter more than {field['exclusiveMinimum']}."
    if "exclusiveMaximum" in field and value >= field["exclusiveMaximum"]:
        return f"Enter less than {field['exclusiveMaximum']}."
    if "multipleOf" in field and value % field["multipleOf"] != 0:
        return f"Enter a multiple of {field['multipleOf']}."
    return ""


def _list(field: Schema, value: object, image_prefixes: tuple[str, ...]) -> str:
    if not isinstance(value, list):
        return "Send a list."
    most = field.get("maxItems", MAX_ITEMS)
    if len(value) > most:
        return f"Use at most {most} entries; this has {len(value)}."
    if len(value) < field.get("minItems", 0):
        return f"List at least {field['minItems']}; this has {len(value)}."
    for number, item in enumerate(value, start=1):
        message = _scalar(field["items"], item, image_prefixes)
        if message:
            return f"Entry {number}: {message}"
    repeated = len(set(value)) < len(value)
    return "Remove the entry that is there twice." if field.get("uniqueItems") and repeated else ""


def _map(field: Schema, value: object) -> str:
    if not isinstance(value, Mapping):
        return "Send a map of names to texts."
    most, least = field.get("maxProperties", MAX_ITEMS), field.get("minProperties", 0)
    if not least <= len(value) <= most:
        return f"Use {least} to {most} entries; this has {len(value)}."
    for number, entry in enumerate(value.items(), start=1):
        for text in entry:
            message = _string({}, text, ())
            if message:
                return f"Entry {number}: {message}"
    return ""
