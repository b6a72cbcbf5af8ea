import pytest

from portal.kube.client import Cluster
from portal.kube.discovery import served
from portal.kube.errors import KindMissing
from portal.kube.kinds import CLUSTER_QUEUE, POD, PYTORCHJOB, VISIBILITY, Kind


@pytest.mark.parametrize("kind", [POD, PYTORCHJOB, CLUSTER_QUEUE, VISIBILITY], ids=str)
def test_what_the_sandbox_serves(kind: Kind, cluster: Cluster) -> None:
    assert served(cluster, kind) == kind


@pytest.mark.parametrize(
    ("kind", "provider"),
    [
        (Kind("jobset.x-k8s.io", "v1alpha2", "jobsets", "JobSet"), "jobset.x-k8s.io"),
        (Kind("kubeflow.org", "v2beta1", "mpijobs", "MPIJob"), "training-operator"),
        (Kind("kueue.x-k8s.io", "v1beta2", "topologies", "Topology"), "Kueue"),
    ],
    ids=str,
)
def test_what_it_does_not_serve(kind: Kind, provider: str, cluster: Cluster) -> None:
    with pytest.raises(KindMissing, match=f"install .*{provider}"):
        served(cluster, kind)
