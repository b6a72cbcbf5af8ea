"""What Kueue keeps in memory: the unfinished Workloads and the queues, read from the store as they change."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from sandbox import conditions
from sandbox.clock import parse
from sandbox.kueue import queues, workloads
from sandbox.kueue.capacity import Capacity, Usage
from sandbox.kueue.flavors import PodSet
from sandbox.kueue.preemption import Holder
from sandbox.kueue.queues import ClusterQueue
from sandbox.records import Record
from sandbox.store import Store

Key = tuple[str, str]
"""Namespace and name."""


@dataclass(frozen=True)
class Entry:
    """One unfinished Workload; `obj` is shared with the store and never changed."""

    obj: Mapping[str, Any]

    @property
    def key(self) -> Key:
        return self.obj["metadata"]["namespace"], self.obj["metadata"]["name"]

    @property
    def spec(self) -> Mapping[str, Any]:
        return self.obj.get("spec") or {}

    @property
    def local_queue(self) -> Key:
        return self.key[0], self.spec.get("queueName", "")

    @property
    def priority(self) -> int:
        return int(self.spec.get("priority") or 0)

    @cached_property
    def created_at(self) -> datetime:
        return parse(self.obj["metadata"]["creationTimestamp"])

    @cached_property
    def pod_sets(self) -> list[PodSet]:
        return workloads.pod_sets(self.obj)

    @cached_property
    def held(self) -> tuple[str, Usage] | None:
        """The ClusterQueue and the quota it holds."""
        return workloads.reserved_usage(self.obj)

    @property
    def admitted(self) -> bool:
        return conditions.is_true(self.obj, "Admitted")

    @property
    def evicted(self) -> bool:
        return conditions.is_true(self.obj, "Evicted")

    @cached_property
    def pending(self) -> bool:
        """Whether it waits for quota: holds none, is not switched off and not going away."""
        going = self.obj["metadata"].get("deletionTimestamp")
        return self.held is None and not going and bool(self.spec.get("active", True))

    @cached_property
    def order(self) -> tuple[int, datetime, Key]:
        """Its place among the pending: the highest priority first, then the longest wait."""
        return -self.priority, workloads.queued_at(self.obj), self.key

    def holder(self) -> Holder:
        """Return it as a candidate for preemption; it must hold quota."""
        assert self.held is not None
        queue, usage = self.held
        reserved = conditions.find(self.obj, "QuotaReserved")
        at = parse(reserved["lastTransitionTime"]) if reserved else self.created_at
        return Holder(self.key, queue, self.priority, at, self.created_at, usage, self.evicted)


def is_unfinished(record: Record) -> bool:
    """Tell whether a Workload still matters to admission."""
    return not conditions.is_true(record.obj, "Finished")


@dataclass(frozen=True)
class Topology:
    """The queues and flavors as they are now."""

    cluster_queues: Mapping[str, ClusterQueue]
    local_queues: Mapping[Key, Mapping[str, Any]]
    flavors: Mapping[str, Mapping[str, Any]]

    def target_of(self, entry: Entry) -> ClusterQueue | None:
        """Return the ClusterQueue behind a Workload's LocalQueue, or None where either is missing."""
        local = self.local_queues.get(entry.local_queue)
        return self.cluster_queues.get(queues.cluster_queue_of(local)) if local else None

    def obstacle(self, entry: Entry) -> str:
        """Return why a Workload cannot even be considered, in Kueue's words, or an empty text."""
        namespace_and_name = entry.local_queue
        local, name = self.local_queues.get(namespace_and_name), namespace_and_name[1]
        if local is None:
            return f"LocalQueue {name} doesn't exist"
        if stop_policy(local) != "None":
            return f"LocalQueue {name} is inactive"
        target = self.cluster_queues.get(queues.cluster_queue_of(local))
        if target is None:
            return f"ClusterQueue {queues.cluster_queue_of(local)} doesn't exist"
        return f"ClusterQueue {target.name} is inactive" if target.inactive else ""


def stop_policy(local_queue: Mapping[str, Any]) -> str:
    """Return a LocalQueue's stop policy: None, Hold or HoldAndDrain."""
    return (local_queue.get("spec") or {}).get("stopPolicy") or "None"


def read_topology(store: Store) -> Topology:
    """Read all queues and flavors."""
    flavors = {record.name: record.obj for record in store.select(queues.FLAVORS)}
    cluster_queues = (queues.read_cluster_queue(record.obj, flavors) for record in store.select(queues.CLUSTER_QUEUES))
    local_queues = {(record.namespace, record.name): record.obj for record in store.select(queues.LOCAL_QUEUES)}
    return Topology({item.name: item for item in cluster_queues}, local_queues, flavors)


def charged_capacity(store: Store, topology: Topology, entries: Iterable[Entry]) -> Capacity:
    """Return the quota of all queues with what these Workloads hold charged to it."""
    capacity = queues.read_capacity(store, topology.cluster_queues.values())
    for entry in entries:
        if entry.held:
            capacity.add(*entry.held)
    return capacity
