import pytest

from sandbox.records import Record, Records, encode


def record(name, namespace="a", uid="", labels=None, owners=()):
    meta = {"uid": uid or name, "labels": labels or {}, "ownerReferences": [{"uid": owner} for owner in owners]}
    obj = {"metadata": meta}
    return Record("pods", namespace, name, 1, obj, encode(obj))


@pytest.fixture
def records():
    made = Records()
    for item in (
        record("b", labels={"x": "1"}),
        record("a", labels={"x": "1", "y": "2"}),
        record("c", "b", owners=["a"]),
    ):
        made.put(item)
    return made


def names(found):
    return [item.name for item in found]


def test_select_by_namespace_and_labels_in_order(records):
    assert names(records.select("pods")) == ["a", "b", "c"]
    assert names(records.select("pods", "a")) == ["a", "b"]
    assert names(records.select("pods", None, {"x": "1", "y": "2"})) == ["a"]
    assert names(records.select("nodes")) == []


def test_owners_are_followed_through_changes(records):
    assert names(records.owned_by("a")) == ["c"]
    records.put(record("c", "b", owners=["b"]))
    assert (names(records.owned_by("a")), names(records.owned_by("b"))) == ([], ["c"])


def test_what_is_dropped_is_nowhere(records):
    records.drop(records.get("pods", "b", "c"))
    assert (records.get("pods", "b", "c"), records.with_uid("c"), records.population("b")) == (None, None, 0)
    assert names(records.owned_by("a")) == names(records.in_namespace("b")) == []


def test_a_copy_can_be_changed(records):
    records.get("pods", "a", "a").copy()["metadata"]["labels"].clear()
    assert records.get("pods", "a", "a").labels == {"x": "1", "y": "2"}
