"""What is mirrored, and the whole of it in one go: beat repairs whatever a dead or deaf watch missed."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial

from jobs.mirror.events import events_listed, mirror_event
from jobs.mirror.jobs import forget_job, jobs_listed, mirror_job
from jobs.mirror.objects import uid_of
from jobs.mirror.pods import forget_pod, mirror_pod, pods_listed
from jobs.mirror.poison import guarded
from jobs.mirror.positions import refresh_positions
from jobs.mirror.queues import mirror_queue, queues_listed
from jobs.mirror.workloads import forget_workload, mirror_workload, workloads_listed
from jobs.translators import TRANSLATORS
from portal.kube.client import Cluster
from portal.kube.discovery import served
from portal.kube.errors import ClusterError, ClusterUnavailable
from portal.kube.kinds import CLUSTER_QUEUE, EVENT, KINDS, POD, WORKLOAD, Kind, Object
from portal.names import LABEL_SUBMISSION
from quotas.mirror import forget_cluster_queue

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Mirrored:
    """One kind: what to list and watch, and who writes it down."""

    kind: Kind
    listed: Callable[[Sequence[Object], datetime], None]
    seen: Callable[[Object], None]
    forget: Callable[[str], None]
    label_selector: str = ""

    def changed(self, obj: Object, *, deleted: bool) -> None:
        if deleted:
            guarded(self.forget, uid_of(obj))
        else:
            guarded(self.seen, obj)


def _keep(uid: str) -> None:
    """An event that the cluster forgot stays with us."""


_KIND_OF = {kind.kind: kind for kind in KINDS}
MIRRORED: tuple[Mirrored, ...] = (
    *(
        Mirrored(
            _KIND_OF[translator.kind], partial(jobs_listed, translator.kind), mirror_job, forget_job, LABEL_SUBMISSION
        )
        for translator in TRANSLATORS
    ),
    Mirrored(WORKLOAD, workloads_listed, mirror_workload, forget_workload),
    Mirrored(POD, pods_listed, mirror_pod, forget_pod, LABEL_SUBMISSION),
    # After the objects that they are about.
    Mirrored(EVENT, events_listed, mirror_event, _keep),
    Mirrored(CLUSTER_QUEUE, queues_listed, mirror_queue, forget_cluster_queue),
)


def resync(cluster: Cluster) -> None:
    """List and mirror every kind, then the places in line. Raises ClusterUnavailable.

    A kind that cannot be listed (not installed, or not ours to read) does not hold up the others.
    """
    for mirrored in MIRRORED:
        try:
            kind = served(cluster, mirrored.kind)
            began_at = datetime.now(UTC)
            listing = cluster.list(kind, label_selector=mirrored.label_selector)
        except ClusterUnavailable:
            raise
        except ClusterError as error:
            logger.warning("%s are not mirrored: %s", mirrored.kind, error)
            continue
        mirrored.listed(listing.items, began_at)
    refresh_positions(cluster)
