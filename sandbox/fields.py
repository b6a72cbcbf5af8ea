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


def flatten(obj: dict[str, Any], topology: Topology, maps: bool = True) -> dict[Path, Any]:
    """Every ownable leaf of `obj` with its value.

    Items of lists with keys, and maps that are values of free keys, appear themselves too, with the value True;
    with `maps` every map and every list with keys does: an ordinary write owns those it made, an apply does not.
    """
    leaves: dict[Path, Any] = {}
    walk = _Walk(leaves, maps)
    for name, value in obj.items():
        if name == "metadata":
            for key, inner in value.items():
                if key not in _UNOWNED:
                    walk.at(inner, ("f:metadata", f"f:{key}"), topology.field(name).field(key))
        elif name not in ("apiVersion", "kind"):
            walk.at(value, (f"f:{name}",), topology.field(name))
    return leaves


@dataclass(frozen=True, slots=True)
class _Walk:
    """Collects leaves; see `flatten`."""

    leaves: dict[Path, Any]
    maps: bool

    def at(self, value: Any, path: Path, topology: Topology) -> None:
        if isinstance(value, dict) and value and not topology.atomic:
            self._map(value, path, topology)
        elif isinstance(value, list) and value and (topology.keys or topology.is_set):
            self._list(value, path, topology)
        else:
            self.leaves[path] = value

    def _map(self, value: dict[str, Any], path: Path, topology: Topology) -> None:
        if self.maps:
            self.leaves[path] = True
        for name, inner in value.items():
            place = (*path, f"f:{name}")
            if topology.is_free and isinstance(inner, dict):
                self.leaves[place] = True
            self.at(inner, place, topology.field(name))

    def _list(self, value: list[Any], path: Path, topology: Topology) -> None:
        if self.maps:
            self.leaves[path] = True
        for item in value:
            if topology.is_set:
                self.leaves[(*path, "v:" + json.dumps(item))] = True
                continue
            element = (*path, key_element(item, topology.keys))
            self.leaves[element] = True
            self.at(item, element, topology.item())


def ordered(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """managedFields as the server writes them: applies first, then by time and manager."""
    return sorted(entries, key=lambda item: (item["operation"] != "Apply", item["time"], item["manager"]))


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
    for element, child in list(node.items()):
        if child:
            _mark(child, (*path, element), marked)
            if (*path, element) in marked:
                node[element] = {".": {}, **child}


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
    return ordered(entries)
