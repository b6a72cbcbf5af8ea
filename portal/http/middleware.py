"""Middlewares, in the order of settings.MIDDLEWARE. All run under sync and async handlers alike."""

import codecs
import re
import uuid
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.contrib.auth.middleware import LoginRequiredMiddleware
from django.core.exceptions import BadRequest, RequestDataTooBig, SuspiciousOperation
from django.http import HttpRequest, HttpResponse, UnreadablePostError
from django.http.multipartparser import MultiPartParserError
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.cache import patch_vary_headers
from django.utils.deprecation import MiddlewareMixin
from django.utils.translation import gettext as _

from portal.errors import PortalError
from portal.http.answers import answer, portal_error
from portal.http.shell import REQUEST_ID_KEY, request_id

_SENT_ID = re.compile(r"[A-Za-z0-9-]{8,36}")


class RequestIdMiddleware(MiddlewareMixin):
    """Takes the caller's X-Request-ID where it is 8 to 36 letters, digits and dashes, else makes one; echoes it."""

    def process_request(self, request: HttpRequest) -> None:
        sent = request.headers.get("X-Request-ID", "")
        request.META[REQUEST_ID_KEY] = sent if _SENT_ID.fullmatch(sent) else str(uuid.uuid4())

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        response["X-Request-ID"] = request_id(request)
        return response


class NoStoreMiddleware(MiddlewareMixin):
    """Nothing that a view answered is kept by a cache, so that nobody's page is shown to somebody else.

    A fragment and its page have one URL: without `Vary` the back button could show the fragment alone.
    """

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        response.setdefault("Cache-Control", "private, no-store")
        patch_vary_headers(response, ("HX-Request", "Cookie"))
        return response


class BodyLimitMiddleware(MiddlewareMixin):
    """413 with the limit, before anything parses the body. portal.asgi.bounded cut it one byte after the limit."""

    def process_request(self, request: HttpRequest) -> HttpResponse | None:
        limit = settings.MAX_BODY_BYTES
        try:
            too_long = len(request.body) > limit
        except RequestDataTooBig:
            too_long = True
        except UnreadablePostError as error:
            return answer(request, portal_error(error) or PortalError("bad_request", _("The body ended too early.")))
        if not too_long:
            return None
        message = _("The request is larger than %(limit)s bytes, the most that is read here. Send less.") % {
            "limit": limit
        }
        return answer(request, PortalError("too_large", message, 413, extra={"limit_bytes": limit}))


class UnreadableMiddleware(MiddlewareMixin):
    """Refuses what no view could read. Forms and the API name the field; the rest of a request has none to name."""

    def process_request(self, request: HttpRequest) -> HttpResponse | None:
        error = _nul_in(request) or _foreign_charset(request) or _malformed_form(request)
        return answer(request, error) if error else None


def _nul_in(request: HttpRequest) -> PortalError | None:
    """PostgreSQL's text cannot hold a NUL. A cookie writes it as \\000 between quotes (RFC 2109)."""
    if "\0" in request.path_info or "%00" in request.META.get("QUERY_STRING", ""):
        return PortalError("nul_byte", _("The address holds a NUL character. Remove %00 from it."))
    if any("\0" in value for value in request.COOKIES.values()):
        return PortalError("nul_byte", _("A cookie holds a NUL character. Delete this site's cookies."))
    return None


def _foreign_charset(request: HttpRequest) -> PortalError | None:
    """Django decodes multipart forms by whatever codec of Python's is named: base64, or one that makes surrogates."""
    if request.encoding is None or codecs.lookup(request.encoding).name == "utf-8":
        return None
    message = _("Send the request in UTF-8; this one says %(charset)s.") % {"charset": repr(request.encoding[:40])}
    return PortalError("unsupported_media_type", message, 415)


def _malformed_form(request: HttpRequest) -> PortalError | None:
    """Reads the form now: what the check of CSRF tokens meets later would be a traceback in the log."""
    try:
        _form = request.POST
    except (BadRequest, MultiPartParserError, SuspiciousOperation) as error:
        return portal_error(error)
    return None


class SignInMiddleware(LoginRequiredMiddleware):
    """Every view but those marked `login_not_required` (and DRF's, which ask for a token) needs a signed-in user."""

    def process_view(
        self, request: HttpRequest, view_func: Callable[..., Any], view_args: Any, view_kwargs: Any
    ) -> HttpResponseBase | None:
        refused: HttpResponseBase | None = super().process_view(request, view_func, view_args, view_kwargs)
        if refused is None:
            return None
        if request.headers.get("HX-Request") == "true" or not request.accepts("text/html"):
            response = answer(request, PortalError("sign_in", _("You are signed out. Sign in again."), 401))
            response["HX-Refresh"] = "true"  # htmx reloads the page, which then leads to the sign-in form
            return response
        if request.method not in {"GET", "HEAD"}:
            return redirect(settings.LOGIN_URL)  # coming back to this URL by GET would make no sense
        return refused


class PortalErrorMiddleware(MiddlewareMixin):
    """Answers what views raise. Faults of ours pass on and become a 500 with an id to quote."""

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        error = portal_error(exception)
        return None if error is None else answer(request, error)
