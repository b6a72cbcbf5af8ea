"""The forms that may be published: a subset of JSON Schema 2020-12, one flat object of typed fields.

No oneOf, anyOf, allOf, $ref or if: a choice of variants is two templates or an enum. Our own keywords:
x-order (names of all properties in the order of the form; PostgreSQL's jsonb does not keep an object's order),
and for one property x-section (title of its group), x-advanced (folded away), x-message (shown when `pattern`
does not match) and x-unit (shown behind the field).
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import jsonschema

from portal.errors import FieldError

Schema = Mapping[str, Any]

MAX_PROPERTIES = 60
SCALARS = ("string", "integer", "number", "boolean")
_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
_OF_ALL = {"type", "title", "description", "default", "examples", "enum", "const", "readOnly", "deprecated",
           "x-section", "x-advanced", "x-message", "x-unit"}  # fmt: skip
_NUMERIC = {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "format"}
_OF_TYPE = {
    "string": {"pattern", "minLength", "maxLength", "format"},
    "integer": _NUMERIC,
    "number": _NUMERIC,
    "boolean": set(),
    "array": {"items", "minItems", "maxItems", "uniqueItems"},
    "object": {"additionalProperties", "minProperties", "maxProperties"},
}
# shell: several lines. image, pvc and quantity are checked by jobs.spec.text. duration: whole hours.
FORMATS = {"string": {"shell", "image", "pvc", "quantity"}, "integer": {"duration"}, "number": set[str]()}


def check_schema(schema: object) -> list[FieldError]:
    """What keeps a schema from being published, with paths that begin with "schema"; [] when nothing does."""
    if not isinstance(schema, Mapping) or schema.get("type") != "object":
        return [FieldError("schema", "Write a JSON Schema whose type is object.")]
    properties = schema.get("properties")
    if not isinstance(properties, Mapping) or not 0 < len(properties) <= MAX_PROPERTIES:
        return [FieldError("schema.properties", f"List 1 to {MAX_PROPERTIES} properties.")]
    errors = list(_top(schema, properties))
    for name, field in properties.items():
        errors += _property(f"schema.properties.{name}", name, field)
    return errors or list(_by_the_standard(schema))


def ordered_properties(schema: Schema) -> dict[str, Schema]:
    """The properties in the order of the form."""
    properties = schema["properties"]
    return {name: properties[name] for name in schema.get("x-order") or properties}


def example(schema: Schema) -> dict[str, Any]:
    """Values that an author vouches for: each property's default, first example or first choice, where it has one."""
    values: dict[str, Any] = {}
    for name, field in ordered_properties(schema).items():
        candidates = [field[keyword] for keyword in ("default", "const") if keyword in field]
        candidates += [*field.get("examples", []), *field.get("enum", [])]
        if candidates:
            values[name] = candidates[0]
    return values


def _top(schema: Schema, properties: Mapping[str, Any]) -> Iterator[FieldError]:
    allowed = {"$schema", "type", "title", "description", "properties", "required", "additionalProperties", "x-order"}
    yield from _unknown("schema", schema, allowed)
    if schema.get("additionalProperties", False) is not False:
        yield FieldError("schema.additionalProperties", "Leave it out: unknown fields are always refused.")
    required = schema.get("required", [])
    if not isinstance(required, list) or not set(map(str, required)) <= set(properties):
        yield FieldError("schema.required", "List names of properties only.")
    order = schema.get("x-order", list(properties))
    if not isinstance(order, list) or sorted(map(str, order)) != sorted(properties):
        yield FieldError("schema.x-order", "List every property exactly once.")


def _property(path: str, name: object, field: object) -> Iterator[FieldError]:
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        yield FieldError(path, "Name a property in lower case: a letter, then letters, digits or _ (at most 40).")
    if not isinstance(field, Mapping) or field.get("type") not in _OF_TYPE:
        yield FieldError(path, f"Give the property a type: {', '.join(_OF_TYPE)}.")
        return
    kind = field["type"]
    yield from _unknown(path, field, _OF_ALL | _OF_TYPE[kind])
    if "format" in field and field["format"] not in FORMATS[kind]:
        yield FieldError(f"{path}.format", f"Use one of {', '.join(sorted(FORMATS[kind])) or 'none'}.")
    if kind == "array":
        yield from _items(f"{path}.items", field.get("items"))
    if kind == "object" and field.get("additionalProperties") != {"type": "string"}:
        yield FieldError(path, 'A map holds strings: write additionalProperties: {"type": "string"}.')


def _items(path: str, items: object) -> Iterator[FieldError]:
    if not isinstance(items, Mapping) or items.get("type") not in SCALARS:
        yield FieldError(path, f"Say which scalars the list holds: {', '.join(SCALARS)}.")
        return
    yield from _unknown(path, items, {"type", "enum"} | _OF_TYPE[items["type"]])


def _unknown(path: str, found: Schema, allowed: set[str]) -> Iterator[FieldError]:
    for keyword in found:
        if keyword not in allowed:
            yield FieldError(f"{path}.{keyword}", f"{keyword!r} is not a keyword that forms know here.")


def _by_the_standard(schema: Schema) -> Iterator[FieldError]:
    """Keywords with malformed values, and defaults that their own field would refuse."""
    validator = jsonschema.Draft202012Validator
    for error in validator(validator.META_SCHEMA).iter_errors(schema):
        yield FieldError(".".join(["schema", *map(str, error.absolute_path)]), error.message)
        return
    for name, field in schema["properties"].items():
        yield from _regex(f"schema.properties.{name}.pattern", field.get("pattern", ""))
        samples = [field["default"]] if "default" in field else []
        for value in [*samples, *field.get("examples", [])]:
            if not validator(field).is_valid(value):
                yield FieldError(f"schema.properties.{name}", f"Its default or example {value!r} would be refused.")


def _regex(path: str, pattern: str) -> Iterator[FieldError]:
    try:
        re.compile(pattern)
    except re.error as error:
        yield FieldError(path, f"This is not a regular expression: {error}.")
