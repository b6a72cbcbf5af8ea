"""The watch against a sandbox that is killed, and a database that drops its connections."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils import timezone

from jobs.models import Heartbeat, Submission
from portal.kube.client import Cluster, cluster_from_settings
from portal.management.commands import watch
from portal.management.commands.watch import Watch
from portal.management.standby import WATCH_LOCK, hold
from tests.factories import make_access, make_cohort_of_the_demo
from tests.flows.control import Control
from tests.jobs.factories import make_submission, make_template
from tests.sandboxes import SandboxProcess, sandbox_process


def until(condition: Callable[[], object], seconds: float = 20) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"not within {seconds} s"
        time.sleep(0.05)


@pytest.fixture
def sandbox(transactional_db: None, tmp_path: Path, settings) -> Iterator[SandboxProcess]:
    with sandbox_process(tmp_path) as sandbox:
        (tmp_path / "token").write_text(sandbox.token)
        settings.CLUSTER_URL, settings.CLUSTER_TOKEN_FILE = sandbox.url, str(tmp_path / "token")
        yield sandbox
    # The threads notice the end of the sandbox, and give their connections back before the tables are emptied.
    until(lambda: not [thread for thread in threading.enumerate() if thread.name.startswith("watch ")])


@pytest.fixture
def submission(sandbox: SandboxProcess) -> Submission:
    """Sent to the cluster; it needs the clock to go on."""
    make_template()
    premium, _ = make_cohort_of_the_demo()
    control = Control(sandbox, cluster_from_settings())
    control.apply(premium)
    submission = make_submission(make_access(premium))
    control.work()
    return submission


@contextmanager
def watching(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(watch, "HEARTBEAT_SECONDS", 0.1)
    stop = Event()

    def term() -> None:
        with hold(WATCH_LOCK, stop) as lock:
            Watch(cluster_from_settings()).run(lock, stop)
        connection.close()

    thread = threading.Thread(target=term)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join(10)


def state_is(submission: Submission, state: str) -> Callable[[], bool]:
    return lambda: Submission.objects.get(pk=submission.pk).state == state


def test_once(sandbox: SandboxProcess, submission: Submission) -> None:
    call_command("watch", "--once")
    submission.refresh_from_db()
    assert submission.state == "starting"
    assert Heartbeat.objects.last_seen() is not None


def test_once_without_a_cluster(db: None, settings) -> None:
    settings.CLUSTER_URL = "http://127.0.0.1:9"
    with pytest.raises(CommandError, match="could not be mirrored"):
        call_command("watch", "--once")
    assert Heartbeat.objects.last_seen() is None


def test_changes_arrive_by_themselves(
    sandbox: SandboxProcess, submission: Submission, monkeypatch: pytest.MonkeyPatch
) -> None:
    with watching(monkeypatch):
        until(state_is(submission, "starting"))
        sandbox.tick(5)
        until(state_is(submission, "running"))
        until(lambda: submission.events.filter(reason="Started").exists())
        assert submission.pods.count() == 4


def test_a_killed_cluster_is_found_again(
    sandbox: SandboxProcess, submission: Submission, monkeypatch: pytest.MonkeyPatch
) -> None:
    with watching(monkeypatch):
        until(state_is(submission, "starting"))
        sandbox.kill()
        stale = timezone.now()
        sandbox.start()
        sandbox.tick(5)
        until(state_is(submission, "running"), seconds=10)
        until(Heartbeat.objects.filter(seen_at__gt=stale).exists)


def test_no_heartbeat_without_a_cluster(
    sandbox: SandboxProcess, submission: Submission, monkeypatch: pytest.MonkeyPatch
) -> None:
    with watching(monkeypatch):
        until(Heartbeat.objects.last_seen)
        sandbox.kill()
        time.sleep(0.5)
        stale = Heartbeat.objects.last_seen()
        time.sleep(0.5)
        assert Heartbeat.objects.last_seen() == stale
        assert Submission.objects.get().state != "unknown"


def test_connections_that_postgresql_dropped(
    sandbox: SandboxProcess, submission: Submission, monkeypatch: pytest.MonkeyPatch
) -> None:
    with watching(monkeypatch):
        until(state_is(submission, "starting"))
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()"
                " AND pid NOT IN (pg_backend_pid(), (SELECT pid FROM pg_locks WHERE locktype = 'advisory' LIMIT 1))"
            )
        sandbox.tick(5)
        until(state_is(submission, "running"), seconds=10)


def test_one_is_active_and_the_other_stands_by(db: None) -> None:
    stop, second = Event(), Event()

    def stand_by() -> None:
        with hold(WATCH_LOCK, stop) as lock:
            if lock:
                second.set()

    thread = threading.Thread(target=stand_by)
    with hold(WATCH_LOCK, Event()) as first:
        assert first is not None
        thread.start()
        assert not second.wait(1.5)
    assert second.wait(5)
    thread.join(5)


def test_whoever_stands_by_can_be_stopped(db: None) -> None:
    stop = Event()
    stop.set()
    with hold(WATCH_LOCK, stop) as lock:
        assert lock is None


def test_a_kind_that_is_not_installed_does_not_stop_the_heart(
    sandbox: SandboxProcess, submission: Submission, monkeypatch: pytest.MonkeyPatch
) -> None:
    versions = Cluster.api_versions

    def without_operator(self: Cluster, group: str) -> object:
        return [] if group == "kubeflow.org" else versions(self, group)

    monkeypatch.setattr(Cluster, "api_versions", without_operator)
    with watching(monkeypatch):
        until(Heartbeat.objects.last_seen)
        assert Submission.objects.get().gone_at is None
