"""Puts values into a template's body and reads the result as a JobSpec.

The body, before its placeholders are replaced:

    flavor: a100                        backoff_limit: 3
    active_deadline_seconds: 43200      pod_sets: [...]

and one entry of pod_sets:

    role: Worker                        replicas: 4
    image: registry.internal/x:1        command: [torchrun, …]      args: […]
    env: {NAME: text}                   annotations: {key: text}
    resources: {cpu: 32, memory: 256Gi, ephemeral-storage: 100Gi, nvidia.com/gpu: 4}
    volumes: [{mount_path: /dev/shm, memory: 64Gi}, {mount_path: /data, claim: training-data, read_only: false}]
    restart_policy: OnFailure           run_as_user: 1000           fs_group: 1000
    read_only_root_filesystem: true
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from jobs.spec.jobspec import RENDEZVOUS_PORT, ClaimVolume, JobSpec, MemoryVolume, PodSet, Volume
from jobs.spec.node import Node
from jobs.spec.placeholders import resolve
from portal.errors import FieldError
from portal.names import DNS_LABEL, EPHEMERAL_STORAGE, GPU
from portal.quantity import show

MAX_REPLICAS = 1000  # a three-digit index still fits behind a 40-character name in a pod's name
MAX_BACKOFF = 100
MAX_SECONDS = 30 * 24 * 3600
MAX_ID = 2**31 - 1
RESTART_POLICIES = ("OnFailure", "Never", "Always", "ExitCode")
_JOB_KEYS = {"flavor", "backoff_limit", "active_deadline_seconds", "pod_sets"}
_POD_SET_KEYS = {"role", "replicas", "image", "command", "args", "env", "annotations", "resources", "volumes",
                 "restart_policy", "run_as_user", "fs_group", "read_only_root_filesystem"}  # fmt: skip
_REQUIRED_RESOURCES = ("cpu", "memory", EPHEMERAL_STORAGE)


class BadBody(ValueError):
    """Body and values do not make a job. `errors` have paths in the body ("pod_sets.0.replicas")."""

    def __init__(self, errors: Sequence[FieldError]) -> None:
        super().__init__("; ".join(f"{error.path}: {error.message}" for error in errors))
        self.errors = tuple(errors)


@dataclass(frozen=True)
class Identity:
    """What a job is called and where it goes: everything that does not come from the template."""

    kind: str
    name: str
    namespace: str
    local_queue: str
    labels: Mapping[str, str]
    annotations: Mapping[str, str]


def render(body: Mapping[str, Any], values: Mapping[str, Any], identity: Identity) -> JobSpec:
    """The job that `values`, as check_values returned them, make of a body. Raises BadBody.

    Facts: `workers` counts all replicas; `gpus_per_worker` and `rendezvous_endpoint` are those of the first pod set.
    """
    errors: list[FieldError] = []
    job = Node(resolve(body, values, _facts(body, values, identity.name)), "", errors)
    job.only(_JOB_KEYS)
    spec = JobSpec(
        kind=identity.kind,
        name=identity.name,
        namespace=identity.namespace,
        labels=dict(identity.labels),
        annotations=dict(identity.annotations),
        local_queue=identity.local_queue,
        flavor=job.text("flavor"),
        pod_sets=tuple(_pod_set(entry) for entry in job.nodes("pod_sets")),
        backoff_limit=job.integer("backoff_limit", 0, MAX_BACKOFF),
        active_deadline_seconds=job.integer("active_deadline_seconds", 60, MAX_SECONDS),
    )
    errors += [] if errors else _contradictions(spec)
    if errors:
        raise BadBody(errors)
    return spec


def _facts(body: Mapping[str, Any], values: Mapping[str, Any], name: str) -> dict[str, str | int]:
    """Made from roles, replicas and resources alone, which may therefore not contain facts themselves."""
    nothing: dict[str, str | int] = {"workers": 0, "gpus_per_worker": 0, "rendezvous_endpoint": ""}
    found = resolve(body.get("pod_sets"), values, nothing)
    sets = [entry for entry in found if isinstance(entry, dict)] if isinstance(found, list) else []
    if not sets:
        return nothing
    resources = sets[0].get("resources")
    return {
        "workers": sum(_count(entry.get("replicas")) for entry in sets),
        "gpus_per_worker": _count(resources.get(GPU)) if isinstance(resources, dict) else 0,
        "rendezvous_endpoint": f"{name}-{str(sets[0].get('role')).lower()}-0:{RENDEZVOUS_PORT}",
    }


def _count(value: object) -> int:
    """A whole number; anything else is 0 here and an error where it is read."""
    return value if isinstance(value, int) else int(value) if isinstance(value, str) and value.isdecimal() else 0


def _pod_set(node: Node) -> PodSet:
    node.only(_POD_SET_KEYS)
    return PodSet(
        role=node.text("role"),
        replicas=node.integer("replicas", 1, MAX_REPLICAS),
        image=node.text("image"),
        command=node.texts("command"),
        args=node.texts("args", default=[]),
        env=node.text_map("env"),
        annotations=node.text_map("annotations"),
        resources=_resources(node),
        volumes=tuple(_volume(entry) for entry in node.nodes("volumes", default=[])),
        restart_policy=node.text("restart_policy", default="OnFailure"),
        run_as_user=node.integer("run_as_user", 1, MAX_ID, default=1000),
        fs_group=node.integer("fs_group", 1, MAX_ID, default=1000),
        read_only_root_filesystem=node.flag("read_only_root_filesystem", default=True),
    )


def _resources(pod_set: Node) -> dict[str, int]:
    node = pod_set.node("resources")
    names = {*_REQUIRED_RESOURCES, *node.names()}
    return {name: node.quantity(name, name) for name in sorted(names)}


def _volume(node: Node) -> Volume:
    node.only({"mount_path", "memory", "claim", "read_only"})
    mount_path = node.text("mount_path")
    if not mount_path.startswith("/") or ".." in mount_path.split("/") or ":" in mount_path:
        node.error("mount_path", "Mount at an absolute path without .. and without a colon.")
    if "memory" in node.names():
        return MemoryVolume(mount_path, node.quantity("memory", "memory"))
    return ClaimVolume(mount_path, node.text("claim"), node.flag("read_only", default=False))


def _contradictions(spec: JobSpec) -> Iterator[FieldError]:
    """What has the right types and still makes no job."""
    if not DNS_LABEL.fullmatch(spec.flavor):
        yield FieldError("flavor", "Name a flavor: lower case letters, digits and -, at most 63.")
    if len({pod_set.role for pod_set in spec.pod_sets}) < len(spec.pod_sets) or not spec.pod_sets:
        yield FieldError("pod_sets", "List at least one pod set, and every role once.")
    for index, pod_set in enumerate(spec.pod_sets):
        path = f"pod_sets.{index}"
        if pod_set.restart_policy not in RESTART_POLICIES:
            yield FieldError(f"{path}.restart_policy", f"Choose one of {', '.join(RESTART_POLICIES)}.")
        paths = [volume.mount_path for volume in pod_set.volumes]
        if len(set(paths)) < len(paths):
            yield FieldError(f"{path}.volumes", "Mount every volume at a path of its own.")
        yield from _memory(pod_set, path)


def _memory(pod_set: PodSet, path: str) -> Iterator[FieldError]:
    memory = [(index, volume) for index, volume in enumerate(pod_set.volumes) if isinstance(volume, MemoryVolume)]
    limit = pod_set.resources["memory"]
    if memory and sum(volume.size_bytes for _, volume in memory) > limit:
        sentence = f"Shared memory counts within the memory of a replica: use at most {show(limit, 'memory')}."
        yield FieldError(f"{path}.volumes.{memory[0][0]}.memory", sentence)
