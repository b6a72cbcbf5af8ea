"""Changes to people, tenants and tokens. Every change has its audit entry in the same transaction."""

import hashlib
import logging
import math
import re
import secrets
from datetime import datetime, timedelta

from django.conf import settings
from django.contrib.auth import authenticate
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from portal.errors import FieldError, Invalid, PortalError
from portal.names import RESERVED_SLUGS, SLUG, namespace_of
from tenants.access import Access, Caller
from tenants.audit import record
from tenants.models import ApiToken, Member, PlatformRole, Role, SignInTry, Tenant, User

logger = logging.getLogger(__name__)

TRY_WINDOW = timedelta(minutes=15)
# Tries per window, in multiples of LOGIN_TRIES_PER_15_MINUTES, which holds for an e-mail address from one IP address.
# One IP address may serve a whole office, and a stranger must not lock somebody out with a handful of wrong passwords.
TRIES_PER_ADDRESS = 5
TRIES_PER_EMAIL = 10
MAX_EMAIL = 254  # what the column of User and SignInTry holds
LAST_USED_STEP = timedelta(minutes=1)
_TOKEN = re.compile(r"cm_([a-z0-9]{12})_([A-Za-z0-9_-]{43})")


def sign_in(*, email: str, password: str, address: str | None) -> User:
    """The user with that password. Raises PortalError 429 after too many failures, Invalid for a wrong pair.

    The try is stored before it is checked and removed when it succeeds, so that parallel guesses count each other.
    """
    now = timezone.now()
    email = email.strip().lower()
    SignInTry.objects.filter(at__lt=now - TRY_WINDOW).delete()
    # Lower case can be longer than what was typed ("İ" becomes two characters); such an address is nobody's.
    this_try = SignInTry.objects.create(email=email[:MAX_EMAIL], address=address, at=now)
    wait = _seconds_to_wait(this_try)
    if wait:
        this_try.delete()  # a refused try is no guess: it must not prolong the wait
        logger.warning("Sign-in refused: too many tries from %s.", address)
        minutes = math.ceil(wait / 60)
        message = ngettext(
            "Too many sign-in attempts. Try again in %(n)s minute.",
            "Too many sign-in attempts. Try again in %(n)s minutes.",
            minutes,
        )
        raise PortalError("too_many_tries", message % {"n": minutes}, 429, extra={"retry_after": wait})
    user = authenticate(username=email, password=password)
    if not isinstance(user, User):
        raise Invalid([FieldError("", _("This e-mail address and password do not belong together. Check both."))])
    SignInTry.objects.filter(email=email, address=address).delete()
    return user


def _seconds_to_wait(this_try: SignInTry) -> int:
    """0, or the seconds until so many tries have left the window that one more is allowed."""
    same_email, same_address = Q(email=this_try.email), Q(address=this_try.address)
    limit = settings.LOGIN_TRIES_PER_15_MINUTES
    waits = [0]
    for same, most in (
        (same_email & same_address, limit),
        (same_address, limit * TRIES_PER_ADDRESS),
        (same_email, limit * TRIES_PER_EMAIL),
    ):
        newest_first = SignInTry.objects.filter(same).order_by("-at", "-pk").values_list("at", flat=True)
        waits += [math.ceil((at + TRY_WINDOW - this_try.at).total_seconds()) for at in newest_first[most : most + 1]]
    return max(waits)


@transaction.atomic
def create_user(
    *, email: str, password: str, name: str = "", platform_role: str = PlatformRole.NONE, caller: Caller | None = None
) -> User:
    """Raises Invalid for an e-mail address that is taken or none, and for a weak password."""
    try:
        validate_password(password, User(email=email, name=name))
        user = User.objects.create_user(email=email, password=password, name=name, platform_role=platform_role)
    except ValidationError as error:
        raise Invalid(_field_errors(error)) from error
    record(caller, verb="user.create", obj=user, after={"email": user.email, "platform_role": platform_role})
    return user


@transaction.atomic
def set_platform_role(*, user: User, role: str, caller: Caller | None = None) -> None:
    """Does and records nothing where it is so already."""
    user = User.objects.select_for_update().get(pk=user.pk)
    if user.platform_role != role:
        before, after = {"platform_role": user.platform_role}, {"platform_role": role}
        user.platform_role = role
        user.save(update_fields=["platform_role"])
        record(caller, verb="user.set_platform_role", obj=user, before=before, after=after)


def _field_errors(error: ValidationError) -> list[FieldError]:
    if hasattr(error, "error_dict"):
        return [FieldError(path, text) for path, texts in error.message_dict.items() for text in texts]
    return [FieldError("password", text) for text in error.messages]


