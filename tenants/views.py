"""Pages of people: signing in and out, choosing a tenant, one's own tokens."""

from uuid import UUID

from django.contrib import auth, messages
from django.contrib.auth.decorators import login_not_required
from django.db import transaction
from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render, resolve_url
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from portal.errors import Invalid, NotFound
from portal.http import SeeOther, client_address
from tenants.access import caller_of, tenant_for
from tenants.audit import record
from tenants.forms import SignInForm, TokenForm
from tenants.models import ApiToken, Member, PlatformRole, Role, Tenant, User
from tenants.services import create_token, revoke_token, sign_in

get_and_post = require_http_methods(["GET", "HEAD", "POST"])


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    return redirect("tenants:tenant-list")


@login_not_required
@sensitive_post_parameters("password")
@get_and_post
def sign_in_page(request: HttpRequest) -> HttpResponse:
    after = _next(request)
    if request.user.is_authenticated:
        return redirect(after)
    form = SignInForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            user = sign_in(**form.cleaned_data, address=client_address(request))
        except Invalid as error:
            _show(error, form)
        else:
            with transaction.atomic():
                auth.login(request, user)  # gives the session a new key
                record(caller_of(request), verb="user.sign_in", obj=user)
            return SeeOther(after)
    return render(request, "tenants/sign_in.html", {"form": form, "next": after}, status=422 if form.errors else 200)


def _next(request: HttpRequest) -> str:
    """Where to go after signing in: ?next= when it is a page of ours, else the tenants."""
    wanted = request.POST.get("next") or request.GET.get("next") or ""
    if url_has_allowed_host_and_scheme(wanted, {request.get_host()}, require_https=request.is_secure()):
        return wanted
    return resolve_url("tenants:tenant-list")


@require_POST
def sign_out(request: HttpRequest) -> HttpResponse:
    caller = caller_of(request)
    with transaction.atomic():
        record(caller, verb="user.sign_out", obj=caller.user)
        auth.logout(request)
    return SeeOther(reverse("tenants:sign-in"))


@require_safe
def tenant_list(request: HttpRequest) -> HttpResponse:
    """The tenants to choose from; the choice is skipped where there is one."""
    user = caller_of(request).user
    tenants = list(Tenant.objects.visible_to(user).order_by("slug"))
    if len(tenants) == 1:
        return redirect(tenants[0])
    roles = {member.tenant_id: Role(member.role).label for member in Member.objects.filter(user=user)}
    rows = [(tenant, roles.get(tenant.pk, PlatformRole.ADMIN.label)) for tenant in tenants]
    admins = User.objects.filter(platform_role=PlatformRole.ADMIN, is_active=True).order_by("email")
    return render(request, "tenants/tenant_list.html", {"rows": rows, "admins": admins})


@get_and_post
def token_list(request: HttpRequest) -> HttpResponse:
    caller = caller_of(request)
    form = TokenForm(request.POST if request.method == "POST" else None, user=caller.user)
    if request.method == "POST" and form.is_valid():
        access = tenant_for(request, form.cleaned_data["tenant"].slug)
        try:
            token, secret = create_token(
                access=access,
                name=form.cleaned_data["name"],
                role=Role(form.cleaned_data["role"]),
                expires_at=form.expires_at(),
            )
        except Invalid as error:
            _show(error, form)
        else:
            # Answered at once and not by a redirect: between two requests the secret would have to be stored somewhere.
            url = request.build_absolute_uri(f"/api/v1/tenants/{access.tenant.slug}/jobs/")
            return render(request, "tenants/token_created.html", {"token": token, "secret": secret, "url": url})
    tokens = ApiToken.objects.visible_to(caller.user).filter(revoked_at=None).select_related("tenant").order_by("name")
    return render(
        request, "tenants/token_list.html", {"form": form, "tokens": tokens}, status=422 if form.errors else 200
    )


@get_and_post
def token_revoke(request: HttpRequest, uid: UUID) -> HttpResponse:
    caller = caller_of(request)
    token = ApiToken.objects.visible_to(caller.user).filter(uid=uid).select_related("tenant").first()
    if token is None:
        raise NotFound
    if request.method != "POST":
        return render(request, "tenants/token_revoke.html", {"token": token})
    revoke_token(caller=caller, token=token)
    messages.success(
        request, _("The token %(name)s is revoked. What uses it is refused from now on.") % {"name": token.name}
    )
    return SeeOther(reverse("tenants:token-list"))


def _show(error: Invalid, form: Form) -> None:
    for problem in error.errors:
        form.add_error(problem.path if problem.path in form.fields else None, problem.message)
