import pytest

from sandbox import validation
from sandbox.schema import schema_of
from tests.sandbox.objects import cluster_queue, container_of, pytorch_job

JOB = schema_of("pytorchjobs.kubeflow.org")
QUEUE = schema_of("clusterqueues.kueue.x-k8s.io")


def found(value, schema):
    return [f"{item['field']}: {item['message']}" for item in validation.check(value, schema)]


def test_good_objects_pass():
    assert found(pytorch_job(), JOB) == []
    assert found(cluster_queue(), QUEUE) == []


def test_a_required_field():
    job = pytorch_job()
    del job["spec"]["pytorchReplicaSpecs"]
    assert found(job, JOB) == ["spec.pytorchReplicaSpecs: Required value"]


def test_a_wrong_type():
    job = pytorch_job(nprocPerNode=4)
    assert found(job, JOB) == [
        'spec.nprocPerNode: Invalid value: "integer": spec.nprocPerNode in body must be of type string: "integer"'
    ]


def test_a_boolean_is_no_number():
    job = pytorch_job(runPolicy={"backoffLimit": True})
    assert "must be of type integer" in found(job, JOB)[0]


def test_a_duplicate_key_in_a_list_with_keys():
    job = pytorch_job()
    container_of(job)["env"] = [{"name": "A", "value": "1"}, {"name": "A", "value": "2"}]
    place = "spec.pytorchReplicaSpecs[Worker].template.spec.containers[0].env[1]"
    (item,) = validation.duplicates(job, JOB)
    assert (item["field"], item["message"]) == (place, 'Duplicate value: {"name":"A"}')


def test_an_enum_lists_what_it_takes():
    queue = cluster_queue()
    queue["spec"]["stopPolicy"] = "Pause"
    (message,) = found(queue, QUEUE)
    assert message.startswith('spec.stopPolicy: Unsupported value: "Pause": supported values: "None", "Hold"')


@pytest.mark.parametrize("quantity", [4, "32", "500m", "1.5Gi", "2e3"])
def test_quantities_are_numbers_or_texts(quantity):
    assert found(cluster_queue(gpus=quantity), QUEUE) == []


@pytest.mark.parametrize("quantity", ["four", "4 Gi", "4\n", 1.5, True, None])
def test_what_is_no_quantity(quantity):
    (message,) = found(cluster_queue(gpus=quantity), QUEUE)
    assert message.startswith("spec.resourceGroups[0].flavors[0].resources[0].nominalQuota: Invalid value")


def test_limits_of_lists_and_numbers():
    queue = cluster_queue()
    queue["spec"]["resourceGroups"] *= 17
    assert "spec.resourceGroups: Too many: 17: must have at most 16 items" in found(queue, QUEUE)
    assert "should be less" not in str(found(pytorch_job(runPolicy={"backoffLimit": 3}), JOB))
    assert "must be of type int32" in found(pytorch_job(runPolicy={"backoffLimit": 2**31}), JOB)[0]


def test_a_name_that_does_not_match_its_pattern():
    queue = cluster_queue()
    queue["spec"]["cohortName"] = "GPU cohort"
    assert "should match '^[a-z0-9]" in found(queue, QUEUE)[0]