@transaction.atomic
def create_tenant(*, slug: str, name: str, caller: Caller | None = None) -> Tenant:
    """The row only; quotas.services.onboard_tenant gives it a namespace and a queue. Raises Invalid."""
    if not SLUG.fullmatch(slug):
        message = _("Use 1 to 30 lower-case letters, digits and dashes, a letter first and no dash last: “team-a”.")
        raise Invalid([FieldError("slug", message)])
    if slug in RESERVED_SLUGS or slug.startswith("kube-"):
        raise Invalid([FieldError("slug", _("“%(slug)s” is a reserved word. Choose another.") % {"slug": slug})])
    if Tenant.objects.filter(slug=slug).exists():
        raise Invalid([FieldError("slug", _("There is a tenant “%(slug)s” already. Choose another.") % {"slug": slug})])
    tenant = Tenant.objects.create(slug=slug, name=name, namespace=namespace_of(slug))
    record(caller, verb="tenant.create", obj=tenant, tenant=tenant, after={"slug": slug, "name": name})
    return tenant


@transaction.atomic
def set_member(*, tenant: Tenant, user: User, role: Role, caller: Caller | None = None) -> Member:
    """Makes `user` a member with `role`, or changes the role. Does and records nothing where it is so already."""
    member, created = Member.objects.select_for_update().get_or_create(
        tenant=tenant, user=user, defaults={"role": role}
    )
    before = {} if created else {"role": str(member.role)}
    after = {"user": user.email, "role": str(role)}
    if created or member.role != role:
        member.role = role
        member.save(update_fields=["role"])
        record(caller, verb="member.set", obj=member, tenant=tenant, before=before, after=after)
    return member


def create_token(*, access: Access, name: str, role: Role, expires_at: datetime) -> tuple[ApiToken, str]:
    """A token for `access`'s user and tenant, and its secret text, which exists nowhere else. Raises Invalid."""
    if errors := _token_errors(access, name, role, expires_at):
        raise Invalid(errors)
    prefix, secret = secrets.token_hex(6), secrets.token_urlsafe(32)
    token = ApiToken(user=access.user, tenant=access.tenant, name=name, role=role, expires_at=expires_at)
    token.prefix, token.secret_hash = prefix, _hash(secret)
    try:
        with transaction.atomic():
            token.save(force_insert=True)
            after = {"name": name, "prefix": prefix, "role": str(role), "expires_at": expires_at.isoformat()}
            record(access, verb="token.create", obj=token, after=after)
    except IntegrityError as error:
        message = _("You have a token “%(name)s” already. Revoke it, or choose another name.") % {"name": name}
        raise Invalid([FieldError("name", message)]) from error
    return token, f"cm_{prefix}_{secret}"


def _token_errors(access: Access, name: str, role: Role, expires_at: datetime) -> list[FieldError]:
    now = timezone.now()
    errors = []
    if not name.strip() or len(name) > 80 or not name.isprintable():
        errors.append(FieldError("name", _("Give a name of 1 to 80 visible characters.")))
    if not access.role.covers(role):
        own = {"role": access.role.label.lower(), "tenant": access.tenant.slug}
        errors.append(FieldError("role", _("Choose at most your own role in %(tenant)s: %(role)s.") % own))
    if not now < expires_at <= now + timedelta(days=settings.TOKEN_MAX_DAYS):
        days = {"days": settings.TOKEN_MAX_DAYS}
        errors.append(FieldError("days", _("Let it expire within %(days)s days.") % days))
    return errors


@transaction.atomic
def revoke_token(*, caller: Caller, token: ApiToken) -> None:
    """Ends `token` at once. Revoking it again changes nothing."""
    now = timezone.now()
    if ApiToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=now):
        after = {"prefix": token.prefix, "revoked_at": now.isoformat()}
        record(caller, verb="token.revoke", obj=token, tenant=token.tenant, after=after)


def use_token(*, text: str, address: str | None) -> ApiToken:
    """The live token whose secret text this is. Raises PortalError 401.

    Remembers when and from where it was used, at most once a minute.
    """
    now = timezone.now()
    match = _TOKEN.fullmatch(text)
    prefix, secret = match.groups() if match else ("", "")
    token = ApiToken.objects.live(now).filter(prefix=prefix).select_related("user", "tenant").first()
    if token is None or not secrets.compare_digest(token.secret_hash, _hash(secret)):
        raise PortalError("bad_token", _("This token is wrong, expired or revoked. Make one under Tokens."), 401)
    stale = Q(last_used_at=None) | Q(last_used_at__lt=now - LAST_USED_STEP)
    ApiToken.objects.filter(stale, pk=token.pk).update(last_used_at=now, last_used_from=address)
    return token


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
