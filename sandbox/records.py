"""The objects in memory, with the indexes that keep look-ups short: by resource, namespace, uid and owner."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

Key = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Record:
    """One version of one object. `obj` is shared and never changed; `copy` makes one to work on."""

    resource: str
    namespace: str
    name: str
    version: int
    obj: dict[str, Any]
    text: str

    @property
    def key(self) -> Key:
        return (self.resource, self.namespace, self.name)

    @property
    def uid(self) -> str:
        return str(self.obj["metadata"]["uid"])

    @property
    def labels(self) -> dict[str, str]:
        return self.obj["metadata"].get("labels") or {}

    @property
    def owners(self) -> list[dict[str, Any]]:
        return self.obj["metadata"].get("ownerReferences") or []

    @property
    def finalizers(self) -> list[str]:
        return self.obj["metadata"].get("finalizers") or []

    @property
    def in_grace(self) -> bool:
        """A pod that is being stopped, until its kubelet says that it has."""
        return bool(self.obj["metadata"].get("deletionGracePeriodSeconds"))

    @property
    def terminating(self) -> bool:
        return "deletionTimestamp" in self.obj["metadata"]

    def copy(self) -> dict[str, Any]:
        copied: dict[str, Any] = json.loads(self.text)
        return copied


_ENCODER = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False)


def encode(value: Any) -> str:
    """JSON without blanks, as it is stored and sent."""
    return _ENCODER.encode(value)


class Records:
    """All living objects."""

    def __init__(self) -> None:
        self._by_resource: dict[str, dict[tuple[str, str], Record]] = defaultdict(dict)
        self._by_namespace: dict[tuple[str, str], dict[str, Record]] = defaultdict(dict)
        self._by_uid: dict[str, Record] = {}
        self._by_owner: dict[str, dict[Key, None]] = defaultdict(dict)
        self._population: Counter[str] = Counter()

    def get(self, resource: str, namespace: str, name: str) -> Record | None:
        return self._by_resource[resource].get((namespace, name))

    def with_uid(self, uid: str) -> Record | None:
        return self._by_uid.get(uid)

    def put(self, record: Record) -> None:
        old = self.get(*record.key)
        if old is None:
            self._population[record.namespace] += 1
        else:
            self._forget_owners(old)
        self._by_resource[record.resource][record.namespace, record.name] = record
        self._by_namespace[record.resource, record.namespace][record.name] = record
        self._by_uid[record.uid] = record
        for owner in record.owners:
            self._by_owner[owner["uid"]][record.key] = None

    def drop(self, record: Record) -> None:
        del self._by_resource[record.resource][record.namespace, record.name]
        del self._by_namespace[record.resource, record.namespace][record.name]
        del self._by_uid[record.uid]
        self._population[record.namespace] -= 1
        self._forget_owners(record)

    def _forget_owners(self, record: Record) -> None:
        for owner in record.owners:
            owned = self._by_owner[owner["uid"]]
            owned.pop(record.key, None)
            if not owned:
                del self._by_owner[owner["uid"]]

    def owned_by(self, uid: str) -> list[Record]:
        """The objects that name this uid among their owners."""
        found = (self.get(*key) for key in self._by_owner.get(uid, ()))
        return [record for record in found if record is not None]

    def in_namespace(self, namespace: str) -> list[Record]:
        """Everything that lives in a namespace."""
        parts = [held for (_, place), held in list(self._by_namespace.items()) if place == namespace]
        return [record for held in parts for record in held.values()]

    def population(self, namespace: str) -> int:
        return self._population[namespace]

    def select(
        self, resource: str, namespace: str | None = None, labels: Mapping[str, str] | None = None
    ) -> list[Record]:
        """The objects of a resource, sorted by namespace and name; `namespace` None means every one."""
        held: Iterable[Record]
        if namespace is None:
            held = self._by_resource[resource].values()
        else:
            held = self._by_namespace[resource, namespace].values()
        if labels:
            wanted = labels.items()
            held = [record for record in held if wanted <= record.labels.items()]
        return sorted(held, key=lambda record: (record.namespace, record.name))
