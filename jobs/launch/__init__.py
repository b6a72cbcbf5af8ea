"""Brings a submission's row onto the cluster, and off it again. Safe to repeat from wherever it was cut off.

A turn is: take the lease (one short transaction), speak to the cluster (no transaction), record what came of it where
the lease is still ours. The object's name follows from the submission, so a create that is repeated meets its own
object: it is adopted when it carries our uid and our hash, and left alone when it does not.
"""

from jobs.launch.lease import wake
from jobs.launch.turn import launch, sweep

__all__ = ["launch", "sweep", "wake"]
