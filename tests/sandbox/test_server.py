import json

import httpx
import pytest

from sandbox.auth import rule_of
from tests.sandboxes import running_sandbox

PENDING = "/apis/visibility.kueue.x-k8s.io/v1beta2/clusterqueues/premium/pendingworkloads"
K8S = "/apis/kueue.x-k8s.io/v1beta2"


def test_positions_of_an_unknown_queue(sandbox):
    with pytest.raises(httpx.HTTPStatusError) as caught:
        sandbox.call("GET", PENDING)
    message = caught.value.response.json()["message"]
    assert message == 'clusterqueue.visibility.kueue.x-k8s.io "premium" not found'


@pytest.mark.parametrize("path", ["clusterqueues/premium", "nodes/x/pendingworkloads", "clusterqueues"])
def test_visibility_serves_nothing_else(sandbox, path):
    with pytest.raises(httpx.HTTPStatusError) as caught:
        sandbox.call("GET", f"/apis/visibility.kueue.x-k8s.io/v1beta2/{path}")
    assert caught.value.response.status_code == 404


def test_positions_need_a_right_of_their_own(tmp_path):
    rule = {
        "subjects": ["nobody"],
        "apiGroups": ["visibility.kueue.x-k8s.io"],
        "resources": ["clusterqueues/pendingworkloads"],
        "verbs": ["get"],
    }
    local = "/apis/visibility.kueue.x-k8s.io/v1beta2/namespaces/default/localqueues/main/pendingworkloads"
    with running_sandbox(tmp_path, rules=(rule_of(rule),)) as sandbox:
        queue = {"metadata": {"name": "premium"}, "spec": {}}
        sandbox.call("POST", f"{K8S}/clusterqueues", queue)
        sandbox.token = "nobody"
        assert json.loads(sandbox.call("GET", PENDING))["items"] == []
        with pytest.raises(httpx.HTTPStatusError) as caught:
            sandbox.call("GET", local)
    assert caught.value.response.status_code == 403


def test_a_stopped_server_leaves_no_thread_behind(tmp_path):
    with running_sandbox(tmp_path, clock="real") as sandbox:
        headers = {"Authorization": f"Bearer {sandbox.token}"}
        stream = httpx.stream("GET", f"{sandbox.url}/api/v1/pods?watch=1", headers=headers)
        opened = stream.__enter__()
        assert opened.status_code == 200
    # `running_sandbox` itself asserts that its thread has ended.
    stream.__exit__(None, None, None)
    with pytest.raises(httpx.ConnectError):
        sandbox.call("GET", "/readyz")
