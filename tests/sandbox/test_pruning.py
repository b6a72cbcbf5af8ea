from sandbox import pruning
from sandbox.schema import schema_of
from tests.sandbox.objects import cluster_queue, container_of, pytorch_job

JOB = schema_of("pytorchjobs.kubeflow.org")


def test_a_known_object_stays_whole():
    job = pytorch_job()
    assert pruning.prune(job["spec"], JOB["properties"]["spec"]) == []
    assert job == pytorch_job()


def test_unknown_fields_go_and_are_named_by_their_place():
    job = pytorch_job(schedulingPolicy={}, runPolicy={"suspend": True, "extra": 1})
    container_of(job)["imgae"] = "x"
    assert sorted(pruning.prune(job, {"properties": JOB["properties"]})) == [
        "metadata.name",
        "metadata.namespace",
        "spec.pytorchReplicaSpecs.Worker.template.spec.containers[0].imgae",
        "spec.runPolicy.extra",
        "spec.schedulingPolicy",
    ]
    assert "imgae" not in container_of(job)


def test_keys_of_free_maps_stay():
    job = pytorch_job()
    container_of(job)["resources"] = {"limits": {"nvidia.com/gpu": 4}}
    assert pruning.prune(job["spec"], JOB["properties"]["spec"]) == []


def test_defaults_are_filled_in_deep_down():
    job = pytorch_job()
    container_of(job)["ports"] = [{"containerPort": 23456}]
    pruning.fill_defaults(job, JOB)
    assert container_of(job)["ports"] == [{"containerPort": 23456, "protocol": "TCP"}]


def test_defaults_leave_what_is_said_and_replace_null():
    queue = cluster_queue()
    queue["spec"] |= {"queueingStrategy": "StrictFIFO", "stopPolicy": None}
    pruning.fill_defaults(queue, schema_of("clusterqueues.kueue.x-k8s.io"))
    assert (queue["spec"]["queueingStrategy"], queue["spec"]["stopPolicy"]) == ("StrictFIFO", "None")
