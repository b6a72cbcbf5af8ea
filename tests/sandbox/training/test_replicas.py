"""Pods and Services of a PyTorchJob: names, labels, environment, ports."""

from typing import Any

from sandbox.training import replicas
from sandbox.training.replicas import Replica
from tests.sandbox.world import job_manifest


def job(with_master: bool = False, **spec: Any) -> dict[str, Any]:
    made = job_manifest("demo", workers=2)
    made["metadata"]["uid"] = "1"
    made["spec"] |= spec
    specs = made["spec"]["pytorchReplicaSpecs"]
    if with_master:
        specs["Master"] = {**specs["Worker"], "replicas": 1}
    return made


def environment(made: dict[str, Any], role: str = "Worker", index: int = 0) -> dict[str, str]:
    pod = replicas.pod(Replica(made, role, index))
    return {item["name"]: item["value"] for item in pod["spec"]["containers"][0]["env"]}


def test_labels() -> None:
    first, second = (Replica(job(), "Worker", index).labels for index in range(2))
    assert first == {
        "training.kubeflow.org/job-name": "demo",
        "training.kubeflow.org/operator-name": "pytorchjob-controller",
        "training.kubeflow.org/replica-type": "worker",
        "training.kubeflow.org/replica-index": "0",
        "training.kubeflow.org/job-role": "master",
    }
    assert "training.kubeflow.org/job-role" not in second


def test_the_master_role_goes_to_the_master_where_there_is_one() -> None:
    made = job(with_master=True)
    assert "training.kubeflow.org/job-role" not in Replica(made, "Worker", 0).labels
    assert Replica(made, "Master", 0).labels["training.kubeflow.org/job-role"] == "master"
    assert [replica.name for replica in replicas.replicas(made)] == ["demo-master-0", "demo-worker-0", "demo-worker-1"]


def test_environment_without_a_master() -> None:
    assert environment(job()) == {"PYTHONUNBUFFERED": "1", "PET_NPROC_PER_NODE": "auto", "PET_NNODES": "2"}


def test_environment_with_a_master() -> None:
    found = environment(job(with_master=True, nprocPerNode="4"), index=1)
    assert (found["MASTER_ADDR"], found["MASTER_PORT"], found["RANK"]) == ("demo-master-0", "23456", "2")
    assert (found["WORLD_SIZE"], found["PET_NNODES"], found["PET_NPROC_PER_NODE"]) == ("12", "3", "4")


def test_environment_of_an_elastic_job() -> None:
    found = environment(job(elasticPolicy={"minReplicas": 1, "maxReplicas": 2, "maxRestarts": 3, "rdzvId": "x"}))
    assert (found["PET_NNODES"], found["PET_RDZV_BACKEND"]) == ("1:2", "c10d")
    assert (found["PET_RDZV_ENDPOINT"], found["PET_MAX_RESTARTS"]) == ("demo-worker-0:23456", "3")


def test_the_operators_variables_come_after_ones_own() -> None:
    made = job()
    own = {"name": "PET_NNODES", "value": "9"}
    made["spec"]["pytorchReplicaSpecs"]["Worker"]["template"]["spec"]["containers"][0]["env"] = [own]
    env = replicas.pod(Replica(made, "Worker", 0))["spec"]["containers"][0]["env"]
    assert env[0] == own and env[-1] == {"name": "PET_NNODES", "value": "2"}


def test_restart_policies() -> None:
    made = job()
    worker = made["spec"]["pytorchReplicaSpecs"]["Worker"]
    for asked, given in (("ExitCode", "Never"), ("Always", "Always"), (None, "OnFailure")):
        worker["restartPolicy"] = asked
        assert replicas.pod(Replica(made, "Worker", 0))["spec"]["restartPolicy"] == given


def test_a_service_is_headless_and_has_the_port() -> None:
    spec = replicas.service(Replica(job(), "Worker", 1))["spec"]
    assert spec["clusterIP"] == "None"
    assert spec["ports"] == [{"name": "pytorchjob-port", "port": 23456, "protocol": "TCP", "targetPort": 23456}]
    assert spec["selector"]["training.kubeflow.org/replica-index"] == "1"
    assert "training.kubeflow.org/job-role" not in replicas.service(Replica(job(), "Worker", 0))["metadata"]["labels"]


def test_a_worker_waits_for_its_master() -> None:
    (waiting,) = replicas.pod(Replica(job(with_master=True), "Worker", 0))["spec"]["initContainers"]
    assert waiting["name"] == "init-pytorch" and "demo-master-0" in waiting["command"][-1]
    assert "initContainers" not in replicas.pod(Replica(job(), "Worker", 0))["spec"]


def test_the_selector_of_the_counters() -> None:
    assert replicas.selector(job(), "Worker") == (
        "training.kubeflow.org/job-name=demo,training.kubeflow.org/operator-name=pytorchjob-controller,"
        "training.kubeflow.org/replica-type=worker"
    )
