import pytest
from django.conf import settings

from jobs.models import Submission
from jobs.schedule import SWEEP_AT_MOST_SECONDS, launch_due, positions, resync
from portal.celery import app
from tests.jobs.factories import make_submission
from tests.sandboxes import running_sandbox

pytestmark = pytest.mark.django_db


def test_beat_knows_the_tasks_that_it_sends() -> None:
    app.loader.import_default_modules()
    assert {entry["task"] for entry in app.conf.beat_schedule.values()} <= set(app.tasks)


def test_a_run_that_nobody_took_expires_before_the_next() -> None:
    for entry in app.conf.beat_schedule.values():
        assert entry["options"]["expires"] <= entry["schedule"]


def test_a_sweep_is_over_before_its_message_is_given_to_another_worker() -> None:
    visible = settings.CELERY_BROKER_TRANSPORT_OPTIONS["visibility_timeout"]
    assert visible > SWEEP_AT_MOST_SECONDS + settings.LAUNCH_LEASE_SECONDS


@pytest.mark.parametrize("task", [launch_due, resync, positions])
def test_without_a_cluster_a_run_ends_quietly(task, settings) -> None:
    settings.CLUSTER_URL = "http://127.0.0.1:9"
    submission = make_submission()
    task()
    submission.refresh_from_db()
    assert submission.state == Submission.State.SUBMITTED


def test_a_sweep_finds_what_no_hint_told_of(tmp_path, settings) -> None:
    with running_sandbox(tmp_path) as sandbox:
        (tmp_path / "token").write_text(sandbox.token)
        settings.CLUSTER_URL, settings.CLUSTER_TOKEN_FILE = sandbox.url, str(tmp_path / "token")
        submission = make_submission()
        launch_due()
    submission.refresh_from_db()
    assert submission.tries == 1
    assert "is gone" in submission.send_error  # this sandbox was never told of the tenant
