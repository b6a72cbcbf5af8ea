"""The one place where a manifest is made: what it returns is checked, hashed, shown, dry-run, stored and sent."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _

from jobs import policy, spec
from jobs.translators import translator_for
from portal.errors import FieldError, Invalid
from portal.names import ANNOTATION_SPEC_HASH


def rendered(
    body: Mapping[str, Any], values: Mapping[str, Any], identity: spec.Identity
) -> tuple[spec.JobSpec, dict[str, Any], str]:
    """(spec, manifest, spec hash). The hash is the SHA-256 of the manifest's canonical JSON without its own annotation.

    Raises Invalid with the form's fields where a value is the cause, with "template" where the template is.
    """
    try:
        job = spec.render(body, values, identity)
    except spec.BadBody as error:
        raise Invalid([_of_field(body, wrong) for wrong in error.errors]) from error
    manifest = policy.force(translator_for(identity.kind).manifest(job))
    spec_hash = spec.digest(manifest)
    manifest["metadata"]["annotations"][ANNOTATION_SPEC_HASH] = spec_hash
    refuse(_of_template(wrong) for wrong in policy.check(manifest, image_prefixes()))
    return job, manifest, spec_hash


def image_prefixes() -> tuple[str, ...]:
    return tuple(settings.IMAGE_PREFIXES)


def refuse(errors: Iterable[FieldError]) -> None:
    """Raises Invalid when there are any errors."""
    if found := list(errors):
        raise Invalid(found)


def _of_field(body: Mapping[str, Any], error: FieldError) -> FieldError:
    field = spec.field_of(body, error.path)
    return _of_template(error) if field == "template" else FieldError(field, error.message)


def _of_template(error: FieldError) -> FieldError:
    words = {"path": error.path, "message": error.message}
    return FieldError("template", _("This template makes a job that is not allowed: %(path)s: %(message)s") % words)
