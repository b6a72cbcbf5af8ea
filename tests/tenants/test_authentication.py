import pytest
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request
from rest_framework.test import APIRequestFactory

from tenants.authentication import TokenAuthentication
from tests.factories import make_access, make_tenant, make_token

pytestmark = pytest.mark.django_db


def authenticate(header):
    request = APIRequestFactory().get("/", **({"HTTP_AUTHORIZATION": header} if header is not None else {}))
    return TokenAuthentication().authenticate(Request(request))


@pytest.fixture
def token():
    return make_token(make_access(make_tenant()))


def test_a_token(token):
    row, secret = token
    assert authenticate(f"Bearer {secret}") == (row.user, row)


@pytest.mark.parametrize("header", [None, ""])
def test_nobody(header):
    assert authenticate(header) is None


def test_junk_is_refused(token):
    row, secret = token
    other = make_token(make_access(make_tenant()))[1]
    crossed = f"cm_{row.prefix}_{other.split('_', 2)[2]}"
    junk = ["Bearer", "Bearer ", "Bearer nothing", "Bearer None", "Bearer null", "Bearer cm__", "Basic YTpi", "Token x"]
    junk += [f"Bearer {text}" for text in (secret[:-1], secret + "x", secret.upper(), crossed, row.secret_hash, "\xe9")]
    junk += [
        f"Bearer {secret} {secret}",
        f"Bearer\t{secret}",
        secret,
        f"Bearer cm_{row.prefix}_",
        "Bearer " + "x" * 9000,
    ]
    for header in junk:
        with pytest.raises(AuthenticationFailed):
            authenticate(header)
