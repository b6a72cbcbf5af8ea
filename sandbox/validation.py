"""Values against a structural schema, with the API server's own words.

Sources: k8s.io/kube-openapi, pkg/validation/errors, and k8s.io/apimachinery, pkg/util/validation/field/errors.go.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

from sandbox.errors import cause
from sandbox.schema import Schema
from sandbox.topology import Topology

Cause = dict[str, str]

_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
}
_INTEGER_BITS = {"int32": 31, "int64": 63}


def check(value: Any, schema: Schema, path: str = "") -> Iterator[Cause]:
    """Everything that is wrong with `value`; `path` is its place (`spec.replicas`)."""
    if value is None and schema.get("nullable"):
        return
    if schema.get("x-kubernetes-int-or-string"):
        yield from _int_or_string(value, schema, path)
        return
    wrong = _wrong_type(value, schema, path)
    if wrong:
        yield wrong
        return
    yield from _enum(value, schema, path)
    if isinstance(value, dict):
        yield from _map(value, schema, path)
    elif isinstance(value, list):
        yield from _list(value, schema, path)
    elif isinstance(value, str):
        yield from _text(value, schema, path)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield from _number(value, schema, path)


def _shown(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def _invalid(value: Any, path: str, why: str) -> Cause:
    return cause("FieldValueInvalid", f"Invalid value: {_shown(value)}: {path} in body {why}", path)


def _wrong_type(value: Any, schema: Schema, path: str) -> Cause | None:
    wanted = schema.get("type")
    if wanted is None:
        return None
    fits = isinstance(value, _TYPES[wanted]) and (wanted == "boolean" or not isinstance(value, bool))
    if fits:
        return None
    actual = _type_name(value)
    message = f'Invalid value: "{actual}": {path} in body must be of type {wanted}: "{actual}"'
    return cause("FieldValueTypeInvalid", message, path)


def _type_name(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    return next(name for name, types in _TYPES.items() if isinstance(value, types))


def _int_or_string(value: Any, schema: Schema, path: str) -> Iterator[Cause]:
    if isinstance(value, bool) or not isinstance(value, int | str):
        actual = _type_name(value)
        message = f'Invalid value: "{actual}": {path} in body must be of type integer,string: "{actual}"'
        yield cause("FieldValueTypeInvalid", message, path)
    elif isinstance(value, str):
        yield from _pattern(value, schema, path)


def _enum(value: Any, schema: Schema, path: str) -> Iterator[Cause]:
    allowed = schema.get("enum")
    if allowed is not None and value not in allowed:
        listed = ", ".join(_shown(item) for item in allowed)
        yield cause("FieldValueNotSupported", f"Unsupported value: {_shown(value)}: supported values: {listed}", path)


def _map(value: dict[str, Any], schema: Schema, path: str) -> Iterator[Cause]:
    for name in schema.get("required", ()):
        if name not in value:
            yield cause("FieldValueRequired", "Required value", _join(path, name))
    limit = schema.get("maxProperties")
    if limit is not None and len(value) > limit:
        yield cause("FieldValueTooMany", f"Too many: {len(value)}: must have at most {limit} items", path)
    known = schema.get("properties", {})
    extra = schema.get("additionalProperties")
    for name, inner in value.items():
        rules = known.get(name, extra)
        if isinstance(rules, dict):
            yield from check(inner, rules, _join(path, name))


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _list(value: list[Any], schema: Schema, path: str) -> Iterator[Cause]:
    most, least = schema.get("maxItems"), schema.get("minItems")
    if most is not None and len(value) > most:
        yield cause("FieldValueTooMany", f"Too many: {len(value)}: must have at most {most} items", path)
    if least is not None and len(value) < least:
        yield _invalid(len(value), path, f"should have at least {least} items")
    rules = schema.get("items", {})
    for index, item in enumerate(value):
        yield from check(item, rules, f"{path}[{index}]")


def duplicates(value: Any, schema: Schema, path: str = "") -> Iterator[Cause]:
    """Keys that stand twice in lists with keys, and members in sets. Free keys stand in brackets in these paths."""
    if isinstance(value, dict):
        known = schema.get("properties", {})
        extra = schema.get("additionalProperties")
        for name, inner in value.items():
            if name in known:
                yield from duplicates(inner, known[name], _join(path, name))
            elif isinstance(extra, dict):
                yield from duplicates(inner, extra, f"{path}[{name}]")
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from duplicates(item, schema.get("items", {}), f"{path}[{index}]")
        yield from _repeated(value, Topology(schema), path)


def _repeated(value: list[Any], topology: Topology, path: str) -> Iterator[Cause]:
    if not topology.keys and not topology.is_set:
        return
    seen: set[str] = set()
    for index, item in enumerate(value):
        if topology.keys and not isinstance(item, dict):
            continue
        text = _shown({name: item[name] for name in topology.keys if name in item} if topology.keys else item)
        if text in seen:
            yield cause("FieldValueDuplicate", f"Duplicate value: {text}", f"{path}[{index}]")
        seen.add(text)


def _text(value: str, schema: Schema, path: str) -> Iterator[Cause]:
    most, least = schema.get("maxLength"), schema.get("minLength")
    if most is not None and len(value) > most:
        yield cause("FieldValueTooLong", f"Too long: may not be more than {most} bytes", path)
    if least is not None and len(value) < least:
        yield _invalid(value, path, f"should be at least {least} chars long")
    yield from _pattern(value, schema, path)
    if schema.get("format") == "date-time" and not _DATE_TIME.match(value):
        yield _invalid(value, path, f"must be of type date-time: {_shown(value)}")


_DATE_TIME = re.compile(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$")


def _pattern(value: str, schema: Schema, path: str) -> Iterator[Cause]:
    pattern = schema.get("pattern")
    if pattern and not re.search(pattern.replace("$", r"\Z") if pattern.endswith("$") else pattern, value):
        yield _invalid(value, path, f"should match '{pattern}'")


def _number(value: float, schema: Schema, path: str) -> Iterator[Cause]:
    least, most = schema.get("minimum"), schema.get("maximum")
    if least is not None and value < least:
        yield _invalid(value, path, f"should be greater than or equal to {least}")
    if most is not None and value > most:
        yield _invalid(value, path, f"should be less than or equal to {most}")
    bits = _INTEGER_BITS.get(schema.get("format", ""))
    if bits and not -(2**bits) <= value < 2**bits:
        yield _invalid(value, path, f"must be of type {schema['format']}: {_shown(value)}")
