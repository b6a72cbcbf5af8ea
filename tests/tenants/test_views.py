import re

import pytest
from django.test import Client
from django.urls import reverse

from tenants.models import ApiToken, AuditEntry, Role, Tenant
from tenants.services import create_user
from tests.factories import make_access, make_admin, make_member, make_tenant, make_token, make_user

pytestmark = pytest.mark.django_db
PASSWORD = "correct horse battery"
SIGN_IN, TENANTS, TOKENS = (reverse(f"tenants:{name}") for name in ("sign-in", "tenant-list", "token-list"))


@pytest.fixture(autouse=True)
def quick_hashes(settings):
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture
def member(client):
    """A submitter of "premium" who is signed in."""
    user = make_member(make_tenant("premium"))
    client.force_login(user)
    return user


def sign_in(client, **values):
    return client.post(SIGN_IN, {"email": "a@demo.test", "password": PASSWORD, **values})


def token_form(**values):
    return {"name": "ci", "tenant": "premium", "role": "submitter", "days": "30", **values}


def test_signing_in_gives_the_session_a_new_key(client):
    user = create_user(email="a@demo.test", password=PASSWORD)
    client.get(SIGN_IN)
    session = client.session
    session["before"] = 1
    session.save()
    response = sign_in(client)
    assert (response.status_code, response["Location"]) == (303, TENANTS)
    assert client.session.session_key != session.session_key
    assert AuditEntry.objects.get(verb="user.sign_in").actor == user


def test_a_wrong_password(client):
    create_user(email="a@demo.test", password=PASSWORD)
    response = sign_in(client, password="wrong")
    page = response.content.decode()
    assert response.status_code == 422
    assert "<title>Error: Sign in" in page
    assert "do not belong together" in page
    assert 'value="a@demo.test"' in page
    assert "wrong" not in page


def test_what_is_left_out_is_asked_for(client):
    page = sign_in(client, email="", password="").content.decode()
    assert "Enter your e-mail address." in page
    assert "Enter your password." in page


def test_too_many_tries(client, settings):
    settings.LOGIN_TRIES_PER_15_MINUTES = 1
    sign_in(client)
    response = sign_in(client)
    assert (response.status_code, response["Retry-After"]) == (429, "900")


@pytest.mark.parametrize(
    ("wanted", "after"),
    [
        ("/t/premium/jobs/?state=failed", "/t/premium/jobs/?state=failed"),
        ("https://evil.test/", TENANTS),
        ("//evil.test/", TENANTS),
        ("javascript:alert(1)", TENANTS),
    ],
)
def test_where_signing_in_leads(client, wanted, after):
    create_user(email="a@demo.test", password=PASSWORD)
    page = client.get(SIGN_IN, {"next": wanted}).content.decode()
    assert re.search(r'name="next" value="([^"]*)"', page)[1] == after
    assert sign_in(client, next=wanted)["Location"] == after
    assert client.get(SIGN_IN, {"next": wanted})["Location"] == after


def test_signing_out(client, member):
    assert client.get(reverse("tenants:sign-out")).status_code == 405
    response = client.post(reverse("tenants:sign-out"))
    assert (response.status_code, response["Location"]) == (303, SIGN_IN)
    assert client.get(TOKENS).status_code == 302
    assert AuditEntry.objects.get(verb="user.sign_out").actor == member


def test_home_leads_to_the_tenants(client, member):
    assert client.get("/")["Location"] == TENANTS


def test_one_tenant_needs_no_choice(client, member):
    assert client.get(TENANTS)["Location"] == "/t/premium/"


def test_the_choice(client, member):
    make_member(make_tenant("free"), Role.OWNER, member)
    make_tenant("foreign")
    page = client.get(TENANTS).content.decode()
    assert re.findall(r'<a href="/t/(\w+)/">', page) == ["free", "premium"]
    assert "<td>Owner</td>" in page
    assert "foreign" not in page


def test_a_platform_admin_sees_all_tenants(client):
    make_tenant("premium"), make_tenant("free")
    client.force_login(make_admin())
    assert client.get(TENANTS).content.decode().count("<td>Platform admin</td>") == 2


def test_nobody_s_member_is_told_whom_to_ask(client):
    make_admin("admin@demo.test")
    client.force_login(make_user())
    page = client.get(TENANTS).content.decode()
    assert "You belong to no tenant yet" in page
    assert "admin@demo.test" in page


def test_a_token_s_tenant_is_chosen_by_its_name(client, member):
    Tenant.objects.update(name="Premium training")
    assert '<option value="premium">Premium training</option>' in client.get(TOKENS).content.decode()


def test_a_token_is_shown_once(client, member):
    response = client.post(TOKENS, token_form())
    page = response.content.decode()
    secret = re.search(r'value="(cm_[^"]+)"', page)[1]
    assert response.status_code == 200
    assert "no-store" in response["Cache-Control"]
    assert f'curl -H "Authorization: Bearer {secret}" http://testserver/api/v1/tenants/premium/jobs/' in page
    assert secret not in client.get(TOKENS).content.decode()
    assert f"cm_{ApiToken.objects.get().prefix}" in client.get(TOKENS).content.decode()


def test_the_token_that_was_shown_works(client, member):
    page = client.post(TOKENS, token_form()).content.decode()
    secret = re.search(r'value="(cm_[^"]+)"', page)[1]
    response = Client().get("/api/v1/tenants/premium/jobs/", headers={"Authorization": f"Bearer {secret}"})
    assert response.status_code == 200


def test_reloading_the_page_makes_no_second_token(client, member):
    client.post(TOKENS, token_form())
    response = client.post(TOKENS, token_form())
    assert response.status_code == 422
    assert "You have a token “ci” already" in response.content.decode()
    assert ApiToken.objects.count() == 1


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"role": "owner"}, "Choose at most your own role in premium: submitter."),
        ({"tenant": "foreign"}, "not one of the available choices"),
        ({"days": "3000"}, "not one of the available choices"),
        ({"name": ""}, "Give the token a name."),
        ({"name": "a\0b"}, "Null characters are not allowed"),
    ],
)
def test_tokens_that_are_refused(client, member, change, words):
    make_tenant("foreign")
    response = client.post(TOKENS, token_form(**change))
    page = response.content.decode()
    assert response.status_code == 422
    assert "<title>Error: API tokens" in page
    assert words in page
    assert not ApiToken.objects.exists()


def test_revoking(client, member):
    token, _ = make_token(make_access(make_tenant("free"), user=member))
    url = reverse("tenants:token-revoke", args=[token.uid])
    assert "cannot be undone" in client.get(url).content.decode()
    assert ApiToken.objects.filter(revoked_at=None).exists()
    response = client.post(url, follow=True)
    assert response.redirect_chain == [(TOKENS, 303)]
    assert "is revoked" in response.content.decode()
    assert not ApiToken.objects.filter(revoked_at=None).exists()
    assert "was revoked already" in client.get(url).content.decode()


@pytest.mark.parametrize("method", ["get", "post"])
def test_somebody_else_s_token(client, member, method):
    token, _ = make_token(make_access(member.member_set.get().tenant, Role.OWNER))
    response = getattr(client, method)(reverse("tenants:token-revoke", args=[token.uid]))
    assert response.status_code == 404
    assert ApiToken.objects.get().revoked_at is None
