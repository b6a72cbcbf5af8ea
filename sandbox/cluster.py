"""A cluster that lives: the store, the controllers that act on it, and time."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from sandbox.controllers import Controllers
from sandbox.decoding import load_all_yaml
from sandbox.discovery import definitions
from sandbox.errors import StatusError
from sandbox.kinds import KINDS, kind_of
from sandbox.store import Store

_SYSTEM_NAMESPACES = ("default", "kube-system", "kube-node-lease", "kube-public", "kueue-system", "kubeflow")


class Cluster:
    """Settles after every write and every move of the clock."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.controllers = Controllers(store)

    def settle(self) -> None:
        """Let the controllers do everything that is due now."""
        with self.store.transaction():
            self.controllers.settle()

    async def advance(self, seconds: float) -> None:
        """Move the clock, from one due moment to the next, letting other requests through in between."""
        await self.advance_to(self.store.clock.now() + timedelta(seconds=seconds))

    async def advance_to(self, end: datetime) -> None:
        while True:
            moment = self._step(end)
            with self.store.transaction():
                self.store.advance(moment)
                self.controllers.settle()
            if moment >= end:
                return
            await asyncio.sleep(0)

    def _step(self, end: datetime) -> datetime:
        """The next due moment, or `end`. What is due but stays so is asked again a second later."""
        due, now = self.controllers.next_due(), self.store.clock.now()
        if due is None:
            return end
        return min(due if due > now else now + timedelta(seconds=1), end)

    def found(self, objects: Sequence[dict[str, Any]]) -> None:
        """Fill a new cluster with the system's namespaces, its CRDs and the objects of the cluster file."""
        with self.store.transaction():
            for name in _SYSTEM_NAMESPACES:
                self.store.create("namespaces", {"metadata": {"name": name}})
            for definition in definitions():
                self.store.create("customresourcedefinitions.apiextensions.k8s.io", definition)
            for obj in objects:
                self._found_object(obj)
            self.controllers.settle()

    def _found_object(self, obj: dict[str, Any]) -> None:
        kind = kind_of(obj)
        place = obj["metadata"].get("namespace", "")
        if self.store.peek(kind.resource, place, obj["metadata"]["name"]) is None:
            self.store.create(kind.resource, obj, manager="cluster-file")


class RealTime:
    """Moves a cluster's clock with the wall clock, `speed` times as fast, about four times a second."""

    def __init__(self, cluster: Cluster, speed: float) -> None:
        self._cluster = cluster
        self._speed = speed
        wall = datetime.now(UTC)
        kept = cluster.store.clock.now()
        self._from = wall
        self._start = max(kept, wall) if speed == 1 else kept

    async def run(self) -> None:
        """Tick until cancelled."""
        while True:
            elapsed = datetime.now(UTC) - self._from
            await self._cluster.advance_to(self._start + elapsed * self._speed)
            await asyncio.sleep(0.25)


def read_cluster_file(path: Path) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The objects and the RBAC rules of a cluster file. A document with the single key `rules` holds rules.

    Raises ValueError for an object of a kind that is not served.
    """
    objects: list[dict[str, Any]] = []
    rules: list[dict[str, Any]] = []
    for document in load_all_yaml(path.read_text(encoding="utf-8")):
        if "rules" in document and "kind" not in document:
            rules += document["rules"]
            continue
        try:
            kind = kind_of(document)
        except StatusError as error:
            raise ValueError(f"{path}: {document.get('apiVersion')} {document.get('kind')} is not served") from error
        if not KINDS[kind.resource].read_only:
            objects.append(document)
    return objects, rules
