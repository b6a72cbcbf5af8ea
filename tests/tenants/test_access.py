import pytest
from django.contrib.auth import get_user
from django.test import RequestFactory

from portal.errors import Forbidden, NotFound, PortalError
from portal.http import shell
from tenants.access import tenant_again, tenant_for
from tenants.models import Member, Role, User
from tests.factories import make_access, make_admin, make_member, make_tenant, make_token, make_user

pytestmark = pytest.mark.django_db
ROLES = list(Role)


@pytest.fixture
def request_of(rf: RequestFactory):
    def make(user, token=None):
        request = rf.get("/", headers={"X-Request-ID": "ignored"})
        request.user = user
        request.META["choirmaster.request_id"] = "id-1"
        if token is not None:
            request.auth = token
        return request

    return make


def test_a_member(request_of):
    tenant = make_tenant()
    user = make_member(tenant, Role.SUBMITTER)
    access = tenant_for(request_of(user), tenant.slug)
    assert (access.user, access.tenant, access.role) == (user, tenant, Role.SUBMITTER)
    assert (access.channel, access.token, access.request_id, access.address) == ("page", None, "id-1", "127.0.0.1")


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("needed", ROLES)
def test_a_role_covers_itself_and_those_before_it(request_of, role, needed):
    tenant = make_tenant()
    request = request_of(make_member(tenant, role))
    if ROLES.index(role) >= ROLES.index(needed):
        assert tenant_for(request, tenant.slug, needed).role is role
    else:
        with pytest.raises(Forbidden):
            tenant_for(request, tenant.slug, needed)


def test_a_refusal_names_the_role_and_who_gives_it(request_of):
    tenant = make_tenant("premium")
    for email in ["b@premium.test", "a@premium.test"]:
        make_member(tenant, Role.OWNER, make_user(email))
    with pytest.raises(Forbidden) as refusal:
        tenant_for(request_of(make_member(tenant, Role.VIEWER)), "premium", Role.SUBMITTER)
    assert str(refusal.value) == (
        "Only a submitter or owner of premium can do this; your role here is viewer. "
        "Ask an owner: a@premium.test, b@premium.test."
    )


def test_a_refusal_where_nobody_owns(request_of):
    tenant = make_tenant("premium")
    with pytest.raises(Forbidden, match=r"^Only an owner of premium .* It has no owner: ask a platform admin\.$"):
        tenant_for(request_of(make_member(tenant, Role.VIEWER)), "premium", Role.OWNER)


def test_outsiders_and_missing_tenants_are_told_the_same(request_of):
    make_tenant("premium")
    outsider = request_of(make_member(make_tenant("free"), Role.OWNER))
    refusals = []
    for slug in ["premium", "nothing", ""]:
        with pytest.raises(NotFound) as refusal:
            tenant_for(outsider, slug)
        refusals.append(str(refusal.value))
    assert len(set(refusals)) == 1


def test_a_stranger(request_of):
    from django.contrib.auth.models import AnonymousUser

    with pytest.raises(PortalError) as refusal:
        tenant_for(request_of(AnonymousUser()), make_tenant().slug)
    assert refusal.value.status == 401


def test_a_platform_admin_owns_every_tenant(request_of):
    access = tenant_for(request_of(make_admin()), make_tenant("premium").slug, Role.OWNER)
    assert access.role is Role.OWNER
    with pytest.raises(NotFound):
        tenant_for(request_of(make_admin()), "nothing")


@pytest.mark.parametrize("own", ROLES)
@pytest.mark.parametrize("of_token", ROLES)
def test_a_token_gives_the_lower_of_its_role_and_its_owner_s(request_of, own, of_token):
    tenant = make_tenant()
    access = make_access(tenant, Role.OWNER)
    token, _ = make_token(access, of_token)
    Member.objects.filter(user=access.user).update(role=own)
    found = tenant_for(request_of(access.user, token), tenant.slug)
    assert found.role == min(own, of_token, key=ROLES.index)
    assert (found.channel, found.token) == ("api", token)


def test_a_token_of_another_tenant(request_of):
    access = make_access(make_tenant())
    other = make_tenant()
    make_member(other, Role.OWNER, access.user)
    token, _ = make_token(access)
    with pytest.raises(NotFound):
        tenant_for(request_of(access.user, token), other.slug)


def test_a_token_of_somebody_who_left(request_of):
    access = make_access(make_tenant())
    token, _ = make_token(access)
    Member.objects.all().delete()
    with pytest.raises(NotFound):
        tenant_for(request_of(access.user, token), access.tenant.slug)


def test_the_frame_of_the_page_knows_the_tenant(request_of):
    tenant = make_tenant()
    request = request_of(make_member(tenant))
    assert shell(request)["tenant"] is None
    access = tenant_for(request, tenant.slug)
    frame = shell(request)
    assert (frame["tenant"], frame["access"]) == (tenant, access)
    assert [member.tenant for member in frame["memberships"]] == [tenant]


@pytest.fixture
def open_stream(request_of, client):
    """A request as a stream keeps it: signed in once, with what was read then."""
    tenant = make_tenant()
    client.force_login(make_member(tenant))
    request = request_of(get_user(client))
    request.session = client.session
    assert tenant_again(request, tenant.slug).tenant == tenant
    return request, tenant


def sign_out(request):
    type(request.session)(request.session.session_key).flush()


def deactivate(request):
    User.objects.update(is_active=False)


def change_password(request):
    user = User.objects.get()
    user.set_password("another long one")
    user.save()


def leave(request):
    Member.objects.all().delete()


@pytest.mark.parametrize("end", [sign_out, deactivate, change_password, leave])
def test_a_right_that_ended_ends_what_is_open(open_stream, end):
    request, tenant = open_stream
    end(request)
    with pytest.raises(PortalError) as refusal:
        tenant_again(request, tenant.slug)
    assert refusal.value.status == (404 if end is leave else 401)
