"""The pods and Services of a PyTorchJob: names, labels, environment, ports.

Source: training-operator 1.9.4, pkg/controller.v1/common/{pod,service}.go and pkg/controller.v1/pytorch/envvar.go.
"""

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

JOBS = "pytorchjobs.kubeflow.org"
CONTAINER = "pytorch"
PORT_NAME, DEFAULT_PORT = "pytorchjob-port", 23456
ROLES = ("Master", "Worker")
_PREFIX = "training.kubeflow.org/"

Object = dict[str, Any]


@dataclass(frozen=True)
class Replica:
    """One place in a job: the role, and the index within it."""

    job: Mapping[str, Any]
    role: str
    index: int

    @property
    def spec(self) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self.job["spec"]["pytorchReplicaSpecs"][self.role]
        return found

    @property
    def name(self) -> str:
        return f"{self.job['metadata']['name']}-{self.role.lower()}-{self.index}"

    @property
    def place_labels(self) -> dict[str, str]:
        """The labels that find this replica's pod; its Service has them too."""
        return job_labels(self.job) | {
            f"{_PREFIX}replica-type": self.role.lower(),
            f"{_PREFIX}replica-index": str(self.index),
        }

    @property
    def labels(self) -> dict[str, str]:
        """The labels of this replica's pod."""
        labels = self.place_labels
        first_worker = self.role == "Worker" and self.index == 0 and "Master" not in _specs(self.job)
        if self.role == "Master" or first_worker:
            labels[f"{_PREFIX}job-role"] = "master"
        return labels


def replicas(job: Mapping[str, Any]) -> list[Replica]:
    """Return every place in a job, the master first."""
    return [
        Replica(job, role, index)
        for role in ROLES
        if role in _specs(job)
        for index in range(_specs(job)[role].get("replicas", 1))
    ]


def job_labels(job: Mapping[str, Any]) -> dict[str, str]:
    """Return the labels that all pods of a job share."""
    return {
        f"{_PREFIX}job-name": job["metadata"]["name"],
        f"{_PREFIX}operator-name": "pytorchjob-controller",
    }


def selector(job: Mapping[str, Any], role: str) -> str:
    """Return the label selector of one replica type, as `replicaStatuses` writes it."""
    labels = job_labels(job) | {f"{_PREFIX}replica-type": role.lower()}
    return ",".join(f"{name}={value}" for name, value in sorted(labels.items()))


def restart_policy(spec: Mapping[str, Any]) -> str:
    """Return the replica type's restart policy with its default."""
    return spec.get("restartPolicy") or "OnFailure"


def pod(replica: Replica) -> Object:
    """Return the pod of a replica, ready to be created."""
    template = copy.deepcopy(replica.spec["template"])
    meta, spec = template.get("metadata") or {}, template["spec"]
    _open_port(spec)
    for container in spec["containers"]:
        container["env"] = [*(container.get("env") or []), *_environment(replica)]
    if replica.role == "Worker" and "Master" in _specs(replica.job):
        spec.setdefault("initContainers", []).append(_wait_for_master(replica.job))
    policy = restart_policy(replica.spec)
    spec["restartPolicy"] = "Never" if policy == "ExitCode" else policy
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": replica.name,
            "namespace": replica.job["metadata"]["namespace"],
            "labels": (meta.get("labels") or {}) | replica.labels,
            "annotations": dict(meta.get("annotations") or {}),
            "ownerReferences": [owner_reference(replica.job)],
        },
        "spec": spec,
    }


def service(replica: Replica) -> Object:
    """Return the headless Service that gives a replica its name in DNS."""
    spec = copy.deepcopy(replica.spec["template"]["spec"])
    _open_port(spec)
    ports = [
        {
            "name": port.get("name", ""),
            "port": port["containerPort"],
            "protocol": port.get("protocol", "TCP"),
            "targetPort": port["containerPort"],
        }
        for container in spec["containers"]
        if container["name"] == CONTAINER
        for port in container["ports"]
    ]
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {
            "name": replica.name,
            "namespace": replica.job["metadata"]["namespace"],
            "labels": replica.place_labels,
            "ownerReferences": [owner_reference(replica.job)],
        },
        "spec": {"type": "ClusterIP", "clusterIP": "None", "selector": replica.place_labels, "ports": ports},
    }


