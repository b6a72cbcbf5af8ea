from copy import deepcopy

import pytest

from jobs import spec
from jobs.spec import BadBody, ClaimVolume, Identity, MemoryVolume, check_values, render
from portal.names import GPU
from tests.jobs.factories import INPUT, demo_template

GIB = 2**30
IDENTITY = Identity("PyTorchJob", "llama3-0a1b2c", "cm-premium", "main", {"l": "1"}, {"a": "2"})


def job(**values: object) -> spec.JobSpec:
    template = demo_template()
    clean, errors = check_values(template["schema"], INPUT | values, ("registry.internal/",))
    assert errors == []
    return render(template["body"], clean, IDENTITY)


def wrong(path: str, value: object) -> dict[str, str]:
    """Message by path, for the demo's body with `value` at `path`."""
    body = deepcopy(demo_template()["body"])
    node = body
    *steps, last = [int(step) if step.isdecimal() else step for step in path.split("/")]
    for step in steps:
        node = node[step]
    node[last] = value
    clean, _errors = check_values(demo_template()["schema"], INPUT, ("registry.internal/",))
    with pytest.raises(BadBody) as raised:
        render(body, clean, IDENTITY)
    return {error.path: error.message for error in raised.value.errors}


def test_the_issues_input_becomes_its_job() -> None:
    made = job()
    (workers,) = made.pod_sets
    assert workers.command == (
        "torchrun",
        "--nproc_per_node=4",
        "--nnodes=4",
        "--rdzv_backend=c10d",
        "--rdzv_endpoint=llama3-0a1b2c-worker-0:29500",
        "train.py",
        "--model=meta-llama/Llama-3-8B",
        "--output=/checkpoints",
    )
    assert workers.resources == {"cpu": 32_000, "memory": 256 * GIB, "ephemeral-storage": 100 * GIB, GPU: 4}
    assert workers.volumes == (
        MemoryVolume("/dev/shm", 64 * GIB),
        ClaimVolume("/data", "training-data"),
        ClaimVolume("/checkpoints", "checkpoint-pvc"),
    )
    assert (workers.role, workers.replicas, workers.run_as_user, workers.fs_group) == ("Worker", 4, 1000, 1000)
    assert (made.backoff_limit, made.active_deadline_seconds, made.flavor) == (3, 43_200, "a100")


def test_requests_are_summed_over_replicas() -> None:
    made = job(workers=6, gpus_per_worker=8, cpu=10)
    assert made.requests() == {"cpu": 60_000, "memory": 1536 * GIB, "ephemeral-storage": 600 * GIB, GPU: 48}
    assert (made.gpus, made.replicas) == (48, 6)


def test_the_numbers_of_the_command_follow_from_the_form() -> None:
    command = job(workers=2, gpus_per_worker=8, arguments=["--lr=1e-4", "--epochs=3"]).pod_sets[0].command
    assert command[1:3] == ("--nproc_per_node=8", "--nnodes=2")
    assert command[-2:] == ("--lr=1e-4", "--epochs=3")


def test_a_rehearsal_is_annotations_of_the_template() -> None:
    annotations = job(rehearsal="crash").pod_sets[0].annotations
    assert annotations == {
        "rehearsal.choirmaster.dev/crash-after": "10",
        "rehearsal.choirmaster.dev/crash-code": "1",
        "rehearsal.choirmaster.dev/crash-replica": "2",
    }


@pytest.mark.parametrize("size", ["257Gi", "1Ti"])
def test_shared_memory_fits_into_the_memory(size: str) -> None:
    with pytest.raises(BadBody) as raised:
        job(shared_memory=size)
    assert [error.path for error in raised.value.errors] == ["pod_sets.0.volumes.0.memory"]
    assert "use at most 256Gi" in raised.value.errors[0].message
    assert job(shared_memory="256Gi").pod_sets[0].volumes[0] == MemoryVolume("/dev/shm", 256 * GIB)


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        ("flavor", 3, "flavor"),
        ("flavor", "x" * 64, "flavor"),
        ("surprise", 3, "surprise"),
        ("backoff_limit", -1, "backoff_limit"),
        ("active_deadline_seconds", 10**9, "active_deadline_seconds"),
        ("active_deadline_seconds", None, "active_deadline_seconds"),
        ("pod_sets", {}, "pod_sets"),
        ("pod_sets", [], "pod_sets"),
        ("pod_sets", [3], "pod_sets.0"),
        ("pod_sets/0/replicas", 1001, "pod_sets.0.replicas"),
        ("pod_sets/0/replicas", True, "pod_sets.0.replicas"),
        ("pod_sets/0/privileged", True, "pod_sets.0.privileged"),
        ("pod_sets/0/command", "torchrun", "pod_sets.0.command"),
        ("pod_sets/0/command", ["a", 3], "pod_sets.0.command.1"),
        ("pod_sets/0/env", ["A=1"], "pod_sets.0.env"),
        ("pod_sets/0/env", {"A": 1}, "pod_sets.0.env.A"),
        ("pod_sets/0/resources", {"cpu": 1, "memory": "1Gi"}, "pod_sets.0.resources.ephemeral-storage"),
        ("pod_sets/0/resources/cpu", 0, "pod_sets.0.resources.cpu"),
        ("pod_sets/0/resources/cpu", "0.0001", "pod_sets.0.resources.cpu"),
        ("pod_sets/0/resources/memory", [], "pod_sets.0.resources.memory"),
        ("pod_sets/0/run_as_user", 0, "pod_sets.0.run_as_user"),
        ("pod_sets/0/restart_policy", "Sometimes", "pod_sets.0.restart_policy"),
        ("pod_sets/0/read_only_root_filesystem", "no", "pod_sets.0.read_only_root_filesystem"),
        ("pod_sets/0/volumes/1/mount_path", "data", "pod_sets.0.volumes.1.mount_path"),
        ("pod_sets/0/volumes/1/mount_path", "/a/../../etc", "pod_sets.0.volumes.1.mount_path"),
        ("pod_sets/0/volumes/1/mount_path", "/dev/shm", "pod_sets.0.volumes"),
        ("pod_sets/0/volumes/1/hostPath", "/", "pod_sets.0.volumes.1.hostPath"),
    ],
)
def test_a_body_that_makes_no_job_is_answered_by_path(path: str, value: object, expected: str) -> None:
    assert expected in wrong(path, value)


def test_roles_are_there_once() -> None:
    pod_set = demo_template()["body"]["pod_sets"][0]
    assert wrong("pod_sets", [pod_set, pod_set]) == {"pod_sets": "List at least one pod set, and every role once."}
