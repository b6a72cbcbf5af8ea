import pytest
from django.utils import timezone

from jobs.models import Heartbeat
from tenants.models import Role
from tests.factories import make_access
from tests.jobs.factories import make_submission, make_submitter
from tests.jobs.views.pages import as_role, as_submitter, job_in, signed_in

pytestmark = pytest.mark.django_db
URL = "/t/vision/jobs/"


@pytest.fixture
def access():
    return make_submitter("vision")


@pytest.fixture
def client(access):
    return signed_in(access.user)


def text(client, url=URL, **kwargs):
    response = client.get(url, **kwargs)
    assert response.status_code == 200
    return response.content.decode()


def test_the_tenant_s_own_address_leads_to_its_jobs(client):
    assert client.get("/t/vision/").headers["Location"] == URL


def test_a_row_says_state_reason_size_and_author(access, client):
    job = job_in(
        access, "queued", "waiting_for_quota", title="wide", missing=8, resource="nvidia.com/gpu", flavor="a100"
    )
    html = text(client)
    for said in (
        "wide",
        "Queued",
        "Waits for 8 more a100 GPUs.",
        "16 × a100",
        access.user.email,
        f"/t/vision/jobs/{job.uid}/",
    ):
        assert said in html


@pytest.mark.parametrize(
    ("role", "query", "said"),
    [
        (Role.SUBMITTER, "", "Start from a template"),
        (Role.VIEWER, "", "you need the submitter role; ask an owner"),
        (Role.SUBMITTER, "?q=nothing&author=me", "No job matches"),
    ],
)
def test_an_empty_list_says_why(access, role, query, said):
    assert said in text(as_role(access, role), URL + query)


def test_a_viewer_is_offered_no_new_job(access):
    assert "New job" not in text(as_role(access, Role.VIEWER))


def test_filters_in_force_can_be_taken_away_one_by_one(access, client):
    make_submission(access, title="llama")
    html = text(client, f"{URL}?q=llama&author=me&state=active")
    assert 'aria-label="Remove filter Text: llama"' in html
    assert 'href="?state=active&amp;author=me"' in html
    assert 'href="?q=llama&amp;state=active"' in html


@pytest.mark.parametrize("query", ["?state=bogus", "?after=not-a-uid", "?until=x", "?q=%F0%9F%8E%B6", "?template=%27"])
def test_an_old_or_odd_address_shows_a_list_all_the_same(access, client, query):
    make_submission(access)
    text(client, URL + query)


def test_the_part_is_the_same_table_without_its_frame(access, client):
    make_submission(access, title="llama")
    part = text(client, f"{URL}?part=table", headers={"HX-Request": "true"})
    assert "llama" in part
    assert "<html" not in part
    assert client.get(f"{URL}?part=other").status_code == 404


def test_fragment_and_page_are_kept_apart_by_caches(client):
    response = client.get(URL)
    assert "HX-Request" in response.headers["Vary"]
    assert "no-store" in response.headers["Cache-Control"]


def test_new_jobs_are_announced_and_not_slipped_in(access, client):
    make_submission(access, title="shown")
    again = client.get(URL).context["again"]
    make_submission(access, title="newer")
    part = text(client, URL + again)
    assert "1 new job: show" in part
    assert "newer" not in part.replace("1 new job", "")


def test_a_silent_cluster_is_named(access, client):
    make_submission(access)
    assert "The cluster has not been heard yet" in text(client)


def test_a_cluster_that_answers_is_not_mentioned(access, client):
    Heartbeat.objects.beat(now=timezone.now())
    assert "not been heard" not in text(client)


def test_queries_do_not_grow_with_rows(access, client, django_assert_max_num_queries):
    for author in (access, make_access(access.tenant), make_access(access.tenant)):
        make_submission(author)
    with django_assert_max_num_queries(15):
        text(client)


def test_another_tenant_sees_nothing(access):
    _theirs, client = as_submitter("rival")
    assert client.get(URL).status_code == 404
