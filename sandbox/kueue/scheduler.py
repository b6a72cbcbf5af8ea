"""Kueue's scheduling cycles: heads of the queues, flavors for them, admission or preemption.

Order within a cycle and what blocks whom: Kueue 0.19, pkg/scheduler/scheduler.go. A Workload that did not fit is parked
until quota is given back or a queue changes; one that waits for its victims is tried again every time.
"""

from collections import deque
from collections.abc import Iterable

from sandbox import conditions
from sandbox.kueue import preemption, workloads
from sandbox.kueue.capacity import Capacity
from sandbox.kueue.flavors import Assigner, Assignment, Mode
from sandbox.kueue.preemption import Holder, Preemptor
from sandbox.kueue.queues import ClusterQueue
from sandbox.kueue.registry import Entry, Key, Topology, charged_capacity
from sandbox.kueue.workloads import JOB_UID_LABEL, WORKLOADS
from sandbox.store import Store

_BECAUSE = {
    preemption.IN_CLUSTER_QUEUE: "prioritization in the ClusterQueue",
    preemption.IN_COHORT: "reclamation within the cohort",
}
_PRIORITIES = (
    "preemptor effective priority: {0} (base: {0}, boost: 0); preemptee effective priority: {1} (base: {1}, boost: 0)"
)


class SchedulingPass:
    """One pass over all pending Workloads; `parked` is shared by all passes between two releases of quota."""

    def __init__(self, store: Store, topology: Topology, entries: dict[Key, Entry], parked: set[Key]) -> None:
        self._store = store
        self._topology = topology
        self._entries = entries
        self._parked = parked
        self._capacity: Capacity = charged_capacity(store, topology, entries.values())
        self._waiting: dict[str, deque[Entry]] = {}

    def run(self) -> None:
        """Consider every pending Workload that is not parked, one head of each queue a cycle."""
        self._sort_out(list(self._entries.values()))
        while heads := self._take_heads():
            nominated = [(self._assign(entry, queue), entry, queue) for entry, queue in heads]
            nominated.sort(key=lambda item: (item[0].borrows, item[1].order))
            for _, entry, queue in nominated:
                if not self._consider(entry, queue) and queue.strict:
                    self._waiting[queue.name].clear()

    def _sort_out(self, entries: Iterable[Entry]) -> None:
        """Line up the pending Workloads before their queues, and tell those that have none why."""
        for entry in entries:
            if not entry.pending:
                continue
            target = self._topology.target_of(entry)
            obstacle = self._topology.obstacle(entry)
            if target and not obstacle:
                self._waiting.setdefault(target.name, deque()).append(entry)
            elif entry.key not in self._parked:
                self._park(entry, "Inadmissible", obstacle)
        for name, line in self._waiting.items():
            ordered = sorted(line, key=lambda entry: entry.order)
            if self._topology.cluster_queues[name].strict and ordered[0].key in self._parked:
                ordered = []
            self._waiting[name] = deque(entry for entry in ordered if entry.key not in self._parked)

    def _take_heads(self) -> list[tuple[Entry, ClusterQueue]]:
        queues = self._topology.cluster_queues
        return [(line.popleft(), queues[name]) for name, line in self._waiting.items() if line]

    def _assign(self, entry: Entry, queue: ClusterQueue) -> Assignment:
        return Assigner(self._capacity, queue.name, queue.groups, self._topology.flavors).assign(entry.pod_sets)

    def _consider(self, entry: Entry, queue: ClusterQueue) -> bool:
        """Admit a Workload or make room for it; tell whether it was admitted."""
        namespace = self._store.peek("namespaces", "", entry.key[0])
        if not queue.selects(namespace.labels if namespace else {}):
            self._park(entry, "Pending", "workload namespace doesn't match ClusterQueue selector")
            return False
        assignment = self._assign(entry, queue)
        if assignment.mode is Mode.FIT:
            self._capacity.add(queue.name, assignment.usage)
            workload = self._store.get(WORKLOADS, *entry.key)
            assert workload is not None
            workloads.reserve(self._store, workload, queue.name, assignment)
            return True
        victims = self._victims(entry, queue, assignment) if assignment.mode is Mode.PREEMPT else []
        if victims:
            self._preempt(entry, queue, victims)
            self._capacity.add(queue.name, assignment.usage)
            text = f"{assignment.message}. Pending the preemption of {len(victims)} workload(s)"
            self._wait(entry, "Pending", text)
        else:
            self._park(entry, "Pending", assignment.message)
        return False

    def _victims(self, entry: Entry, queue: ClusterQueue, assignment: Assignment) -> list[tuple[Holder, str]]:
        preemptor = Preemptor(queue.name, entry.priority, entry.created_at, assignment.usage)
        holders = [other.holder() for other in self._entries.values() if other.held]
        return preemption.targets(self._capacity, preemptor, queue.policy, holders)

    def _preempt(self, entry: Entry, queue: ClusterQueue, victims: Iterable[tuple[Holder, str]]) -> None:
        meta = entry.obj["metadata"]
        job_uid = (meta.get("labels") or {}).get(JOB_UID_LABEL, "")
        for holder, reason in victims:
            if holder.evicted:
                continue
            path = self._topology.cluster_queues[holder.queue].path
            message = (
                f"Preempted to accommodate a workload (UID: {meta['uid']}, JobUID: {job_uid}) due to "
                f"{_BECAUSE[reason]}; preemptor path: {queue.path}; preemptee path: {path}"
            )
            workload = self._store.get(WORKLOADS, *holder.key)
            assert workload is not None
            workloads.evict(self._store, workload, "Preempted", message, preempted=reason)
            text = f"{message}; {_PRIORITIES.format(entry.priority, holder.priority)}"
            workloads.announce(self._store, workload, "Preempted", text)

    def _park(self, entry: Entry, reason: str, message: str) -> None:
        self._wait(entry, reason, message)
        self._parked.add(entry.key)

    def _wait(self, entry: Entry, reason: str, message: str) -> None:
        known = conditions.find(entry.obj, "QuotaReserved")
        if known and (known["status"], known["reason"], known["message"]) == ("False", reason, message):
            return
        workload = self._store.get(WORKLOADS, *entry.key)
        assert workload is not None
        workloads.wait(self._store, workload, reason, message)
