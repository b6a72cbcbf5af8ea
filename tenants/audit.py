"""What was done, by whom, written with the change itself."""

from collections.abc import Mapping
from typing import Protocol

from django.db import connection
from django.db.models import Model

from tenants.models import ApiToken, AuditEntry, Tenant, User


class Actor(Protocol):
    """What an entry tells about its actor; tenants.access.Caller and Access have it."""

    @property
    def user(self) -> User: ...
    @property
    def tenant(self) -> Tenant | None: ...
    @property
    def token(self) -> ApiToken | None: ...
    @property
    def channel(self) -> str: ...
    @property
    def request_id(self) -> str: ...
    @property
    def address(self) -> str | None: ...


def record(
    actor: Actor | None,
    *,
    verb: str,
    obj: Model,
    tenant: Tenant | None = None,
    before: Mapping[str, object] | None = None,
    after: Mapping[str, object] | None = None,
    actor_name: str = "system",
) -> AuditEntry:
    """Writes one entry. Must run in the transaction of the change: raises RuntimeError outside of one.

    `verb` is "<noun>.<what happened>"; `before` and `after` hold the JSON values that changed, never a secret.
    Without an `actor` a command or a process did it, called `actor_name`, for `tenant`.
    """
    if not connection.in_atomic_block:
        raise RuntimeError("An audit entry needs the transaction of the change that it tells.")
    entry = AuditEntry(
        tenant=tenant,
        actor_name=actor_name,
        channel=AuditEntry.Channel.SYSTEM,
        verb=verb,
        object_type=obj._meta.label_lower,
        object_uid=str(getattr(obj, "uid", obj.pk)),
        before=dict(before or {}),
        after=dict(after or {}),
    )
    if actor is not None:
        entry.tenant = actor.tenant or tenant
        entry.actor = actor.user
        entry.actor_name = actor.user.email
        entry.token = actor.token
        entry.channel = actor.channel
        entry.request_id = actor.request_id
        entry.address = actor.address
    entry.save(force_insert=True)
    return entry
