"""The kinds this server knows. A resource is named by its plural, with its group where it has one.

The rows of custom kinds repeat what the files in `crds/` say, so that a start need not parse two megabytes of YAML;
a test holds the two together.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sandbox.errors import unknown_path

CRDS = Path(__file__).parent / "crds"


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind in the one version that is served, with what discovery says of it."""

    group: str
    version: str
    plural: str
    kind: str
    namespaced: bool = True
    has_status: bool = False
    short_names: tuple[str, ...] = ()
    read_only: bool = False
    crd: str = ""

    @property
    def resource(self) -> str:
        """`pods`, `pytorchjobs.kubeflow.org`."""
        return f"{self.plural}.{self.group}" if self.group else self.plural

    @property
    def api_version(self) -> str:
        """`v1`, `kubeflow.org/v1`."""
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def qualified(self) -> str:
        """The kind as error messages name it: `Pod`, `PyTorchJob.kubeflow.org`."""
        return f"{self.kind}.{self.group}" if self.group else self.kind

    @property
    def counts_generations(self) -> bool:
        """Most of the core group's kinds carry no `metadata.generation`."""
        return bool(self.group) or self.plural == "pods"


_KUEUE = "kueue.x-k8s.io"
_KUEUE_FILES = "kueue-v0.19.2/kueue.x-k8s.io_"

_ROWS = (
    Kind("", "v1", "namespaces", "Namespace", False, True, ("ns",)),
    Kind("", "v1", "nodes", "Node", False, True, ("no",)),
    Kind("", "v1", "pods", "Pod", True, True, ("po",)),
    Kind("", "v1", "events", "Event", True, False, ("ev",)),
    Kind("", "v1", "services", "Service", True, True, ("svc",)),
    Kind("", "v1", "serviceaccounts", "ServiceAccount", True, False, ("sa",)),
    Kind("", "v1", "configmaps", "ConfigMap", True, False, ("cm",)),
    Kind("", "v1", "persistentvolumeclaims", "PersistentVolumeClaim", True, True, ("pvc",)),
    Kind(
        "apiextensions.k8s.io",
        "v1",
        "customresourcedefinitions",
        "CustomResourceDefinition",
        False,
        True,
        ("crd", "crds"),
        read_only=True,
    ),
    Kind(
        "kubeflow.org",
        "v1",
        "pytorchjobs",
        "PyTorchJob",
        True,
        True,
        crd="training-operator-v1.9.4/kubeflow.org_pytorchjobs.yaml",
    ),
    Kind(
        _KUEUE,
        "v1beta2",
        "clusterqueues",
        "ClusterQueue",
        False,
        True,
        ("cq",),
        crd=_KUEUE_FILES + "clusterqueues.yaml",
    ),
    Kind(_KUEUE, "v1beta2", "cohorts", "Cohort", False, True, ("co",), crd=_KUEUE_FILES + "cohorts.yaml"),
    Kind(
        _KUEUE,
        "v1beta2",
        "localqueues",
        "LocalQueue",
        True,
        True,
        ("queue", "queues", "lq"),
        crd=_KUEUE_FILES + "localqueues.yaml",
    ),
    Kind(
        _KUEUE,
        "v1beta2",
        "resourceflavors",
        "ResourceFlavor",
        False,
        False,
        ("flavor", "flavors", "rf"),
        crd=_KUEUE_FILES + "resourceflavors.yaml",
    ),
    Kind(
        _KUEUE,
        "v1beta2",
        "workloads",
        "Workload",
        True,
        True,
        ("kwl", "kueueworkload", "kueueworkloads"),
        crd=_KUEUE_FILES + "workloads.yaml",
    ),
    Kind(
        _KUEUE,
        "v1beta2",
        "workloadpriorityclasses",
        "WorkloadPriorityClass",
        False,
        False,
        ("wpc",),
        crd=_KUEUE_FILES + "workloadpriorityclasses.yaml",
    ),
)

KINDS: dict[str, Kind] = {row.resource: row for row in _ROWS}
_BY_PATH: dict[tuple[str, str, str], Kind] = {(row.group, row.version, row.plural): row for row in _ROWS}
_BY_KIND: dict[tuple[str, str], Kind] = {(row.api_version, row.kind): row for row in _ROWS}


def served(group: str, version: str, plural: str) -> Kind:
    """The kind behind a path; raises the 404 of a path that nobody serves."""
    kind = _BY_PATH.get((group, version, plural))
    if kind is None:
        raise unknown_path()
    return kind


def kind_of(obj: dict[str, Any]) -> Kind:
    """The kind that an object says it is; raises the 404 of an unknown one."""
    kind = _BY_KIND.get((obj.get("apiVersion", ""), obj.get("kind", "")))
    if kind is None:
        raise unknown_path()
    return kind
