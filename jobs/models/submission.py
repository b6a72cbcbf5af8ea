"""One job as somebody asked for it, what launch did about it, and what the mirror saw.

Each column has one writer, named in the comment above its group; `state`, `reason` and `params` are the stored result
of jobs.state.derive over all the others and are written in the same transaction as any of its inputs.
"""

from typing import ClassVar

from django.db import models
from django.db.models import Q, QuerySet
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from jobs.models.template import TemplateVersion
from portal.names import new_uid
from tenants.models import ApiToken, Tenant, User


class SubmissionQuerySet(QuerySet["Submission"]):
    def of(self, tenant: Tenant) -> "SubmissionQuerySet":
        return self.filter(tenant=tenant)

    def visible_to(self, user: User) -> "SubmissionQuerySet":
        return self if user.is_platform_admin else self.filter(tenant__member__user=user)

    def due(self) -> "SubmissionQuerySet":
        """What launch should act on now, by the database's clock: unsent or to be cancelled, and leased by nobody."""
        free = Q(lease_expires_at=None) | Q(lease_expires_at__lt=Now())
        ready = Q(next_try_at=None) | Q(next_try_at__lte=Now())
        unsent = Q(sent_at=None, rejected_at=None, cancel_requested_at=None)
        unstopped = Q(cancel_requested_at__isnull=False, stopped_at=None)
        return self.filter(free, ready, unsent | unstopped)


class Submission(models.Model):
    class State(models.TextChoices):
        """Table 5.1 of the UI specification; these words are the API's too."""

        SUBMITTED = "submitted", _("Submitted")
        QUEUED = "queued", _("Queued")
        HELD = "held", _("Held")
        CANNOT_RUN = "cannot_run", _("Can't run")
        STARTING = "starting", _("Starting")
        RUNNING = "running", _("Running")
        PREEMPTED = "preempted", _("Preempted, requeued")
        STOPPING = "stopping", _("Stopping")
        SUCCEEDED = "succeeded", _("Succeeded")
        FAILED = "failed", _("Failed")
        CANCELLED = "cancelled", _("Cancelled")
        REJECTED = "rejected", _("Rejected")
        UNKNOWN = "unknown", _("Unknown")

    FINISHED = (State.SUCCEEDED, State.FAILED, State.CANCELLED, State.REJECTED)

    uid = models.UUIDField(default=new_uid, unique=True, editable=False)

    # Desired: written by services, never changed afterwards but for the cancel request.
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, db_index=False)
    author = models.ForeignKey(User, on_delete=models.PROTECT, related_name="submissions")
    token = models.ForeignKey(ApiToken, null=True, blank=True, on_delete=models.PROTECT)
    template_version = models.ForeignKey(TemplateVersion, on_delete=models.PROTECT)
    title = models.CharField(max_length=63)
    values = models.JSONField()  # what was filled in, checked against the version's schema, defaults added
    kind = models.CharField(max_length=40)
    namespace = models.CharField(max_length=63)
    job_name = models.CharField(max_length=40)
    local_queue = models.CharField(max_length=63)
    flavor = models.CharField(max_length=63, blank=True)
    manifest = models.JSONField()  # the rendered custom resource, exactly what is sent
    spec_hash = models.CharField(max_length=64)
    replicas = models.PositiveIntegerField()
    gpus = models.PositiveIntegerField()  # over all replicas
    submitted_at = models.DateTimeField(auto_now_add=True)
    cancel_requested_at = models.DateTimeField(null=True, blank=True)
    cancel_requested_by = models.ForeignKey(User, null=True, blank=True, on_delete=models.PROTECT, related_name="+")

    # Send: written by launch.
    lease_token = models.UUIDField(null=True, blank=True)
    lease_expires_at = models.DateTimeField(null=True, blank=True)
    tries = models.PositiveIntegerField(default=0)
    next_try_at = models.DateTimeField(null=True, blank=True)
    sent_at = models.DateTimeField(null=True, blank=True)
    object_uid = models.CharField(max_length=64, blank=True, db_index=True)
    send_error = models.TextField(blank=True)  # the cluster's own words of the last failed try
    rejected_at = models.DateTimeField(null=True, blank=True)
    # The cluster confirmed the deletion, or nothing was ever sent.
    stopped_at = models.DateTimeField(null=True, blank=True)

    # Observed: written by mirror.
    # jobs.translators.Progress.phase: Created, Suspended, Running, Restarting, Succeeded, Failed.
    job_phase = models.CharField(max_length=16, blank=True)
    job_message = models.TextField(blank=True)
    job_suspended = models.BooleanField(null=True)
    replicas_active = models.PositiveIntegerField(default=0)
    replicas_succeeded = models.PositiveIntegerField(default=0)
    replicas_failed = models.PositiveIntegerField(default=0)
    started_at = models.DateTimeField(null=True, blank=True)  # first time that the job was Running
    finished_at = models.DateTimeField(null=True, blank=True)
    seen_at = models.DateTimeField(null=True, blank=True)  # last time that the mirror looked at it
    gone_at = models.DateTimeField(null=True, blank=True)  # missing from a complete, successful list

    # Derived: jobs.state.derive.
    state = models.CharField(max_length=16, choices=State.choices, default=State.SUBMITTED)
    reason = models.CharField(max_length=40, default="pending")  # a code; its sentence is made at the page
    params = models.JSONField(default=dict)
    state_since = models.DateTimeField(auto_now_add=True)

    objects: ClassVar[models.Manager["Submission"]] = SubmissionQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["namespace", "job_name"], name="one_job_name_per_namespace")]
        indexes = [
            models.Index(fields=["tenant", "-id"]),
            models.Index(fields=["tenant", "state", "-id"]),
            # What `due` looks for, every few seconds.
            models.Index(fields=["next_try_at"], name="submission_unsent", condition=Q(sent_at=None, rejected_at=None)),
            models.Index(
                fields=["next_try_at"],
                name="submission_unstopped",
                condition=Q(cancel_requested_at__isnull=False, stopped_at=None),
            ),
            # What a complete list is compared with.
            models.Index(fields=["kind"], name="submission_on_cluster", condition=Q(gone_at=None) & ~Q(object_uid="")),
        ]

    def __str__(self) -> str:
        return f"{self.title} ({self.uid})"


class StateChange(models.Model):
    """Every change of state or reason, kept for the timeline and "show earlier reasons"."""

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="changes")
    state = models.CharField(max_length=16, choices=Submission.State.choices)
    reason = models.CharField(max_length=40)
    params = models.JSONField(default=dict)
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.state} ({self.reason})"


class IdempotencyKey(models.Model):
    """A repeated POST finds its first answer here. Written in the transaction of the submission itself."""

    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, db_index=False)
    key = models.CharField(max_length=128)
    body_hash = models.CharField(max_length=64)
    submission = models.ForeignKey(Submission, on_delete=models.CASCADE)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["tenant", "key"], name="one_idempotency_key")]

    def __str__(self) -> str:
        return self.key
