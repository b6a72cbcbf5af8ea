"""Who: people, tenants, roles, tokens and what they did. Knows nothing of quotas or jobs."""

from datetime import datetime
from typing import ClassVar

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.db import models
from django.db.models import Q, QuerySet
from django.utils.translation import gettext_lazy as _

from portal.names import new_uid


class Role(models.TextChoices):
    """What a member may do, lowest first; each role may do all that the ones before it may."""

    VIEWER = "viewer", _("Viewer")
    SUBMITTER = "submitter", _("Submitter")
    OWNER = "owner", _("Owner")

    @property
    def rank(self) -> int:
        return list(Role).index(self)

    def covers(self, needed: "Role") -> bool:
        return self.rank >= needed.rank


class PlatformRole(models.TextChoices):
    NONE = "", _("None")
    ADMIN = "admin", _("Platform admin")


class UserManager(BaseUserManager["User"]):
    def create_user(self, *, email: str, password: str | None, name: str = "", platform_role: str = "") -> "User":
        user = self.model(email=email.strip().lower(), name=name, platform_role=platform_role)
        user.set_password(password)
        user.full_clean()
        user.save(using=self._db)
        return user


class User(AbstractBaseUser):
    """A person. Signs in by e-mail, stored in lower case."""

    uid = models.UUIDField(default=new_uid, unique=True, editable=False)
    email = models.EmailField(unique=True)
    name = models.CharField(max_length=80, blank=True)
    platform_role = models.CharField(max_length=16, choices=PlatformRole.choices, blank=True, default=PlatformRole.NONE)
    time_zone = models.CharField(max_length=64, default="UTC")
    theme = models.CharField(max_length=8, default="system")
    language = models.CharField(max_length=8, default="en")
    is_active = models.BooleanField(default=True)
    created_at = models.DateTimeField(auto_now_add=True)

    USERNAME_FIELD = "email"
    objects: ClassVar[UserManager] = UserManager()

    def __str__(self) -> str:
        return self.name or self.email

    @property
    def is_platform_admin(self) -> bool:
        return self.platform_role == PlatformRole.ADMIN


class TenantQuerySet(QuerySet["Tenant"]):
    def visible_to(self, user: User) -> "TenantQuerySet":
        """The tenants that `user` is a member of; all of them for a platform admin."""
        return self if user.is_platform_admin else self.filter(member__user=user)


class Tenant(models.Model):
    """A team. Its slug never changes: namespace, queue and URL are made from it."""

    uid = models.UUIDField(default=new_uid, unique=True, editable=False)
    slug = models.CharField(max_length=30, unique=True)
    name = models.CharField(max_length=80)
    namespace = models.CharField(max_length=63, unique=True)
    # The namespace's uid once it was made: a namespace of the same name with another uid is not ours to write into.
    namespace_uid = models.CharField(max_length=64, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects: ClassVar[models.Manager["Tenant"]] = TenantQuerySet.as_manager()

    def __str__(self) -> str:
        return self.slug

    def get_absolute_url(self) -> str:
        """Where a member's work begins. The page belongs to another app, which this one does not know."""
        return f"/t/{self.slug}/"


class MemberQuerySet(QuerySet["Member"]):
    def visible_to(self, user: User) -> "MemberQuerySet":
        return self if user.is_platform_admin else self.filter(tenant__member__user=user)


class Member(models.Model):
    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE)
    user = models.ForeignKey(User, on_delete=models.CASCADE)
    role = models.CharField(max_length=16, choices=Role.choices)
    created_at = models.DateTimeField(auto_now_add=True)

    objects: ClassVar[models.Manager["Member"]] = MemberQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["tenant", "user"], name="one_role_per_member")]

    def __str__(self) -> str:
        return f"{self.user} in {self.tenant}: {self.role}"


class ApiTokenQuerySet(QuerySet["ApiToken"]):
    def visible_to(self, user: User) -> "ApiTokenQuerySet":
        return self.filter(user=user)

    def live(self, now: datetime) -> "ApiTokenQuerySet":
        return self.filter(revoked_at=None, expires_at__gt=now, user__is_active=True)


class ApiToken(models.Model):
    """A personal token for one tenant. Its right is the lower of `role` and the owner's role at the time of use.

    Only the SHA-256 of the secret part is stored; `prefix` finds the row and is what people see.
    """

    uid = models.UUIDField(default=new_uid, unique=True, editable=False)
    user = models.ForeignKey(User, on_delete=models.CASCADE)
    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE)
    name = models.CharField(max_length=80)
    prefix = models.CharField(max_length=16, unique=True)
    secret_hash = models.CharField(max_length=64)
    role = models.CharField(max_length=16, choices=Role.choices)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    last_used_at = models.DateTimeField(null=True, blank=True)
    last_used_from = models.GenericIPAddressField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    objects: ClassVar[models.Manager["ApiToken"]] = ApiTokenQuerySet.as_manager()

    class Meta:
        # A form that is sent twice must not make a second token: its name is taken.
        constraints = [
            models.UniqueConstraint(fields=["user", "name"], condition=Q(revoked_at=None), name="one_live_token_name")
        ]

    def __str__(self) -> str:
        return f"{self.prefix}…"


class AuditEntryQuerySet(QuerySet["AuditEntry"]):
    def visible_to(self, user: User) -> "AuditEntryQuerySet":
        if user.is_platform_admin:
            return self
        return self.filter(Q(tenant__member__user=user, tenant__member__role=Role.OWNER) | Q(actor=user)).distinct()


class AuditEntry(models.Model):
    """One thing somebody did. A database trigger refuses UPDATE and DELETE (migration 0001)."""

    class Channel(models.TextChoices):
        PAGE = "page", _("Page")
        API = "api", _("API")
        SYSTEM = "system", _("System")

    at = models.DateTimeField(auto_now_add=True, db_index=True)
    tenant = models.ForeignKey(Tenant, null=True, blank=True, on_delete=models.PROTECT)
    actor = models.ForeignKey(User, null=True, blank=True, on_delete=models.PROTECT)
    actor_name = models.CharField(max_length=254)
    token = models.ForeignKey(ApiToken, null=True, blank=True, on_delete=models.PROTECT)
    channel = models.CharField(max_length=8, choices=Channel.choices)
    verb = models.CharField(max_length=40)  # "submission.create", "token.revoke"
    object_type = models.CharField(max_length=40)
    object_uid = models.CharField(max_length=64)
    before = models.JSONField(default=dict)
    after = models.JSONField(default=dict)
    request_id = models.CharField(max_length=36, blank=True)
    address = models.GenericIPAddressField(null=True, blank=True)

    objects: ClassVar[models.Manager["AuditEntry"]] = AuditEntryQuerySet.as_manager()

    def __str__(self) -> str:
        return f"{self.actor_name} {self.verb} {self.object_uid}"


class SignInTry(models.Model):
    """A sign-in that failed or is being checked, counted for 15 minutes.

    A row and not a cache entry: no restart forgives, and without the database nobody gets in.
    """

    email = models.CharField(max_length=254)  # as it was typed, in lower case; may belong to nobody
    address = models.GenericIPAddressField(null=True, blank=True)
    at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return f"{self.email} from {self.address}"
