import pytest

from portal.kube.kinds import CLUSTER_QUEUE, KINDS, POD, PYTORCHJOB, Ref, kind_of, ref_of


def test_paths() -> None:
    assert POD.path("cm-a", "p", "log") == "/api/v1/namespaces/cm-a/pods/p/log"
    assert PYTORCHJOB.path() == "/apis/kubeflow.org/v1/pytorchjobs"
    assert CLUSTER_QUEUE.path("ignored", "premium") == "/apis/kueue.x-k8s.io/v1beta2/clusterqueues/premium"


def test_names_are_quoted() -> None:
    assert POD.path("a/b", "c?d") == "/api/v1/namespaces/a%2Fb/pods/c%3Fd"


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_kind_of_an_object(kind) -> None:
    assert kind_of({"apiVersion": kind.api_version, "kind": kind.kind}) == kind


def test_the_version_is_the_object_s_own() -> None:
    assert kind_of({"apiVersion": "kueue.x-k8s.io/v1beta1", "kind": "ClusterQueue"}).version == "v1beta1"


def test_an_unknown_kind() -> None:
    with pytest.raises(KeyError):
        kind_of({"apiVersion": "v1", "kind": "Secret"})


def test_ref_of_an_object() -> None:
    obj = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "cm-a"}}
    assert ref_of(obj) == Ref(POD, "p", "cm-a")
    assert str(ref_of(obj)) == "pods cm-a/p"
