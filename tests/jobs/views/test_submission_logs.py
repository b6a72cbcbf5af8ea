import re

import pytest

from jobs.views.logs import _earlier
from tenants.models import Tenant
from tests.flows.control import running_control
from tests.jobs.factories import make_submission
from tests.jobs.views.pages import as_submitter, job_in, make_pod, move

pytestmark = pytest.mark.django_db


@pytest.fixture
def place():
    return as_submitter()


def url(job, query=""):
    return f"/t/vision/jobs/{job.uid}/logs/{query}"


def text(client, address):
    response = client.get(address)
    assert response.status_code == 200
    return response.content.decode()


@pytest.fixture
def running(place, tmp_path, settings):
    """(job, client) of a job that has printed for 15 s in a sandbox."""
    Tenant.objects.update(namespace_uid="")
    with running_control(tmp_path, settings) as control:
        control.apply(place[0].tenant)
        place[0].tenant.refresh_from_db()
        job = make_submission(place[0])
        control.until(job.uid, "running")
        control.pass_time(15)
        job.refresh_from_db()
        yield job, place[1]


def test_the_newest_lines_are_drawn_by_the_server_and_the_stream_goes_on_after_them(running):
    job, client = running
    html = text(client, url(job, "?replica=worker-1"))
    assert "Log of worker-1" in html
    assert re.search(r'<span class="line"><time datetime="[^"]+">\d\d:\d\d:\d\d</time>.*step=10 ', html)
    stream = re.search(r'data-stream="([^"]+)"', html)[1]
    assert stream.startswith(f"/t/vision/jobs/{job.uid}/logs/live/?replica=worker-1&amp;after=20")


def test_the_whole_log_as_text(running):
    job, client = running
    response = client.get(url(job, "raw/?replica=worker-3"))
    assert response.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert "step=10 " in response.content.decode()


def test_a_replica_that_was_not_restarted_has_no_earlier_log(running):
    job, client = running
    assert "This replica was not restarted" in text(client, url(job, "?replica=worker-0&previous=1"))
    assert client.get(url(job, "raw/?replica=worker-0&previous=1")).status_code == 404


def test_the_page_of_a_running_job_opens_at_its_log(running):
    job, client = running
    assert 'id="log"' in text(client, f"/t/vision/jobs/{job.uid}/")


def test_a_job_without_replicas_says_why_there_is_no_log_and_looks_again(place):
    job = job_in(place[0], "queued")
    html = text(place[1], url(job))
    assert "the log begins when they start" in html
    assert "?part=log" in html
    part = place[1].get(url(job, "?part=log"), headers={"HX-Request": "true"})
    assert "<html" not in part.content.decode()
    assert "HX-Refresh" not in part.headers
    make_pod(job)
    assert place[1].get(url(job, "?part=log")).headers["HX-Refresh"] == "true"


def test_a_silent_cluster_is_said_and_does_not_break_the_page(place):
    job = job_in(place[0], "running")
    make_pod(job)
    assert "The cluster does not answer just now" in text(place[1], url(job))
    assert place[1].get(url(job, "raw/")).status_code == 503


def test_a_pod_that_is_gone_took_its_log_along(place):
    job = job_in(place[0], "cancelled")
    make_pod(job, gone_at=job.submitted_at)
    html = text(place[1], url(job))
    assert "its log went with it" in html
    assert "?part=log" not in html


def test_a_job_that_never_had_a_replica(place):
    assert "ended before any of its replicas was made" in text(place[1], url(job_in(place[0], "rejected")))


def test_the_frame_of_the_page_is_whole_beside_the_log(place):
    job = job_in(place[0], "queued")
    move(job, "failed", "crashed", replica="worker-2")
    make_pod(job)
    html = text(place[1], url(job))
    assert "Show 1 earlier reason" in html
    assert f'href="{url(job)}?replica=worker-2"' in html


def test_earlier_lines_are_a_link_away(running):
    job, client = running
    assert "Earlier lines" not in text(client, url(job, "?replica=worker-0"))
    assert _earlier(200, 200, {"replica": "worker-0"}) == "?replica=worker-0&lines=1000"
    assert _earlier(5000, 5000, {}) == ""


def test_the_replica_that_failed_is_shown_first(place):
    job = job_in(place[0], "failed", "crashed", replica="worker-2")
    for index in range(4):
        make_pod(job, index)
    assert "Log of worker-2" in text(place[1], url(job))


def test_a_replica_that_runs_again_is_shown_with_the_run_that_broke(place):
    job = job_in(place[0], "failed", "crashed", replica="worker-0", exit_code=1)
    make_pod(job, exit_code=1, restarts=3)
    broke = f'href="{url(job)}?replica=worker-0&amp;previous=1"'
    html = text(place[1], url(job))
    assert broke in html
    assert 'name="previous" value="1" checked' in html
    assert 'name="previous" value="1">' in text(place[1], url(job, "?replica=worker-0"))
    job.pods.update(state="terminated")
    assert broke not in text(place[1], url(job))


@pytest.mark.parametrize("query", ["?replica=worker-9", "raw/?replica=worker-9", "live/?replica=worker-9"])
def test_an_unknown_replica_is_not_there(place, query):
    job = job_in(place[0], "running")
    make_pod(job)
    assert place[1].get(url(job, query)).status_code == 404
