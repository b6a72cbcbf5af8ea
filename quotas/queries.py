"""Numbers about a tenant's queue, from what we want (Quota) and what the mirror saw (QueueStatus)."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace

from django.db.models import Q
from django.utils.translation import gettext as _

from portal.errors import PortalError
from quotas.fit import QueueQuota, available, reach
from quotas.manifests import QuotaLine
from quotas.models import ClusterQueue, Quota
from tenants.models import Tenant


@dataclass(frozen=True)
class Room:
    """One resource of one flavor as a queue sees it, in portal.quantity's units.

    `at_most` could be used were the cohort empty. `free` (right now, without preempting) is None while the mirror has
    not seen every queue that shares in it.
    """

    nominal: int
    at_most: int
    free: int | None


def queue_of(tenant: Tenant) -> ClusterQueue:
    """Raises PortalError `no_queue` (409) for a tenant that was not given one."""
    queue = ClusterQueue.objects.filter(tenant=tenant).select_related("cohort").first()
    if queue is None:
        message = _("%(tenant)s has no queue yet, so its jobs cannot start. Ask a platform admin for a quota.")
        raise PortalError("no_queue", message % {"tenant": tenant.slug}, 409)
    return queue


def flavors_of(tenant: Tenant) -> list[str]:
    """The names of the flavors that the tenant's queue has quota of, in the order that Kueue tries them."""
    names = queue_of(tenant).quotas.order_by("pk").values_list("flavor__name", flat=True)
    return list(dict.fromkeys(names))


def reach_of(tenant: Tenant, flavor_name: str) -> dict[str, int]:
    """{resource: the most that one job of `tenant` can ever get}; {} for a flavor that its queue does not have."""
    return {resource: room.at_most for resource, room in room_of(tenant, flavor_name).items()}


def room_of(tenant: Tenant, flavor_name: str) -> dict[str, Room]:
    """{resource: Room} of the tenant's queue; {} for a flavor that it does not have. One query for the whole cohort."""
    queue = queue_of(tenant)
    members = Q(cluster_queue=queue)
    if queue.cohort is not None:
        members |= Q(cluster_queue__cohort=queue.cohort)
    found = Quota.objects.filter(members, flavor__name=flavor_name)
    by_resource: defaultdict[str, list[Quota]] = defaultdict(list)
    for quota in found.select_related("cluster_queue__cohort", "cluster_queue__status"):
        by_resource[quota.resource].append(quota)
    return {
        resource: _room(queue, flavor_name, quotas)
        for resource, quotas in by_resource.items()
        if any(quota.cluster_queue_id == queue.pk for quota in quotas)
    }


def _room(queue: ClusterQueue, flavor: str, quotas: list[Quota]) -> Room:
    usage = {quota.cluster_queue.name: _used(quota, flavor) for quota in quotas}
    cohort = [_quota(quota) for quota in quotas]
    own = next(member for member in cohort if member.name == queue.name)
    return Room(nominal=own.nominal, at_most=reach(own, cohort), free=_free(own, cohort, usage))


def _free(own: QueueQuota, cohort: list[QueueQuota], usage: Mapping[str, int | None]) -> int | None:
    known = {name: used for name, used in usage.items() if used is not None}
    if len(known) < len(cohort):
        return None
    return available(replace(own, used=known[own.name]), [replace(each, used=known[each.name]) for each in cohort])


def _quota(quota: Quota) -> QueueQuota:
    cohort = quota.cluster_queue.cohort
    return QueueQuota(
        name=quota.cluster_queue.name,
        cohort=cohort.name if cohort else None,
        nominal=quota.nominal,
        borrowing_limit=quota.borrowing_limit,
        lending_limit=quota.lending_limit,
    )


def _used(quota: Quota, flavor: str) -> int | None:
    status = getattr(quota.cluster_queue, "status", None)
    if status is None:
        return None
    # Kueue lists every covered flavor and resource, zeros too; one that is missing was added since the mirror looked.
    used: int | None = status.usage.get(flavor, {}).get(quota.resource)
    return used


def quota_lines(queue: ClusterQueue) -> list[QuotaLine]:
    """The queue's own lines, in the order in which they were given."""
    return [
        QuotaLine(row.flavor.name, row.resource, row.nominal, row.borrowing_limit, row.lending_limit)
        for row in queue.quotas.select_related("flavor").order_by("pk")
    ]


def in_force(queue: ClusterQueue) -> bool:
    """Whether the cluster has what we want, and can admit jobs by it."""
    status = getattr(queue, "status", None)
    return status is not None and status.active and status.observed_generation == queue.generation
