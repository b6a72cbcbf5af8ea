import pytest

from sandbox.errors import StatusError
from sandbox.paths import target_of


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/api/v1/pods", ("pods", "", "", "")),
        ("/api/v1/namespaces", ("namespaces", "", "", "")),
        ("/api/v1/namespaces/a", ("namespaces", "", "a", "")),
        ("/api/v1/namespaces/a/status", ("namespaces", "", "a", "status")),
        ("/api/v1/namespaces/a/pods/p/log", ("pods", "a", "p", "log")),
        ("/apis/kubeflow.org/v1/namespaces/a/pytorchjobs/j", ("pytorchjobs", "a", "j", "")),
        ("/apis/kueue.x-k8s.io/v1beta2/clusterqueues/q/status", ("clusterqueues", "", "q", "status")),
    ],
)
def test_targets(path, expected):
    target = target_of(path)
    assert (target.kind.plural, target.namespace, target.name, target.subresource) == expected


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/api/v1/namespaces/a/nodes",
        "/api/v1/pods/p",
        "/api/v1/namespaces/a/pods/p/exec",
        "/api/v1/namespaces/a/pods//log",
        "/api/v1/nodes/n/log",
        "/api/v1/namespaces/a/pods/p/log/x",
        "/apis/kueue.x-k8s.io/v1beta1/clusterqueues",
    ],
)
def test_paths_nobody_serves(path):
    with pytest.raises(StatusError, match="could not find the requested resource"):
        target_of(path)
