"""Writes down what the cluster says about our jobs. The watch and beat's resync call the same functions.

Each of them is one short transaction that locks the submission, writes the observed columns, derives the state anew and
announces what changed. What is not ours is ignored; `as_of` is when the object was looked at, so that an old list never
overwrites what was seen since.
"""

from jobs.mirror.events import mirror_event, mirror_events
from jobs.mirror.jobs import forget_job, mirror_job
from jobs.mirror.pods import forget_pod, mirror_pod
from jobs.mirror.positions import mirror_positions, refresh_positions
from jobs.mirror.recompute import recompute
from jobs.mirror.resync import MIRRORED, Mirrored, resync
from jobs.mirror.workloads import forget_workload, mirror_workload

__all__ = [
    "MIRRORED",
    "Mirrored",
    "forget_job",
    "forget_pod",
    "forget_workload",
    "mirror_event",
    "mirror_events",
    "mirror_job",
    "mirror_pod",
    "mirror_positions",
    "mirror_workload",
    "recompute",
    "refresh_positions",
    "resync",
]
