"""The cluster objects of a tenant and its queue, as we apply them. Fields that are not ours are left out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from portal.names import (
    ANNOTATION_GENERATION,
    EPHEMERAL_STORAGE,
    GPU,
    LABEL_MANAGED,
    LABEL_TENANT,
    LABEL_TENANT_UID,
    LOCAL_QUEUE,
    SERVICE_ACCOUNT,
)
from portal.quantity import show

Manifest = dict[str, object]

# Pinned, so that an upgrade of the cluster cannot refuse tomorrow what ran today; an older cluster takes its newest.
POD_SECURITY_VERSION = "v1.34"
KUEUE_V1BETA1 = "kueue.x-k8s.io/v1beta1"
KUEUE_V1BETA2 = "kueue.x-k8s.io/v1beta2"
_FIRST_RESOURCES = ("cpu", "memory", EPHEMERAL_STORAGE, GPU)
_MANAGED = {LABEL_MANAGED: "true"}


@dataclass(frozen=True)
class QuotaLine:
    """One resource of one flavor. Amounts in portal.quantity's units; a limit of None is Kueue's "unlimited"."""

    flavor: str
    resource: str
    nominal: int
    borrowing_limit: int | None = None
    lending_limit: int | None = None


def namespace(*, name: str, tenant: str, tenant_uid: str) -> Manifest:
    """Pod Security's strictest level is enforced; audit and warn say the same, so that logs and kubectl tell it too."""
    labels = {LABEL_TENANT: tenant, LABEL_TENANT_UID: tenant_uid, **_MANAGED}
    for mode in ("enforce", "audit", "warn"):
        labels[f"pod-security.kubernetes.io/{mode}"] = "restricted"
        labels[f"pod-security.kubernetes.io/{mode}-version"] = POD_SECURITY_VERSION
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}}


def service_account(*, namespace: str) -> Manifest:
    """What jobs run as: nobody to the API server."""
    return {
        "apiVersion": "v1",
        "kind": "ServiceAccount",
        "metadata": {"name": SERVICE_ACCOUNT, "namespace": namespace, "labels": _MANAGED},
        "automountServiceAccountToken": False,
    }


def local_queue(*, namespace: str, cluster_queue: str, api_version: str = KUEUE_V1BETA2) -> Manifest:
    return {
        "apiVersion": api_version,
        "kind": "LocalQueue",
        "metadata": {"name": LOCAL_QUEUE, "namespace": namespace, "labels": _MANAGED},
        "spec": {"clusterQueue": cluster_queue},
    }


def resource_flavor(*, name: str, node_labels: Mapping[str, str], api_version: str = KUEUE_V1BETA2) -> Manifest:
    return {
        "apiVersion": api_version,
        "kind": "ResourceFlavor",
        "metadata": {"name": name, "labels": _MANAGED},
        "spec": {"nodeLabels": dict(node_labels)},
    }


def cluster_queue(
    *,
    name: str,
    cohort: str | None,
    tenant_uid: str | None,
    reclaim_within_cohort: str,
    generation: int,
    quotas: Sequence[QuotaLine],
    api_version: str = KUEUE_V1BETA2,
) -> Manifest:
    """`quotas` name the same resources for every flavor (quotas.services sees to it), as Kueue demands.

    Without a tenant there is no namespaceSelector, which selects nothing: such a queue only lends.
    """
    spec: dict[str, object] = {
        "resourceGroups": [_resource_group(quotas, in_cohort=cohort is not None)],
        "preemption": {"reclaimWithinCohort": reclaim_within_cohort},
    }
    if cohort is not None:
        spec["cohort" if api_version == KUEUE_V1BETA1 else "cohortName"] = cohort
    if tenant_uid is not None:
        spec["namespaceSelector"] = {"matchLabels": {LABEL_TENANT_UID: tenant_uid}}
    annotations = {ANNOTATION_GENERATION: str(generation)}
    return {
        "apiVersion": api_version,
        "kind": "ClusterQueue",
        "metadata": {"name": name, "labels": _MANAGED, "annotations": annotations},
        "spec": spec,
    }


def _resource_group(quotas: Sequence[QuotaLine], *, in_cohort: bool) -> Manifest:
    """One group with everything: a job's cpu must come from the flavor that its GPUs come from."""
    resources = covered_resources(quotas)
    lines = {(line.flavor, line.resource): line for line in quotas}
    flavors = list(dict.fromkeys(line.flavor for line in quotas))
    return {
        "coveredResources": resources,
        "flavors": [
            {"name": flavor, "resources": [_resource(lines[flavor, resource], in_cohort) for resource in resources]}
            for flavor in flavors
        ],
    }


def covered_resources(quotas: Sequence[QuotaLine]) -> list[str]:
    """Always in the same order: Kueue wants one order in all flavors, and a new order would be a change."""
    names = {line.resource for line in quotas}
    return [name for name in _FIRST_RESOURCES if name in names] + sorted(names - set(_FIRST_RESOURCES))


def _resource(line: QuotaLine, in_cohort: bool) -> Manifest:
    entry: Manifest = {"name": line.resource, "nominalQuota": _text(line.nominal, line.resource)}
    if in_cohort and line.borrowing_limit is not None:
        entry["borrowingLimit"] = _text(line.borrowing_limit, line.resource)
    if in_cohort and line.lending_limit is not None:
        entry["lendingLimit"] = _text(line.lending_limit, line.resource)
    return entry


def _text(amount: int, resource: str) -> str:
    """As Kueue itself writes a new queue (Go's canonical form, 1k for 1000): else the next apply would be a change."""
    text, thousands = show(amount, resource), 0
    while text.endswith("000"):
        text, thousands = text[:-3], thousands + 1
    return text + ("", "k", "M", "G", "T", "P", "E")[thousands]
