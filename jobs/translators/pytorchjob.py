"""PyTorchJob, kubeflow.org/v1, of the training-operator 1.9 (pkg/apis/kubeflow.org/v1/pytorch_types.go).

The operator finds the training container by its name, and opens every port of it in a Service per replica; a port
called `pytorchjob-port` replaces its own 23456. Without a Master role the job has succeeded when all workers have.
"""

from collections.abc import Iterator
from typing import Any

from jobs.spec import ClaimVolume, JobSpec, MemoryVolume, PodSet
from jobs.spec.jobspec import RENDEZVOUS_PORT
from jobs.translators.base import Object, Progress, count, member, text, time
from portal.names import QUEUE_LABEL
from portal.quantity import show

# Kinds of condition, the decisive first: Failed is never taken back, and the newest entry may be one that turned False.
_PRECEDENCE = ("Failed", "Succeeded", "Suspended", "Restarting", "Running", "Created")


class PyTorchJob:
    kind = "PyTorchJob"
    roles = frozenset({"Master", "Worker"})
    container = "pytorch"

    def manifest(self, spec: JobSpec) -> dict[str, Any]:
        return {
            "apiVersion": "kubeflow.org/v1",
            "kind": self.kind,
            "metadata": {
                "name": spec.name,
                "namespace": spec.namespace,
                "labels": {**spec.labels, QUEUE_LABEL: spec.local_queue},
                "annotations": dict(spec.annotations),
            },
            "spec": {
                "runPolicy": {
                    "backoffLimit": spec.backoff_limit,
                    "activeDeadlineSeconds": spec.active_deadline_seconds,
                },
                "pytorchReplicaSpecs": {
                    pod_set.role: self._replica_spec(pod_set, spec.labels) for pod_set in spec.pod_sets
                },
            },
        }

    def _replica_spec(self, pod_set: PodSet, labels: Object) -> dict[str, Any]:
        return {
            "replicas": pod_set.replicas,
            "restartPolicy": pod_set.restart_policy,
            "template": {
                "metadata": _filled(labels=dict(labels), annotations=dict(pod_set.annotations)),
                "spec": _filled(
                    securityContext={"runAsUser": pod_set.run_as_user, "fsGroup": pod_set.fs_group},
                    containers=[self._container(pod_set)],
                    volumes=list(_volumes(pod_set)),
                ),
            },
        }

    def _container(self, pod_set: PodSet) -> dict[str, Any]:
        amounts = {resource: show(amount, resource) for resource, amount in pod_set.resources.items()}
        return _filled(
            name=self.container,
            image=pod_set.image,
            command=list(pod_set.command),
            args=list(pod_set.args),
            env=[{"name": name, "value": value} for name, value in pod_set.env.items()],
            ports=[{"name": "pytorchjob-port", "containerPort": RENDEZVOUS_PORT, "protocol": "TCP"}],
            resources={"requests": amounts, "limits": dict(amounts)},
            volumeMounts=list(_mounts(pod_set)),
            securityContext={"readOnlyRootFilesystem": pod_set.read_only_root_filesystem},
        )

    def progress(self, obj: Object) -> Progress:
        conditions = _true_conditions(obj)
        phase = next((kind for kind in _PRECEDENCE if kind in conditions), "")
        deciding = conditions.get(phase, {})
        suspended = member(obj, "spec", "runPolicy", "suspend")
        replicas = member(obj, "status", "replicaStatuses")
        roles = list(replicas.values()) if isinstance(replicas, dict) else []
        ended = phase in {"Failed", "Succeeded"}
        return Progress(
            phase=phase,
            message=text(deciding, "message"),
            suspended=suspended if isinstance(suspended, bool) else None,
            active=sum(count(role, "active") for role in roles),
            succeeded=sum(count(role, "succeeded") for role in roles),
            failed=sum(count(role, "failed") for role in roles),
            started_at=time(conditions.get("Running"), "lastTransitionTime") or _started(obj),
            # An exit code that is never retried ends the job without completionTime (training-operator 1.9).
            finished_at=(time(obj, "status", "completionTime") or time(deciding, "lastTransitionTime"))
            if ended
            else None,
        )

    def pod_set_of(self, pod: Object) -> tuple[str, int]:
        role = text(pod, "metadata", "labels", "training.kubeflow.org/replica-type")
        index = text(pod, "metadata", "labels", "training.kubeflow.org/replica-index")
        if not role or not (index.isascii() and index.isdecimal()):
            raise ValueError(f"The pod's labels give the role {role!r} and the index {index!r}.")
        return role, int(index)


def _filled(**fields: Any) -> dict[str, Any]:
    """Without empty lists and maps: a controller that writes the object back leaves those out."""
    return {name: value for name, value in fields.items() if value not in ([], {})}


def _mounts(pod_set: PodSet) -> Iterator[dict[str, Any]]:
    for index, volume in enumerate(pod_set.volumes):
        mount = {"name": f"volume-{index}", "mountPath": volume.mount_path}
        if isinstance(volume, ClaimVolume) and volume.read_only:
            yield {**mount, "readOnly": True}
        else:
            yield mount


def _volumes(pod_set: PodSet) -> Iterator[dict[str, Any]]:
    for index, volume in enumerate(pod_set.volumes):
        name = f"volume-{index}"
        if isinstance(volume, MemoryVolume):
            yield {"name": name, "emptyDir": {"medium": "Memory", "sizeLimit": show(volume.size_bytes, "memory")}}
        else:
            yield {"name": name, "persistentVolumeClaim": {"claimName": volume.claim}}


def _conditions(obj: Object) -> list[Object]:
    found = member(obj, "status", "conditions")
    return [condition for condition in found if isinstance(condition, dict)] if isinstance(found, list) else []


def _true_conditions(obj: Object) -> dict[str, Object]:
    return {text(condition, "type"): condition for condition in _conditions(obj) if condition.get("status") == "True"}


def _started(obj: Object) -> Any:
    """When a job that has run began: startTime moves to the newest resume, and is set before any pod runs."""
    has_run = any(text(condition, "type") == "Running" for condition in _conditions(obj))
    return time(obj, "status", "startTime") if has_run else None
