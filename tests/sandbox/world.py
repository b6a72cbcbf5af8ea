"""A small cluster with queues for the tests of the control loops: moved by its clock, looked at in few words."""

from datetime import timedelta
from typing import Any

from sandbox import admission
from sandbox.controllers import Controllers
from sandbox.store import Store

JOBS = "pytorchjobs.kubeflow.org"
WORKLOADS = "workloads.kueue.x-k8s.io"
CLUSTER_QUEUES = "clusterqueues.kueue.x-k8s.io"
LOCAL_QUEUES = "localqueues.kueue.x-k8s.io"
GPU = "nvidia.com/gpu"
PRODUCT = {"nvidia.com/gpu.product": "A100-SXM4-40GB"}
GENEROUS = {"cpu": "512", "memory": "4Ti", "ephemeral-storage": "2Ti"}


class World:
    """Six nodes of eight GPUs and one flavor; queues are added by `queue`, jobs by `submit`."""

    def __init__(self, store: Store, nodes: int = 6) -> None:
        self.store = store
        allocatable = {GPU: "8", "cpu": "192", "memory": "2Ti", "ephemeral-storage": "2Ti", "pods": "110"}
        for number in range(nodes):
            node = {"metadata": {"name": f"a100-{number}", "labels": PRODUCT}, "status": {"allocatable": allocatable}}
            store.create("nodes", node)
        store.create("resourceflavors.kueue.x-k8s.io", {"metadata": {"name": "a100"}, "spec": {"nodeLabels": PRODUCT}})
        self.controllers = Controllers(store)

    def queue(self, name: str, gpus: int, limit: int | None = None, lending: int | None = None, **spec: Any) -> None:
        """A ClusterQueue of the cohort, and a namespace of its name with the LocalQueue `training`."""
        quota: dict[str, Any] = {"name": GPU, "nominalQuota": str(gpus)}
        quota |= {} if limit is None else {"borrowingLimit": str(limit)}
        quota |= {} if lending is None else {"lendingLimit": str(lending)}
        others = [{"name": resource, "nominalQuota": amount} for resource, amount in GENEROUS.items()]
        flavor = {"name": "a100", "resources": [quota, *others]}
        group = {"coveredResources": [GPU, *GENEROUS], "flavors": [flavor]}
        preemption = {"reclaimWithinCohort": "Any"}
        whole = {"cohortName": "gpu-cohort", "namespaceSelector": {}, "preemption": preemption, **spec}
        self.store.create(CLUSTER_QUEUES, {"metadata": {"name": name}, "spec": {**whole, "resourceGroups": [group]}})
        self.store.create("namespaces", {"metadata": {"name": name}})
        local = {"metadata": {"name": "training", "namespace": name}, "spec": {"clusterQueue": name}}
        self.store.create(LOCAL_QUEUES, local)
        self.controllers.settle()

    def submit(self, name: str, workers: int = 4, gpus: int = 4, **details: Any) -> dict[str, Any]:
        """A queued job, through the webhooks; see `job_manifest` for the details."""
        job = job_manifest(name, workers, gpus, **details)
        admission.mutate(self.store, JOBS, job, "CREATE")
        admission.validate(self.store, JOBS, job, None)
        made = self.store.create(JOBS, job)
        self.controllers.settle()
        return made

    def tick(self, seconds: float) -> None:
        """Move the clock as the server does: from one due moment to the next."""
        end = self.store.clock.now() + timedelta(seconds=seconds)
        while (due := self.controllers.next_due()) and due <= end:
            self.store.advance(due)
            self.controllers.settle()
        self.store.advance(end)
        self.controllers.settle()

    def change(self, resource: str, namespace: str, name: str, **spec: Any) -> None:
        """Set fields of an object's spec, as an administrator would."""
        obj = self.store.get(resource, namespace, name)
        obj["spec"] |= spec
        self.store.update(resource, obj)
        self.controllers.settle()

    def delete(self, name: str, namespace: str = "premium") -> None:
        self.store.delete(JOBS, namespace, name)
        self.controllers.settle()

    def job(self, name: str, namespace: str = "premium") -> dict[str, Any]:
        return self.store.get(JOBS, namespace, name)

    def workload(self, name: str, namespace: str = "premium") -> dict[str, Any] | None:
        """The Workload of a job."""
        held = self.store.list(WORKLOADS, namespace)
        return next((item for item in held if item["metadata"]["ownerReferences"][0]["name"] == name), None)

    def pods(self, name: str, namespace: str = "premium") -> list[dict[str, Any]]:
        return self.store.list("pods", namespace, {"training.kubeflow.org/job-name": name})

    def pod(self, name: str, index: int = 0, namespace: str = "premium") -> dict[str, Any]:
        return self.store.get("pods", namespace, f"{name}-worker-{index}")

    def container(self, name: str, index: int = 0) -> dict[str, Any]:
        """The status of a worker's container."""
        return self.pod(name, index)["status"]["containerStatuses"][0]

    def events(self, name: str) -> list[tuple[str, str]]:
        """Reason and message of every event about the objects of that name, oldest first."""
        found = [event for event in self.store.list("events") if event["involvedObject"]["name"] == name]
        found.sort(key=lambda event: int(event["metadata"]["resourceVersion"]))
        return [(event["reason"], event["message"]) for event in found]

    def state(self, name: str, namespace: str = "premium") -> str:
        """The type of the last condition of a job that is True."""
        true = [item["type"] for item in self.job(name, namespace)["status"]["conditions"] if item["status"] == "True"]
        return true[-1]

    def waits_because(self, name: str, namespace: str = "premium") -> str:
        """The message of QuotaReserved, as long as it is False."""
        condition = conditions(self.workload(name, namespace))["QuotaReserved"]
        return condition[2] if condition[0] == "False" else ""


