"""Brings a queue, and its tenant's namespace, into the cluster by server-side apply. Safe to repeat at any point.

Nothing is forced: a field that somebody else set by their own apply makes Conflict, and is theirs until a person decides.
"""

import logging
from dataclasses import dataclass

from django.db import transaction

from portal.kube.client import Cluster
from portal.kube.discovery import served
from portal.kube.errors import Conflict, NotFound
from portal.kube.kinds import CLUSTER_QUEUE, NAMESPACE, Ref
from portal.names import LABEL_TENANT
from quotas import manifests
from quotas.manifests import QuotaLine
from quotas.models import ClusterQueue, Flavor
from tenants.models import Tenant

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Plan:
    """All that is applied for one queue, read in one transaction."""

    queue: ClusterQueue
    tenant: Tenant | None
    flavors: list[Flavor]
    quotas: list[QuotaLine]


def apply_queue(cluster: Cluster, cluster_queue_id: int) -> None:
    """Applies flavors, namespace, ServiceAccount, LocalQueue and last the ClusterQueue with its generation.

    So the generation that the mirror sees on the ClusterQueue vouches for all of them. A queue that is not there any more
    is no error. Raises the errors of portal.kube; Conflict also for a namespace of that name that is not this tenant's.
    """
    plan = _load(cluster_queue_id)
    if plan is None:
        return
    kueue = served(cluster, CLUSTER_QUEUE).api_version
    for flavor in plan.flavors:
        cluster.apply(manifests.resource_flavor(name=flavor.name, node_labels=flavor.node_labels, api_version=kueue))
    if plan.tenant is not None:
        _apply_tenant(cluster, plan.tenant, plan.queue, kueue)
    cluster.apply(
        manifests.cluster_queue(
            name=plan.queue.name,
            cohort=plan.queue.cohort.name if plan.queue.cohort else None,
            tenant_uid=str(plan.tenant.uid) if plan.tenant else None,
            reclaim_within_cohort=plan.queue.reclaim_within_cohort,
            generation=plan.queue.generation,
            quotas=plan.quotas,
            api_version=kueue,
        )
    )
    logger.info("Applied ClusterQueue %s, generation %s.", plan.queue.name, plan.queue.generation)


@transaction.atomic
def _load(cluster_queue_id: int) -> Plan | None:
    # The lock makes generation and quotas one: quotas.services changes both while it holds it.
    queue = ClusterQueue.objects.select_for_update().filter(pk=cluster_queue_id).first()
    if queue is None:
        return None
    rows = list(queue.quotas.select_related("flavor").order_by("pk"))
    flavors = {row.flavor.pk: row.flavor for row in rows}
    lines = [
        QuotaLine(row.flavor.name, row.resource, row.nominal, row.borrowing_limit, row.lending_limit) for row in rows
    ]
    return Plan(queue, queue.tenant, list(flavors.values()), lines)


def _apply_tenant(cluster: Cluster, tenant: Tenant, queue: ClusterQueue, kueue: str) -> None:
    found = _namespace_uid(cluster, tenant)
    if tenant.namespace_uid and found != tenant.namespace_uid:
        state = "was deleted" if found is None else f"has another uid ({found})"
        raise Conflict(
            f"Namespace {tenant.namespace} {state}; {tenant.slug}'s jobs lived in the one with uid {tenant.namespace_uid}."
        )
    applied = cluster.apply(manifests.namespace(name=tenant.namespace, tenant_uid=str(tenant.uid)))
    uid = str(applied["metadata"]["uid"])
    Tenant.objects.filter(pk=tenant.pk, namespace_uid="").update(namespace_uid=uid)
    cluster.apply(manifests.service_account(namespace=tenant.namespace))
    cluster.apply(
        manifests.local_queue(namespace=tenant.namespace, cluster_queue=queue.name, api_version=kueue),
    )


def _namespace_uid(cluster: Cluster, tenant: Tenant) -> str | None:
    """None where there is no such namespace. Raises Conflict for one that does not carry this tenant's uid."""
    try:
        metadata = cluster.get(Ref(NAMESPACE, tenant.namespace))["metadata"]
    except NotFound:
        return None
    if (metadata.get("labels") or {}).get(LABEL_TENANT) != str(tenant.uid):
        raise Conflict(
            f"There is a namespace {tenant.namespace} that is not {tenant.slug}'s: its label {LABEL_TENANT} says so."
        )
    return str(metadata["uid"])
