"""Publishes templates. A version never changes; a changed form or body is a new version."""

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from jobs import spec
from jobs.models import Template, TemplateVersion
from jobs.services.rendering import image_prefixes, refuse, rendered
from jobs.translators import translator_for
from portal import names
from portal.errors import FieldError, Invalid
from tenants.audit import record
from tenants.models import Tenant

_NOBODY = "00000000-0000-0000-0000-000000000000"


def publish_template(
    *,
    slug: str,
    name: str,
    description: str,
    tenant: Tenant | None = None,
    kind: str,
    schema: Mapping[str, Any],
    body: Mapping[str, Any],
) -> TemplateVersion:
    """The version that is current afterwards: a new one only when schema, body or kind differ from the newest.

    Raises Invalid with paths such as "schema.properties.workers"; a template whose own examples make a job that
    the policy refuses is refused too. `tenant` None: for every tenant.
    """
    _check(slug, kind, schema, body)
    schema = _ordered(schema)
    with transaction.atomic():
        # The slug is unique, so two publishers of a new template meet here; those of an old one at the lock.
        template, _created = Template.objects.get_or_create(
            slug=slug, defaults={"name": name, "description": description, "tenant": tenant}
        )
        template = Template.objects.select_for_update().get(pk=template.pk)
        if template.tenant_id != (tenant.pk if tenant else None):
            raise Invalid([FieldError("slug", _("Another tenant has a template of this name; choose another slug."))])
        Template.objects.filter(pk=template.pk).update(name=name, description=description)
        newest = template.versions.order_by("-number").first()
        if newest is not None and _same(newest, kind, schema, body):
            return newest
        number = newest.number + 1 if newest else 1
        version = TemplateVersion.objects.create(template=template, number=number, kind=kind, schema=schema, body=body)
        record(None, verb="template.publish", obj=template, tenant=tenant, after={"version": number})
    return version


def _ordered(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """With the order of its properties spelled out: jsonb keeps no order of keys."""
    return {**schema, "x-order": list(spec.ordered_properties(schema))}


def _same(version: TemplateVersion, kind: str, schema: Mapping[str, Any], body: Mapping[str, Any]) -> bool:
    stored = [version.kind, version.schema, version.body]
    return spec.canonical(stored) == spec.canonical([kind, schema, body])


def _check(slug: str, kind: str, schema: Mapping[str, Any], body: Mapping[str, Any]) -> None:
    if not names.SLUG.fullmatch(slug) or slug in names.RESERVED_SLUGS:
        sentence = _("Use at most 30 lower case letters, digits and -, beginning with a letter.")
        raise Invalid([FieldError("slug", sentence)])
    try:
        translator_for(kind)
    except LookupError as error:
        raise Invalid([FieldError("kind", str(error))]) from error
    refuse(spec.check_schema(schema))
    refuse(spec.check_placeholders(schema, body))
    values, errors = spec.check_values(schema, spec.example(schema), image_prefixes())
    refuse(errors)
    rendered(body, values, _sample(kind))


def _sample(kind: str) -> spec.Identity:
    """Stands for any job, so that a template can be tried before anybody uses it."""
    return spec.Identity(
        kind=kind,
        name="sample",
        namespace=names.namespace_of("sample"),
        local_queue=names.LOCAL_QUEUE,
        labels={names.LABEL_TENANT: "sample", names.LABEL_SUBMISSION: _NOBODY},
        annotations={names.ANNOTATION_TITLE: "Sample"},
    )
