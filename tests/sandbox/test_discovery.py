import httpx
import pytest
from kubernetes import client, dynamic

from sandbox.kinds import KINDS


def test_the_dynamic_client_finds_every_kind(api):
    found = dynamic.DynamicClient(api)
    for kind in KINDS.values():
        resource = found.resources.get(api_version=kind.api_version, kind=kind.kind)
        assert (resource.name, resource.namespaced) == (kind.plural, kind.namespaced)


def test_groups_and_versions(api):
    groups = {group.name: group.preferred_version.version for group in client.ApisApi(api).get_api_versions().groups}
    assert groups["kueue.x-k8s.io"] == groups["visibility.kueue.x-k8s.io"] == "v1beta2"
    assert groups["kubeflow.org"] == "v1"


def test_version(api):
    assert client.VersionApi(api).get_code().git_version.startswith("v1.")


def test_custom_definitions_are_read_only(api):
    definitions = client.ApiextensionsV1Api(api)
    names = {item.metadata.name for item in definitions.list_custom_resource_definition().items}
    assert names == {kind.resource for kind in KINDS.values() if kind.crd}
    with pytest.raises(client.ApiException) as caught:
        definitions.delete_custom_resource_definition("workloads.kueue.x-k8s.io")
    assert caught.value.status == 405


@pytest.mark.parametrize("path", ["/apis/batch/v1", "/apis/nope", "/nope", "/api/v2", "/api/v1/namespaces/team-a/jobs"])
def test_what_is_not_served_says_so(sandbox, path):
    with pytest.raises(httpx.HTTPStatusError) as caught:
        sandbox.call("GET", path)
    assert caught.value.response.status_code == 404
    assert "the server could not find the requested resource" in caught.value.response.text
