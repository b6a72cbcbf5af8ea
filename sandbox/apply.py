"""Server-side apply: merge what somebody wants into what there is, and remember who wanted what.

Behaviour of sigs.k8s.io/structured-merge-diff v6 (merge/update.go); texts of k8s.io/apimachinery,
pkg/util/managedfields/internal/conflict.go.
"""

import json
from collections.abc import Mapping
from typing import Any

from sandbox import fields
from sandbox.errors import StatusError, cause
from sandbox.fields import Path, Writer
from sandbox.patch import merge_by_key
from sandbox.topology import Topology

Entry = dict[str, Any]


def apply(
    live: dict[str, Any], wanted: dict[str, Any], writer: Writer, topology: Topology, *, force: bool, time: str
) -> dict[str, Any]:
    """The next state of `live`, managedFields included.

    1. A field that another manager set to another value is a conflict (409), unless `force`, which takes it over.
    2. What the manager applied before and leaves out now goes, unless somebody else owns it too.
    """
    wants = fields.flatten(wanted, topology, maps=False)
    entries: list[Entry] = live["metadata"].get("managedFields", [])
    mine = next((item for item in entries if writer.wrote(item)), None)
    others = [item for item in entries if item is not mine]
    clashes = _clashes(wants, fields.flatten(live, topology, maps=False), others)
    if clashes and not force:
        raise _conflict(clashes)
    taken = {path for path, _ in clashes}
    left = {id(item): _without(item, taken) for item in others}
    before = fields.from_v1(mine["fieldsV1"]) if mine else set()
    owned = set(wants).union(*(fields.from_v1(item["fieldsV1"]) for item in left.values() if item))
    merged: dict[str, Any] = _remove(merge_by_key(live, wanted, topology), before - owned, owned, topology)
    unchanged = mine and before == set(wants)
    entry = mine if unchanged else fields.entry(writer, set(wants), wanted["apiVersion"], time)
    managed = [entry if item is mine else left[id(item)] for item in entries] + ([] if mine else [entry])
    merged["metadata"] = {**merged["metadata"], "managedFields": fields.ordered([item for item in managed if item])}
    return merged


def _clashes(wants: Mapping[Path, Any], has: Mapping[Path, Any], others: list[Entry]) -> list[tuple[Path, Entry]]:
    different = {path for path, value in wants.items() if path in has and has[path] != value}
    return [(path, item) for item in others for path in sorted(different & fields.from_v1(item["fieldsV1"]))]


def _without(item: Entry, taken: set[Path]) -> Entry | None:
    """An entry after others took fields from it; None when nothing is left."""
    paths = fields.from_v1(item["fieldsV1"])
    left = paths - taken
    if not left:
        return None
    return item if left == paths else item | {"fieldsV1": fields.to_v1(left)}


def _conflict(clashes: list[tuple[Path, Entry]]) -> StatusError:
    causes = [
        cause("FieldManagerConflict", f"conflict with {_manager(item)}", fields.readable(path))
        for path, item in clashes
    ]
    if len(causes) == 1:
        text = f"1 conflict: {causes[0]['message']}: {causes[0]['field']}"
    else:
        lines: list[str] = []
        for name in sorted({_manager(item) for _, item in clashes}):
            lines.append(f"conflicts with {name}:")
            lines += [f"- {fields.readable(path)}" for path, item in clashes if _manager(item) == name]
        text = f"{len(causes)} conflicts: " + "\n".join(lines)
    return StatusError(409, "Conflict", f"Apply failed with {text}", {"causes": causes})


def _manager(item: Entry) -> str:
    text = json.dumps(item["manager"])
    if item.get("subresource"):
        text += f' with subresource "{item["subresource"]}"'
    if item["operation"] == "Update":
        text += f" using {item['apiVersion']}"
    return text


def _remove(value: Any, gone: set[Path], owned: set[Path], topology: Topology, path: Path = ()) -> Any:
    """`value` without the places in `gone`; a map or an item stays while somebody owns something in it."""
    if isinstance(value, dict) and not topology.atomic:
        kept: dict[str, Any] = {}
        for name, inner in value.items():
            place = (*path, f"f:{name}")
            if place in gone:
                continue
            result = _remove(inner, gone, owned, topology.field(name), place)
            if result in ({}, []) and inner not in ({}, []) and place not in owned:
                continue
            kept[name] = result
        return kept
    if isinstance(value, list) and topology.keys:
        return _remove_items(value, gone, owned, topology, path)
    if isinstance(value, list) and topology.is_set:
        return [item for item in value if (*path, "v:" + json.dumps(item)) not in gone]
    return value


def _remove_items(items: list[Any], gone: set[Path], owned: set[Path], topology: Topology, path: Path) -> list[Any]:
    kept: list[Any] = []
    for item in items:
        place = (*path, fields.key_element(item, topology.keys))
        if place in gone and not any(other[: len(place)] == place for other in owned):
            continue
        kept.append(_remove(item, gone, owned, topology.item(), place))
    return kept
