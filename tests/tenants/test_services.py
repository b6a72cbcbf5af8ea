from datetime import timedelta

import pytest
from django.utils import timezone

from portal.errors import Invalid, PortalError
from portal.names import namespace_of
from tenants.models import ApiToken, AuditEntry, Member, Role, SignInTry
from tenants.services import (
    create_tenant,
    create_token,
    create_user,
    revoke_token,
    set_member,
    set_platform_role,
    sign_in,
    use_token,
)
from tests.factories import make_access, make_tenant, make_token, make_user

pytestmark = pytest.mark.django_db
HERE = "192.0.2.1"


@pytest.fixture(autouse=True)
def quick_hashes(settings):
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    settings.LOGIN_TRIES_PER_15_MINUTES = 3


@pytest.fixture
def user():
    return create_user(email="A@demo.test", password="correct horse battery")


def fail(email="a@demo.test", address=HERE, times=1):
    for _ in range(times):
        with pytest.raises(Invalid):
            sign_in(email=email, password="wrong", address=address)


def refused(email="a@demo.test", address=HERE) -> PortalError:
    with pytest.raises(PortalError) as refusal:
        sign_in(email=email, password="correct horse battery", address=address)
    assert refusal.value.status == 429
    return refusal.value


def grow_older(minutes: float) -> None:
    for row in SignInTry.objects.all():
        row.at -= timedelta(minutes=minutes)
        row.save()


def test_signing_in_by_an_address_in_any_case(user):
    assert sign_in(email=" a@DEMO.test", password="correct horse battery", address=HERE) == user
    assert not SignInTry.objects.exists()


def test_an_address_that_lower_case_makes_longer():
    fail(email="a@" + ".".join(["\u0130" * 20] * 12))
    assert len(SignInTry.objects.get().email) == 254


def test_after_three_failures_the_right_password_is_refused_too(user):
    fail(times=3)
    refusal = refused()
    assert str(refusal) == "Too many sign-in attempts. Try again in 15 minutes."
    assert 890 < refusal.extra["retry_after"] <= 900


def test_refused_tries_do_not_prolong_the_wait(user):
    fail(times=3)
    grow_older(14)
    assert refused().extra["retry_after"] <= 60
    assert str(refused()) == "Too many sign-in attempts. Try again in 1 minute."
    grow_older(1.1)
    assert sign_in(email="a@demo.test", password="correct horse battery", address=HERE) == user


def test_success_forgives(user):
    fail(times=2)
    sign_in(email="a@demo.test", password="correct horse battery", address=HERE)
    fail(times=3)


def test_a_stranger_elsewhere_does_not_lock_the_owner_out(user):
    fail(times=3, address="192.0.2.66")
    assert sign_in(email="a@demo.test", password="correct horse battery", address=HERE) == user


def test_one_address_may_not_try_everybody(user):
    for number in range(5):
        fail(email=f"b{number}@demo.test", times=3)
    refused()


def test_many_addresses_may_not_try_one_person(user):
    for number in range(10):
        fail(address=f"192.0.2.{number + 10}", times=3)
    refused()


def test_nobody_and_a_switched_off_user_are_told_the_same(user):
    user.is_active = False
    user.save()
    messages = []
    for email in ["a@demo.test", "nobody@demo.test"]:
        with pytest.raises(Invalid) as refusal:
            sign_in(email=email, password="correct horse battery", address=None)
        messages.append(str(refusal.value))
    assert messages[0] == messages[1]


@pytest.mark.parametrize(
    ("email", "password", "path"),
    [
        ("a@demo.test", "correct horse battery", "email"),
        ("not an address", "correct horse battery", "email"),
        ("b@demo.test", "short", "password"),
        ("b@demo.test", "1q2w3e4r5t6y", "password"),
        ("long-name@demo.test", "long-name@demo.test", "password"),
    ],
)
def test_users_that_are_refused(user, email, password, path):
    with pytest.raises(Invalid) as refusal:
        create_user(email=email, password=password)
    assert {error.path for error in refusal.value.errors} == {path}


@pytest.mark.parametrize(
    "slug", ["", "a" * 31, "Premium", "1st", "a_b", "a-", "a.b", "new", "default", "kube-system", "ünï", "a\n"]
)
def test_slugs_that_are_refused(slug):
    with pytest.raises(Invalid):
        create_tenant(slug=slug, name="A tenant")


