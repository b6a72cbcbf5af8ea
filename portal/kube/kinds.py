"""The kinds of objects that the portal reads or writes, and where the API server keeps them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

# A Kubernetes object as JSON has it. Its shape is the cluster's business: read it with .get, never by index.
Object = dict[str, Any]


@dataclass(frozen=True)
class Kind:
    group: str  # "" is the core group
    version: str
    plural: str
    kind: str
    namespaced: bool = True

    def __str__(self) -> str:
        return f"{self.plural}.{self.group}" if self.group else self.plural

    @property
    def api_version(self) -> str:
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def root(self) -> str:
        return f"/apis/{self.group}/{self.version}" if self.group else f"/api/{self.version}"

    def path(self, namespace: str | None = None, name: str | None = None, subresource: str = "") -> str:
        """The URL path of one object, or without `name` of the collection; without `namespace`, of all namespaces."""
        parts = [self.root]
        if self.namespaced and namespace:
            parts += ["namespaces", quote(namespace, safe="")]
        parts.append(self.plural)
        if name:
            parts.append(quote(name, safe=""))
        if subresource:
            parts.append(subresource)
        return "/".join(parts)


@dataclass(frozen=True)
class Ref:
    """One object by name. `namespace` is "" for kinds of the whole cluster."""

    kind: Kind
    name: str
    namespace: str = ""

    def __str__(self) -> str:
        return f"{self.kind} {self.namespace}/{self.name}" if self.namespace else f"{self.kind} {self.name}"

    @property
    def path(self) -> str:
        return self.kind.path(self.namespace, self.name)


NAMESPACE = Kind("", "v1", "namespaces", "Namespace", namespaced=False)
SERVICE_ACCOUNT = Kind("", "v1", "serviceaccounts", "ServiceAccount")
POD = Kind("", "v1", "pods", "Pod")
EVENT = Kind("", "v1", "events", "Event")
PVC = Kind("", "v1", "persistentvolumeclaims", "PersistentVolumeClaim")
PYTORCHJOB = Kind("kubeflow.org", "v1", "pytorchjobs", "PyTorchJob")
# Kueue >= 0.15 serves v1beta2, older ones v1beta1 only: ask portal.kube.discovery which one this cluster has.
WORKLOAD = Kind("kueue.x-k8s.io", "v1beta2", "workloads", "Workload")
LOCAL_QUEUE = Kind("kueue.x-k8s.io", "v1beta2", "localqueues", "LocalQueue")
CLUSTER_QUEUE = Kind("kueue.x-k8s.io", "v1beta2", "clusterqueues", "ClusterQueue", namespaced=False)
RESOURCE_FLAVOR = Kind("kueue.x-k8s.io", "v1beta2", "resourceflavors", "ResourceFlavor", namespaced=False)
VISIBILITY = Kind("visibility.kueue.x-k8s.io", "v1beta2", "clusterqueues", "ClusterQueue", namespaced=False)

KINDS = (
    NAMESPACE, SERVICE_ACCOUNT, POD, EVENT, PVC, PYTORCHJOB,
    WORKLOAD, LOCAL_QUEUE, CLUSTER_QUEUE, RESOURCE_FLAVOR,
)  # fmt: skip
_BY_NAME = {(kind.group, kind.kind): kind for kind in KINDS}


def kind_of(obj: Mapping[str, Any]) -> Kind:
    """The Kind of a whole object, in the version that it says. Raises KeyError for a kind that we do not know."""
    group, _, version = str(obj["apiVersion"]).rpartition("/")
    known = _BY_NAME[group, obj["kind"]]
    return Kind(group, version, known.plural, known.kind, known.namespaced)


def ref_of(obj: Mapping[str, Any]) -> Ref:
    """The name of a whole object (with apiVersion and kind; items of a list lack them)."""
    metadata = obj["metadata"]
    return Ref(kind_of(obj), metadata["name"], metadata.get("namespace", ""))
