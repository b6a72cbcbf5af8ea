import contextlib
import json
import threading
import time

import httpx
import pytest
from kubernetes import client, watch

from tests.sandbox.objects import JOBS, config_map, pytorch_job


def changes(core, version, seconds=1, **options):
    """Everything a watch from `version` says within a second."""
    stream = watch.Watch().stream(
        core.list_namespaced_config_map,
        "team-a",
        resource_version=version,
        timeout_seconds=seconds,
        **options,
    )
    return [(event["type"], event["raw_object"]["metadata"].get("name")) for event in stream]


def version_of(core):
    return core.list_namespaced_config_map("team-a").metadata.resource_version


def test_changes_after_a_version_in_order(core):
    version = version_of(core)
    core.create_namespaced_config_map("team-a", config_map("a"))
    core.patch_namespaced_config_map("a", "team-a", {"data": {"a": "2"}})
    core.delete_namespaced_config_map("a", "team-a")
    core.create_namespaced_config_map("default", config_map("elsewhere", "default"))
    assert changes(core, version) == [("ADDED", "a"), ("MODIFIED", "a"), ("DELETED", "a")]


def test_without_a_version_what_is_there_comes_first(core):
    core.create_namespaced_config_map("team-a", config_map("a"))
    assert changes(core, None) == changes(core, "0") == [("ADDED", "a")]


def test_an_open_watch_hears_of_what_happens_now(core, custom):
    heard = threading.Event()

    def listen():
        for _ in watch.Watch().stream(custom.list_namespaced_custom_object, *JOBS, timeout_seconds=10):
            heard.set()
            return

    listener = threading.Thread(target=listen)
    listener.start()
    custom.create_namespaced_custom_object(*JOBS, pytorch_job())
    listener.join(10)
    assert heard.is_set()


def test_leaving_the_selection_is_a_deletion(core):
    version = version_of(core)
    core.create_namespaced_config_map("team-a", config_map("a", labels={"x": "1"}))
    core.patch_namespaced_config_map("a", "team-a", {"metadata": {"labels": {"x": "2"}}})
    core.patch_namespaced_config_map("a", "team-a", {"metadata": {"labels": {"x": "1"}}})
    seen = changes(core, version, label_selector="x=1")
    assert seen == [("ADDED", "a"), ("DELETED", "a"), ("ADDED", "a")]


def test_the_last_word_of_a_watch_with_bookmarks_is_a_version_to_go_on_from(sandbox, core):
    core.create_namespaced_config_map("default", config_map("elsewhere", "default"))
    path = "/api/v1/namespaces/team-a/configmaps?watch=1&timeoutSeconds=1&allowWatchBookmarks=true&resourceVersion="
    (line,) = sandbox.call("GET", path + "1").splitlines()
    event = json.loads(line)
    assert event["type"] == "BOOKMARK"
    assert event["object"]["metadata"]["resourceVersion"] == version_of(core)


def test_a_streaming_list_ends_with_a_marked_bookmark(sandbox, core):
    core.create_namespaced_config_map("team-a", config_map("a"))
    options = "allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"
    answer = sandbox.call("GET", f"/api/v1/namespaces/team-a/configmaps?watch=1&timeoutSeconds=1&{options}")
    first, second = [json.loads(line) for line in answer.splitlines()][:2]
    assert (first["type"], second["type"]) == ("ADDED", "BOOKMARK")
    assert second["object"]["metadata"]["annotations"] == {"k8s.io/initial-events-end": "true"}


def test_a_compacted_version_is_gone_within_the_stream(sandbox, core):
    version = version_of(core)
    core.create_namespaced_config_map("team-a", config_map("a"))
    sandbox.compact()
    path = f"/api/v1/namespaces/team-a/configmaps?watch=1&timeoutSeconds=5&resourceVersion={version}"
    (line,) = sandbox.call("GET", path).splitlines()
    event = json.loads(line)
    assert (event["type"], event["object"]["code"], event["object"]["reason"]) == ("ERROR", 410, "Expired")


def test_the_official_client_raises_that_410(sandbox, core):
    version = version_of(core)
    core.create_namespaced_config_map("team-a", config_map("a"))
    sandbox.compact()
    with pytest.raises(client.ApiException) as caught:
        changes(core, version, seconds=5)
    assert caught.value.status == 410


def test_the_server_answers_while_watches_are_open(sandbox, core):
    headers = {"Authorization": f"Bearer {sandbox.token}"}
    url = f"{sandbox.url}/api/v1/configmaps?watch=1&timeoutSeconds=20"
    with contextlib.ExitStack() as stack:
        streams = [stack.enter_context(httpx.stream("GET", url, headers=headers, timeout=20)) for _ in range(30)]
        began = time.monotonic()
        core.create_namespaced_config_map("team-a", config_map("a"))
        lines = [json.loads(next(stream.iter_lines())) for stream in streams]
        assert {line["object"]["metadata"]["name"] for line in lines} == {"a"}
        assert time.monotonic() - began < 5
