"""One admission of a job to its end. Observed, never part of a name: Kueue admits an evicted object again."""

from django.db import models

from jobs.models.submission import Submission


class Attempt(models.Model):
    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="attempts", db_index=False)
    number = models.PositiveIntegerField()
    admitted_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["submission", "number"], name="one_attempt_number")]

    def __str__(self) -> str:
        return f"{self.submission} attempt {self.number}"
