import pytest

from sandbox import apply
from sandbox.errors import StatusError
from sandbox.fields import Writer
from sandbox.schema import topology_of

TOPOLOGY = topology_of("pytorchjobs.kubeflow.org")
EMPTY = {"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "metadata": {"name": "demo"}}


def applied(live, spec, manager="choirmaster", force=False, labels=None):
    wanted = {**EMPTY, "metadata": {"name": "demo", **({"labels": labels} if labels else {})}, "spec": spec}
    return apply.apply(live, wanted, Writer(manager, "Apply"), TOPOLOGY, force=force, time="2026-03-01T12:00:00Z")


def with_env(*variables):
    container = {"name": "pytorch", "env": [{"name": name, "value": "1"} for name in variables]}
    return {"pytorchReplicaSpecs": {"Worker": {"template": {"spec": {"containers": [container]}}}}}


def env_of(obj):
    (container,) = obj["spec"]["pytorchReplicaSpecs"]["Worker"]["template"]["spec"]["containers"]
    return [item["name"] for item in container["env"]]


def test_what_is_applied_is_owned():
    obj = applied(EMPTY, {"nprocPerNode": "4"})
    (entry,) = obj["metadata"]["managedFields"]
    assert (entry["manager"], entry["operation"]) == ("choirmaster", "Apply")
    assert entry["fieldsV1"] == {"f:spec": {"f:nprocPerNode": {}}}


def test_a_field_left_out_later_goes():
    obj = applied(applied(EMPTY, {"nprocPerNode": "4", "runPolicy": {"suspend": True}}), {"nprocPerNode": "4"})
    assert obj["spec"] == {"nprocPerNode": "4"}


def test_lists_with_keys_merge_by_key_across_managers():
    obj = applied(applied(EMPTY, with_env("A", "B")), with_env("C"), manager="other")
    assert env_of(obj) == ["A", "B", "C"]
    assert env_of(applied(obj, with_env("B"))) == ["B", "C"]


def test_the_same_value_is_shared_and_stays_while_one_owns_it():
    obj = applied(applied(EMPTY, {"nprocPerNode": "4"}), {"nprocPerNode": "4"}, manager="other")
    obj = applied(obj, {"runPolicy": {"suspend": True}})
    assert obj["spec"]["nprocPerNode"] == "4"


def test_another_value_is_a_conflict_with_the_manager_by_name():
    obj = applied(EMPTY, {"nprocPerNode": "4"})
    with pytest.raises(StatusError) as caught:
        applied(obj, {"nprocPerNode": "8"}, manager="other")
    assert caught.value.message == 'Apply failed with 1 conflict: conflict with "choirmaster": .spec.nprocPerNode'
    assert caught.value.details["causes"] == [
        {"reason": "FieldManagerConflict", "message": 'conflict with "choirmaster"', "field": ".spec.nprocPerNode"}
    ]


def test_several_conflicts_are_listed_by_manager():
    obj = applied(EMPTY, {"nprocPerNode": "4", "runPolicy": {"backoffLimit": 1}})
    with pytest.raises(StatusError) as caught:
        applied(obj, {"nprocPerNode": "8", "runPolicy": {"backoffLimit": 2}}, manager="other")
    assert caught.value.message == (
        'Apply failed with 2 conflicts: conflicts with "choirmaster":\n'
        "- .spec.nprocPerNode\n- .spec.runPolicy.backoffLimit"
    )


def test_force_takes_the_field_over():
    obj = applied(applied(EMPTY, {"nprocPerNode": "4"}), {"nprocPerNode": "8"}, manager="other", force=True)
    assert obj["spec"]["nprocPerNode"] == "8"
    assert [entry["manager"] for entry in obj["metadata"]["managedFields"]] == ["other"]


def test_applying_the_same_again_changes_nothing():
    obj = applied(EMPTY, {"nprocPerNode": "4"}, labels={"a": "b"})
    assert applied(obj, {"nprocPerNode": "4"}, labels={"a": "b"}) == obj


def test_labels_merge_and_go_one_by_one():
    obj = applied(EMPTY, {}, labels={"a": "1", "b": "2"})
    obj = applied(obj, {}, labels={"c": "3"}, manager="other")
    assert applied(obj, {}, labels={"a": "1"})["metadata"]["labels"] == {"a": "1", "c": "3"}
