"""Stores submissions and cancel requests. The row is the work; what goes to Celery is a hint."""

from collections.abc import Mapping
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from jobs import launch, spec
from jobs.mirror import recompute
from jobs.models import IdempotencyKey, Submission
from jobs.services.checking import Check, check_submission
from jobs.tasks import send_hint
from portal.errors import Conflict, FieldError, Invalid, NotFound, PortalError
from portal.live import announce
from tenants.access import Access
from tenants.audit import record
from tenants.models import Role

MAX_KEY = 128


def create_submission(
    *,
    access: Access,
    template_slug: str,
    version: int | None = None,
    title: str,
    values: Mapping[str, Any],
    idempotency_key: str | None = None,
) -> tuple[Submission, bool]:
    """The stored submission, and whether it is new: the same key and body find the first one, however often they come.

    Raises what check_submission raises, and PortalError 422 `idempotency_key_reused` for the key with another body.
    """
    access.require(Role.SUBMITTER)
    asked = {"template": template_slug, "version": version, "name": title, "values": values}
    key = _key(access, idempotency_key, asked) if idempotency_key is not None else None
    first = _first_of(key) if key else None
    if first is not None:
        return first, False
    check = check_submission(access=access, template_slug=template_slug, version=version, title=title, values=values)
    try:
        return _store(access, check, key), True
    except IntegrityError:
        # Somebody else stored this key since we looked; the unique constraint let only one of us through.
        first = _first_of(key) if key else None
        if first is None:
            raise
        return first, False


def cancel_submission(*, access: Access, submission: Submission) -> Submission:
    """Asks for the end of a job. Its author may, and owners. Asking again changes nothing.

    Raises Conflict `finished` for a job that has already ended, Forbidden for others.
    """
    if submission.tenant_id != access.tenant.pk:
        raise NotFound
    access.require(Role.SUBMITTER if submission.author_id == access.user.pk else Role.OWNER)
    with transaction.atomic():
        row = Submission.objects.select_for_update(no_key=True, of=("self",)).get(pk=submission.pk)
        if row.cancel_requested_at is None:
            _request_cancel(access, row)
    submission.refresh_from_db()
    return submission


def _request_cancel(access: Access, row: Submission) -> None:
    if row.state in Submission.FINISHED:
        words = {"state": row.get_state_display().lower()}
        raise Conflict("finished", _("This job has already ended (%(state)s); there is nothing to cancel.") % words)
    before = {"state": row.state, "reason": row.reason}
    Submission.objects.filter(pk=row.pk).update(cancel_requested_at=Now(), cancel_requested_by=access.user)
    launch.wake(row.pk)
    record(access, verb="submission.cancel", obj=row, before=before)
    recompute(row.pk)
    transaction.on_commit(lambda: send_hint(row.pk))


def _key(access: Access, key: str, asked: Mapping[str, Any]) -> IdempotencyKey:
    """The key's row, not stored. Raises Invalid for a key or body that cannot be one."""
    if not (0 < len(key) <= MAX_KEY and key.isprintable()):
        raise Invalid([FieldError("idempotency_key", _("Use 1 to %(most)d printable characters.") % {"most": MAX_KEY})])
    try:
        return IdempotencyKey(tenant=access.tenant, key=key, body_hash=spec.digest(asked))
    except (TypeError, ValueError) as error:
        raise Invalid([FieldError("values", _("These values cannot be read as JSON."))]) from error


def _first_of(key: IdempotencyKey) -> Submission | None:
    """The submission that this key made. Raises PortalError `idempotency_key_reused` when its body was another one."""
    stored = IdempotencyKey.objects.filter(tenant=key.tenant, key=key.key).select_related("submission__tenant").first()
    if stored is None:
        return None
    if stored.body_hash != key.body_hash:
        message = _("This Idempotency-Key was used for another job (%(uid)s). Use a new key for a new job.")
        raise PortalError("idempotency_key_reused", message % {"uid": stored.submission.uid}, 422)
    return stored.submission


@transaction.atomic
def _store(access: Access, check: Check, key: IdempotencyKey | None) -> Submission:
    job = check.spec
    submission = Submission.objects.create(
        uid=check.uid,
        tenant=access.tenant,
        author=access.user,
        token=access.token,
        template_version=check.version,
        title=check.title,
        values=check.values,
        kind=job.kind,
        namespace=job.namespace,
        job_name=job.name,
        local_queue=job.local_queue,
        flavor=job.flavor,
        manifest=check.manifest,
        spec_hash=check.spec_hash,
        replicas=check.replicas,
        gpus=check.gpus,
    )
    if key is not None:
        key.submission = submission
        key.save(force_insert=True)
    after = {"title": submission.title, "template": str(check.version), "spec_hash": check.spec_hash}
    record(access, verb="submission.create", obj=submission, after=after)
    announce(f"jobs.{access.tenant.uid}")
    transaction.on_commit(lambda: send_hint(submission.pk))
    return submission
