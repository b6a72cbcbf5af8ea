import httpx
import pytest
from kubernetes import client

from sandbox.errors import StatusError
from sandbox.listing import check_options
from tests.sandbox.objects import config_map


@pytest.fixture
def seven(core):
    for number in range(7):
        core.create_namespaced_config_map("team-a", config_map(f"m{number}", labels={"odd": str(number % 2)}))


def names(listed):
    return [item.metadata.name for item in listed.items]


def test_pages_are_of_one_snapshot(core, seven):
    first = core.list_namespaced_config_map("team-a", limit=3)
    assert (names(first), first.metadata.remaining_item_count) == (["m0", "m1", "m2"], 4)
    core.delete_namespaced_config_map("m4", "team-a")
    core.create_namespaced_config_map("team-a", config_map("m9"))
    second = core.list_namespaced_config_map("team-a", limit=3, _continue=first.metadata._continue)
    third = core.list_namespaced_config_map("team-a", limit=3, _continue=second.metadata._continue)
    assert names(second) + names(third) == ["m3", "m4", "m5", "m6"]
    versions = {page.metadata.resource_version for page in (first, second, third)}
    assert (len(versions), third.metadata._continue) == (1, None)


def test_selectors_narrow_a_list_and_hide_the_rest_count(core, seven):
    page = core.list_namespaced_config_map("team-a", label_selector="odd=1", limit=2)
    assert (names(page), page.metadata.remaining_item_count) == (["m1", "m3"], None)
    assert names(core.list_namespaced_config_map("team-a", field_selector="metadata.name=m2")) == ["m2"]


def test_a_list_over_all_namespaces(core, seven):
    core.create_namespaced_config_map("default", config_map("other", "default"))
    assert names(core.list_config_map_for_all_namespaces())[:2] == ["other", "m0"]


def test_a_forgotten_snapshot_is_expired(core, seven):
    first = core.list_namespaced_config_map("team-a", limit=1)
    for _ in range(64):
        core.list_namespaced_config_map("team-a", limit=1)
    with pytest.raises(client.ApiException) as caught:
        core.list_namespaced_config_map("team-a", limit=1, _continue=first.metadata._continue)
    assert (caught.value.status, "Expired" in caught.value.body) == (410, True)


@pytest.mark.parametrize("query", ["continue=nonsense", "limit=x", "resourceVersion=x", "labelSelector=a+in+x"])
def test_nonsense_is_a_bad_request(sandbox, query):
    with pytest.raises(httpx.HTTPStatusError) as caught:
        sandbox.call("GET", f"/api/v1/configmaps?{query}")
    assert caught.value.response.status_code == 400


@pytest.mark.parametrize(
    ("query", "watch"),
    [
        ({"resourceVersionMatch": "Exact"}, False),
        ({"resourceVersionMatch": "Exact", "resourceVersion": "0"}, False),
        ({"resourceVersionMatch": "Nearly", "resourceVersion": "1"}, False),
        ({"resourceVersionMatch": "Exact", "resourceVersion": "1", "continue": "x"}, False),
        ({"sendInitialEvents": "true", "resourceVersionMatch": "NotOlderThan"}, False),
        ({"sendInitialEvents": "true"}, True),
        ({"resourceVersionMatch": "NotOlderThan", "resourceVersion": "1"}, True),
    ],
)
def test_parameters_that_exclude_each_other(query, watch):
    with pytest.raises(StatusError) as caught:
        check_options(query, watch)
    assert caught.value.code == 422


def test_an_old_version_cannot_be_listed_exactly_and_a_future_one_not_yet(core, seven):
    version = core.list_namespaced_config_map("team-a").metadata.resource_version
    options = {"resource_version_match": "Exact"}
    assert len(core.list_namespaced_config_map("team-a", resource_version=version, **options).items) == 7
    for asked, status in ((int(version) - 1, 410), (int(version) + 9, 504)):
        with pytest.raises(client.ApiException) as caught:
            core.list_namespaced_config_map("team-a", resource_version=str(asked), **options)
        assert caught.value.status == status
