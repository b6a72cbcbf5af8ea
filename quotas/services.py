"""Changes to what tenants should have. Each raises the queue's generation, and is audited, in one transaction."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import partial

from django.db import transaction
from django.utils.translation import gettext as _

from portal.errors import FieldError, Invalid
from portal.names import DNS_LABEL
from quotas.manifests import QuotaLine
from quotas.models import ClusterQueue, Cohort, Flavor, Quota
from quotas.queries import quota_lines
from quotas.tasks import apply_queue
from tenants.access import Caller
from tenants.audit import record
from tenants.models import Tenant
from tenants.services import create_tenant

logger = logging.getLogger(__name__)


@transaction.atomic
def set_flavor(*, name: str, title: str, node_labels: Mapping[str, str], caller: Caller | None = None) -> Flavor:
    """Makes or changes a flavor; every queue that has quota of it is applied again. Raises Invalid."""
    _check_name(name)
    wanted = {"title": title, "node_labels": dict(node_labels)}
    flavor, created = Flavor.objects.select_for_update().get_or_create(name=name, defaults=wanted)
    before = {} if created else {"title": flavor.title, "node_labels": flavor.node_labels}
    if before != wanted:
        flavor.title, flavor.node_labels = title, dict(node_labels)
        flavor.save()
        record(caller, verb="flavor.set", obj=flavor, before=before, after=wanted)
        for queue in ClusterQueue.objects.select_for_update().filter(
            pk__in=Quota.objects.filter(flavor=flavor).values("cluster_queue")
        ):
            _changed(queue)
    return flavor


@transaction.atomic
def onboard_tenant(
    *,
    slug: str,
    name: str,
    quotas: Sequence[QuotaLine],
    cohort: Cohort | None = None,
    reclaim_within_cohort: str = ClusterQueue.Reclaim.ANY,
    caller: Caller | None = None,
) -> Tenant:
    """A new tenant and a ClusterQueue of the same name. The namespace follows as soon as the cluster answers."""
    tenant = create_tenant(slug=slug, name=name, caller=caller)
    set_queue(
        name=slug,
        tenant=tenant,
        cohort=cohort,
        reclaim_within_cohort=reclaim_within_cohort,
        quotas=quotas,
        caller=caller,
    )
    return tenant


@transaction.atomic
def set_queue(
    *,
    name: str,
    quotas: Sequence[QuotaLine],
    tenant: Tenant | None = None,
    cohort: Cohort | None = None,
    reclaim_within_cohort: str = ClusterQueue.Reclaim.ANY,
    caller: Caller | None = None,
) -> ClusterQueue:
    """Makes a queue, or brings it to exactly this. Changes nothing where it is so already. Raises Invalid."""
    _check_name(name)
    _check_quotas(quotas, cohort)
    queue = ClusterQueue.objects.select_for_update().filter(name=name).first()
    before = _told(queue) if queue else {}
    if queue is None:
        queue = ClusterQueue(name=name, generation=0)
    elif queue.tenant != tenant:
        raise Invalid([FieldError("tenant", _("A queue keeps its tenant. Make another queue, with another name."))])
    queue.tenant, queue.cohort, queue.reclaim_within_cohort = tenant, cohort, reclaim_within_cohort
    after = _told(queue, quotas)
    if before != after:
        _changed(queue)
        _replace_quotas(queue, quotas)
        record(caller, verb="queue.set", obj=queue, tenant=tenant, before=before, after=after)
    return queue


@transaction.atomic
def set_quota(*, cluster_queue: ClusterQueue, quota: QuotaLine, caller: Caller | None = None) -> ClusterQueue:
    """Changes or adds one line and leaves the others. Raises Invalid."""
    queue = ClusterQueue.objects.select_for_update().get(pk=cluster_queue.pk)
    lines = {(line.flavor, line.resource): line for line in quota_lines(queue)}
    lines[quota.flavor, quota.resource] = quota
    return set_queue(
        name=queue.name,
        tenant=queue.tenant,
        cohort=queue.cohort,
        reclaim_within_cohort=queue.reclaim_within_cohort,
        quotas=list(lines.values()),
        caller=caller,
    )


def apply_again(queue: ClusterQueue) -> None:
    """Once the transaction is committed, asks for the queue to be applied, changed or not: what somebody deleted in the
    cluster comes back.
    """
    # robust: without the hint (Redis is away, say) a changed row still waits for quotas.schedule.resync
    transaction.on_commit(partial(apply_queue.delay, queue.pk), robust=True)


def _changed(queue: ClusterQueue) -> None:
    queue.generation += 1
    queue.save()
    apply_again(queue)


def _replace_quotas(queue: ClusterQueue, quotas: Sequence[QuotaLine]) -> None:
    flavors = _flavors(quotas)
    queue.quotas.all().delete()
    Quota.objects.bulk_create(
        Quota(
            cluster_queue=queue,
            flavor=flavors[line.flavor],
            resource=line.resource,
            nominal=line.nominal,
            borrowing_limit=line.borrowing_limit,
            lending_limit=line.lending_limit,
        )
        for line in quotas
    )


def _told(queue: ClusterQueue, quotas: Sequence[QuotaLine] | None = None) -> dict[str, object]:
    """The queue as an audit entry has it, with `quotas` in the place of its own."""
    lines = quota_lines(queue) if quotas is None else quotas
    return {
        "cohort": queue.cohort.name if queue.cohort else None,
        "reclaim_within_cohort": str(queue.reclaim_within_cohort),
        "quotas": [asdict(line) for line in lines],
    }


def _flavors(quotas: Sequence[QuotaLine]) -> dict[str, Flavor]:
    return {flavor.name: flavor for flavor in Flavor.objects.filter(name__in={line.flavor for line in quotas})}


def _check_name(name: str) -> None:
    if not DNS_LABEL.fullmatch(name):
        message = _("Use 1 to 63 lower-case letters, digits and dashes, no dash first or last: “%(name)s” is none.")
        raise Invalid([FieldError("name", message % {"name": name})])


def _check_quotas(quotas: Sequence[QuotaLine], cohort: Cohort | None) -> None:
    errors = [error for line in quotas for error in _line_errors(line, cohort)]
    flavors = {line.flavor for line in quotas}
    resources = {line.resource for line in quotas}
    if not quotas:
        errors.append(FieldError("quotas", _("Give at least one resource of one flavor.")))
    if len(quotas) != len(flavors) * len(resources) or len({(q.flavor, q.resource) for q in quotas}) != len(quotas):
        message = _("Name each of %(resources)s exactly once for every flavor; Kueue takes no gaps. Use 0 for none.")
        errors.append(FieldError("quotas", message % {"resources": ", ".join(sorted(resources))}))
    for missing in sorted(flavors - set(_flavors(quotas))):
        message = _("There is no flavor %(flavor)s. Define it first, or correct the name.")
        errors.append(FieldError("quotas", message % {"flavor": missing}))
    if errors:
        raise Invalid(errors)


def _line_errors(line: QuotaLine, cohort: Cohort | None) -> list[FieldError]:
    path = f"quotas.{line.flavor}.{line.resource}"
    limits = [limit for limit in (line.borrowing_limit, line.lending_limit) if limit is not None]
    errors = []
    if not all(0 <= amount < 2**63 for amount in (line.nominal, *limits)):
        errors.append(FieldError(path, _("Use amounts from 0 to 2^63-1.")))
    if limits and cohort is None:
        errors.append(
            FieldError(path, _("A borrowing or lending limit needs a cohort. Name one, or leave the limit out."))
        )
    if line.lending_limit is not None and line.lending_limit > line.nominal:
        message = _("Lend at most the nominal quota, %(nominal)s.")
        errors.append(FieldError(path, message % {"nominal": line.nominal}))
    return errors
