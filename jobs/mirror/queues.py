"""ClusterQueues, whose own rows quotas keeps, and the jobs whose sentence depends on them."""

from collections.abc import Sequence
from datetime import datetime

from django.db.models import Q

from jobs.mirror.recompute import recompute
from jobs.models import Submission
from portal.kube.kinds import Object
from quotas.mirror import cluster_queues_listed, mirror_cluster_queue


def mirror_queue(obj: Object) -> None:
    mirror_cluster_queue(obj)
    _settle(Q(tenant__cluster_queue__name=obj["metadata"]["name"]))


def queues_listed(items: Sequence[Object], began_at: datetime) -> None:
    cluster_queues_listed(items, began_at)
    _settle(Q())


def _settle(whose: Q) -> None:
    """Kueue tells of a Workload and of its queue in any order; only both together tell "stopped" from "not ready"."""
    states, reasons = ("held", "cannot_run"), ("queue_stopped", "misconfigured")
    for pk in Submission.objects.filter(whose, state__in=states, reason__in=reasons).values_list("pk", flat=True):
        recompute(pk)
