"""Kueue's Workload of a submission. Written by mirror alone."""

from django.db import models
from django.db.models import Q

from jobs.models.submission import Submission


class Workload(models.Model):
    """Kueue makes one per job; if somebody deletes it, Kueue makes another with a new uid: the newest row counts."""

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="workloads")
    object_uid = models.CharField(max_length=64, unique=True)
    name = models.CharField(max_length=253)
    conditions = models.JSONField(default=list)  # as the cluster has them, shown raw on request
    quota_reserved = models.BooleanField(null=True)  # null: no such condition yet
    finished = models.BooleanField(null=True)
    active = models.BooleanField(default=True)  # spec.active
    # Place in the ClusterQueue from 1, and out of how many; null: not known. From the visibility API, by beat.
    position = models.PositiveIntegerField(null=True, blank=True)
    pending_total = models.PositiveIntegerField(null=True, blank=True)
    seen_at = models.DateTimeField()
    gone_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes = [models.Index(fields=["submission"], name="workload_on_cluster", condition=Q(gone_at=None))]

    def __str__(self) -> str:
        return self.name
