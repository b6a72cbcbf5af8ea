"""A Kubernetes event about a job, its Workload or its pods. The cluster forgets them after an hour; these rows stay."""

from django.db import models

from jobs.models.submission import Submission


class Event(models.Model):
    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="events", db_index=False)
    # The event's own uid: a repeated event is updated in place.
    object_uid = models.CharField(max_length=64, unique=True)
    at = models.DateTimeField()  # the newest occurrence
    count = models.PositiveIntegerField(default=1)
    type = models.CharField(max_length=16)  # Normal, Warning
    reason = models.CharField(max_length=128)
    message = models.TextField()
    source = models.CharField(max_length=253)  # the reporting component
    regarding_kind = models.CharField(max_length=63)
    regarding_name = models.CharField(max_length=253)

    class Meta:
        indexes = [models.Index(fields=["submission", "-at"])]

    def __str__(self) -> str:
        return f"{self.reason} {self.regarding_name}"
