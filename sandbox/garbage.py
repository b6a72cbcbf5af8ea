"""How objects go: grace, finalizers, owners and namespaces (k8s.io/kubernetes pkg/controller/garbagecollector)."""

from typing import TYPE_CHECKING, Any

from sandbox import errors
from sandbox.kinds import Kind
from sandbox.podstatus import ENDED
from sandbox.records import Record

if TYPE_CHECKING:
    from sandbox.store import Store

FOREGROUND = "foregroundDeletion"


def check_preconditions(record: Record, uid: str | None, version: str | None) -> None:
    """409 when the object is another one, or another version, than the caller meant."""
    if uid and uid != record.uid:
        why = (
            f"the UID in the precondition ({uid}) does not match the UID in record ({record.uid}). "
            "The object might have been deleted and then recreated"
        )
        raise errors.conflict(record.resource, record.name, why)
    if version and version != str(record.version):
        why = (
            f"the ResourceVersion in the precondition ({version}) does not match the ResourceVersion in record "
            f"({record.version}). The object might have been modified"
        )
        raise errors.conflict(record.resource, record.name, why)


def check_finalizers(kind: Kind, record: Record, new: dict[str, Any]) -> None:
    """An object that is being deleted can only lose finalizers."""
    if not record.terminating:
        return
    had = record.finalizers
    added = [name for name in new["metadata"].get("finalizers") or [] if name not in had]
    if added:
        listed = ", ".join(f'"{name}"' for name in added)
        message = (
            "Forbidden: no new finalizers can be added if the object is being deleted, "
            f"found new finalizers []string{{{listed}}}"
        )
        cause = errors.cause("FieldValueForbidden", message, "metadata.finalizers")
        raise errors.invalid(kind.qualified, record.name, [cause])


def delete(store: "Store", record: Record, propagation: str, grace: int | None) -> Record | None:
    """Begin to delete `record`; returns it as long as something keeps it.

    1. Orphan: its dependents forget it first.
    2. Foreground: it stays, with a finalizer, until the dependents that block it are gone.
    3. A namespace stays until it is empty; a running pod until its grace period is over.
    4. Else it goes at once, unless finalizers keep it, and its dependents go after it.
    """
    if record.resource == "namespaces":
        return _delete_namespace(store, record)
    if propagation == "Orphan":
        for dependent in store.owned_by(record.uid):
            _forget_owner(store, dependent, record.uid)
    if propagation == "Foreground":
        kept = store.mark_deleted(record, 0, FOREGROUND)
        for dependent in store.owned_by(record.uid):
            if not dependent.terminating:
                delete(store, dependent, "Foreground", None)
        return kept
    seconds = _grace(record) if grace is None else grace
    if seconds > 0 or record.finalizers:
        return store.mark_deleted(record, seconds)
    finish(store, record)
    return None


def finish(store: "Store", record: Record) -> None:
    """Take out an object that nothing keeps, then whatever hung on it."""
    if record.resource == "namespaces":
        _release_namespace(store, record.name)
        return
    store.drop(record)
    for dependent in store.owned_by(record.uid):
        current = store.peek(*dependent.key)
        if current and not current.terminating and not _living_owners(store, current):
            delete(store, current, "Background", None)
    for owner in record.owners:
        _release_foreground(store, owner["uid"])
    if record.namespace:
        _release_namespace(store, record.namespace)


def collect(store: "Store") -> None:
    """What the collector finds afterwards: dependents of owners that do not exist, owners that wait for nobody."""
    for record in store.take_suspects():
        _release_foreground(store, record.uid)
        current = store.peek(*record.key)
        if current and current.owners and not current.terminating and not _living_owners(store, current):
            delete(store, current, "Background", None)


def _delete_namespace(store: "Store", record: Record) -> Record | None:
    kept = store.mark_deleted(record, 0)
    for held in store.in_namespace(record.name):
        current = store.peek(*held.key)
        if current and not current.terminating:
            delete(store, current, "Background", None)
    _release_namespace(store, record.name)
    return store.peek(*kept.key)


def _release_namespace(store: "Store", namespace: str) -> None:
    record = store.peek("namespaces", "", namespace)
    if record and record.terminating and store.is_empty(namespace) and not record.finalizers:
        store.drop(record)


def _grace(record: Record) -> int:
    """Only a pod that a kubelet has taken needs time to stop."""
    if record.resource != "pods":
        return 0
    spec = record.obj.get("spec", {})
    if not spec.get("nodeName") or record.obj.get("status", {}).get("phase") in ENDED:
        return 0
    return int(spec.get("terminationGracePeriodSeconds", 30))


def _living_owners(store: "Store", record: Record) -> list[Record]:
    owners = (store.with_uid(owner["uid"]) for owner in record.owners)
    return [owner for owner in owners if owner is not None]


def _forget_owner(store: "Store", record: Record, uid: str) -> None:
    obj = record.copy()
    obj["metadata"]["ownerReferences"] = [owner for owner in record.owners if owner["uid"] != uid]
    store.update(record.resource, obj)


def _release_foreground(store: "Store", uid: str) -> None:
    """Take the foreground finalizer off an owner whose blocking dependents are gone."""
    owner = store.with_uid(uid)
    if owner is None or FOREGROUND not in owner.finalizers:
        return
    for dependent in store.owned_by(uid):
        if any(ref["uid"] == uid and ref.get("blockOwnerDeletion") for ref in dependent.owners):
            return
    obj = owner.copy()
    obj["metadata"]["finalizers"].remove(FOREGROUND)
    store.update(owner.resource, obj)
