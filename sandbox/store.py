"""The objects of the cluster: one transaction per turn, durable before anybody hears of it."""

import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from sandbox import drafts, errors, events, fields, garbage
from sandbox.clock import Clock, micro, parse, stamp
from sandbox.database import Database
from sandbox.fields import Writer
from sandbox.history import Change, History
from sandbox.kinds import KINDS, Kind
from sandbox.records import Record, Records, encode
from sandbox.schema import topology_of

_SWEEP = timedelta(minutes=1)
Objects = list[dict[str, Any]]


class Store:
    """Every object, in memory and on disk. Thread-safe; whatever is handed out or taken in is a copy.

    `data` is a folder. `start` is the time of a new cluster (default: now); an old one goes on from its own.
    `window` is how many changes a watch can be behind.
    """

    def __init__(self, data: Path, start: datetime | None = None, window: int = 10_000) -> None:
        data.mkdir(parents=True, exist_ok=True)
        self._database = Database(data / "sandbox.sqlite3")
        self._lock = threading.RLock()
        self._depth = 0
        self._dirty = False
        self._records = Records()
        self._counted: dict[tuple[str, ...], tuple[str, str]] = {}
        self._suspects: list[Record] = []
        self._listeners: list[Callable[[Change], None]] = []
        self._after_commit: list[Callable[[], None]] = []
        self.is_new = self._database.fact("clock") is None
        kept = self._database.fact("clock")
        self.clock = Clock(parse(kept) if kept else start or datetime.now(UTC))
        self._history = History(int(self._database.fact("version") or 0), window)
        self._next_sweep = self.clock.now()
        self._load()

    def _load(self) -> None:
        for record in self._database.records():
            self._records.put(record)
            if record.resource == "events":
                self._counted[events.key_of(record.obj)] = (record.namespace, record.name)

    def close(self) -> None:
        with self._lock:
            self._database.close()

    # Turns and their listeners

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Everything written inside becomes durable, and visible to watches, together at the end."""
        with self._lock:
            self._depth += 1
            try:
                yield
            finally:
                self._depth -= 1
                if self._depth == 0 and self._dirty:
                    self._commit()

    def _commit(self) -> None:
        self._depth += 1
        garbage.collect(self)
        self._depth -= 1
        self._dirty = False
        self._database.set_fact("version", str(self._history.version))
        self._database.set_fact("clock", micro(self.clock.now()))
        self._database.commit()
        for notify in self._after_commit:
            notify()

    def advance(self, moment: datetime) -> None:
        """Move the clock, durably, and let events older than an hour go."""
        with self.transaction():
            self.clock.move_to(moment)
            self._dirty = True
            if self.clock.now() >= self._next_sweep:
                self._next_sweep = self.clock.now() + _SWEEP
                self._expire_events()

    def on_change(self, listener: Callable[[Change], None]) -> None:
        """Call `listener` with every change, at once and under the lock."""
        self._listeners.append(listener)

    def on_commit(self, listener: Callable[[], None]) -> None:
        """Call `listener` after every transaction that changed something."""
        self._after_commit.append(listener)

    # Reading

    @property
    def version(self) -> int:
        return self._history.version

    def changes_since(self, version: int) -> Sequence[Change]:
        """What happened after `version`; see `History.since`."""
        with self._lock:
            return self._history.since(version)

    def check_known(self, version: int) -> None:
        """410 for a version from before this process; see `History.check_known`."""
        self._history.check_known(version)

    def compact(self) -> None:
        """Forget the changes so far, as etcd does from time to time: older versions can no longer be watched from."""
        with self._lock:
            self._history.compact()

    def get(self, resource: str, namespace: str, name: str) -> dict[str, Any] | None:
        """A copy of an object, or None; `namespace` is "" for kinds without one."""
        record = self.peek(resource, namespace, name)
        return record.copy() if record else None

    def list(self, resource: str, namespace: str | None = None, labels: Mapping[str, str] | None = None) -> Objects:
        """Copies, sorted by namespace and name; `labels` must all be equal."""
        return [record.copy() for record in self.select(resource, namespace, labels)]

    def peek(self, resource: str, namespace: str, name: str) -> Record | None:
        """The record of an object, without a copy: look, do not touch."""
        with self._lock:
            return self._records.get(resource, namespace, name)

    def select(
        self, resource: str, namespace: str | None = None, labels: Mapping[str, str] | None = None
    ) -> Sequence[Record]:
        """Like `list`, without copies: look, do not touch."""
        with self._lock:
            return self._records.select(resource, namespace, labels)

    def with_uid(self, uid: str) -> Record | None:
        with self._lock:
            return self._records.with_uid(uid)

    def owned_by(self, uid: str) -> Sequence[Record]:
        """The objects that name `uid` among their owners, without copies."""
        with self._lock:
            return self._records.owned_by(uid)

    def in_namespace(self, namespace: str) -> Sequence[Record]:
        with self._lock:
            return self._records.in_namespace(namespace)

    def take_suspects(self) -> Sequence[Record]:
        """The objects the garbage collector has to look at since the last call."""
        taken, self._suspects = self._suspects, []
        return taken

    def is_empty(self, namespace: str) -> bool:
        with self._lock:
            return self._records.population(namespace) == 0

    def journal(self) -> Sequence[str]:
        """One JSON object per uid ever created: uid, resource, namespace, name, createdAt, labels."""
        with self._lock:
            return self._database.journal()

    # Writing

    def create(
        self,
        resource: str,
        obj: dict[str, Any],
        *,
        manager: str = "",
        managed: Objects | None = None,
        dry_run: bool = False,
    ) -> dict[str, Any]:
        """Store a new object and return it as stored: uid, creationTimestamp, resourceVersion, generation 1.

        `managed` is what managedFields become, where server-side apply keeps them itself. A dry run stores nothing.
        Raises StatusError: 409 AlreadyExists, 404 for an unknown namespace, 403 for one that is being deleted.
        """
        kind = KINDS[resource]
        with self.transaction():
            obj = drafts.born(self, kind, obj)
            if managed is not None:
                obj["metadata"]["managedFields"] = managed
            elif manager:
                tracked = fields.track(None, obj, Writer(manager), topology_of(resource), self.clock.stamp())
                obj["metadata"] |= {"managedFields": tracked} if tracked else {}
            if dry_run:
                return obj
            record = self._write(kind, obj, None)
            self._note(record)
            if resource == "namespaces":
                self._give_account(record.name)
            return record.copy()

    def update(
        self,
        resource: str,
        obj: dict[str, Any],
        *,
        manager: str = "",
        managed: Objects | None = None,
        dry_run: bool = False,
    ) -> dict[str, Any]:
        """Replace everything but the status; `managed` and `dry_run` as in `create`.

        The generation counts up when something beside metadata changed. An update that changes nothing makes no new
        version. A stale `metadata.resourceVersion` is a 409.
        """
        with self.transaction():
            record = self.current(resource, obj)
            new = drafts.changed(KINDS[resource], record, obj)
            if managed is not None:
                new["metadata"]["managedFields"] = managed
            return self._replace(record, new, Writer(manager) if managed is None else None, dry_run)

    def update_status(
        self, resource: str, obj: dict[str, Any], *, manager: str = "", dry_run: bool = False
    ) -> dict[str, Any]:
        """Replace nothing but the status."""
        with self.transaction():
            record = self.current(resource, obj)
            new = record.copy()
            new["status"] = json.loads(encode(obj.get("status", {})))
            return self._replace(record, new, Writer(manager, subresource="status"), dry_run)

    def current(self, resource: str, obj: dict[str, Any]) -> Record:
        """The record that `obj` wants to replace; 404 or 409 when it is not the one."""
        meta = obj["metadata"]
        namespace = meta.get("namespace", "") if KINDS[resource].namespaced else ""
        record = self.peek(resource, namespace, meta["name"])
        if record is None:
            raise errors.not_found(resource, meta["name"])
        garbage.check_preconditions(record, meta.get("uid"), None)
        if meta.get("resourceVersion", str(record.version)) != str(record.version):
            raise errors.conflict(resource, record.name)
        return record

    def mark_deleted(self, record: Record, grace: int, finalizer: str = "") -> Record:
        """Set deletionTimestamp (once), `grace` seconds from now, and add a finalizer."""
        new = record.copy()
        meta = new["metadata"]
        if finalizer and finalizer not in meta.setdefault("finalizers", []):
            meta["finalizers"].append(finalizer)
        if meta.get("deletionGracePeriodSeconds", grace + 1) > grace:
            meta["deletionTimestamp"] = stamp(self.clock.now() + timedelta(seconds=grace))
            if "generation" in meta:
                meta["generation"] += 1
            meta["deletionGracePeriodSeconds"] = grace
        if record.resource == "namespaces":
            new["status"] = {**new.get("status", {}), "phase": "Terminating"}
        if new == record.obj:
            return record
        return self._write(KINDS[record.resource], new, record)

    def delete(
        self,
        resource: str,
        namespace: str,
        name: str,
        *,
        propagation: str = "Background",
        uid: str | None = None,
        version: str | None = None,
        grace: int | None = None,
    ) -> dict[str, Any] | None:
        """Delete an object; see `garbage.delete`. Returns it where finalizers or grace keep it, else None.

        `uid` and `version` are preconditions (409). A pod that has a node stays for its grace period unless
        `grace` is 0: that is the kubelet's word that its containers are gone.
        """
        with self.transaction():
            record = self.peek(resource, namespace, name)
            if record is None:
                raise errors.not_found(resource, name)
            garbage.check_preconditions(record, uid, version)
            kept = garbage.delete(self, record, propagation, grace)
            return kept.copy() if kept else None

    def drop(self, record: Record) -> None:
        """Take an object out, finalizers or not; its last state goes to the watches under a version of its own."""
        with self.transaction():
            last = self._next(record, record.copy())
            self._dirty = True
            self._database.drop(record)
            self._records.drop(record)
            if record.resource == "events":
                self._counted.pop(events.key_of(record.obj), None)
            self._publish(Change("DELETED", last, record))

    def record_event(
        self,
        regarding: Mapping[str, Any],
        *,
        type: str,
        reason: str,
        message: str,
        component: str,
        series: bool = False,
    ) -> None:
        """Write an Event, or count one up; `series` is the newer recorder (Kueue's, the scheduler's)."""
        what = events.Occurrence(regarding, type, reason, message, component, series)
        with self.transaction():
            namespace, name = self._counted.get(what.key, ("", ""))
            event = self.get("events", namespace, name)
            if event:
                events.repeat(event, self.clock)
                self.update("events", event)
                return
            namespace_record = self.peek("namespaces", "", what.namespace)
            if namespace_record is None or namespace_record.terminating:
                return
            number = int(self.clock.now().timestamp() * 1_000_000_000) + self.version % 1000
            made = self.create("events", events.first(what, self.clock, number))
            self._counted[what.key] = (made["metadata"]["namespace"], made["metadata"]["name"])

    # Inside

    def _replace(self, record: Record, new: dict[str, Any], writer: Writer | None, dry_run: bool) -> dict[str, Any]:
        if new == record.obj:
            return record.copy()
        if writer and writer.manager:
            new["metadata"]["managedFields"] = fields.track(
                record.obj, new, writer, topology_of(record.resource), self.clock.stamp()
            )
        if dry_run:
            return new
        written = self._write(KINDS[record.resource], new, record)
        if written.terminating and record.finalizers and not written.finalizers and not written.in_grace:
            garbage.finish(self, written)
        return written.copy()

    def _next(self, record: Record, obj: dict[str, Any]) -> Record:
        version = self._history.version + 1
        obj["metadata"]["resourceVersion"] = str(version)
        return Record(record.resource, record.namespace, record.name, version, obj, encode(obj))

    def _write(self, kind: Kind, obj: dict[str, Any], before: Record | None) -> Record:
        meta = obj["metadata"]
        blank = Record(kind.resource, meta.get("namespace", ""), meta["name"], 0, obj, "")
        record = self._next(blank, obj)
        self._dirty = True
        self._database.put(record)
        self._records.put(record)
        new_owners = record.owners and (before is None or before.owners != record.owners)
        if new_owners or (record.terminating and garbage.FOREGROUND in record.finalizers):
            self._suspects.append(record)
        self._publish(Change("MODIFIED" if before else "ADDED", record, before))
        return record

    def _publish(self, change: Change) -> None:
        self._history.append(change)
        for listener in self._listeners:
            listener(change)

    def _note(self, record: Record) -> None:
        meta = record.obj["metadata"]
        line = {
            "uid": record.uid,
            "resource": record.resource,
            "namespace": record.namespace,
            "name": record.name,
            "createdAt": meta["creationTimestamp"],
            "labels": record.labels,
        }
        self._database.note(encode(line))

    def _give_account(self, namespace: str) -> None:
        """Every namespace gets the ServiceAccount `default`, as kube-controller-manager makes it."""
        self.create("serviceaccounts", {"metadata": {"name": "default", "namespace": namespace}})

    def _expire_events(self) -> None:
        limit = self.clock.now() - timedelta(seconds=events.LIFETIME_SECONDS)
        for record in self.select("events"):
            if events.last_seen(record.obj) < limit:
                self.drop(record)
