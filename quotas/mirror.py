"""Writes down what the cluster says about our ClusterQueues: the observed side of a quota."""

import logging
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import DataError, transaction
from django.utils import timezone

from portal import quantity
from portal.kube.kinds import Object
from portal.live import announce
from portal.names import ANNOTATION_GENERATION
from quotas.models import ClusterQueue, QueueStatus

logger = logging.getLogger(__name__)


def mirror_cluster_queue(obj: Object, as_of: datetime | None = None) -> None:
    """Ignores queues that are not ours. An older look than the stored one changes nothing."""
    as_of = as_of or timezone.now()
    metadata = _map(obj.get("metadata"))
    with transaction.atomic():
        rows = ClusterQueue.objects.select_for_update(no_key=True)
        queue = rows.filter(name=str(metadata.get("name") or "")).first()
        uid = str(metadata.get("uid") or "")
        if queue is None or not uid:
            return
        row = QueueStatus.objects.filter(cluster_queue=queue).first() or QueueStatus(cluster_queue=queue)
        if row.pk and row.seen_at > as_of:
            return
        columns = {"object_uid": uid, **_columns(metadata, _map(obj.get("status")))}
        changed = row.pk is None or any(getattr(row, name) != value for name, value in columns.items())
        for name, value in columns.items():
            setattr(row, name, value)
        row.seen_at = as_of
        row.save()
        if changed:
            announce(f"queue.{queue.uid}")


def forget_cluster_queue(uid: str) -> None:
    """The queue is gone from the cluster: what we knew of it is no longer known."""
    with transaction.atomic():
        row = QueueStatus.objects.filter(object_uid=uid).select_related("cluster_queue").first()
        # By uid once more: a queue of that name may have been made anew, and seen, since.
        if row is not None and QueueStatus.objects.filter(pk=row.pk, object_uid=uid).delete()[0]:
            announce(f"queue.{row.cluster_queue.uid}")


def cluster_queues_listed(items: Sequence[Object], began_at: datetime) -> None:
    """A complete list: a queue that was seen before it began and is not in it is gone."""
    for obj in items:
        try:
            mirror_cluster_queue(obj, began_at)
        except (TypeError, ValueError, AttributeError, DataError):
            logger.exception("A ClusterQueue cannot be read: %.300s", obj)
    uids = {str(_map(obj.get("metadata")).get("uid") or "") for obj in items}
    missing = QueueStatus.objects.filter(seen_at__lt=began_at).exclude(object_uid__in=uids)
    for uid in missing.values_list("object_uid", flat=True):
        forget_cluster_queue(uid)


def _columns(metadata: Mapping[str, Any], status: Mapping[str, Any]) -> dict[str, Any]:
    active = next((item for item in _maps(status.get("conditions")) if item.get("type") == "Active"), {})
    generation = str(_map(metadata.get("annotations")).get(ANNOTATION_GENERATION) or "")
    return {
        "observed_generation": int(generation) if generation.isascii() and generation.isdecimal() else 0,
        "active": active.get("status") == "True",
        "reason": str(active.get("reason") or "")[:64],
        "usage": _usage(status.get("flavorsReservation")),
    }


def _usage(reservation: object) -> dict[str, dict[str, int]]:
    """{flavor: {resource: amount}}; the total includes what is borrowed (Kueue 0.19, clusterqueue_types.go)."""
    return {
        str(flavor.get("name")): {
            str(resource.get("name")): _amount(resource.get("total"), resource)
            for resource in _maps(flavor.get("resources"))
        }
        for flavor in _maps(reservation)
    }


def _amount(value: object, resource: Mapping[str, Any]) -> int:
    """Kueue leaves a zero out. A fraction of the smallest unit cannot come from requests that we let through."""
    return quantity.parse(str(value), str(resource.get("name"))) if value is not None else 0


def _map(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _maps(value: object) -> Iterator[Mapping[str, Any]]:
    yield from (item for item in value if isinstance(item, Mapping)) if isinstance(value, list) else ()
