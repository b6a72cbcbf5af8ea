"""Placeholders in a template's body. Each is an object with a key that begins with "$", in place of the value:

    {"$value": "image"}                      the value of a field, with its type
    {"$concat": ["--model=", {"$value": …}]} one text out of texts and numbers
    {"$splat": "arguments"}                  in a list: the entries of a list field
    {"$fact": "workers"}                     what follows from the rest of the job (jobs.spec.render)
    {"$seconds": "time_limit_hours"}         a whole number of hours, in seconds
    {"$choice": "size", "options": {…}}      the option with the name of the value; without one, nothing

A placeholder of a field that was left out is nothing: its key or list entry is not there.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from jobs.spec.schema import Schema
from portal.errors import FieldError

MAX_DEPTH = 12
FACTS = ("rendezvous_endpoint", "workers", "gpus_per_worker")


class _Nothing:
    """The value of a placeholder whose field was left out."""


NOTHING: Final = _Nothing()


def resolve(node: object, values: Mapping[str, Any], facts: Mapping[str, str | int]) -> Any:
    """`node` with its placeholders replaced, or NOTHING. The body passed check_placeholders."""
    if isinstance(node, list):
        entries = [entry for item in node for entry in _entries(item, values, facts)]
        return [entry for entry in entries if entry is not NOTHING]
    if not isinstance(node, Mapping):
        return node
    if _keyword(node):
        return _replace(node, values, facts)
    resolved = {key: resolve(value, values, facts) for key, value in node.items()}
    return {key: value for key, value in resolved.items() if value is not NOTHING}


def _entries(item: object, values: Mapping[str, Any], facts: Mapping[str, str | int]) -> list[Any]:
    if isinstance(item, Mapping) and "$splat" in item:
        return list(values.get(item["$splat"], []))
    return [resolve(item, values, facts)]


def _replace(node: Mapping[str, Any], values: Mapping[str, Any], facts: Mapping[str, str | int]) -> Any:
    match node:
        case {"$value": name}:
            return values.get(name, NOTHING)
        case {"$fact": name}:
            return facts[name]
        case {"$seconds": name}:
            return values[name] * 3600 if name in values else NOTHING
        case {"$choice": name, "options": options}:
            return resolve(options.get(str(values.get(name)), NOTHING), values, facts)
        case {"$concat": parts}:
            texts = [resolve(part, values, facts) for part in parts]
            return NOTHING if NOTHING in texts else "".join(map(str, texts))
    raise KeyError(_keyword(node))


def _keyword(node: Mapping[str, Any]) -> str:
    return next((key for key in node if key.startswith("$")), "")


def field_of(body: object, path: str) -> str:
    """The form's field that a part of the body came from: "values.workers" for "pod_sets.0.replicas", else "template".

    Follows the dotted path as far as it goes and takes the first placeholder of a field there.
    """
    node, rest = body, path
    while rest:
        steps = _steps(node)
        # Keys may hold dots themselves ("nvidia.com/gpu"), so the path cannot be split beforehand.
        step = max((key for key in steps if f"{rest}.".startswith(f"{key}.")), key=len, default="")
        if not step:
            break
        node, rest = steps[step], rest[len(step) + 1 :]
    return next((f"values.{name}" for _, name in _fields(node, "")), "template")


def _steps(node: object) -> Mapping[str, Any]:
    if isinstance(node, list):
        return {str(index): item for index, item in enumerate(node)}
    return node if isinstance(node, Mapping) else {}


def check_placeholders(schema: Schema, body: object) -> list[FieldError]:
    """Placeholders that are malformed or name no property of the schema; paths begin with "body"."""
    if not isinstance(body, Mapping):
        return [FieldError("body", "Write an object here.")]
    try:
        found = list(_fields(body, "body"))
        errors = list(_malformed(body, "body", 0))
    except RecursionError:
        return [FieldError("body", f"Nest the body at most {MAX_DEPTH} levels deep.")]
    properties = schema["properties"]
    return errors or [
        FieldError(path, f"There is no property {name!r}.") for path, name in found if name not in properties
    ]


def _fields(node: object, path: str) -> Iterator[tuple[str, str]]:
    """Every (path, field name) that a placeholder below `node` names."""
    if isinstance(node, list):
        for index, item in enumerate(node):
            yield from _fields(item, f"{path}.{index}")
    elif isinstance(node, Mapping):
        for key, value in node.items():
            if key in {"$value", "$splat", "$seconds", "$choice"} and isinstance(value, str):
                yield path, value
            else:
                yield from _fields(value, f"{path}.{key}")


def _malformed(node: object, path: str, depth: int) -> Iterator[FieldError]:
    if depth > MAX_DEPTH:
        yield FieldError(path, f"Nest the body at most {MAX_DEPTH} levels deep.")
    elif isinstance(node, list):
        for index, item in enumerate(node):
            yield from _malformed(item, f"{path}.{index}", depth + 1)
    elif isinstance(node, Mapping):
        if _keyword(node) and not _well_formed(node):
            yield FieldError(path, f"{_keyword(node)} is not a placeholder of the right form.")
        for key, value in node.items():
            yield from _malformed(value, f"{path}.{key}", depth + 1)


def _well_formed(node: Mapping[str, Any]) -> bool:
    match node:
        case {"$value": str(), **rest} | {"$splat": str(), **rest} | {"$seconds": str(), **rest}:
            return not rest
        case {"$fact": name, **rest}:
            return not rest and name in FACTS
        case {"$concat": list(), **rest}:
            return not rest
        case {"$choice": str(), "options": dict(), **rest}:
            return not rest
    return False
