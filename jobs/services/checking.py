"""What can be known about a job before it is stored: shape, rules, whether it ever fits, what the cluster says."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.utils.translation import gettext as _

from jobs import sentences, spec
from jobs.models import Template, TemplateVersion
from jobs.services.claims import check_claims
from jobs.services.rendering import image_prefixes, refuse, rendered
from portal import database, names
from portal.errors import FieldError, Invalid
from portal.kube.client import cluster_from_settings
from portal.kube.errors import AlreadyExists, Conflict, KindMissing, NotFound, Rejected
from quotas.fit import Fit, verdict
from quotas.queries import reach_of
from tenants.access import Access
from tenants.models import Role


@dataclass(frozen=True, kw_only=True)
class Check:
    """A job within the rules. `values` have their defaults; `manifest` is what would be sent, byte for byte."""

    uid: UUID = field(default_factory=names.new_uid)
    version: TemplateVersion
    title: str
    values: Mapping[str, Any]
    spec: spec.JobSpec
    manifest: Mapping[str, Any]
    spec_hash: str
    fit: Fit

    @property
    def gpus(self) -> int:
        return self.spec.gpus

    @property
    def replicas(self) -> int:
        return self.spec.replicas


class NeverFits(Invalid):
    """`check`: the job that asks for more than its tenant's queue can ever reach."""

    def __init__(self, check: Check, error: FieldError) -> None:
        super().__init__([error])
        self.check = check


def check_submission(
    *, access: Access, template_slug: str, version: int | None = None, title: str, values: Mapping[str, Any]
) -> Check:
    """Raises Invalid with every error of the fields ("name", "template", "version", "values.<field>"), NeverFits,
    Forbidden below submitter, and PortalError `no_queue` for a tenant that has none.
    """
    access.require(Role.SUBMITTER)
    found = _version(access, template_slug, version)
    clean, errors = spec.check_values(found.schema, values, image_prefixes())
    wrong_title = spec.check_title(title)
    refuse([FieldError("name", wrong_title), *errors] if wrong_title else errors)
    uid = names.new_uid()
    job, manifest, spec_hash = rendered(found.body, clean, _identity(access, found.kind, title.strip(), uid))
    check = Check(
        uid=uid,
        version=found,
        title=title.strip(),
        values=clean,
        spec=job,
        manifest=manifest,
        spec_hash=spec_hash,
        fit=verdict(job.requests(), reach_of(access.tenant, job.flavor)),
    )
    if not check.fit.ok:
        raise NeverFits(check, _never_fits(access, found, check.fit))
    return check


def dry_run(check: Check) -> None:
    """The cluster's own opinion: a strict create with dryRun=All, and a look at the claims. Nothing is stored anywhere.

    Raises Invalid with the cluster's words when it refuses and for claims that cannot be mounted, ClusterUnavailable
    when it does not answer.
    """
    cluster = cluster_from_settings()
    database.let_go()
    try:
        cluster.create(dict(check.manifest), dry_run=True)
    except (AlreadyExists, Conflict, KindMissing, NotFound, Rejected) as error:
        sentence = _("The cluster would refuse this job: %(words)s") % {"words": error.message}
        raise Invalid([FieldError("", sentence)]) from error
    refuse(check_claims(cluster, check.spec, check.version.body))


def _version(access: Access, slug: object, number: int | None) -> TemplateVersion:
    template = Template.objects.of(access.tenant).filter(slug=slug).first() if _is_slug(slug) else None
    versions = TemplateVersion.objects.filter(template=template).order_by("-number") if template else None
    newest = versions.first() if versions is not None else None
    if versions is None or newest is None:
        raise Invalid([FieldError("template", _("Choose a template of this tenant; there is none of that name."))])
    chosen = newest if number is None else versions.filter(number=number).first() if 0 < number < 2**31 else None
    if chosen is None:
        sentence = _("Choose a version from 1 to %(newest)d, or leave it out.") % {"newest": newest.number}
        raise Invalid([FieldError("version", sentence)])
    return chosen


def _is_slug(slug: object) -> bool:
    return isinstance(slug, str) and names.SLUG.fullmatch(slug) is not None


def _identity(access: Access, kind: str, title: str, uid: UUID) -> spec.Identity:
    return spec.Identity(
        kind=kind,
        name=names.job_name(title, uid),
        namespace=access.tenant.namespace,
        local_queue=names.LOCAL_QUEUE,
        labels={names.LABEL_TENANT: access.tenant.slug, names.LABEL_SUBMISSION: str(uid)},
        annotations={names.ANNOTATION_TITLE: title},
    )


def _never_fits(access: Access, version: TemplateVersion, fit: Fit) -> FieldError:
    place = "replicas" if fit.resource == names.GPU else f"resources.{fit.resource}"
    words = {
        "asked": sentences.amount(fit.asked, fit.resource),
        "tenant": access.tenant.slug,
        "at_most": sentences.amount(fit.at_most, fit.resource),
    }
    message = _("Asks for %(asked)s; %(tenant)s can reach at most %(at_most)s.") % words
    return FieldError(spec.field_of(version.body, f"pod_sets.0.{place}"), message)
