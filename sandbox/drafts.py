"""What a write would store: checked and completed, but not stored. A dry run answers with it."""

import json
import random
import uuid
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sandbox import birth, errors, garbage
from sandbox.kinds import Kind
from sandbox.records import Record, encode

if TYPE_CHECKING:
    from sandbox.store import Store

_LETTERS = "bcdfghjklmnpqrstvwxz2456789"
_SERVERS = (
    "creationTimestamp",
    "deletionGracePeriodSeconds",
    "deletionTimestamp",
    "generation",
    "managedFields",
    "resourceVersion",
    "uid",
)


def born(store: "Store", kind: Kind, obj: Mapping[str, Any]) -> dict[str, Any]:
    """A new object out of what somebody sent; raises the errors of `Store.create`."""
    new: dict[str, Any] = json.loads(encode(obj))
    meta = new.setdefault("metadata", {})
    new["apiVersion"], new["kind"] = kind.api_version, kind.kind
    for name in _SERVERS:
        meta.pop(name, None)
    if not meta.get("name") and meta.get("generateName"):
        meta["name"] = meta["generateName"] + "".join(random.choices(_LETTERS, k=5))
    namespace = meta.get("namespace", "") if kind.namespaced else ""
    if namespace:
        must_accept(store, kind, meta["name"], namespace)
    if store.peek(kind.resource, namespace, meta["name"]):
        raise errors.already_exists(kind.resource, meta["name"])
    meta["uid"] = str(uuid.uuid4())
    meta["creationTimestamp"] = store.clock.stamp()
    if kind.counts_generations:
        meta["generation"] = 1
    birth.complete(kind.resource, new)
    return new


def changed(kind: Kind, record: Record, obj: Mapping[str, Any]) -> dict[str, Any]:
    """The next state of `record` out of what somebody sent: the server's own fields and the status stay."""
    new: dict[str, Any] = json.loads(encode(obj))
    old = record.obj
    new["apiVersion"], new["kind"] = kind.api_version, kind.kind
    for name in _SERVERS:
        new["metadata"].pop(name, None)
        if name in old["metadata"]:
            new["metadata"][name] = old["metadata"][name]
    if kind.has_status:
        new.pop("status", None)
        if "status" in old:
            new["status"] = old["status"]
    garbage.check_finalizers(kind, record, new)
    if kind.counts_generations and _intent(new) != _intent(old):
        new["metadata"]["generation"] = old["metadata"].get("generation", 0) + 1
    return new


def _intent(obj: Mapping[str, Any]) -> dict[str, Any]:
    """What counts as the spec: all but metadata and status."""
    return {name: value for name, value in obj.items() if name not in ("metadata", "status")}


def must_accept(store: "Store", kind: Kind, name: str, namespace: str) -> None:
    """404 for a namespace that does not exist, 403 for one that is being deleted."""
    held = store.peek("namespaces", "", namespace)
    if held is None:
        raise errors.not_found("namespaces", namespace)
    if held.terminating:
        why = f"unable to create new content in namespace {namespace} because it is being terminated"
        error = errors.forbidden(kind.resource, name, why)
        message = f"namespace {namespace} is being terminated"
        error.details["causes"] = [errors.cause("NamespaceTerminating", message, "metadata.namespace")]
        raise error