def _specs(job: Mapping[str, Any]) -> Mapping[str, Any]:
    specs: Mapping[str, Any] = job["spec"]["pytorchReplicaSpecs"]
    return specs


def owner_reference(job: Mapping[str, Any]) -> Object:
    """Return the reference to a job that stands in what its controllers make for it."""
    return {
        "apiVersion": "kubeflow.org/v1",
        "kind": "PyTorchJob",
        "name": job["metadata"]["name"],
        "uid": job["metadata"]["uid"],
        "controller": True,
        "blockOwnerDeletion": True,
    }


def _open_port(spec: Object) -> None:
    for container in spec["containers"]:
        ports = container.setdefault("ports", []) if container["name"] == CONTAINER else None
        if ports is not None and all(port.get("name") != PORT_NAME for port in ports):
            ports.append({"name": PORT_NAME, "containerPort": DEFAULT_PORT, "protocol": "TCP"})


def _port(job: Mapping[str, Any], role: str) -> int:
    for container in _specs(job)[role]["template"]["spec"]["containers"]:
        for port in container.get("ports") or []:
            if container["name"] == CONTAINER and port.get("name") == PORT_NAME:
                return int(port["containerPort"])
    return DEFAULT_PORT


def _environment(replica: Replica) -> list[Object]:
    job = replica.job
    processes = str(job["spec"].get("nprocPerNode") or "auto")
    nodes = len(replicas(job))
    values = {"PYTHONUNBUFFERED": "1"}
    if "Master" in _specs(job):
        address, port = f"{job['metadata']['name']}-master-0", str(_port(job, "Master"))
        rank = str(replica.index + (replica.role == "Worker"))
        values |= {"MASTER_PORT": port, "PET_MASTER_PORT": port, "MASTER_ADDR": address, "PET_MASTER_ADDR": address}
        world = nodes * (int(processes) if processes.isdigit() else 1)
        values |= {"WORLD_SIZE": str(world), "RANK": rank, "PET_NODE_RANK": rank}
    values["PET_NPROC_PER_NODE"] = processes
    values |= _elastic(job) if job["spec"].get("elasticPolicy") else {"PET_NNODES": str(nodes)}
    return [{"name": name, "value": value} for name, value in values.items()]


def _elastic(job: Mapping[str, Any]) -> dict[str, str]:
    policy = job["spec"]["elasticPolicy"]
    workers = _specs(job)["Worker"].get("replicas", 1)
    least = policy.get("minReplicas") or policy.get("maxReplicas") or workers
    most = policy.get("maxReplicas") or policy.get("minReplicas") or workers
    host = policy.get("rdzvHost") or f"{job['metadata']['name']}-worker-0"
    values = {
        "PET_RDZV_ENDPOINT": f"{host}:{policy.get('rdzvPort') or _port(job, 'Worker')}",
        "PET_RDZV_BACKEND": policy.get("rdzvBackend") or "c10d",
        "PET_NNODES": f"{least}:{most}",
    }
    if policy.get("maxRestarts") is not None:
        values["PET_MAX_RESTARTS"] = str(policy["maxRestarts"])
    if policy.get("rdzvId"):
        values["PET_RDZV_ID"] = policy["rdzvId"]
    return values


def _wait_for_master(job: Mapping[str, Any]) -> Object:
    """The container that looks the master up; it has no securityContext, which `restricted` refuses."""
    address = f"{job['metadata']['name']}-master-0"
    script = f"for i in $(seq 1 100); do nslookup {address} && exit 0; sleep 2; done; exit 1"
    return {
        "name": "init-pytorch",
        "image": "alpine:3.10",
        "imagePullPolicy": "IfNotPresent",
        "command": ["sh", "-c", script],
        "resources": {
            "limits": {"cpu": "100m", "memory": "20Mi"},
            "requests": {"cpu": "50m", "memory": "10Mi"},
        },
    }
