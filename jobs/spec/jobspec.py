"""What a job is, in words that are the same for every kind of custom resource. A translator turns it into one kind."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from portal.names import GPU

# torchrun's rendezvous, inside the first replica. The translator gives the operator the same number.
RENDEZVOUS_PORT = 29500


@dataclass(frozen=True)
class MemoryVolume:
    """Shared memory: counted within the container's memory limit by the kernel, so it must not be larger than that."""

    mount_path: str
    size_bytes: int


@dataclass(frozen=True)
class ClaimVolume:
    """An existing PersistentVolumeClaim of the job's namespace, by name."""

    mount_path: str
    claim: str
    read_only: bool = False


Volume = MemoryVolume | ClaimVolume


@dataclass(frozen=True)
class PodSet:
    """A role and how many replicas of it run. `resources` of one replica, in portal.quantity's units."""

    role: str
    replicas: int
    image: str
    command: tuple[str, ...]
    resources: Mapping[str, int]
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    volumes: tuple[Volume, ...] = ()
    restart_policy: str = "OnFailure"
    run_as_user: int = 1000
    fs_group: int = 1000
    read_only_root_filesystem: bool = True
    annotations: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class JobSpec:
    kind: str
    name: str
    namespace: str
    labels: Mapping[str, str]  # of the object and of its pods
    annotations: Mapping[str, str]  # of the object
    local_queue: str
    flavor: str
    pod_sets: tuple[PodSet, ...]
    backoff_limit: int
    active_deadline_seconds: int

    @property
    def replicas(self) -> int:
        return sum(pod_set.replicas for pod_set in self.pod_sets)

    @property
    def gpus(self) -> int:
        return self.requests().get(GPU, 0)

    def requests(self) -> dict[str, int]:
        """What the whole job asks of its queue: every resource summed over all replicas."""
        total: dict[str, int] = {}
        for pod_set in self.pod_sets:
            for resource, amount in pod_set.resources.items():
                total[resource] = total.get(resource, 0) + amount * pod_set.replicas
        return total
