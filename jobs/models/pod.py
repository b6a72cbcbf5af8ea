"""A replica of a job. Keyed by the pod's uid: a restarted pod has its predecessor's name. Written by mirror alone."""

from django.db import models
from django.db.models import Q

from jobs.models.submission import Submission


class Pod(models.Model):
    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="pods")
    object_uid = models.CharField(max_length=64, unique=True)
    name = models.CharField(max_length=253)
    role = models.CharField(max_length=40)  # "worker"
    index = models.PositiveIntegerField()
    container = models.CharField(max_length=63)  # the one that trains; its state is what the columns below tell
    node = models.CharField(max_length=253, blank=True)
    phase = models.CharField(max_length=16)
    ready = models.BooleanField(default=False)
    terminating = models.BooleanField(default=False)
    state = models.CharField(max_length=16, blank=True)  # waiting, running, terminated; "" before the kubelet reported
    reason = models.CharField(max_length=128, blank=True)  # ImagePullBackOff, OOMKilled, Unschedulable …
    message = models.TextField(blank=True)
    exit_code = models.IntegerField(null=True, blank=True)  # of the newest end, also while the container runs again
    restarts = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    seen_at = models.DateTimeField()
    gone_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes = [models.Index(fields=["submission"], name="pod_on_cluster", condition=Q(gone_at=None))]

    def __str__(self) -> str:
        return self.name
