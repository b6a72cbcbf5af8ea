"""Unknown fields and defaults: what the API server does to an object before it looks at its values.

See k8s.io/apiextensions-apiserver, pkg/apiserver/schema/{pruning,defaulting} (Kubernetes 1.37).
"""

import copy
from typing import Any

from sandbox.schema import Schema


def prune(value: Any, schema: Schema, path: str = "") -> list[str]:
    """Take fields that the schema does not know out of `value`, in place, and return their paths."""
    if schema.get("x-kubernetes-preserve-unknown-fields"):
        return []
    if isinstance(value, dict):
        return _prune_map(value, schema, path)
    if isinstance(value, list) and "items" in schema:
        return [gone for index, item in enumerate(value) for gone in prune(item, schema["items"], f"{path}[{index}]")]
    return []


def _prune_map(value: dict[str, Any], schema: Schema, path: str) -> list[str]:
    extra = schema.get("additionalProperties")
    if extra is True:
        return []
    known = schema.get("properties", {})
    gone: list[str] = []
    for name in list(value):
        place = f"{path}.{name}" if path else name
        inner = known.get(name, extra)
        if inner is None:
            del value[name]
            gone.append(place)
        else:
            gone += prune(value[name], inner, place)
    return gone


def drop_nulls(value: Any) -> Any:
    """`value` without the fields that are null: to kinds that are Go types, null and absent are the same."""
    if isinstance(value, dict):
        return {name: drop_nulls(inner) for name, inner in value.items() if inner is not None}
    if isinstance(value, list):
        return [drop_nulls(item) for item in value]
    return value


def fill_defaults(value: Any, schema: Schema) -> None:
    """Put the schema's defaults into `value`, in place; a null for a field with a default counts as absent."""
    if isinstance(value, dict):
        _fill_map(value, schema)
    elif isinstance(value, list) and "items" in schema:
        for item in value:
            fill_defaults(item, schema["items"])


def _fill_map(value: dict[str, Any], schema: Schema) -> None:
    for name, inner in schema.get("properties", {}).items():
        if "default" in inner and value.get(name) is None and not inner.get("nullable"):
            value[name] = copy.deepcopy(inner["default"])
        if name in value:
            fill_defaults(value[name], inner)
    extra = schema.get("additionalProperties")
    if isinstance(extra, dict):
        for inner_value in value.values():
            fill_defaults(inner_value, extra)
