import pytest
from django.core.management import CommandError, call_command

from jobs.models import TemplateVersion
from portal.celery import app
from portal.kube.kinds import LOCAL_QUEUE, Ref
from portal.management.demo.seed import DEMO
from quotas.models import ClusterQueue
from tenants.models import AuditEntry, Member, User
from tests.flows.control import running_control

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def quick_hashes(settings):
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


def onboard(capsys, file=DEMO) -> str:
    call_command("onboard", str(file))
    return capsys.readouterr().out


def test_the_demo(capsys):
    printed = onboard(capsys)
    passwords = dict(line.split() for line in printed.splitlines() if "@" in line)
    assert set(passwords) == set(User.objects.values_list("email", flat=True))
    assert all(User.objects.get(email=email).check_password(text) for email, text in passwords.items())
    assert User.objects.get(platform_role="admin").email == "admin@demo.test"
    roles = Member.objects.values_list("user__email", "tenant__slug", "role")
    assert ("viewer@premium.test", "premium", "viewer") in roles
    assert set(ClusterQueue.objects.values_list("name", "tenant__slug")) == {
        ("premium", "premium"),
        ("free", "free"),
        ("reserve", None),
    }


def test_again_changes_nothing_and_tells_no_password(capsys):
    onboard(capsys)
    entries = AuditEntry.objects.count()
    assert "@" not in onboard(capsys)
    assert AuditEntry.objects.count() == entries
    assert TemplateVersion.objects.count() == 1
    assert set(ClusterQueue.objects.values_list("generation", flat=True)) == {1}


def test_a_changed_role_and_quota(capsys, tmp_path):
    text = "users: {a@b.test: {platform_role: '%s'}}\ntenants: {t: {name: T, members: {A@b.test: %s}}}\n"
    text += "flavors: {f: {title: F, node_labels: {}}}\nqueues: {t: {tenant: t, quotas: {f: {cpu: %s}}}}\n"
    file = tmp_path / "file.yaml"
    for values in [("admin", "viewer", 1), ("", "owner", "2500m")]:
        file.write_text(text % values)
        onboard(capsys, file)
    assert User.objects.get().platform_role == ""
    assert Member.objects.get().role == "owner"
    assert ClusterQueue.objects.get().quotas.get().nominal == 2500


def test_all_or_nothing(capsys, tmp_path):
    file = tmp_path / "file.yaml"
    file.write_text("users: {a@b.test: }\ntenants: {default: {name: D}}\n")
    with pytest.raises(CommandError, match=r"Nothing was changed\..*\nslug: “default” is a reserved word"):
        onboard(capsys, file)
    assert not User.objects.exists()


def test_a_file_that_is_wrong(capsys, tmp_path):
    with pytest.raises(CommandError, match="cannot be read"):
        onboard(capsys, tmp_path / "missing.yaml")


def test_a_repeat_brings_back_what_was_deleted_in_the_cluster(
    capsys, tmp_path, settings, django_capture_on_commit_callbacks, monkeypatch
):
    monkeypatch.setitem(app.conf, "task_always_eager", True)
    door = Ref(LOCAL_QUEUE, "main", "cm-premium")
    with running_control(tmp_path, settings) as control:
        for _time in range(2):
            with django_capture_on_commit_callbacks(execute=True):
                onboard(capsys)
            control.cluster.delete(door, uid=control.cluster.get(door)["metadata"]["uid"])
