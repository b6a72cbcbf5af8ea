import os
import subprocess
import sys
import threading
from datetime import timedelta
from urllib.parse import urlsplit

import pytest
from django.conf import settings
from django.db import connection
from django.db.models.functions import Now

from jobs.launch import sweep
from jobs.models import Submission
from jobs.services import cancel_submission
from tests.jobs.launch.conftest import Place
from tests.jobs.launch.proxy import on

State = Submission.State


def test_a_sweep_does_all_that_is_due(place: Place) -> None:
    rows = [place.submission() for _ in range(3)]
    cancelled = cancel_submission(access=place.access, submission=place.submission())
    assert sweep(place.cluster, seconds=30) == 4
    assert [Submission.objects.get(pk=row.pk).sent_at is not None for row in rows] == [True] * 3
    cancelled.refresh_from_db()
    assert cancelled.state == State.CANCELLED
    assert sweep(place.cluster, seconds=30) == 0


def test_a_sweep_ends_when_its_time_is_over(place: Place) -> None:
    place.submission()
    assert sweep(place.cluster, seconds=0) == 0


def test_a_sweep_stops_at_the_first_sign_that_the_cluster_is_down(place: Place) -> None:
    for _ in range(3):
        place.submission()
    place.proxy.fault = lambda method, path, forward: None
    assert sweep(place.cluster, seconds=30) == 1
    assert Submission.objects.filter(tries=0).count() == 2


def test_one_tenants_trouble_does_not_hold_up_a_sweep(place: Place) -> None:
    stuck, fine = place.submission(), place.submission()
    manifest = stuck.manifest | {"spec": 3}
    Submission.objects.filter(pk=stuck.pk).update(manifest=manifest)
    assert sweep(place.cluster, seconds=30) == 2
    fine.refresh_from_db()
    assert fine.sent_at is not None


def in_the_database(change) -> None:
    """As another process would, from the proxy's thread."""
    try:
        change()
    finally:
        connection.close()


@pytest.mark.django_db(transaction=True)
def test_a_cancel_that_comes_while_it_is_being_sent_wins(place: Place) -> None:
    submission = place.submission()

    def cancelled_first(forward):
        in_the_database(lambda: cancel_submission(access=place.access, submission=submission))
        return forward()

    place.proxy.fault = on("POST", cancelled_first)
    place.launch(submission)
    assert place.job(submission) is None
    assert submission.state == State.CANCELLED and submission.sent_at is not None


@pytest.mark.django_db(transaction=True)
def test_what_was_created_after_the_lease_was_lost_and_the_job_stopped_is_taken_back(place: Place) -> None:
    submission = place.submission()

    def stopped_by_another(forward):
        in_the_database(lambda: cancel_submission(access=place.access, submission=submission))
        rows = Submission.objects.filter(pk=submission.pk)
        in_the_database(lambda: rows.update(lease_token=None, lease_expires_at=None, stopped_at=Now()))
        return forward()

    place.proxy.fault = on("POST", stopped_by_another)
    place.launch(submission)
    assert len([entry for entry in place.created() if entry["name"] == submission.job_name]) == 1
    assert place.job(submission) is None
    assert submission.sent_at is None


WORKER = "import django, sys; django.setup(); from jobs.tasks import launch_submission as go; go(int(sys.argv[1]))"


def killed_worker(place: Place, submission: Submission, held: threading.Event) -> None:
    """A worker's process, killed with -9 once the request that `held` tells of is under way."""
    name = settings.DATABASES["default"]["NAME"]
    url = urlsplit(os.environ["DATABASE_URL"])
    environment = os.environ | {
        "DATABASE_URL": url._replace(path=f"/{name}").geturl(),
        "CLUSTER_URL": place.proxy.url,
        "CLUSTER_TOKEN_FILE": place.cluster._token_file,
    }
    worker = subprocess.Popen([sys.executable, "-c", WORKER, str(submission.pk)], env=environment)
    try:
        assert held.wait(30)
    finally:
        worker.kill()
        worker.wait(10)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("method", "forwarded"), [("GET", False), ("POST", False), ("POST", True)])
def test_a_killed_worker_loses_and_doubles_nothing(place: Place, method: str, forwarded: bool) -> None:
    submission, held, dead = place.submission(), threading.Event(), threading.Event()

    def hold(forward):
        if forwarded:
            forward()
        held.set()
        assert dead.wait(30)

    place.proxy.fault = on(method, hold)
    killed_worker(place, submission, held)
    dead.set()
    place.proxy.fault = None
    assert place.launch(submission).sent_at is None, "the dead worker's lease still holds"
    Submission.objects.filter(pk=submission.pk).update(lease_expires_at=Now() - timedelta(seconds=1))
    place.launch(submission)
    made = [entry["uid"] for entry in place.created() if entry["name"] == submission.job_name]
    assert made == [submission.object_uid]
