import pytest
from django.db import InternalError, ProgrammingError, connection, transaction

from tenants.audit import record
from tenants.models import AuditEntry, Role
from tests.factories import make_access, make_admin, make_member, make_tenant, make_token

pytestmark = pytest.mark.django_db


def test_what_an_entry_tells():
    access = make_access(make_tenant())
    entry = record(access, verb="thing.change", obj=access.user, before={"a": 1}, after={"a": 2})
    entry.refresh_from_db()
    assert (entry.actor, entry.actor_name, entry.tenant) == (access.user, access.user.email, access.tenant)
    assert (entry.verb, entry.object_type, entry.object_uid) == ("thing.change", "tenants.user", str(access.user.uid))
    assert (entry.before, entry.after, entry.channel) == ({"a": 1}, {"a": 2}, "page")


def test_an_entry_of_a_process():
    tenant = make_tenant()
    entry = record(None, verb="thing.change", obj=tenant, tenant=tenant, actor_name="resync")
    assert (entry.actor, entry.actor_name, entry.tenant, entry.channel) == (None, "resync", tenant, "system")


@pytest.mark.parametrize("statement", ["UPDATE tenants_auditentry SET verb = 'x'", "DELETE FROM tenants_auditentry"])
def test_entries_are_never_changed(statement):
    record(None, verb="thing.change", obj=make_tenant())
    with pytest.raises((InternalError, ProgrammingError), match="never changed"), transaction.atomic():
        connection.cursor().execute(statement)
    assert AuditEntry.objects.filter(verb="thing.change").exists()


@pytest.mark.django_db(transaction=True)
def test_an_entry_needs_the_transaction_of_its_change():
    with pytest.raises(RuntimeError, match="transaction"):
        record(None, verb="thing.change", obj=make_tenant())


def test_who_sees_entries():
    owner, mine = make_access(make_tenant(), Role.OWNER), make_access(make_tenant(), Role.VIEWER)
    viewer = make_member(owner.tenant, Role.VIEWER)
    AuditEntry.objects.all()
    record(owner, verb="thing.owned", obj=owner.tenant)
    record(mine, verb="thing.mine", obj=mine.tenant)

    def seen(user):
        things = AuditEntry.objects.visible_to(user).filter(verb__startswith="thing.")
        return sorted(things.values_list("verb", flat=True))

    assert seen(owner.user) == ["thing.owned"]
    assert seen(mine.user) == ["thing.mine"]
    assert seen(viewer) == []
    assert seen(make_admin()) == ["thing.mine", "thing.owned"]


def test_no_entry_holds_a_secret():
    _, secret = make_token(make_access(make_tenant()))
    told = str(list(AuditEntry.objects.values("before", "after")))
    assert secret.split("_", 2)[2] not in told
