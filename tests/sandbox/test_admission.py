"""The webhooks: what they set, and what they deny in which words."""

from typing import Any

import pytest

from sandbox import admission
from sandbox.errors import StatusError
from sandbox.store import Store
from tests.sandbox.world import JOBS, LOCAL_QUEUES, WORKLOADS, World, job_manifest

QUEUE = "kueue.x-k8s.io/queue-name"


def denial(store: Store, resource: str, obj: dict[str, Any], old: dict[str, Any] | None = None) -> StatusError:
    with pytest.raises(StatusError) as caught:
        admission.validate(store, resource, obj, old)
    return caught.value


def test_a_queued_job_is_created_suspended(store: Store) -> None:
    job = job_manifest("demo", suspend=False)
    admission.mutate(store, JOBS, job, "CREATE")
    assert job["spec"]["runPolicy"]["suspend"] is True


def test_a_job_without_a_queue_is_left_alone(store: Store) -> None:
    job = job_manifest("demo", suspend=False)
    del job["metadata"]["labels"]
    admission.mutate(store, JOBS, job, "CREATE")
    assert job["spec"]["runPolicy"]["suspend"] is False


def test_the_local_queue_default_takes_jobs_without_one(store: Store) -> None:
    store.create(LOCAL_QUEUES, {"metadata": {"name": "default", "namespace": "team-a"}, "spec": {"clusterQueue": "x"}})
    job = job_manifest("demo", namespace="team-a")
    del job["metadata"]["labels"]
    admission.mutate(store, JOBS, job, "CREATE")
    assert job["metadata"]["labels"] == {QUEUE: "default"}
    assert job["spec"]["runPolicy"]["suspend"] is True


@pytest.mark.parametrize("labels", [None, "text", 5, []])
def test_odd_labels_are_left_to_the_schema(store: Store, labels: object) -> None:
    job = {"metadata": {"name": "odd", "labels": labels}, "spec": {"runPolicy": None}}
    admission.mutate(store, JOBS, job, "CREATE")
    assert job["metadata"]["labels"] == labels


def test_a_good_job_passes(store: Store) -> None:
    admission.validate(store, JOBS, job_manifest("demo"), None)


def test_a_name_must_be_a_dns_1035_label(store: Store) -> None:
    error = denial(store, JOBS, job_manifest("8-workers"))
    assert (error.code, error.reason) == (403, "Forbidden")
    start = 'admission webhook "validator.pytorchjob.training-operator.kubeflow.org" denied the request: '
    assert error.message.startswith(f'{start}metadata.name: Invalid value: "8-workers": should match: a DNS-1035 label')


def worker_of(job: dict[str, Any]) -> dict[str, Any]:
    return job["spec"]["pytorchReplicaSpecs"]["Worker"]


def test_the_container_must_be_called_pytorch_and_have_an_image(store: Store) -> None:
    job = job_manifest("demo")
    worker_of(job)["template"]["spec"]["containers"] = [{"name": "main"}]
    field = "spec.pytorchReplicaSpecs[Worker].template.spec.containers"
    assert denial(store, JOBS, job).message.endswith(
        f"[{field}[0].image: Required value: must be required, "
        f"{field}: Required value: must have at least one container with name pytorch]"
    )


def test_roles_and_replicas(store: Store) -> None:
    job = job_manifest("demo")
    specs = job["spec"]["pytorchReplicaSpecs"]
    specs |= {"Chief": specs["Worker"], "Master": {**specs["Worker"], "replicas": 2}}
    specs["Worker"] = {**specs["Worker"], "replicas": 0}
    message, start = denial(store, JOBS, job).message, "spec.pytorchReplicaSpecs"
    assert f'{start}[Chief]: Unsupported value: "Chief": supported values: "Master", "Worker"' in message
    assert f"{start}[Master].replicas: Forbidden: must be 1" in message
    assert f"{start}[Worker].replicas: Forbidden: must be at least 1" in message


def test_managed_by_and_missing_roles(store: Store) -> None:
    job = job_manifest("demo", managedBy="somebody")
    job["spec"]["pytorchReplicaSpecs"] = {}
    assert denial(store, JOBS, job).message.endswith(
        '[spec.runPolicy.managedBy: Unsupported value: "somebody": supported values: '
        '"kueue.x-k8s.io/multikueue", "kubeflow.org/training-operator", '
        "spec.pytorchReplicaSpecs: Required value: must be specified]"
    )


def test_a_running_job_keeps_its_queue(store: Store) -> None:
    old, new = job_manifest("demo", suspend=False), job_manifest("demo", suspend=False, labels={QUEUE: "other"})
    error = denial(store, JOBS, new, old)
    assert error.message == (
        'admission webhook "vpytorchjob.kb.io" denied the request: '
        f'metadata.labels[{QUEUE}]: Invalid value: "other": field is immutable'
    )
    old["spec"]["runPolicy"]["suspend"] = new["spec"]["runPolicy"]["suspend"] = True
    admission.validate(store, JOBS, new, old)


def test_a_workload_with_quota_keeps_its_shape(store: Store) -> None:
    world = World(store)
    world.queue("premium", 32)
    world.submit("demo")
    old = world.workload("demo")
    changed = {**old, "spec": {**old["spec"], "podSets": []}}
    assert "spec.podSets" in denial(store, WORKLOADS, changed, old).message
    admission.validate(store, WORKLOADS, {**old, "spec": {**old["spec"], "active": False}}, old)


def pod(**spec: Any) -> dict[str, Any]:
    containers = [{"name": "c", "image": "busybox"}]
    return {"metadata": {"name": "p", "namespace": "team-a"}, "spec": {"containers": containers, **spec}}


def test_a_pod_needs_its_service_account(store: Store) -> None:
    error = denial(store, "pods", pod(serviceAccountName="ghost"))
    assert error.code == 403
    why = 'error looking up service account team-a/ghost: serviceaccount "ghost" not found'
    assert error.message == f'pods "p" is forbidden: {why}'


def test_a_restricted_namespace_refuses_a_careless_pod(store: Store) -> None:
    namespace = store.get("namespaces", "", "team-a")
    namespace["metadata"]["labels"]["pod-security.kubernetes.io/enforce"] = "restricted"
    store.update("namespaces", namespace)
    message = denial(store, "pods", pod()).message
    assert message.startswith('pods "p" is forbidden: violates PodSecurity "restricted:latest": allowPrivilegeEscal')
