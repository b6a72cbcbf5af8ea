"""REST asks for a token, and for nothing else: a session cookie opens no door there, so there is no CSRF to it."""

import re
from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from portal.errors import PortalError
from portal.http import client_address
from tenants.models import ApiToken, User
from tenants.services import use_token

_BEARER = re.compile(rb"[Bb]earer +([!-~]{1,200}) *")


class TokenAuthentication(BaseAuthentication):
    """`Authorization: Bearer cm_<prefix>_<secret>`. Anything else in that header is 401, no header is nobody."""

    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        header = get_authorization_header(request)
        if not header:
            return None
        match = _BEARER.fullmatch(header)
        try:
            token = use_token(text=match[1].decode("ascii") if match else "", address=client_address(request))
        except PortalError as error:
            raise AuthenticationFailed(error.message, error.code) from error
        return token.user, token

    def authenticate_header(self, request: Request) -> str:
        return 'Bearer realm="choirmaster"'


class TokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]  # drf-spectacular 0.30
    """How the API's own description names the above."""

    target_class = TokenAuthentication
    name = "token"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer", "description": "A token made on the page /me/tokens/."}
