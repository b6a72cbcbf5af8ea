"""Workload objects: identity, requests, what they hold."""

from sandbox.kueue import workloads
from tests.sandbox.world import job_manifest


def job(name: str = "demo", uid: str = "1") -> dict:
    made = job_manifest(name)
    made["metadata"]["uid"] = uid
    return made


def test_a_name_has_five_digits_that_depend_on_the_uid() -> None:
    first, second = workloads.name_for(job()), workloads.name_for(job(uid="2"))
    assert first.startswith("pytorchjob-demo-") and len(first) == len("pytorchjob-demo-") + 5
    assert first != second
    assert len(workloads.name_for(job("x" * 253))) <= 253


def test_a_workload_belongs_to_its_job() -> None:
    meta = workloads.compose(job(), None)["metadata"]
    assert meta["labels"] == {"kueue.x-k8s.io/job-uid": "1"}
    assert meta["finalizers"] == ["kueue.x-k8s.io/resource-in-use"]
    assert meta["ownerReferences"][0] == {
        "apiVersion": "kubeflow.org/v1",
        "kind": "PyTorchJob",
        "name": "demo",
        "uid": "1",
        "controller": True,
        "blockOwnerDeletion": True,
    }


def test_the_master_comes_first() -> None:
    made = job()
    specs = made["spec"]["pytorchReplicaSpecs"]
    specs["Master"] = {**specs["Worker"], "replicas": 1}
    sets = workloads.pod_sets(workloads.compose(made, None))
    assert [(item.name, item.count, item.requests["nvidia.com/gpu"]) for item in sets] == [
        ("master", 1, 4),
        ("worker", 4, 16),
    ]


def test_nothing_is_held_before_admission() -> None:
    assert workloads.reserved_usage(workloads.compose(job(), None)) is None


def test_what_is_held_adds_up_over_the_pod_sets() -> None:
    def assignment(name: str, gpus: str) -> dict:
        return {"name": name, "flavors": {"nvidia.com/gpu": "a100"}, "resourceUsage": {"nvidia.com/gpu": gpus}}

    admission = {"clusterQueue": "q", "podSetAssignments": [assignment("master", "8"), assignment("worker", "40")]}
    assert workloads.reserved_usage({"status": {"admission": admission}}) == ("q", {("a100", "nvidia.com/gpu"): 48})
