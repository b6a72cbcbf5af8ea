"""Kueue's control loop: it hears of changes, keeps its memory up to date, and does what follows from them."""

from dataclasses import dataclass, field

from sandbox import conditions
from sandbox.history import Change
from sandbox.kueue import jobs, queues, workloads
from sandbox.kueue.capacity import Usage
from sandbox.kueue.queues import COHORTS, Counts
from sandbox.kueue.registry import Entry, Key, Topology, is_unfinished, read_topology, stop_policy
from sandbox.kueue.scheduler import SchedulingPass
from sandbox.kueue.workloads import PRIORITY_LABEL, WORKLOADS, Object
from sandbox.records import Record
from sandbox.store import Store
from sandbox.training.replicas import JOBS

_QUEUE_KINDS = frozenset({queues.CLUSTER_QUEUES, queues.LOCAL_QUEUES, queues.FLAVORS, COHORTS, "namespaces"})


@dataclass
class Tally:
    """The counters of one queue while they are added up."""

    pending: int = 0
    reserving: int = 0
    admitted: int = 0
    reservation: Usage = field(default_factory=dict)
    usage: Usage = field(default_factory=dict)

    def count(self, entry: Entry) -> None:
        """Add one Workload."""
        if entry.held is None:
            self.pending += entry.pending
            return
        self.reserving += 1
        self.admitted += entry.admitted
        for pair, amount in entry.held[1].items():
            self.reservation[pair] = self.reservation.get(pair, 0) + amount
            if entry.admitted:
                self.usage[pair] = self.usage.get(pair, 0) + amount

    def counts(self) -> Counts:
        return Counts(self.pending, self.reserving, self.admitted, self.reservation, self.usage)


