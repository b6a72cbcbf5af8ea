"""What can go wrong with a call to the cluster, by what the caller should do about it.

The API server answers errors with a Status object (Kubernetes 1.36, apimachinery pkg/apis/meta/v1/types.go), whose
`reason` separates what shares an HTTP code. All are PortalErrors: one that nobody handled still becomes an honest page.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from portal.errors import PortalError


@dataclass(frozen=True)
class Cause:
    """One entry of a Status's details.causes. `field` is a path in the object that was sent ("spec.x"), or ""."""

    field: str
    message: str
    reason: str = ""


class ClusterError(PortalError):
    """The base. `message` holds the cluster's own words."""

    def __init__(self, message: str, *, code: str, status: int) -> None:
        super().__init__(code, message, status)


class ClusterUnavailable(ClusterError):
    """Nothing was learned and the call may be repeated: network, 429, 5xx, a webhook that does not answer.

    A write may nevertheless have happened: look before repeating it. `retry_after`: seconds, if the cluster said it.
    """

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message, code="cluster_unavailable", status=503)
        self.retry_after = retry_after


class Unauthorized(ClusterUnavailable):
    """401, also after the token file was read again. Waiting may help: projected tokens are renewed."""


class KindMissing(ClusterError):
    """404 for the whole kind: its API group or version is not installed. Says nothing about any object."""

    def __init__(self, message: str) -> None:
        super().__init__(message, code="kind_missing", status=503)


class NotFound(ClusterError):
    """404 for this object: it does not exist."""

    def __init__(self, message: str) -> None:
        super().__init__(message, code="object_not_found", status=404)


class AlreadyExists(ClusterError):
    """409 on create: an object of that name exists."""

    def __init__(self, message: str) -> None:
        super().__init__(message, code="object_exists", status=409)


class Conflict(ClusterError):
    """409: the object changed, its uid is another one, or an applied field has another owner (see `causes`)."""

    def __init__(self, message: str, causes: Sequence[Cause] = ()) -> None:
        super().__init__(message, code="object_conflict", status=409)
        self.causes = tuple(causes)


class Expired(ClusterError):
    """410: the resourceVersion or continue token is too old. List again."""

    def __init__(self, message: str) -> None:
        super().__init__(message, code="resource_version_expired", status=503)


class Rejected(ClusterError):
    """The cluster understood and said no (400, 403, 405, 413, 415, 422 …). The same call would be answered the same.

    `http_code` and `reason` are the Status's own ("Invalid", "Forbidden", "BadRequest").
    """

    def __init__(self, message: str, causes: Sequence[Cause] = (), *, http_code: int = 422, reason: str = "") -> None:
        super().__init__(message, code="cluster_rejected", status=422)
        self.causes = tuple(causes)
        self.http_code = http_code
        self.reason = reason


def from_answer(http_code: int, text: str, retry_after: str | None = None) -> ClusterError:
    """The error of an answer >= 400 with the body `text`: a Status object, or anything else, which is then shown."""
    try:
        body = json.loads(text)
    except ValueError:
        body = None
    return from_status(http_code, body if isinstance(body, dict) else {}, text, retry_after)


def from_status(
    http_code: int, status: Mapping[str, Any], text: str = "", retry_after: str | None = None
) -> ClusterError:
    """The error that a Status object stands for; `text` is shown where it has no message."""
    reason = str(status.get("reason") or "")
    message = str(status.get("message") or text.strip()[:500] or f"HTTP {http_code}")
    causes = _causes(status)
    if http_code == 401:
        return Unauthorized(message)
    if http_code == 404:
        # A missing object is named in details; a missing group or version is not (apimachinery api/errors/errors.go).
        details = status.get("details") or {}
        return NotFound(message) if isinstance(details, Mapping) and details.get("name") else KindMissing(message)
    if http_code == 409:
        return AlreadyExists(message) if reason == "AlreadyExists" else Conflict(message, causes)
    if http_code == 410:
        return Expired(message)
    if http_code == 429 or http_code >= 500:
        return ClusterUnavailable(message, _seconds(retry_after))
    return Rejected(message, causes, http_code=http_code, reason=reason)


def _causes(status: Mapping[str, Any]) -> list[Cause]:
    details = status.get("details")
    causes = details.get("causes") if isinstance(details, Mapping) else None
    if not isinstance(causes, list):
        return []
    return [
        Cause(str(item.get("field") or ""), str(item.get("message") or ""), str(item.get("reason") or ""))
        for item in causes
        if isinstance(item, Mapping)
    ]


def _seconds(retry_after: str | None) -> float | None:
    try:
        return max(0.0, float(retry_after)) if retry_after else None
    except ValueError:  # HTTP also allows a date here; Kubernetes sends seconds
        return None
