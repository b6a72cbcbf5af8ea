"""Small objects for the sandbox's tests."""

from typing import Any

JOBS = ("kubeflow.org", "v1", "team-a", "pytorchjobs")
QUEUES = ("kueue.x-k8s.io", "v1beta2", "clusterqueues")


def pytorch_job(name: str = "demo", **spec: Any) -> dict[str, Any]:
    """A PyTorchJob without a queue: one worker with one container."""
    container = {"name": "pytorch", "image": "registry.internal/pytorch:2.3.0-cuda12.1", "args": ["train.py"]}
    worker = {"replicas": 1, "template": {"spec": {"containers": [container]}}}
    return {
        "apiVersion": "kubeflow.org/v1",
        "kind": "PyTorchJob",
        "metadata": {"name": name, "namespace": "team-a"},
        "spec": {"runPolicy": {"suspend": True}, "pytorchReplicaSpecs": {"Worker": worker}, **spec},
    }


def container_of(job: dict[str, Any]) -> dict[str, Any]:
    """The container of `pytorch_job`."""
    return job["spec"]["pytorchReplicaSpecs"]["Worker"]["template"]["spec"]["containers"][0]


def cluster_queue(name: str = "premium", gpus: int = 32) -> dict[str, Any]:
    """A ClusterQueue of one flavor that covers GPUs."""
    quota = {"name": "nvidia.com/gpu", "nominalQuota": gpus}
    group = {"coveredResources": ["nvidia.com/gpu"], "flavors": [{"name": "a100", "resources": [quota]}]}
    return {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "ClusterQueue",
        "metadata": {"name": name},
        "spec": {"cohortName": "gpu-cohort", "namespaceSelector": {}, "resourceGroups": [group]},
    }


def config_map(name: str = "settings", namespace: str = "team-a", **meta: Any) -> dict[str, Any]:
    """An object without any behaviour."""
    return {"metadata": {"name": name, "namespace": namespace, **meta}, "data": {"a": "1"}}


def owner(obj: dict[str, Any]) -> dict[str, Any]:
    """An ownerReference to `obj` that blocks its foreground deletion."""
    return {
        "apiVersion": obj["apiVersion"],
        "kind": obj["kind"],
        "name": obj["metadata"]["name"],
        "uid": obj["metadata"]["uid"],
        "controller": True,
        "blockOwnerDeletion": True,
    }
