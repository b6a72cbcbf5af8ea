"""Views that fail in every way, beside the real pages of people."""

from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import BadRequest, PermissionDenied
from django.db import OperationalError
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import include, path
from rest_framework import exceptions
from rest_framework.decorators import api_view, permission_classes
from rest_framework.permissions import AllowAny

from portal.errors import Conflict, FieldError, Forbidden, Invalid, NotFound, PortalError
from portal.http import healthz

FAILURES = {
    "portal": PortalError("odd", "Do it <otherwise>.", 429, extra={"retry_after": 7}),
    "not-found": NotFound(),
    "forbidden": Forbidden("Only an owner can."),
    "invalid": Invalid([FieldError("values.workers", "Use 64 or fewer.")]),
    "conflict": Conflict("changed", "It changed."),
    "http404": Http404("secret reason"),
    "denied": PermissionDenied("secret reason"),
    "bad": BadRequest("secret reason"),
    "database": OperationalError("secret reason"),
    "bug": KeyError("secret reason"),
    "drf-invalid": exceptions.ValidationError({"values": {"workers": ["Use 64."]}, "non_field_errors": ["No."]}),
    "drf-parse": exceptions.ParseError("No JSON."),
    "drf-throttled": exceptions.Throttled(wait=9),
    "drf-type": exceptions.UnsupportedMediaType("text/plain"),
}


@login_not_required
def page(request: HttpRequest, failure: str) -> HttpResponse:
    raise FAILURES[failure]


@api_view(["GET"])
@permission_classes([AllowAny])
def api(request: HttpRequest, failure: str) -> HttpResponse:
    raise FAILURES[failure]


@api_view(["GET"])
def private_api(request: HttpRequest) -> HttpResponse:
    return HttpResponse("private")


def private(request: HttpRequest) -> HttpResponse:
    return HttpResponse("private")


@login_not_required
def echo(request: HttpRequest) -> HttpResponse:
    return HttpResponse(str(len(request.body)))


urlpatterns = [
    path("healthz/", healthz),
    path("fail/<slug:failure>/", page),
    path("api/v1/fail/<slug:failure>/", api),
    path("api/v1/private/", private_api),
    path("private/", private),
    path("echo/", echo),
    path("", include("tenants.urls")),
]
handler400 = "portal.http.bad_request"
handler403 = "portal.http.permission_denied"
handler404 = "portal.http.not_found"
handler500 = "portal.http.server_error"
