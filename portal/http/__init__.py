"""What HTTP adds around the views: ids, limits, and the one place that turns errors into answers."""

from portal.http.answers import (
    SeeOther,
    answer,
    bad_request,
    csrf_failure,
    not_found,
    permission_denied,
    problem,
    server_error,
)
from portal.http.health import healthz
from portal.http.middleware import (
    BodyLimitMiddleware,
    NoStoreMiddleware,
    PortalErrorMiddleware,
    RequestIdMiddleware,
    SignInMiddleware,
    UnreadableMiddleware,
)
from portal.http.shell import ACCESS_KEY, client_address, request_id, shell

__all__ = [
    "ACCESS_KEY",
    "BodyLimitMiddleware",
    "NoStoreMiddleware",
    "PortalErrorMiddleware",
    "RequestIdMiddleware",
    "SeeOther",
    "SignInMiddleware",
    "UnreadableMiddleware",
    "answer",
    "bad_request",
    "client_address",
    "csrf_failure",
    "healthz",
    "not_found",
    "permission_denied",
    "problem",
    "request_id",
    "server_error",
    "shell",
]
