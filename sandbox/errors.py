"""The one error of the sandbox: what an API server would answer, as a `Status` object.

Wordings follow k8s.io/apimachinery, pkg/api/errors/errors.go (Kubernetes 1.37).
"""

from collections.abc import Iterable, Mapping
from typing import Any


class StatusError(Exception):
    """An answer other than success: HTTP code, machine-readable reason, message and optional details."""

    def __init__(self, code: int, reason: str, message: str, details: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.reason = reason
        self.message = message
        self.details = dict(details or {})

    def body(self) -> dict[str, Any]:
        """The `Status` object that goes over the wire."""
        status: dict[str, Any] = {
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Failure",
            "message": self.message,
            "reason": self.reason,
            "code": self.code,
        }
        if self.details:
            status["details"] = self.details
        return status


def _details(resource: str, name: str) -> dict[str, Any]:
    """`details` of an error about one object; `resource` is `pods` or `pytorchjobs.kubeflow.org`."""
    plural, _, group = resource.partition(".")
    details: dict[str, Any] = {"name": name, "kind": plural} if name else {"kind": plural}
    if group:
        details["group"] = group
    return details


def cause(reason: str, message: str, field: str) -> dict[str, str]:
    """One entry of `details.causes`."""
    return {"reason": reason, "message": message, "field": field}


def not_found(resource: str, name: str) -> StatusError:
    return StatusError(404, "NotFound", f'{resource} "{name}" not found', _details(resource, name))


def unknown_path() -> StatusError:
    """The group, the version or the resource is not served: no statement about any object."""
    return StatusError(404, "NotFound", "the server could not find the requested resource")


def already_exists(resource: str, name: str) -> StatusError:
    return StatusError(409, "AlreadyExists", f'{resource} "{name}" already exists', _details(resource, name))


def conflict(resource: str, name: str, why: str = "") -> StatusError:
    why = why or ("the object has been modified; please apply your changes to the latest version and try again")
    message = f'Operation cannot be fulfilled on {resource} "{name}": {why}'
    return StatusError(409, "Conflict", message, _details(resource, name))


def invalid(kind: str, name: str, causes: Iterable[Mapping[str, str]]) -> StatusError:
    """422 for the fields in `causes` (see `cause`); `kind` is the qualified kind, `PyTorchJob.kubeflow.org`."""
    listed = [dict(item) for item in causes]
    sentences = [f"{item['field']}: {item['message']}" if item["field"] else item["message"] for item in listed]
    text = sentences[0] if len(sentences) == 1 else "[" + ", ".join(sentences) + "]"
    details = _details(kind, name) | {"causes": listed}
    return StatusError(422, "Invalid", f'{kind} "{name}" is invalid: {text}', details)


def forbidden(resource: str, name: str, why: str) -> StatusError:
    subject = f'{resource} "{name}"' if name else resource
    return StatusError(403, "Forbidden", f"{subject} is forbidden: {why}", _details(resource, name))


def bad_request(message: str) -> StatusError:
    return StatusError(400, "BadRequest", message)


def unauthorized() -> StatusError:
    return StatusError(401, "Unauthorized", "Unauthorized")


def expired(message: str) -> StatusError:
    """410: the history that was asked for is no longer kept."""
    return StatusError(410, "Expired", message)


def too_large_version(asked: int, present: int) -> StatusError:
    """504: this server has not seen that version yet; worth another try."""
    causes = [{"reason": "ResourceVersionTooLarge", "message": "Too large resource version"}]
    message = f"Timeout: Too large resource version: {asked}, current: {present}"
    return StatusError(504, "Timeout", message, {"causes": causes, "retryAfterSeconds": 1})
