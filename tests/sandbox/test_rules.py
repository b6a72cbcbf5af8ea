import pytest

from sandbox import rules
from tests.sandbox.objects import cluster_queue


def messages(resource, obj, old=None):
    return [
        item["message"].removeprefix("Invalid value: ") for item in rules.check(f"{resource}.kueue.x-k8s.io", obj, old)
    ]


def test_a_queue_that_keeps_the_rules():
    assert messages("clusterqueues", cluster_queue()) == []


def test_borrowing_needs_a_cohort():
    queue = cluster_queue()
    queue["spec"]["resourceGroups"][0]["flavors"][0]["resources"][0]["borrowingLimit"] = 4
    assert messages("clusterqueues", queue) == []
    del queue["spec"]["cohortName"]
    assert messages("clusterqueues", queue) == ["borrowingLimit must be nil when cohort is empty"]


def test_flavors_cover_every_resource():
    queue = cluster_queue()
    queue["spec"]["resourceGroups"][0]["coveredResources"].append("cpu")
    expected = "flavors must have the same number of resources as the coveredResources"
    assert messages("clusterqueues", queue) == [expected]


def test_borrowing_by_preemption_needs_reclaim():
    queue = cluster_queue()
    queue["spec"]["preemption"] = {"reclaimWithinCohort": "Never", "borrowWithinCohort": {"policy": "LowerPriority"}}
    assert messages("clusterqueues", queue) == ["reclaimWithinCohort=Never and borrowWithinCohort.Policy!=Never"]


def test_a_local_queue_keeps_its_cluster_queue():
    old, new = {"spec": {"clusterQueue": "a"}}, {"spec": {"clusterQueue": "b"}}
    assert messages("localqueues", new, old) == ['"b": field is immutable']
    assert messages("localqueues", new) == messages("localqueues", new, new) == []


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ({"nodeTaints": [{"key": "a", "effect": "Never"}]}, "supported taint effect values"),
        ({"topologyName": "t"}, "at least one nodeLabel is required when topology is set"),
        ({"tolerations": [{"operator": "Like", "key": "a"}]}, "supported toleration values"),
        ({"tolerations": [{"value": "x"}]}, "operator must be Exists when 'key' is empty"),
        ({"tolerations": [{"key": "a", "operator": "Exists", "value": "x"}]}, "a value must be empty"),
    ],
)
def test_flavors(spec, message):
    assert messages("resourceflavors", {"spec": spec})[0].startswith(message)


def test_a_pod_needs_containers_with_images():
    assert [item["field"] for item in rules.check("pods", {"spec": {}}, None)] == ["spec.containers"]
    pod = {"spec": {"containers": [{"name": "a", "image": "x"}, {"name": "b"}]}}
    assert [item["field"] for item in rules.check("pods", pod, None)] == ["spec.containers[1].image"]