def test_a_slug_that_is_taken():
    make_tenant("premium")
    with pytest.raises(Invalid, match="already"):
        create_tenant(slug="premium", name="Another")


def test_namespaces_of_two_tenants_differ_and_are_legal():
    slugs = [f"{first}{middle}{last}" for first in "abz" for middle in ["", "-", "--", "x" * 28] for last in "a0z"]
    namespaces = {namespace_of(slug) for slug in slugs}
    assert len(namespaces) == len(slugs)
    assert max(map(len, namespaces)) <= 63


def test_set_member_records_changes_only():
    tenant, user = make_tenant(), make_user()
    for role in [Role.VIEWER, Role.VIEWER, Role.OWNER]:
        set_member(tenant=tenant, user=user, role=role)
    assert Member.objects.get().role == Role.OWNER
    entries = AuditEntry.objects.filter(verb="member.set").order_by("pk")
    assert [entry.before.get("role") for entry in entries] == [None, "viewer"]


def test_set_platform_role(user):
    for role in ["admin", "admin", ""]:
        set_platform_role(user=user, role=role)
    entries = AuditEntry.objects.filter(verb="user.set_platform_role").order_by("pk")
    assert [entry.after["platform_role"] for entry in entries] == ["admin", ""]


def test_a_token_opens_the_door_and_is_not_stored():
    token, secret = make_token(make_access(make_tenant()))
    assert use_token(text=secret, address=HERE) == token
    stored = str(ApiToken.objects.values().get())
    assert secret.split("_", 2)[2] not in stored
    assert secret.startswith(f"cm_{token.prefix}_")


def test_last_used_is_written_at_most_once_a_minute(django_assert_num_queries):
    token, secret = make_token(make_access(make_tenant()))
    use_token(text=secret, address=HERE)
    first = ApiToken.objects.get().last_used_at
    use_token(text=secret, address="192.0.2.2")
    token.refresh_from_db()
    assert (token.last_used_at, token.last_used_from) == (first, HERE)
    ApiToken.objects.update(last_used_at=first - timedelta(seconds=61))
    use_token(text=secret, address="192.0.2.2")
    token.refresh_from_db()
    assert token.last_used_at > first
    assert token.last_used_from == "192.0.2.2"


def test_a_token_ends_at_once():
    access = make_access(make_tenant())
    token, secret = make_token(access)
    for _ in range(2):
        revoke_token(caller=access, token=token)
    with pytest.raises(PortalError):
        use_token(text=secret, address=HERE)
    assert AuditEntry.objects.filter(verb="token.revoke").count() == 1


def test_an_expired_token():
    _, secret = make_token(make_access(make_tenant()), days=-1)
    with pytest.raises(PortalError):
        use_token(text=secret, address=HERE)


def test_a_token_of_a_user_who_was_switched_off():
    access = make_access(make_tenant())
    _, secret = make_token(access)
    access.user.is_active = False
    access.user.save()
    with pytest.raises(PortalError):
        use_token(text=secret, address=HERE)


@pytest.mark.parametrize("role", list(Role))
@pytest.mark.parametrize("wanted", list(Role))
def test_nobody_makes_a_token_above_oneself(role, wanted):
    access = make_access(make_tenant(), role)
    if role.covers(wanted):
        assert make_token(access, wanted)[0].role == wanted
    else:
        with pytest.raises(Invalid, match=f"at most your own role in {access.tenant.slug}: {role.value}"):
            make_token(access, wanted)


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"name": " "}, "name"),
        ({"name": "x" * 81}, "name"),
        ({"name": "a\u202eb"}, "name"),
        ({"expires_at": timedelta(days=-1)}, "days"),
        ({"expires_at": timedelta(days=366)}, "days"),
    ],
)
def test_tokens_that_are_refused(change, path):
    values = {"name": "ci", "role": Role.VIEWER, "expires_at": timedelta(days=7)} | change
    values["expires_at"] += timezone.now()
    with pytest.raises(Invalid) as refusal:
        create_token(access=make_access(make_tenant()), **values)
    assert [error.path for error in refusal.value.errors] == [path]


def test_a_form_that_is_sent_twice_makes_one_token():
    access = make_access(make_tenant())
    values = {"access": access, "name": "ci", "role": Role.VIEWER, "expires_at": timezone.now() + timedelta(days=7)}
    token, _ = create_token(**values)
    with pytest.raises(Invalid, match="You have a token “ci” already"):
        create_token(**values)
    revoke_token(caller=access, token=token)
    assert create_token(**values)
