import pytest

from sandbox import patch
from sandbox.errors import StatusError
from sandbox.schema import topology_of


def test_a_merge_patch_removes_by_null_and_replaces_lists():
    target = {"a": {"b": 1, "c": [1, 2]}, "d": 1}
    assert patch.merge(target, {"a": {"b": None, "c": [3]}, "e": 2}) == {"a": {"c": [3]}, "d": 1, "e": 2}
    assert target["a"]["b"] == 1


def test_a_strategic_patch_merges_items_by_their_key():
    pod = {"spec": {"containers": [{"name": "a", "image": "1"}, {"name": "b", "image": "1"}]}}
    change = {"spec": {"containers": [{"name": "b", "image": "2"}, {"name": "c", "image": "3"}]}}
    merged = patch.merge_by_key(pod, change, topology_of("pods"))
    images = [(item["name"], item["image"]) for item in merged["spec"]["containers"]]
    assert images == [("a", "1"), ("b", "2"), ("c", "3")]


def test_finalizers_merge_as_a_set():
    merged = patch.merge_by_key({"finalizers": ["a"]}, {"finalizers": ["a", "b"]}, topology_of("pods"))
    assert merged == {"finalizers": ["a", "b"]}


@pytest.mark.parametrize(
    ("operation", "result"),
    [
        ({"op": "add", "path": "/b", "value": 2}, {"a": [1, 2], "b": 2}),
        ({"op": "add", "path": "/a/-", "value": 3}, {"a": [1, 2, 3]}),
        ({"op": "add", "path": "/a/0", "value": 0}, {"a": [0, 1, 2]}),
        ({"op": "remove", "path": "/a/0"}, {"a": [2]}),
        ({"op": "replace", "path": "/a", "value": "x"}, {"a": "x"}),
        ({"op": "move", "from": "/a", "path": "/x~1y"}, {"x/y": [1, 2]}),
        ({"op": "copy", "from": "/a/1", "path": "/c"}, {"a": [1, 2], "c": 2}),
        ({"op": "test", "path": "/a/1", "value": 2}, {"a": [1, 2]}),
        ({"op": "replace", "path": "", "value": {"z": 1}}, {"z": 1}),
    ],
)
def test_json_patch(operation, result):
    assert patch.apply_operations({"a": [1, 2]}, [operation]) == result


@pytest.mark.parametrize(
    "operation",
    [
        {"op": "test", "path": "/a/1", "value": 3},
        {"op": "remove", "path": "/missing"},
        {"op": "replace", "path": "/missing/deep", "value": 1},
        {"op": "add", "path": "/a/9", "value": 1},
        {"op": "dance", "path": "/a"},
        {"path": "/a"},
        "no map",
    ],
)
def test_a_json_patch_that_does_not_fit_is_refused(operation):
    with pytest.raises(StatusError) as caught:
        patch.apply_operations({"a": [1, 2]}, [operation])
    assert caught.value.code == 422
