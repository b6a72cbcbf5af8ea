"""Errors as answers: problem+json (RFC 9457) under /api/, one line for htmx, a page for everybody else.

A page is templates/errors/<status>.html with the context `error` (portal.errors.PortalError) and `request_id`.
"""

import logging
import sys
from http import HTTPStatus
from typing import Any

from django.core.exceptions import BadRequest, PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.db import OperationalError
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse, UnreadablePostError
from django.http.multipartparser import MultiPartParserError
from django.template.loader import select_template
from django.utils.html import format_html
from django.utils.translation import gettext as _
from rest_framework import exceptions

from portal import database
from portal.errors import FieldError, Forbidden, Invalid, NotFound, PortalError
from portal.http.shell import request_id

logger = logging.getLogger(__name__)


class SeeOther(HttpResponseRedirect):
    """303: what every successful POST of a page answers."""

    status_code = 303


def answer(request: HttpRequest, error: PortalError) -> HttpResponse:
    """`error` in the form that this request's sender can read."""
    if request.path.startswith("/api/"):
        response: HttpResponse = _problem_json(error)
    elif request.headers.get("HX-Request") == "true":
        response = HttpResponse(format_html("<p>{}</p>", error.message), status=error.status)
    else:
        template = select_template([f"errors/{error.status}.html", "errors/400.html"])
        context = {"error": error, "request_id": request_id(request)}
        # The frame of a page asks the database; when it is the server that fails, the page must do without.
        response = HttpResponse(template.render(context, None if error.status >= 500 else request), status=error.status)
    if "retry_after" in error.extra:
        response["Retry-After"] = str(error.extra["retry_after"])
    return response


def _problem_json(error: PortalError) -> JsonResponse:
    body = {
        "type": f"urn:choirmaster:problem:{error.code}",
        "title": HTTPStatus(error.status).phrase,
        "status": error.status,
        "code": error.code,
        "detail": error.message,
        "errors": [{"path": field.path, "message": field.message} for field in error.errors],
    }
    response = JsonResponse({**error.extra, **body}, status=error.status)
    response["Content-Type"] = "application/problem+json"
    return response


def portal_error(exception: Exception) -> PortalError | None:
    """The PortalError that says what `exception` means to the sender; None for a fault of ours."""
    match exception:
        case PortalError():
            return exception
        case Http404():
            return NotFound()
        case PermissionDenied():
            return Forbidden(_("You may not do this. Ask an owner of the tenant."))
        case RequestDataTooBig():
            return PortalError("too_large", _("The request is too large. Send less."), 413)
        case BadRequest() | SuspiciousOperation() | UnreadablePostError() | MultiPartParserError():
            return PortalError("bad_request", _("The request is malformed. Go back, reload the page and try again."))
        case OperationalError():
            logger.error("The database did not answer: %s", exception)
            message = _("The database does not answer. Nothing was changed; try again in 5 seconds.")
            return PortalError("database_unavailable", message, 503, extra={"retry_after": 5})
    return None


def problem(exception: Exception, context: dict[str, Any]) -> HttpResponse | None:
    """DRF's EXCEPTION_HANDLER. None lets a fault of ours become a 500."""
    error = portal_error(exception)
    if error is not None:
        return _with_headers(_problem_json(error), error.extra.get("retry_after"))
    if not isinstance(exception, exceptions.APIException):
        return None
    response = _problem_json(_of_drf(exception))
    if header := getattr(exception, "auth_header", None):
        response["WWW-Authenticate"] = header
    if isinstance(exception, exceptions.MethodNotAllowed):
        response["Allow"] = ", ".join(context["view"].allowed_methods)
    return _with_headers(response, getattr(exception, "wait", None))


def _with_headers(response: HttpResponse, retry_after: object) -> HttpResponse:
    if retry_after is not None:
        response["Retry-After"] = str(retry_after)
    return response


def _of_drf(exception: exceptions.APIException) -> PortalError:
    if isinstance(exception, exceptions.ValidationError):
        return Invalid(_field_errors(exception.detail, ""))
    if isinstance(exception, exceptions.NotAuthenticated):
        message = _("Send a token in the header “Authorization: Bearer cm_…”. You make one on the page /me/tokens/.")
        return PortalError("not_authenticated", message, exception.status_code)
    codes = exception.get_codes()
    code = codes if isinstance(codes, str) else exception.default_code
    return PortalError(str(code), str(exception.detail), exception.status_code)


def _field_errors(detail: object, path: str) -> list[FieldError]:
    """DRF's nested lists and dicts of messages as one flat list with dotted paths."""
    if isinstance(detail, dict):
        inner = {key: path if key == "non_field_errors" else f"{path}.{key}".lstrip(".") for key in detail}
        return [error for key, value in detail.items() for error in _field_errors(value, inner[key])]
    if isinstance(detail, list):
        return [error for value in detail for error in _field_errors(value, path)]
    return [FieldError(path, str(detail))]


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    return _handled(request, portal_error(exception) or PortalError("bad_request", _("The request is malformed.")))


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponse:
    return _handled(request, portal_error(exception) or Forbidden(_("You may not do this.")))


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return _handled(request, NotFound())


def _handled(request: HttpRequest, error: PortalError) -> HttpResponse:
    """Django 5.2 calls its handlers in a thread of their own (core/handlers/exception.py, thread_sensitive=False).

    No request ends there, so nobody else would give the connection that the page's frame took back to the pool.
    """
    try:
        return answer(request, error)
    finally:
        database.let_go()


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    message = _("This form was opened in another session or too long ago. Go back, reload the page and send it again.")
    return answer(request, PortalError("csrf_failed", message, 403))


def server_error(request: HttpRequest) -> HttpResponse:
    """What a middleware raised ends here without PortalErrorMiddleware: reading a session needs the database too.

    Django calls this while it handles the exception (5.2, core/handlers/exception.py).
    """
    error = portal_error(exception) if isinstance(exception := sys.exception(), Exception) else None
    if error is not None:
        return _handled(request, error)
    number = request_id(request)
    logger.error("Request %s failed; the traceback stands beside this line.", number)
    message = _("Something went wrong on our side. Tell your administrator the number %(number)s.") % {"number": number}
    return answer(request, PortalError("server_error", message, 500, extra={"request_id": number}))
