"""The one error class that may cross a door. Only `portal.http` turns it into a page or problem+json."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class FieldError:
    """One message for one field. `path` is dotted, as submitted ("values.image"); "" is the form itself."""

    path: str
    message: str


@dataclass
class PortalError(Exception):
    """Something a person or program can act on.

    `code` is a stable snake_case word for programs, `message` says what to do (already translated), `status` is HTTP's.
    `extra` holds numbers that a client may want (limits, seconds to wait); its values must be JSON.
    """

    code: str
    message: str
    status: int = 400
    errors: Sequence[FieldError] = ()
    extra: Mapping[str, object] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.message


class NotFound(PortalError):
    """404, the same for what does not exist and for what belongs to another tenant."""

    def __init__(self, message: str = "") -> None:
        super().__init__("not_found", message or "There is nothing here, or it is not yours to see.", 404)


class Forbidden(PortalError):
    """403; the message names the role that is missing."""

    def __init__(self, message: str) -> None:
        super().__init__("forbidden", message, 403)


class Invalid(PortalError):
    """422 with one message per field."""

    def __init__(self, errors: Sequence[FieldError], message: str = "") -> None:
        super().__init__("invalid", message or errors[0].message, 422, tuple(errors))


class Conflict(PortalError):
    """409: the thing changed meanwhile, or the key was used for something else."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(code, message, 409)
