"""The control loops of the sandbox: Kueue, the training operator, the scheduler and the kubelet."""

import heapq
from datetime import datetime

from sandbox.history import Change
from sandbox.kubelet import Kubelet
from sandbox.kueue.control import Kueue
from sandbox.placement import Placement
from sandbox.store import Store
from sandbox.training.operator import TrainingOperator
from sandbox.training.replicas import JOBS

_MOST_ROUNDS = 1000

Key = tuple[str, str]
Work = tuple[str, Key]
"""What to look at: `pods` or the resource of the jobs, and its namespace and name."""


class Controllers:
    """Run every control loop over one store until nothing changes.

    They look only at what has changed since they last looked, or is due by the clock; after a start, at everything.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._queue: dict[Work, None] = {}
        self._due: list[tuple[datetime, Work]] = []
        self._next: dict[Work, datetime] = {}
        with store.transaction():
            self._placement = Placement(store)
            self._kubelet = Kubelet(store, self._placement)
            self._operator = TrainingOperator(store)
            self._kueue = Kueue(store)
            for resource in (JOBS, "pods"):
                for record in store.select(resource):
                    self._queue[resource, (record.namespace, record.name)] = None
            store.on_change(self._hear)

    def settle(self) -> None:
        """Do all work that is due now; what it writes becomes durable together."""
        with self._store.transaction():
            for _ in range(_MOST_ROUNDS):
                self._take_due()
                if not self._queue and not self._kueue.busy:
                    return
                while self._queue:
                    work = next(iter(self._queue))
                    del self._queue[work]
                    self._do(work)
                self._kueue.work()
        raise RuntimeError(f"the control loops did not come to rest in {_MOST_ROUNDS} rounds")

    def next_due(self) -> datetime | None:
        """Return the next moment at which something changes by itself, or None."""
        while self._due and self._next.get(self._due[0][1]) != self._due[0][0]:
            heapq.heappop(self._due)
        return self._due[0][0] if self._due else None

    def _take_due(self) -> None:
        while (due := self.next_due()) and due <= self._store.clock.now():
            _, work = heapq.heappop(self._due)
            del self._next[work]
            self._queue[work] = None

    def _do(self, work: Work) -> None:
        resource, key = work
        due = self._kubelet.reconcile(key) if resource == "pods" else self._operator.reconcile(key)
        if due is None:
            self._next.pop(work, None)
        elif self._next.get(work) != due:
            self._next[work] = due
            heapq.heappush(self._due, (due, work))

    def _hear(self, change: Change) -> None:
        """Note who has to look at a change."""
        record = change.record
        if record.resource == "events":
            return
        if self._placement.hear(change):
            self._queue.update(dict.fromkeys(("pods", key) for key in self._placement.waiting))
        self._kueue.hear(change)
        if record.resource in {JOBS, "pods"} and change.type != "DELETED":
            self._queue[record.resource, (record.namespace, record.name)] = None
        for owner in record.owners:
            if owner["kind"] == "PyTorchJob" and record.resource != "workloads.kueue.x-k8s.io":
                self._queue[JOBS, (record.namespace, owner["name"])] = None
