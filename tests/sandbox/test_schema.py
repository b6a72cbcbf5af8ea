import pytest

from sandbox import pruning, validation
from sandbox.kinds import KINDS
from sandbox.schema import metadata_schema, schema_of


@pytest.mark.parametrize("resource", KINDS)
def test_every_kind_has_a_schema(resource):
    assert schema_of(resource)["type"] == "object"


def test_pods_are_known_to_the_last_field():
    pod = {"spec": {"containers": [{"name": "c", "livenessProbe": {"httpGet": {"prot": 1}}}]}}
    assert pruning.prune(pod, schema_of("pods")) == ["spec.containers[0].livenessProbe.httpGet.prot"]


def test_metadata_knows_its_fields():
    meta = {"name": "a", "labels": {"x": "y"}, "lables": {}}
    assert pruning.prune(meta, metadata_schema(), "metadata") == ["metadata.lables"]


def test_claims_are_checked():
    spec = {"accessModes": ["ReadWriteEverywhere"], "resources": {"requests": {"storage": "much"}}}
    found = validation.check({"spec": spec}, schema_of("persistentvolumeclaims"))
    assert [item["field"] for item in found] == ["spec.accessModes[0]", "spec.resources.requests.storage"]
