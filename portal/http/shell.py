"""What every page and every audit entry needs to know about a request."""

import ipaddress
from typing import Any

from django.conf import settings
from django.http import HttpRequest

# Where tenants.access leaves the Access of this request for the page's frame. A key of the WSGI environment's kind,
# because Django's and DRF's requests share that dictionary.
ACCESS_KEY = "choirmaster.access"
REQUEST_ID_KEY = "choirmaster.request_id"


def request_id(request: HttpRequest) -> str:
    """The id that the answer's X-Request-ID, the log and the audit entry have in common."""
    return str(request.META.get(REQUEST_ID_KEY, ""))


def client_address(request: HttpRequest) -> str | None:
    """The peer's IP address as the server saw it; behind a proxy uvicorn's --proxy-headers puts the client's there."""
    try:
        return str(ipaddress.ip_address(request.META.get("REMOTE_ADDR", "")))
    except ValueError:
        return None


def shell(request: HttpRequest) -> dict[str, Any]:
    """Context processor for base.html.

    `memberships`: the user's Member rows with their tenants, by slug (lazy, empty for strangers).
    `access`: tenants.access.Access of a tenant's page, else None; `tenant`: its tenant, else None.
    `version`: the product's version. `request_id`: to be quoted to an admin.
    """
    user = getattr(request, "user", None)  # absent where the request was refused before it was looked for
    access = request.META.get(ACCESS_KEY)
    return {
        "memberships": _memberships(user) if user and user.is_authenticated else (),
        "access": access,
        "tenant": access.tenant if access else None,
        "version": settings.VERSION,
        "request_id": request_id(request),
    }


def _memberships(user: Any) -> Any:
    # Reached through the user: this package lies below tenants and does not know its models.
    return user.member_set.select_related("tenant").order_by("tenant__slug")
