import pytest

from jobs.models import Submission
from tenants.models import Role
from tests.factories import make_access, make_tenant
from tests.jobs.factories import INPUT, demo_template, make_submission, make_template
from tests.jobs.views.pages import as_role, as_submitter, signed_in

pytestmark = pytest.mark.django_db
URL = "/t/vision/jobs/new/pytorch-ddp/"


@pytest.fixture
def place():
    return as_submitter()


def fields(**changes):
    return {"name": "llama3-8b", "values.model": INPUT["model"], "values.workers": "4"} | changes


def post(client, **changes):
    return client.post(URL, fields(**changes))


def test_one_template_is_no_choice(place):
    _access, client = place
    assert client.get("/t/vision/jobs/new/").headers["Location"] == URL


def test_several_templates_are_listed_with_what_they_are_for(place):
    access, client = place
    make_template(slug="ours", name="Our own", description="For our cluster.", tenant=access.tenant)
    html = client.get("/t/vision/jobs/new/").content.decode()
    assert html.index("Our own") < html.index("PyTorch distributed")
    assert "For our cluster." in html


def test_without_a_template_the_page_says_whom_to_ask():
    access = make_access(make_tenant("bare"))
    assert b"Ask a platform admin" in signed_in(access.user).get("/t/bare/jobs/new/").content


def test_the_form_shows_defaults_and_what_the_queue_can_give(place):
    html = place[1].get(URL).content.decode()
    assert "registry.internal/pytorch:2.3.0-cuda12.1" in html
    assert "32 of your own," in html
    assert "at most 48" in html


def test_submitting_leads_to_the_job(place):
    response = post(place[1])
    job = Submission.objects.get()
    assert (response.status_code, response.headers["Location"]) == (303, f"/t/vision/jobs/{job.uid}/")
    assert (job.title, job.gpus, job.values["workers"]) == ("llama3-8b", 16, 4)


def test_a_double_click_is_one_job(place):
    key = place[1].get(URL).context["form"]["idempotency_key"].value()
    answers = [post(place[1], idempotency_key=key).headers["Location"] for _click in range(2)]
    assert Submission.objects.count() == 1
    assert answers[0] == answers[1]


def test_a_form_that_is_sent_again_with_other_values_asks_first_and_then_is_another_job(place):
    key = place[1].get(URL).context["form"]["idempotency_key"].value()
    post(place[1], idempotency_key=key)
    response = post(place[1], idempotency_key=key, name="second")
    assert response.status_code == 422
    new = response.context["form"]["idempotency_key"].value()
    assert new != key
    assert post(place[1], idempotency_key=new, name="second").status_code == 303


def test_errors_stand_in_the_title_above_and_by_the_field_and_nothing_typed_is_lost(place):
    response = post(place[1], **{"values.workers": "99", "values.arguments": "--deep"})
    html = response.content.decode()
    assert response.status_code == 422
    assert "<title>Error: New job" in html
    assert '<a href="#id_values.workers">Workers: Enter 64 or less.</a>' in html
    assert html.count("Enter 64 or less.") == 2
    assert 'aria-invalid="true"' in html
    assert 'value="99"' in html
    assert "--deep" in html
    assert Submission.objects.count() == 0


def test_a_job_that_never_fits_is_refused_with_the_number(place):
    response = post(place[1], **{"values.workers": "14"})
    assert response.status_code == 422
    assert response.context["form"].errors["values.workers"] == ["Asks for 56 GPUs; vision can reach at most 48 GPUs."]


def test_a_tenant_without_a_queue_is_told_and_keeps_what_was_typed(place):
    access = make_access(make_tenant("bare"))
    client = signed_in(access.user)
    response = client.post("/t/bare/jobs/new/pytorch-ddp/", fields())
    assert response.status_code == 422
    assert b"has no queue yet" in response.content
    assert b'value="llama3-8b"' in response.content


def test_one_field_is_checked_alone_in_the_words_of_the_whole(place):
    response = place[1].post(f"{URL}?part=field&f=values.workers", fields(**{"values.workers": "14"}))
    assert response.status_code == 200
    assert "Asks for 56 GPUs; vision can reach at most 48 GPUs." in response.content.decode()
    other = place[1].post(f"{URL}?part=field&f=name", fields(**{"values.workers": "14"}))
    assert other.content.decode().strip() == ""


@pytest.mark.parametrize("query", ["?part=field&f=other", "?part=field", "?part=other"])
def test_an_unknown_part_or_field_is_not_there(place, query):
    assert place[1].post(URL + query, fields()).status_code == 404


def test_the_summary_counts(place):
    html = place[1].post(f"{URL}?part=summary", fields(**{"values.workers": "6"})).content.decode()
    assert "24 GPUs" in html
    assert "in 6 replicas" in html
    assert "Can start" in html


@pytest.mark.parametrize("query", ["?part=summary", ""])
def test_the_summary_counts_what_never_fits_as_it_was_filled_in(place, query):
    html = place[1].post(URL + query, fields(**{"values.workers": "14"}, dry_run="1")).content.decode()
    summary = html[html.index('id="summary"') :]
    assert "56 GPUs" in summary
    assert "in 14 replicas" in summary
    assert "Never fits" in summary


def test_the_form_is_judged_by_the_version_it_was_drawn_from(place):
    version = place[1].get(URL).context["form"]["version"].value()
    make_template(name="x", schema=_with_fewer_workers())
    assert post(place[1], version=version, **{"values.workers": "8"}).status_code == 303
    assert post(place[1], version="2", **{"values.workers": "8"}).status_code == 422


def _with_fewer_workers():
    schema = demo_template()["schema"]
    schema["properties"]["workers"]["maximum"] = 4
    return schema


@pytest.mark.parametrize("version", ["0", "99", "x", "-1", "9" * 30])
def test_an_odd_version_is_the_current_one(place, version):
    assert post(place[1], version=version).status_code == 303


def test_a_viewer_reads_the_form_and_is_told_what_is_missing(place):
    client = as_role(place[0], Role.VIEWER)
    html = client.get(URL).content.decode()
    assert "Ask for the submitter role" in html
    assert "Submit job" not in html
    assert post(client).status_code == 403
    assert Submission.objects.count() == 0


def test_recent_images_are_suggested(place):
    make_submission(place[0], image="registry.internal/mine:1")
    assert '<option value="registry.internal/mine:1">' in place[1].get(URL).content.decode()


def test_an_unknown_template_is_not_there(place):
    assert place[1].get("/t/vision/jobs/new/other/").status_code == 404


def test_a_template_of_another_tenant_is_not_there(place):
    make_template(slug="theirs", tenant=make_tenant("rival"))
    assert place[1].get("/t/vision/jobs/new/theirs/").status_code == 404
