"""Who owns which field: `metadata.managedFields` as sets of paths.

A path is a tuple of FieldsV1 elements: `f:spec`, `k:{"name":"pytorch"}` for an item of a list with keys,
`v:"orphan"` for a member of a set (sigs.k8s.io/structured-merge-diff v6, fieldpath/serialize.go).
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sandbox.topology import Topology

Path = tuple[str, ...]

_UNOWNED = frozenset(
    {
        "creationTimestamp",
        "deletionGracePeriodSeconds",
        "deletionTimestamp",
        "generateName",
        "generation",
        "managedFields",
        "name",
        "namespace",
        "resourceVersion",
        "selfLink",
        "uid",
    }
)


@dataclass(frozen=True, slots=True)
class Writer:
    """Who writes: the manager's name, how (`Update` or `Apply`) and through which subresource."""

    manager: str
    operation: str = "Update"
    subresource: str = ""

    def wrote(self, entry: dict[str, Any]) -> bool:
        """Whether a managedFields entry is this writer's."""
        return (
            entry.get("manager") == self.manager
            and entry.get("operation") == self.operation
            and entry.get("subresource", "") == self.subresource
        )


def key_element(item: Any, keys: Iterable[str]) -> str:
    """The path element of a list item with these keys."""
    values = {key: item[key] for key in sorted(keys) if isinstance(item, dict) and key in item}
    return "k:" + json.dumps(values, separators=(",", ":"))


def flatten(obj: dict[str, Any], topology: Topology) -> dict[Path, Any]:
    """Every ownable leaf of `obj` with its value; items of lists with keys appear themselves, with the value True."""
    leaves: dict[Path, Any] = {}
    for name, value in obj.items():
        if name in ("apiVersion", "kind"):
            continue
        if name == "metadata":
            value = {key: inner for key, inner in value.items() if key not in _UNOWNED}
            if not value:
                continue
        _walk(value, (f"f:{name}",), topology.field(name), leaves)
    return leaves


def _walk(value: Any, path: Path, topology: Topology, leaves: dict[Path, Any]) -> None:
    if isinstance(value, dict) and value and not topology.atomic:
        for name, inner in value.items():
            _walk(inner, (*path, f"f:{name}"), topology.field(name), leaves)
    elif isinstance(value, list) and value and topology.keys:
        for item in value:
            element = (*path, key_element(item, topology.keys))
            leaves[element] = True
            _walk(item, element, topology.item(), leaves)
    elif isinstance(value, list) and value and topology.is_set:
        for item in value:
            leaves[(*path, "v:" + json.dumps(item))] = True
    else:
        leaves[path] = value


def to_v1(paths: Iterable[Path]) -> dict[str, Any]:
    """A set of paths as FieldsV1."""
    root: dict[str, Any] = {}
    for path in sorted(paths):
        node = root
        for element in path[:-1]:
            parent = node
            node = parent.setdefault(element, {})
        node.setdefault(path[-1], {})
    marked = set(paths)
    _mark(root, (), marked)
    return root


def _mark(node: dict[str, Any], path: Path, marked: set[Path]) -> None:
    """An owned place that has owned places below it carries a dot."""
    for element, child in node.items():
        if child:
            _mark(child, (*path, element), marked)
    if node and path in marked:
        node["."] = {}


def from_v1(fields: dict[str, Any], prefix: Path = ()) -> set[Path]:
    """FieldsV1 as a set of paths."""
    paths: set[Path] = set()
    for element, child in fields.items():
        if element == ".":
            paths.add(prefix)
        elif child:
            paths |= from_v1(child, (*prefix, element))
        else:
            paths.add((*prefix, element))
    return paths


def readable(path: Path) -> str:
    """A path as conflict messages show it: `.spec.template.containers[name="pytorch"].image`."""
    text = ""
    for element in path:
        mark, _, rest = element.partition(":")
        if mark == "k":
            pairs = [f"{key}={json.dumps(value)}" for key, value in json.loads(rest).items()]
            text += "[" + ",".join(pairs) + "]"
        elif mark == "v":
            text += f"[={rest}]"
        else:
            text += f".{rest}"
    return text


def entry(writer: Writer, paths: set[Path], api_version: str, time: str) -> dict[str, Any]:
    """One item of `metadata.managedFields`; `time` is RFC 3339."""
    item = {
        "manager": writer.manager,
        "operation": writer.operation,
        "apiVersion": api_version,
        "time": time,
        "fieldsType": "FieldsV1",
        "fieldsV1": to_v1(paths),
    }
    if writer.subresource:
        item["subresource"] = writer.subresource
    return item


def track(
    before: dict[str, Any] | None, after: dict[str, Any], writer: Writer, topology: Topology, time: str
) -> list[dict[str, Any]]:
    """The managedFields of `after` once `writer` has made it out of `before` by an ordinary write.

    What changed belongs to the writer from now on, what vanished to nobody; all else stays as it was.
    """
    old = flatten(before, topology) if before else {}
    new = flatten(after, topology)
    changed = {path for path, value in new.items() if path not in old or old[path] != value}
    gone = old.keys() - new.keys()
    entries: list[dict[str, Any]] = []
    mine: set[Path] = set()
    for item in (before or {}).get("metadata", {}).get("managedFields", []):
        paths = from_v1(item["fieldsV1"])
        if writer.wrote(item):
            mine = paths - gone
            if mine and not changed - mine:
                entries.append(item if mine == paths else item | {"fieldsV1": to_v1(mine), "time": time})
            continue
        kept = paths - changed - gone
        if kept == paths:
            entries.append(item)
        elif kept:
            entries.append(item | {"fieldsV1": to_v1(kept)})
    if changed - mine:
        entries.append(entry(writer, mine | changed, after["apiVersion"], time))
    return entries
