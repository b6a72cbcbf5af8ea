"""Places in line, from Kueue's visibility API: a snapshot that beat asks for while something waits."""

import logging
from collections.abc import Sequence

from django.db import transaction

from jobs.mirror.recompute import settle
from jobs.models import Submission, Workload
from jobs.translators.base import member, text
from portal.kube.client import Cluster
from portal.kube.discovery import served
from portal.kube.errors import KindMissing, NotFound, Rejected
from portal.kube.kinds import VISIBILITY, Object

logger = logging.getLogger(__name__)


def refresh_positions(cluster: Cluster) -> None:
    """Ask for each queue in which a job of ours waits. Raises ClusterUnavailable."""
    waiting = Workload.objects.filter(gone_at=None, quota_reserved=False).exclude(finished=True)
    queues = waiting.order_by("submission__tenant__cluster_queue__name").values_list(
        "submission__tenant__cluster_queue__name", flat=True
    )
    names = [name for name in queues.distinct() if name]
    if not names:
        return
    try:
        visibility = served(cluster, VISIBILITY)
    except KindMissing as error:
        logger.info("Places in line are not known: %s", error)
        return
    for name in names:
        try:
            summary = cluster.pending_workloads(visibility, name)
        except (NotFound, KindMissing, Rejected) as error:
            logger.info("Places in line of %s are not known: %s", name, error)
            continue
        mirror_positions(name, summary)


def mirror_positions(cluster_queue: str, summary: Sequence[Object]) -> None:
    """`summary`: the items of a PendingWorkloadsSummary of this ClusterQueue. Who is not in it has no known place."""
    places = {}
    for item in summary:
        position = member(item, "positionInClusterQueue")
        if isinstance(position, int):
            places[text(item, "metadata", "namespace"), text(item, "metadata", "name")] = position + 1
    rows = Workload.objects.filter(gone_at=None, submission__tenant__cluster_queue__name=cluster_queue)
    waiting = rows.filter(quota_reserved=False).exclude(finished=True).select_related("submission")
    for row in waiting:
        place = places.get((row.submission.namespace, row.name))
        total = len(places) if place else None
        if (row.position, row.pending_total) != (place, total):
            _write(row.pk, place, total)


def _write(pk: int, place: int | None, total: int | None) -> None:
    with transaction.atomic():
        submission = Submission.objects.select_for_update(no_key=True).get(workloads=pk)
        row = Workload.objects.get(pk=pk)
        if row.quota_reserved is not False:
            return  # admitted meanwhile
        row.position, row.pending_total = place, total
        row.save(update_fields=["position", "pending_total"])
        settle(submission, changed=True)
