import pytest

from jobs.models import Submission
from tenants.models import Tenant
from tests.flows.control import running_control
from tests.jobs.views.pages import as_submitter
from tests.jobs.views.test_submission_create import URL, fields

pytestmark = pytest.mark.django_db


@pytest.fixture
def place():
    return as_submitter()


def outcomes(response):
    return [stage.outcome for stage in response.context["stages"]]


def check(client, **changes):
    return client.post(URL, fields(**changes) | {"dry_run": "1"})


def test_all_four_stages_pass_and_nothing_is_stored(place, tmp_path, settings):
    access, client = place
    Tenant.objects.update(namespace_uid="")  # it is made here, in this test's own cluster
    with running_control(tmp_path, settings) as control:
        control.apply(access.tenant)
        response = check(client)
    assert response.status_code == 200
    assert outcomes(response) == ["passed"] * 4
    assert b"once 16 GPUs are free at the same time; the queue can reach at most 48 GPUs" in response.content
    assert Submission.objects.count() == 0


def test_what_the_form_lacks_stops_the_check_at_its_first_stage(place):
    response = check(place[1], name="", **{"values.workers": "x"})
    assert response.status_code == 422
    assert outcomes(response) == ["failed", "skipped", "skipped", "skipped"]
    assert b"2 fields need a change." in response.content
    assert set(response.context["form"].errors) == {"name", "values.workers"}


def test_what_never_fits_stops_at_the_rules(place):
    response = check(place[1], **{"values.workers": "14"})
    assert outcomes(response) == ["passed", "failed", "skipped", "skipped"]
    assert b"at most 48 GPUs" in response.content


def test_a_silent_cluster_is_no_refusal(place):
    response = check(place[1])
    assert response.status_code == 200
    assert outcomes(response) == ["passed", "passed", "skipped", "passed"]


def test_the_cluster_s_own_words_are_shown(place, tmp_path, settings):
    with running_control(tmp_path, settings):
        response = check(place[1])  # the cluster was never told of this tenant's namespace
    assert outcomes(response)[2] == "failed"
    assert b"namespaces" in response.content
