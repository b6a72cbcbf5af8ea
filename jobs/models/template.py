"""A saved form: what people may choose (JSON Schema) and how their values become a JobSpec (body)."""

from typing import ClassVar

from django.db import models
from django.db.models import Q, QuerySet

from portal.names import new_uid
from tenants.models import Tenant, User


class TemplateQuerySet(QuerySet["Template"]):
    def of(self, tenant: Tenant) -> "TemplateQuerySet":
        """The tenant's own templates and the platform's."""
        return self.filter(Q(tenant=tenant) | Q(tenant=None))

    def visible_to(self, user: User) -> "TemplateQuerySet":
        if user.is_platform_admin:
            return self
        return self.filter(Q(tenant__member__user=user) | Q(tenant=None)).distinct()


class Template(models.Model):
    uid = models.UUIDField(default=new_uid, unique=True, editable=False)
    slug = models.CharField(max_length=30, unique=True)
    tenant = models.ForeignKey(Tenant, null=True, blank=True, on_delete=models.PROTECT)  # null: for every tenant
    name = models.CharField(max_length=80)
    description = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects: ClassVar[models.Manager["Template"]] = TemplateQuerySet.as_manager()

    def __str__(self) -> str:
        return self.slug

    def current(self) -> "TemplateVersion":
        """The newest published version. Raises TemplateVersion.DoesNotExist where none was published."""
        return self.versions.latest("number")


class TemplateVersion(models.Model):
    """Never changes once it is saved (a trigger in migration 0001): a job of last year still renders."""

    template = models.ForeignKey(Template, on_delete=models.PROTECT, related_name="versions")
    number = models.PositiveIntegerField()
    kind = models.CharField(max_length=40)  # "PyTorchJob": chooses the translator
    schema = models.JSONField()  # the subset of JSON Schema 2020-12 that jobs.spec accepts
    body = models.JSONField()  # jobs.spec.render fills its placeholders with the values
    published_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["template", "number"], name="one_template_version")]

    def __str__(self) -> str:
        return f"{self.template} v{self.number}"
