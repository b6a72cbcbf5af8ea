"""Choosing a template and filling in its form. Reading is for every member, submitting for submitters."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from jobs import services
from jobs.forms import SubmissionForm
from jobs.models import Template, TemplateVersion
from jobs.queries import recent_images, templates_of
from jobs.views.check import Stage, check_without_submitting
from jobs.views.pages import get_and_post, page, part_of
from portal.errors import FieldError, Forbidden, NotFound, PortalError
from portal.http import SeeOther
from portal.names import GPU
from quotas.queries import flavors_of, room_of
from tenants.access import Access, tenant_for
from tenants.models import Role

FORM = "jobs/submission_create.html"


@require_safe
def template_list(request: HttpRequest, tenant: str) -> HttpResponse:
    """The templates to choose from; the choice is skipped where there is one."""
    access = tenant_for(request, tenant)
    templates = list(templates_of(access))
    if len(templates) == 1:
        return redirect("jobs:submission-create", tenant, templates[0].slug)
    return page(request, "jobs/template_list.html", {"templates": templates, "section": "new"})


@get_and_post
def submission_create(request: HttpRequest, tenant: str, template: str) -> HttpResponse:
    access = tenant_for(request, tenant, Role.SUBMITTER if request.method == "POST" else Role.VIEWER)
    found = templates_of(access).filter(slug=template).first()
    if found is None:
        raise NotFound
    version = _version(found, request.POST.get("version", ""))
    form = SubmissionForm(
        version.schema,
        version=version.number,
        data=request.POST if request.method == "POST" else None,
        readonly=not access.role.covers(Role.SUBMITTER),
    )
    parts = {
        "field": lambda: _field(access, version, form, request),
        "summary": lambda: _summary(access, version, form),
    }
    part = part_of(request, FORM, parts)
    if part is not None:
        return part
    if not form.is_bound:
        return _form_page(request, access, version, form)
    if "dry_run" in request.POST:
        stages = check_without_submitting(form, _asked(access, version, form))
        return _form_page(request, access, version, form, stages)
    return _submit(request, access, version, form)


def _submit(request: HttpRequest, access: Access, version: TemplateVersion, form: SubmissionForm) -> HttpResponse:
    key = form["idempotency_key"].data or None
    try:
        submission, _created = services.create_submission(**_asked(access, version, form), idempotency_key=key)
    except Forbidden:
        raise
    except PortalError as error:
        # Whatever is wrong, the form comes back as it was filled in.
        if error.code == "idempotency_key_reused":
            form.renew_key()
            form.add_error(None, _("This form was sent before, as another job. Send it again to submit this one too."))
        else:
            form.show(error.errors or [FieldError("", error.message)])
        return _form_page(request, access, version, form)
    return SeeOther(reverse("jobs:submission-detail", args=[access.tenant.slug, submission.uid]))


def _version(template: Template, number: str) -> TemplateVersion:
    """The version that the form was drawn from, so that nobody submits what they did not see; else the current one."""
    drawn = template.versions.filter(number=int(number)).first() if number.isdecimal() and len(number) < 9 else None
    return drawn or template.current()


def _asked(access: Access, version: TemplateVersion, form: SubmissionForm) -> dict[str, Any]:
    form.is_valid()  # cleans once; cleaning anew would drop the errors that were put by the fields
    return {
        "access": access,
        "template_slug": version.template.slug,
        "version": version.number,
        "title": str(form["name"].data or "").strip(),  # an error takes the name out of cleaned_data
        "values": form.values(),
    }


def _form_page(
    request: HttpRequest, access: Access, version: TemplateVersion, form: SubmissionForm, stages: Sequence[Stage] = ()
) -> HttpResponse:
    context = {
        **_summary(access, version, form),
        "template": version.template,
        "version_number": version.number,
        "stages": stages,
        "images": recent_images(access),
        "section": "new",
        "several": templates_of(access).count() > 1,
    }
    return page(request, FORM, context, status=422 if form.errors else 200)


def _field(access: Access, version: TemplateVersion, form: SubmissionForm, request: HttpRequest) -> Mapping[str, Any]:
    """What is wrong with the one field that `?f=` names, in the words that submitting would answer."""
    name = request.GET.get("f", "")
    if name not in form.fields:
        raise NotFound
    errors = _errors(access, version, form)
    return {"messages_of_field": [error.message for error in errors if error.path == name]}


def _errors(access: Access, version: TemplateVersion, form: SubmissionForm) -> Sequence[FieldError]:
    if not form.is_bound:
        return ()
    try:
        services.check_submission(**_asked(access, version, form))
    except PortalError as error:
        return error.errors
    return ()


def _summary(access: Access, version: TemplateVersion, form: SubmissionForm) -> Mapping[str, Any]:
    """What the filled form asks for, as far as that can be told, beside what the tenant's queue can give."""
    check = None
    if form.is_bound:
        try:
            check = services.check_submission(**_asked(access, version, form))
        except services.NeverFits as error:
            check = error.check
        except PortalError:
            check = None
    return {"form": form, "check": check, **_rooms(access)}


def _rooms(access: Access) -> Mapping[str, Any]:
    """`rooms`: (flavor, quotas.queries.Room of its GPUs). `no_queue`: why there is none, else ""."""
    try:
        rooms = [(flavor, room_of(access.tenant, flavor).get(GPU)) for flavor in flavors_of(access.tenant)]
    except PortalError as error:
        return {"rooms": [], "no_queue": error.message}
    return {"rooms": [(flavor, room) for flavor, room in rooms if room is not None], "no_queue": ""}