class Kueue:
    """The Kueue of one store. `hear` is told of every change, `work` does what is to be done."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._entries: dict[Key, Entry] = {}
        self._parked: set[Key] = set()
        self._jobs: dict[Key, None] = {}
        self._workloads: dict[Key, None] = {}
        self._topology: Topology = read_topology(store)
        self._stale_topology = self._pass_due = True
        self._written: dict[tuple[str, Key], Counts] = {}
        for resource in (WORKLOADS, JOBS):
            for record in store.select(resource):
                self._remember(record)

    @property
    def busy(self) -> bool:
        """Whether there is anything to do."""
        return bool(self._jobs or self._workloads or self._stale_topology or self._pass_due)

    def hear(self, change: Change) -> None:
        """Take note of a change."""
        record = change.record
        if record.resource in _QUEUE_KINDS:
            before = change.before
            if before is None or change.type == "DELETED" or _intent(before) != _intent(record):
                self._stale_topology = True
        elif record.resource == jobs.PRIORITY_CLASSES:
            for job in self._store.select(JOBS, labels={PRIORITY_LABEL: record.name}):
                self._remember(job)
        elif change.type == "DELETED" and record.resource == WORKLOADS:
            self._forget((record.namespace, record.name))
            self._ask_owner(record)
        else:
            self._remember(record)

    def _remember(self, record: Record) -> None:
        key = (record.namespace, record.name)
        if record.resource == JOBS:
            self._jobs[key] = None
        elif record.resource == WORKLOADS:
            self._workloads[key] = None
            self._ask_owner(record)
            if is_unfinished(record):
                self._replace(key, Entry(record.obj))
            else:
                self._forget(key)

    def _replace(self, key: Key, entry: Entry) -> None:
        old = self._entries.get(key)
        if old and old.held and not entry.held:
            self._parked.clear()
        if old is None or old.held != entry.held or old.spec != entry.spec or entry.pending:
            self._pass_due = True
        if old and old.spec != entry.spec:
            self._parked.discard(key)
        self._entries[key] = entry

    def _forget(self, key: Key) -> None:
        self._parked.discard(key)
        old = self._entries.pop(key, None)
        if old and old.held:
            self._parked.clear()
        self._pass_due = self._pass_due or old is not None

    def _ask_owner(self, record: Record) -> None:
        owner = workloads.owner_of(record.obj, "PyTorchJob")
        if owner:
            self._jobs[record.namespace, owner["name"]] = None

    def work(self) -> None:
        """Do everything that is to be done now, once."""
        if self._stale_topology:
            self._read_topology()
        while self._workloads or self._jobs:
            taken, self._workloads = self._workloads, {}
            for key in taken:
                self._reconcile_workload(key)
            wanted, self._jobs = self._jobs, {}
            for key in wanted:
                jobs.reconcile(self._store, *key)
        if self._pass_due and not self._stale_topology:
            self._pass_due = False
            SchedulingPass(self._store, self._topology, self._entries, self._parked).run()
            self._write_counters()

    def _read_topology(self) -> None:
        self._stale_topology, self._pass_due = False, True
        self._topology = read_topology(self._store)
        self._parked.clear()
        self._written.clear()
        self._workloads.update(dict.fromkeys(self._entries))
        in_use = {
            name for queue in self._topology.cluster_queues.values() for group in queue.groups for name in group.flavors
        }
        for name in self._topology.flavors:
            queues.keep_flavor(self._store, name, in_use=name in in_use)

    def _reconcile_workload(self, key: Key) -> None:
        workload = self._store.get(WORKLOADS, *key)
        if workload is None:
            return
        if workload["metadata"].get("deletionTimestamp"):
            self._let_go(workload)
        elif key in self._entries:
            self._follow_switches(workload, self._entries[key])

    def _let_go(self, workload: Object) -> None:
        """Stop the job of a Workload that is being deleted, then let the Workload go."""
        owner = workloads.owner_of(workload, "PyTorchJob")
        job = self._store.get(JOBS, workload["metadata"]["namespace"], owner["name"]) if owner else None
        alive = job is not None and not job["metadata"].get("deletionTimestamp")
        if job and alive and not jobs.suspended(job) and not jobs.finished(job):
            jobs.stop(self._store, job, workload, "Workload is deleted")
        workloads.drop_finalizer(self._store, workload)

    def _follow_switches(self, workload: Object, entry: Entry) -> None:
        """Evict or requeue as `spec.active` and the stop policies of the queues demand."""
        local = self._topology.local_queues.get(entry.local_queue)
        target = self._topology.target_of(entry)
        local_stop = stop_policy(local) if local else "None"
        cluster_stop = target.stop_policy if target else "None"
        if not entry.spec.get("active", True):
            if not entry.evicted:
                workloads.evict(self._store, workload, "Deactivated", "The workload is deactivated")
        elif entry.held and not entry.evicted:
            if local_stop == "HoldAndDrain":
                workloads.evict(self._store, workload, "LocalQueueStopped", "The LocalQueue is stopped")
            elif cluster_stop == "HoldAndDrain":
                workloads.evict(self._store, workload, "ClusterQueueStopped", "The ClusterQueue is stopped")
        else:
            self._requeue(workload, local_stop, cluster_stop)

    def _requeue(self, workload: Object, local_stop: str, cluster_stop: str) -> None:
        requeued = conditions.find(workload, "Requeued")
        if requeued is None or requeued["status"] == "True":
            return
        if requeued["reason"] == "Deactivated":
            workloads.requeue(self._store, workload, "Reactivated", "The workload was reactivated")
        elif requeued["reason"] == "LocalQueueStopped" and local_stop == "None":
            message = "The LocalQueue was restarted after being stopped"
            workloads.requeue(self._store, workload, "LocalQueueRestarted", message)
        elif requeued["reason"] == "ClusterQueueStopped" and cluster_stop == "None":
            message = "The ClusterQueue was restarted after being stopped"
            workloads.requeue(self._store, workload, "ClusterQueueRestarted", message)

    def _write_counters(self) -> None:
        """Bring the counters of every queue whose numbers changed up to date."""
        by_cluster = {name: Tally() for name in self._topology.cluster_queues}
        by_local = {key: Tally() for key in self._topology.local_queues}
        for entry in self._entries.values():
            local = self._topology.local_queues.get(entry.local_queue)
            name = entry.held[0] if entry.held else queues.cluster_queue_of(local) if local else ""
            if name in by_cluster:
                by_cluster[name].count(entry)
            if entry.local_queue in by_local:
                by_local[entry.local_queue].count(entry)
        for name, tally in by_cluster.items():
            if self._news("cluster", ("", name), tally.counts()):
                queues.write_cluster_queue_status(self._store, self._topology.cluster_queues[name], tally.counts())
        for key, tally in by_local.items():
            obj = self._store.get(queues.LOCAL_QUEUES, *key)
            if obj and self._news("local", key, tally.counts()):
                target = self._topology.cluster_queues.get(queues.cluster_queue_of(obj))
                queues.write_local_queue_status(self._store, obj, target, tally.counts())

    def _news(self, kind: str, key: Key, counts: Counts) -> bool:
        known = self._written.get((kind, key))
        self._written[kind, key] = counts
        return known != counts


def _intent(record: Record) -> tuple[object, ...]:
    """What about a queue, a flavor or a namespace matters to admission."""
    return record.obj.get("spec"), record.labels, record.terminating
