"""Merge patches (RFC 7386) and JSON patches (RFC 6902)."""

import copy
from typing import Any

from sandbox.errors import StatusError, bad_request
from sandbox.records import encode
from sandbox.topology import Topology


def merge(target: Any, patch: Any) -> Any:
    """The result of a merge patch; null removes, lists are replaced as a whole."""
    if not isinstance(patch, dict):
        return copy.deepcopy(patch)
    result = dict(target) if isinstance(target, dict) else {}
    for name, value in patch.items():
        if value is None:
            result.pop(name, None)
        else:
            result[name] = merge(result.get(name), value)
    return result


def merge_by_key(target: Any, patch: Any, topology: Topology) -> Any:
    """Like `merge`, but lists with keys merge item by item and sets become unions.

    This is a strategic merge patch without its `$patch` directives, and the merge of server-side apply.
    """
    if isinstance(patch, dict) and isinstance(target, dict) and not topology.atomic:
        result = dict(target)
        for name, value in patch.items():
            if value is None:
                result.pop(name, None)
            else:
                result[name] = merge_by_key(result.get(name), value, topology.field(name))
        return result
    if isinstance(patch, list) and isinstance(target, list):
        if topology.keys:
            return _merge_items(target, patch, topology)
        if topology.is_set:
            return target + [item for item in patch if item not in target]
    return copy.deepcopy(patch)


def _merge_items(target: list[Any], patch: list[Any], topology: Topology) -> list[Any]:
    def key(item: Any) -> str:
        return encode([item.get(name) for name in topology.keys] if isinstance(item, dict) else item)

    result = list(target)
    places = {key(item): index for index, item in enumerate(result)}
    for item in patch:
        index = places.get(key(item))
        if index is None:
            places[key(item)] = len(result)
            result.append(copy.deepcopy(item))
        else:
            result[index] = merge_by_key(result[index], item, topology.item())
    return result


def apply_operations(target: Any, operations: Any) -> Any:
    """The result of a JSON patch; 400 for one that is malformed, 422 for one that does not fit the object."""
    if not isinstance(operations, list):
        raise bad_request("error decoding patch: a JSON patch is an array of operations")
    document: Any = {"": copy.deepcopy(target)}
    for operation in operations:
        try:
            _operate(document, operation)
        except (KeyError, IndexError, ValueError, TypeError) as error:
            raise StatusError(
                422, "Invalid", "the server rejected our request due to an error in our request"
            ) from error
    return document[""]


def _operate(document: Any, operation: dict[str, Any]) -> None:
    name, path = operation["op"], _pointer(operation["path"])
    if name == "add":
        _add(document, path, copy.deepcopy(operation["value"]))
    elif name == "remove":
        _take(document, path)
    elif name == "replace":
        _take(document, path)
        _add(document, path, copy.deepcopy(operation["value"]))
    elif name == "move":
        _add(document, path, _take(document, _pointer(operation["from"])))
    elif name == "copy":
        _add(document, path, copy.deepcopy(_read(document, _pointer(operation["from"]))))
    elif name == "test":
        if _read(document, path) != operation["value"]:
            raise ValueError(f"testing value {operation['path']} failed")
    else:
        raise ValueError(f"unexpected kind: {name}")


def _pointer(text: str) -> list[str]:
    if text and not text.startswith("/"):
        raise ValueError(f"{text} is no JSON pointer")
    return [part.replace("~1", "/").replace("~0", "~") for part in text.split("/")]


def _read(document: Any, path: list[str]) -> Any:
    for part in path:
        document = document[int(part)] if isinstance(document, list) else document[part]
    return document


def _take(document: Any, path: list[str]) -> Any:
    parent = _read(document, path[:-1])
    return parent.pop(int(path[-1]) if isinstance(parent, list) else path[-1])


def _add(document: Any, path: list[str], value: Any) -> None:
    parent = _read(document, path[:-1])
    if not isinstance(parent, list):
        parent[path[-1]] = value
    elif path[-1] == "-":
        parent.append(value)
    elif 0 <= int(path[-1]) <= len(parent):
        parent.insert(int(path[-1]), value)
    else:
        raise IndexError(path[-1])
