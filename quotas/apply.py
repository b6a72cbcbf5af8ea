"""Brings a queue, and its tenant's namespace, into the cluster by server-side apply. Safe to repeat at any point.

Nothing is forced: a field that somebody else set by an apply of theirs raises Conflict and stays theirs.
"""

import logging
from dataclasses import dataclass

from django.db import transaction

from portal.kube.client import Cluster
from portal.kube.discovery import served
from portal.kube.errors import Conflict, NotFound
from portal.kube.kinds import CLUSTER_QUEUE, NAMESPACE, Ref
from portal.names import LABEL_TENANT_UID
from quotas import manifests
from quotas.manifests import QuotaLine
from quotas.models import ClusterQueue, Flavor
from quotas.queries import quota_lines
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

    So the generation that the mirror sees on the ClusterQueue vouches for all of them. Raises portal.kube's errors,
    Conflict also for a namespace of that name that is not this tenant's. A queue whose row is gone is no error.
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
    lines = quota_lines(queue)
    flavors = Flavor.objects.filter(name__in={line.flavor for line in lines}).order_by("name")
    return Plan(queue, queue.tenant, list(flavors), lines)


def _apply_tenant(cluster: Cluster, tenant: Tenant, queue: ClusterQueue, kueue: str) -> None:
    found = _namespace_uid(cluster, tenant)
    if tenant.namespace_uid and found != tenant.namespace_uid:
        state = "was deleted" if found is None else f"has another uid ({found})"
        raise Conflict(f"Namespace {tenant.namespace} {state}; ours is the one with uid {tenant.namespace_uid}.")
    applied = cluster.apply(manifests.namespace(name=tenant.namespace, tenant=tenant.slug, tenant_uid=str(tenant.uid)))
    uid = str(applied["metadata"]["uid"])
    Tenant.objects.filter(pk=tenant.pk, namespace_uid="").update(namespace_uid=uid)
    cluster.apply(manifests.service_account(namespace=tenant.namespace))
    cluster.apply(manifests.local_queue(namespace=tenant.namespace, cluster_queue=queue.name, api_version=kueue))


def _namespace_uid(cluster: Cluster, tenant: Tenant) -> str | None:
    """None where there is no such namespace. Raises Conflict for one that does not carry this tenant's uid."""
    try:
        metadata = cluster.get(Ref(NAMESPACE, tenant.namespace))["metadata"]
    except NotFound:
        return None
    if (metadata.get("labels") or {}).get(LABEL_TENANT_UID) != str(tenant.uid):
        raise Conflict(
            f"Namespace {tenant.namespace} is not {tenant.slug}'s: its label {LABEL_TENANT_UID} says another."
        )
    return str(metadata["uid"])
