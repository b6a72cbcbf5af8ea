"""Who is asking, and what they may do in a tenant. `tenant_for` is the only way in."""

from dataclasses import dataclass
from typing import Literal

from django.contrib.auth import get_user
from django.http import HttpRequest
from django.utils.translation import gettext as _
from rest_framework.request import Request

from portal.errors import Forbidden, NotFound, PortalError
from portal.http import ACCESS_KEY, client_address, request_id
from tenants.models import ApiToken, Member, Role, Tenant, User


@dataclass(frozen=True, kw_only=True)
class Caller:
    """A signed-in person, or a program with that person's token. `tenant` is None on pages of one's own."""

    user: User
    tenant: Tenant | None = None
    token: ApiToken | None = None
    channel: Literal["page", "api"]
    request_id: str = ""
    address: str | None = None


@dataclass(frozen=True, kw_only=True)
class Access(Caller):
    """A caller inside one tenant. A platform admin acts with an owner's role everywhere."""

    tenant: Tenant
    role: Role

    def require(self, role: Role) -> None:
        """Raises Forbidden below `role`; the message says who can grant it."""
        if not self.role.covers(role):
            raise Forbidden(_refusal(self, role))


def _refusal(access: Access, needed: Role) -> str:
    words = {"tenant": access.tenant.slug, "needed": needed.label.lower(), "role": access.role.label.lower()}
    owners = Member.objects.filter(tenant=access.tenant, role=Role.OWNER).select_related("user").order_by("user__email")
    words["owners"] = ", ".join(member.user.email for member in owners)
    if needed is Role.OWNER:
        message = _("Only an owner of %(tenant)s can do this; your role here is %(role)s.") % words
    else:
        message = _("Only a %(needed)s or owner of %(tenant)s can do this; your role here is %(role)s.") % words
    if access.token is not None:
        message += " " + _("A token can do no more than its own role: use one with the role %(needed)s.") % words
    ask = _("Ask an owner: %(owners)s.") if words["owners"] else _("It has no owner: ask a platform admin.")
    return f"{message} {ask % words}"


def caller_of(request: HttpRequest | Request) -> Caller:
    """Raises PortalError `sign_in` (401) for strangers."""
    user = request.user
    if not isinstance(user, User):
        raise PortalError("sign_in", _("Sign in first."), 401)
    token = getattr(request, "auth", None)  # set by tenants.authentication
    return Caller(
        user=user,
        token=token,
        channel="page" if token is None else "api",
        request_id=request_id(request),
        address=client_address(request),
    )


def tenant_for(request: HttpRequest | Request, slug: str, role: Role = Role.VIEWER) -> Access:
    """The caller in the tenant `slug`, with at least `role`.

    Raises NotFound, the same for an outsider, for a token of another tenant and for a tenant that does not exist;
    Forbidden for a member with a lower role.
    """
    caller = caller_of(request)
    tenant, present = _role_in(caller.user, slug)
    if caller.token is not None:
        if caller.token.tenant_id != tenant.pk:
            raise NotFound
        present = min(present, Role(caller.token.role), key=lambda role: role.rank)
    access = Access(
        user=caller.user,
        tenant=tenant,
        role=present,
        token=caller.token,
        channel=caller.channel,
        request_id=caller.request_id,
        address=caller.address,
    )
    access.require(role)
    request.META[ACCESS_KEY] = access
    return access


def tenant_again(request: HttpRequest, slug: str) -> Access:
    """tenant_for with session and person read anew: for a stream that outlives a sign-out or a lost right.

    Raises what tenant_for raises, and PortalError `sign_in` when the session has ended or the person was deactivated.
    """
    request.session = type(request.session)(request.session.session_key)
    request.user = get_user(request)
    return tenant_for(request, slug)


def _role_in(user: User, slug: str) -> tuple[Tenant, Role]:
    if user.is_platform_admin:
        tenant = Tenant.objects.filter(slug=slug).first()
        if tenant is None:
            raise NotFound
        return tenant, Role.OWNER
    member = Member.objects.filter(tenant__slug=slug, user=user).select_related("tenant").first()
    if member is None:
        raise NotFound
    return member.tenant, Role(member.role)
