"""How lists and maps merge: by key, as a set, or as a whole.

Custom kinds say so in their schema (`x-kubernetes-list-type` and its relatives); for the core group, whose schema is
not served here, the field's name decides (k8s.io/api/core/v1/types.go, patchMergeKey and listMapKey tags).
"""

from collections.abc import Mapping
from typing import Any

_CORE_KEYS: dict[str, tuple[str, ...]] = {
    "conditions": ("type",),
    "containers": ("name",),
    "containerStatuses": (),
    "env": ("name",),
    "ephemeralContainers": ("name",),
    "hostAliases": ("ip",),
    "imagePullSecrets": ("name",),
    "initContainers": ("name",),
    "ownerReferences": ("uid",),
    "podIPs": ("ip",),
    "ports": ("containerPort", "protocol"),
    "secrets": ("name",),
    "volumeMounts": ("mountPath",),
    "volumes": ("name",),
}
_CORE_SETS = frozenset({"finalizers"})


class Topology:
    """The merge rules at one place of an object; children are made once and kept."""

    __slots__ = ("_children", "_schema", "atomic", "is_free", "is_set", "keys")

    def __init__(self, schema: Mapping[str, Any] | None, name: str = "") -> None:
        self._schema = schema
        self._children: dict[str, Topology] = {}
        if schema is None:
            self.keys = _CORE_KEYS.get(name, ())
            self.is_set = name in _CORE_SETS
            self.atomic = False
            self.is_free = False
            return
        list_type = schema.get("x-kubernetes-list-type")
        self.keys = tuple(schema.get("x-kubernetes-list-map-keys", ())) if list_type == "map" else ()
        self.is_set = list_type == "set"
        self.atomic = schema.get("x-kubernetes-map-type") == "atomic"
        self.is_free = "additionalProperties" in schema

    def field(self, name: str) -> "Topology":
        """The rules of a field of this map."""
        child = self._children.get(name)
        if child is None:
            child = self._children[name] = Topology(self._field_schema(name), name)
        return child

    def item(self) -> "Topology":
        """The rules of an item of this list."""
        child = self._children.get("[]")
        if child is None:
            schema = None if self._schema is None else self._schema.get("items", {})
            child = self._children["[]"] = Topology(schema)
        return child

    def _field_schema(self, name: str) -> Mapping[str, Any] | None:
        if self._schema is None:
            return None
        schema: Mapping[str, Any] = self._schema.get("properties", {}).get(name, {})
        if not schema:
            extra = self._schema.get("additionalProperties")
            schema = extra if isinstance(extra, dict) else {}
        if name == "metadata" and "properties" not in schema:
            return None
        return schema
