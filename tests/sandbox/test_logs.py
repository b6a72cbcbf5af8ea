import threading
from datetime import UTC, datetime

import httpx
import pytest
from kubernetes import client

from sandbox.clock import parse
from sandbox.errors import StatusError
from sandbox.logs import options_of
from tests.sandbox.objects import JOBS, pytorch_job

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
POD = ("demo-worker-0", "team-a")
KEY = "rehearsal.choirmaster.dev/"


@pytest.fixture
def start(custom, sandbox):
    """Start a job with one pod; the words of a scenario go onto its template."""

    def started(seconds: float, **scenario: str) -> None:
        job = pytorch_job(runPolicy={"suspend": False})
        template = job["spec"]["pytorchReplicaSpecs"]["Worker"]["template"]
        template["metadata"] = {"annotations": {KEY + name.replace("_", "-"): text for name, text in scenario.items()}}
        custom.create_namespaced_custom_object(*JOBS, job)
        sandbox.tick(seconds)

    return started


def test_a_log_grows_with_the_clock(core, sandbox, start):
    start(15)
    first = core.read_namespaced_pod_log(*POD)
    sandbox.tick(15)
    second = core.read_namespaced_pod_log(*POD)
    assert second.startswith(first)
    assert len(second) > len(first) > 0


def test_tail_and_limit_cut(core, start):
    start(30)
    whole = core.read_namespaced_pod_log(*POD)
    assert core.read_namespaced_pod_log(*POD, tail_lines=2) == "".join(whole.splitlines(keepends=True)[-2:])
    assert core.read_namespaced_pod_log(*POD, tail_lines=0) == ""
    assert core.read_namespaced_pod_log(*POD, limit_bytes=10) == whole[:10]


def test_timestamps_are_a_cursor(sandbox, core, start):
    start(20)
    lines = core.read_namespaced_pod_log(*POD, timestamps=True).splitlines()
    moments = [parse(line.split(" ", 1)[0]) for line in lines]
    assert moments == sorted(moments)
    path = f"/api/v1/namespaces/team-a/pods/demo-worker-0/log?sinceTime={lines[-2].split(' ', 1)[0]}"
    assert len(sandbox.call("GET", path).splitlines()) >= 2


def test_since_seconds(core, sandbox, start):
    start(30, succeed_after="600")
    recent = core.read_namespaced_pod_log(*POD, since_seconds=5)
    assert 0 < len(recent) < len(core.read_namespaced_pod_log(*POD))


def test_a_follower_gets_every_line_once_and_ends_with_the_container(sandbox, core, start):
    start(5, succeed_after="20")
    followed: list[str] = []
    reading = threading.Event()

    def follow():
        headers = {"Authorization": f"Bearer {sandbox.token}"}
        url = f"{sandbox.url}/api/v1/namespaces/team-a/pods/demo-worker-0/log?follow=true"
        with httpx.stream("GET", url, headers=headers, timeout=20) as stream:
            for line in stream.iter_lines():
                followed.append(line)
                reading.set()

    reader = threading.Thread(target=follow)
    reader.start()
    assert reading.wait(10)
    for _ in range(6):
        sandbox.tick(5)
    reader.join(10)
    assert not reader.is_alive()
    assert followed == core.read_namespaced_pod_log(*POD).splitlines()


def test_previous_is_the_instance_before(core, start):
    start(20, crash_after="5", crash_code="1")
    assert core.read_namespaced_pod_log(*POD, previous=True)
    assert core.read_namespaced_pod(*POD).status.container_statuses[0].restart_count >= 1


@pytest.mark.parametrize(
    ("query", "status", "message"),
    [
        ({"container": "other"}, 400, "container other is not valid for pod demo-worker-0"),
        ({"previous": True}, 400, "previous terminated container"),
        ({"tail_lines": -1}, 422, "tailLines: Invalid value: -1: must be greater than or equal to 0"),
    ],
    ids=["container", "previous", "tail"],
)
def test_a_log_that_is_not_there_says_why(core, start, query, status, message):
    start(10)
    with pytest.raises(client.ApiException) as caught:
        core.read_namespaced_pod_log(*POD, **query)
    assert caught.value.status == status
    assert message in caught.value.body


def test_a_pod_that_is_not_there(core):
    with pytest.raises(client.ApiException) as caught:
        core.read_namespaced_pod_log(*POD)
    assert (caught.value.status, 'pods \\"demo-worker-0\\" not found' in caught.value.body) == (404, True)


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ({"sinceSeconds": "5", "sinceTime": "2026-03-01T12:00:00Z"}, 422),
        ({"sinceTime": "yesterday"}, 400),
        ({"sinceTime": "2026-03-01T12:00:00"}, 400),
        ({"sinceSeconds": "0"}, 422),
        ({"limitBytes": "many"}, 400),
        ({"tailLines": "²"}, 400),
    ],
    ids=["both", "word", "zone", "zero", "many", "digit"],
)
def test_options_that_make_no_sense(query, code):
    with pytest.raises(StatusError) as caught:
        options_of("p", query, NOON)
    assert caught.value.code == code