def conditions(obj: dict[str, Any]) -> dict[str, tuple[str, str, str]]:
    """Type -> status, reason, message; in the order of the object."""
    found = obj.get("status", {}).get("conditions", [])
    return {item["type"]: (item["status"], item["reason"], item["message"]) for item in found}


def job_manifest(
    name: str,
    workers: int = 4,
    gpus: int = 4,
    *,
    namespace: str = "premium",
    restart: str = "OnFailure",
    labels: dict[str, str] | None = None,
    scenario: dict[str, str] | None = None,
    pod: dict[str, Any] | None = None,
    **run_policy: Any,
) -> dict[str, Any]:
    """A PyTorchJob; `scenario` are keys of the rehearsal, `pod` fields of the pod's spec, the rest its runPolicy."""
    limits = {GPU: str(gpus), "cpu": "32", "memory": "256Gi", "ephemeral-storage": "100Gi"}
    container = {
        "name": "pytorch",
        "image": "registry.internal/pytorch:2.3.0-cuda12.1",
        "command": ["torchrun", f"--nproc_per_node={gpus}", f"--nnodes={workers}", "--rdzv_backend=c10d"],
        "args": [f"--rdzv_endpoint={name}-worker-0:29500", "train.py", "--output=/checkpoints"],
        "resources": {"limits": limits},
    }
    annotations = {f"rehearsal.choirmaster.dev/{key}": value for key, value in (scenario or {}).items()}
    template = {"metadata": {"annotations": annotations}, "spec": {"containers": [container], **(pod or {})}}
    worker = {"replicas": workers, "restartPolicy": restart, "template": template}
    policy = {"backoffLimit": 3, "cleanPodPolicy": "Running", **run_policy}
    return {
        "apiVersion": "kubeflow.org/v1",
        "kind": "PyTorchJob",
        "metadata": {
            "name": name,
            "namespace": namespace,
            "labels": {"kueue.x-k8s.io/queue-name": "training", **(labels or {})},
        },
        "spec": {"runPolicy": policy, "pytorchReplicaSpecs": {"Worker": worker}},
    }
