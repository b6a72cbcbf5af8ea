"""Which of our kinds a cluster serves, and in which version: asked, never assumed."""

from dataclasses import replace

from portal.kube.client import Cluster
from portal.kube.errors import KindMissing
from portal.kube.kinds import Kind

# Groups of which we read more than one version, the wanted one first (Kueue 0.15-0.19: both; 0.9-0.14: v1beta1 only).
READABLE = {
    "kueue.x-k8s.io": ("v1beta2", "v1beta1"),
    "visibility.kueue.x-k8s.io": ("v1beta2", "v1beta1"),
}
PROVIDERS = {
    "kueue.x-k8s.io": "Kueue 0.9 or newer",
    "visibility.kueue.x-k8s.io": "Kueue's visibility API",
    "kubeflow.org": "the Kubeflow training-operator 1.9",
}


def served(cluster: Cluster, kind: Kind) -> Kind:
    """`kind` in the version that this cluster serves.

    Raises KindMissing, with what to install, when it serves none that we read; ClusterUnavailable without an answer.
    """
    if not kind.group:
        return kind
    versions = cluster.api_versions(kind.group)
    for version in READABLE.get(kind.group, (kind.version,)):
        candidate = replace(kind, version=version)
        if version in versions and candidate.plural in cluster.resources(candidate):
            return candidate
    provider = PROVIDERS.get(kind.group, kind.group)
    raise KindMissing(f"The cluster does not serve {kind} ({kind.api_version}); install {provider}.")
