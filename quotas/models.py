"""How much: what each tenant's ClusterQueue should have (desired) and what the cluster says it has (observed)."""

from typing import ClassVar

from django.db import models
from django.db.models import F, Q, QuerySet
from django.utils.translation import gettext_lazy as _

from portal.names import new_uid
from tenants.models import Tenant, User


class Flavor(models.Model):
    """A kind of node. Becomes a ResourceFlavor of the same name."""

    name = models.CharField(max_length=63, unique=True)
    title = models.CharField(max_length=80)  # what people read: "A100-SXM4-40GB"
    node_labels = models.JSONField(default=dict)  # {label: value}, what Kueue adds to the pods' nodeSelector

    def __str__(self) -> str:
        return self.name


class Cohort(models.Model):
    """ClusterQueues of one cohort lend each other what they do not use."""

    name = models.CharField(max_length=63, unique=True)

    def __str__(self) -> str:
        return self.name


class ClusterQueueQuerySet(QuerySet["ClusterQueue"]):
    def visible_to(self, user: User) -> "ClusterQueueQuerySet":
        return self if user.is_platform_admin else self.filter(tenant__member__user=user)

    def unapplied(self) -> "ClusterQueueQuerySet":
        """What the cluster does not have as we want it, as far as the mirror has seen."""
        seen = Q(status__observed_generation=F("generation"))
        return self.exclude(seen & (Q(tenant=None) | ~Q(tenant__namespace_uid="")))


class ClusterQueue(models.Model):
    """Desired. Becomes a ClusterQueue and, where it has a tenant, the LocalQueue of its namespace."""

    class Reclaim(models.TextChoices):
        NEVER = "Never", _("Never")
        LOWER_PRIORITY = "LowerPriority", _("Lower priority")
        ANY = "Any", _("Any")

    uid = models.UUIDField(default=new_uid, unique=True, editable=False)
    name = models.CharField(max_length=63, unique=True)
    cohort = models.ForeignKey(Cohort, null=True, blank=True, on_delete=models.PROTECT)
    tenant = models.OneToOneField(Tenant, null=True, blank=True, on_delete=models.PROTECT, related_name="cluster_queue")
    reclaim_within_cohort = models.CharField(max_length=16, choices=Reclaim.choices, default=Reclaim.ANY)
    # Raised with every desired change and written as an annotation; in force when the observed one has caught up.
    generation = models.PositiveIntegerField(default=1)

    objects: ClassVar[models.Manager["ClusterQueue"]] = ClusterQueueQuerySet.as_manager()

    def __str__(self) -> str:
        return self.name


class Quota(models.Model):
    """Desired amount of one resource of one flavor, in portal.quantity's unit (thousandths of cores, bytes)."""

    cluster_queue = models.ForeignKey(ClusterQueue, on_delete=models.CASCADE, related_name="quotas")
    flavor = models.ForeignKey(Flavor, on_delete=models.PROTECT)
    resource = models.CharField(max_length=63)
    nominal = models.PositiveBigIntegerField()
    borrowing_limit = models.PositiveBigIntegerField(null=True, blank=True)  # null: no limit, as in Kueue
    lending_limit = models.PositiveBigIntegerField(null=True, blank=True)  # null: all of nominal

    class Meta:
        constraints = [models.UniqueConstraint(fields=["cluster_queue", "flavor", "resource"], name="one_quota_row")]

    def __str__(self) -> str:
        return f"{self.cluster_queue} {self.flavor} {self.resource}"


class QueueStatus(models.Model):
    """Observed: written by mirror alone."""

    cluster_queue = models.OneToOneField(ClusterQueue, on_delete=models.CASCADE, related_name="status")
    object_uid = models.CharField(max_length=64)
    observed_generation = models.PositiveIntegerField(default=0)  # our annotation as the cluster has it
    active = models.BooleanField(default=False)
    reason = models.CharField(max_length=64, blank=True)  # of the condition Active: Ready, Stopped, FlavorNotFound
    # {flavor: {resource: amount}} of status.flavorsReservation, what is borrowed included; in portal.quantity's units
    usage = models.JSONField(default=dict)
    seen_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.cluster_queue}: generation {self.observed_generation}"
