import pytest

from tenants.models import Role
from tests.factories import make_access
from tests.jobs.factories import make_submission
from tests.jobs.views.pages import as_role, as_submitter, job_in, make_pod, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def place():
    return as_submitter()


def url(job):
    return f"/t/vision/jobs/{job.uid}/cancel/"


def test_the_page_says_what_will_happen_with_counts(place):
    job = job_in(place[0], "running")
    for index in range(4):
        make_pod(job, index)
    html = place[1].get(url(job)).content.decode()
    for said in ("Stops 4 pods now.", "16 GPUs become free for others.", "The logs go with the pods:"):
        assert said in html


def test_a_job_that_waits_loses_no_work(place):
    assert b"None of its pods runs" in place[1].get(url(job_in(place[0], "queued"))).content


def test_reading_the_page_changes_nothing(place):
    job = job_in(place[0], "running")
    place[1].get(url(job))
    job.refresh_from_db()
    assert job.cancel_requested_at is None


def test_cancelling_leads_back_to_the_job_and_says_so(place):
    job = make_submission(place[0])
    response = place[1].post(url(job), follow=True)
    assert response.redirect_chain == [(f"/t/vision/jobs/{job.uid}/", 303)]
    assert b"Cancel requested." in response.content
    job.refresh_from_db()
    assert job.cancel_requested_by == place[0].user


def test_a_job_that_ended_meanwhile_says_so(place):
    response = place[1].post(url(job_in(place[0], "succeeded")), follow=True)
    assert b"This job has already ended (succeeded)" in response.content


@pytest.mark.parametrize("state", ["succeeded", "cancelled"])
def test_there_is_nothing_to_confirm_for_a_job_that_ended(place, state):
    assert place[1].get(url(job_in(place[0], state))).status_code == 303


def test_others_are_told_who_may(place):
    job = job_in(place[0], "running")
    for client in (signed_in(make_access(place[0].tenant).user), as_role(place[0], Role.VIEWER)):
        for method in (client.get, client.post):
            response = method(url(job))
            assert response.status_code == 403
            assert b"owner of vision" in response.content
    job.refresh_from_db()
    assert job.cancel_requested_at is None


def test_an_owner_may(place):
    assert as_role(place[0], Role.OWNER).post(url(job_in(place[0], "running"))).status_code == 303
