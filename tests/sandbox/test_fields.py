from sandbox import fields
from sandbox.fields import Writer
from sandbox.schema import topology_of

TOPOLOGY = topology_of("pytorchjobs.kubeflow.org")
CORE = topology_of("pods")


def test_lists_with_keys_are_owned_item_by_item():
    pod = {"spec": {"containers": [{"name": "a", "image": "x"}], "tolerations": [{"key": "k"}]}}
    assert set(fields.flatten(pod, CORE, maps=False)) == {
        ("f:spec", "f:containers", 'k:{"name":"a"}'),
        ("f:spec", "f:containers", 'k:{"name":"a"}', "f:name"),
        ("f:spec", "f:containers", 'k:{"name":"a"}', "f:image"),
        ("f:spec", "f:tolerations"),
    }


def test_what_the_server_writes_into_metadata_is_owned_by_nobody():
    obj = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "uid": "1", "labels": {"a": "b"}}}
    assert list(fields.flatten(obj, CORE, maps=False)) == [("f:metadata", "f:labels", "f:a")]


def test_fields_v1_and_back():
    paths = {("f:a",), ("f:b", 'k:{"name":"x"}'), ("f:b", 'k:{"name":"x"}', "f:name")}
    written = fields.to_v1(paths)
    assert written == {"f:a": {}, "f:b": {'k:{"name":"x"}': {".": {}, "f:name": {}}}}
    assert fields.from_v1(written) == paths


def test_a_path_reads_as_in_messages():
    path = ("f:spec", "f:containers", 'k:{"name":"pytorch"}', "f:image")
    assert fields.readable(path) == '.spec.containers[name="pytorch"].image'
    assert fields.readable(("f:metadata", "f:finalizers", 'v:"hold"')) == '.metadata.finalizers[="hold"]'


def test_the_last_who_changed_a_field_owns_it_and_nobody_owns_what_is_gone():
    before = {"apiVersion": "v1", "metadata": {}, "spec": {"a": 1, "b": 2, "c": 3}}
    before["metadata"]["managedFields"] = fields.track(None, before, Writer("one"), CORE, "t1")
    after = {"apiVersion": "v1", "metadata": before["metadata"], "spec": {"a": 1, "b": 5}}
    entries = fields.track(before, after, Writer("two"), CORE, "t2")
    assert [(entry["manager"], entry["fieldsV1"]) for entry in entries] == [
        ("one", {"f:spec": {".": {}, "f:a": {}}}),
        ("two", {"f:spec": {"f:b": {}}}),
    ]


def test_status_has_entries_of_its_own():
    before = {"apiVersion": "v1", "metadata": {}, "spec": {"a": 1}}
    before["metadata"]["managedFields"] = fields.track(None, before, Writer("one"), CORE, "t1")
    after = before | {"status": {"phase": "Running"}}
    entries = fields.track(before, after, Writer("one", subresource="status"), CORE, "t2")
    assert [entry.get("subresource") for entry in entries] == [None, "status"]


def test_an_ordinary_write_owns_the_maps_it_makes_an_apply_those_behind_free_keys_only():
    spec = {"pytorchReplicaSpecs": {"Worker": {"replicas": 1}}}
    place = ("f:spec", "f:pytorchReplicaSpecs", "f:Worker")
    written = fields.to_v1(fields.flatten({"spec": spec}, TOPOLOGY))
    applied = fields.to_v1(fields.flatten({"spec": spec}, TOPOLOGY, maps=False))
    assert written["f:spec"] == {
        ".": {},
        "f:pytorchReplicaSpecs": {".": {}, "f:Worker": {".": {}, "f:replicas": {}}},
    }
    assert fields.from_v1(applied) == {place, (*place, "f:replicas")}


def test_applies_come_first():
    entries = [
        {"operation": "Update", "time": "1", "manager": "b"},
        {"operation": "Apply", "time": "2", "manager": "c"},
        {"operation": "Update", "time": "1", "manager": "a"},
    ]
    assert [entry["manager"] for entry in fields.ordered(entries)] == ["c", "a", "b"]
