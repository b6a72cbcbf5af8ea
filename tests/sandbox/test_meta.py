import pytest

from sandbox import meta
from sandbox.kinds import KINDS


def found(resource="pytorchjobs.kubeflow.org", **fields):
    return [f"{item['field']}: {item['message']}" for item in meta.check(KINDS[resource], {"metadata": fields})]


@pytest.mark.parametrize("name", ["a", "a.b", "a-b.c", "x" * 253])
def test_good_names(name):
    assert found(name=name) == []


@pytest.mark.parametrize("name", ["A", "a_b", "-a", "a-", "a..b", "x" * 254, "a\n", "ä"])
def test_bad_names(name):
    assert found(name=name)[0].startswith("metadata.name: Invalid value")


def test_a_name_is_required():
    assert found() == ["metadata.name: Required value: name or generateName is required"]
    assert found(generateName="run-") == []


def test_a_namespace_is_a_label():
    assert "RFC 1123 label" in found("namespaces", name="a.b")[0]
    assert "no more than 63" in found("namespaces", name="x" * 64)[0]


def test_labels():
    assert found(name="a", labels={"choirmaster.dev/tenant": "premium", "x": ""}) == []
    assert "must be no more than 63" in found(name="a", labels={"x": "y" * 64})[0]
    assert "a valid label must be" in found(name="a", labels={"x": "a b"})[0]
    assert "name part must consist" in found(name="a", labels={"a b": ""})[0]
    assert "prefix part" in found(name="a", labels={"/x": ""})[0]
    assert "must be of type string" in found(name="a", labels={"x": 1})[0]


def test_annotations_have_a_limit_in_all():
    assert found(name="a", annotations={"x": "ü" * 1000}) == []
    assert "may not be more than 262144 bytes" in found(name="a", annotations={"x": "y" * 262144})[0]
