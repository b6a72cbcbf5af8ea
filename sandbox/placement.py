"""The scheduler: which node a pod goes to, or why there is none.

Filters and wordings are kube-scheduler's (Kubernetes 1.36). Among the nodes that fit, the fullest is taken
(NodeResourcesFit with MostAllocated), as clusters of GPUs are set up to keep whole nodes free.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sandbox import quantity
from sandbox.history import Change
from sandbox.node_match import matches_affinity, tolerated
from sandbox.podstatus import ENDED
from sandbox.quantity import Amounts
from sandbox.records import Record
from sandbox.store import Store

Key = tuple[str, str]
_GPU = "nvidia.com/gpu"


@dataclass
class Node:
    """A node with what its pods take of it."""

    name: str
    labels: Mapping[str, str]
    taints: list[Mapping[str, Any]]
    allocatable: Amounts
    cordoned: bool
    used: Amounts = field(default_factory=dict)

    def free(self, resource: str) -> int:
        return self.allocatable.get(resource, 0) - self.used.get(resource, 0)

    def obstacles(self, spec: Mapping[str, Any], requests: Amounts) -> list[str]:
        """Return why a pod cannot go here, in the scheduler's words; empty when it can."""
        if self.cordoned:
            return ["node(s) were unschedulable"]
        tolerations = spec.get("tolerations") or []
        for taint in self.taints:
            if not tolerated(taint, tolerations):
                return [f"node(s) had untolerated taint {{{taint['key']}: {taint.get('value', '')}}}"]
        if not matches_affinity(spec, self.labels):
            return ["node(s) didn't match Pod's node affinity/selector"]
        if self.free("pods") < 1:
            return ["Too many pods"]
        return [f"Insufficient {name}" for name, amount in requests.items() if amount > self.free(name)]

    def could_ever_fit(self, obstacles: list[str], requests: Amounts) -> bool:
        """Tell whether a pod that has these obstacles would fit if the node were empty."""
        return all(text.startswith("Insufficient") for text in obstacles) and all(
            amount <= self.allocatable.get(name, 0) for name, amount in requests.items()
        )


class Placement:
    """Finds nodes for the pods of one store; `hear` keeps the account of what the nodes give."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._nodes: dict[str, Node] = {}
        self._placed: dict[Key, tuple[str, Amounts]] = {}
        self.waiting: dict[Key, None] = {}
        for record in store.select("nodes"):
            self._learn_node(record)
        for record in store.select("pods"):
            self._learn_pod(record)

    def hear(self, change: Change) -> bool:
        """Take note of a change; tell whether a waiting pod may now find a place."""
        record, gone = change.record, change.type == "DELETED"
        if record.resource == "pods":
            if gone:
                self.waiting.pop((record.namespace, record.name), None)
            return self._forget_pod(record) if gone else self._learn_pod(record)
        if record.resource == "nodes":
            if gone:
                self._nodes.pop(record.name, None)
            else:
                self._learn_node(record)
            return True
        return record.resource == "persistentvolumeclaims"

    def _learn_node(self, record: Record) -> None:
        spec, status = record.obj.get("spec") or {}, record.obj.get("status") or {}
        node = Node(
            name=record.name,
            labels=record.labels,
            taints=spec.get("taints") or [],
            allocatable={name: quantity.parse(name, text) for name, text in (status.get("allocatable") or {}).items()},
            cordoned=bool(spec.get("unschedulable")),
        )
        taken = [amounts for place, amounts in self._placed.values() if place == record.name]
        node.used = quantity.add(taken)
        self._nodes[record.name] = node

    def _learn_pod(self, record: Record) -> bool:
        key, place = (record.namespace, record.name), record.obj["spec"].get("nodeName")
        if not place or (record.obj.get("status") or {}).get("phase") in ENDED:
            return self._forget_pod(record)
        self.waiting.pop(key, None)
        if key not in self._placed:
            self._charge(key, place, requests_of(record.obj))
        return False

    def _charge(self, key: Key, place: str, amounts: Amounts) -> None:
        self._placed[key] = (place, amounts)
        if place in self._nodes:
            self._nodes[place].used = quantity.add([self._nodes[place].used, amounts])

    def _forget_pod(self, record: Record) -> bool:
        key = (record.namespace, record.name)
        place, amounts = self._placed.pop(key, ("", {}))
        node = self._nodes.get(place)
        if node:
            node.used = {name: used - amounts.get(name, 0) for name, used in node.used.items()}
        return bool(place)

    def find(self, pod: Mapping[str, Any]) -> tuple[str, str]:
        """Return the node for a pod and an empty text, or an empty text and the reason why there is none."""
        total = len(self._nodes)
        if not total:
            return "", "no nodes available to schedule pods"
        problem = self._claim_problem(pod)
        if problem:
            return "", f"0/{total} nodes are available: {problem}. not found"
        requests, counts = requests_of(pod), Counter[str]()
        fitting, hopeless = [], 0
        for node in self._nodes.values():
            obstacles = node.obstacles(pod["spec"], requests)
            counts.update(obstacles)
            hopeless += bool(obstacles) and not node.could_ever_fit(obstacles, requests)
            if not obstacles:
                fitting.append(node)
        if fitting:
            best = min(fitting, key=lambda node: (node.free(_GPU), node.free("cpu"), node.name))
            return best.name, ""
        listed = ", ".join(f"{count} {text}" for text, count in sorted(counts.items()))
        return "", f"0/{total} nodes are available: {listed}. {_preemption(total, hopeless)}"

    def _claim_problem(self, pod: Mapping[str, Any]) -> str:
        for volume in pod["spec"].get("volumes") or []:
            name = (volume.get("persistentVolumeClaim") or {}).get("claimName")
            if not name:
                continue
            claim = self._store.peek("persistentvolumeclaims", pod["metadata"]["namespace"], name)
            if claim is None:
                return f'persistentvolumeclaim "{name}" not found'
            if (claim.obj.get("status") or {}).get("phase") != "Bound":
                return "pod has unbound immediate PersistentVolumeClaims"
        return ""


def _preemption(total: int, hopeless: int) -> str:
    parts = []
    if total > hopeless:
        parts.append(f"{total - hopeless} No preemption victims found for incoming pod")
    if hopeless:
        parts.append(f"{hopeless} Preemption is not helpful for scheduling")
    return f"no new claims to deallocate, preemption: 0/{total} nodes are available: {', '.join(parts)}."


def requests_of(pod: Mapping[str, Any]) -> Amounts:
    """Return what a pod takes of its node, itself included."""
    return {**quantity.pod_requests(pod["spec"]), "pods": 1}
