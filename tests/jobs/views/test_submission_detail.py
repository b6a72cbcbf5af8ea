import pytest

from jobs.models import Event, Submission, Workload
from tenants.models import Role
from tests.factories import make_access
from tests.jobs.factories import make_submission
from tests.jobs.views.pages import as_role, as_submitter, job_in, make_pod, move, signed_in

pytestmark = pytest.mark.django_db
WAITS = {
    "missing": 8,
    "resource": "nvidia.com/gpu",
    "flavor": "a100",
    "needs": 24,
    "at_most": 48,
    "position": 1,
    "of": 2,
}
PARTS = ("header", "why", "timeline", "replicas", "events")


@pytest.fixture
def place():
    return as_submitter()


def url(job, tab=""):
    return f"/t/vision/jobs/{job.uid}/{tab}"


def text(client, address):
    response = client.get(address)
    assert response.status_code == 200, response.content
    return response.content.decode()


def make_event(job, number=0, **columns):
    known = {"type": "Warning", "reason": "Pending", "message": "8 more needed", "at": job.submitted_at}
    return Event.objects.create(
        submission=job, object_uid=f"event-{number}", source="kueue", regarding_kind="Workload", **known | columns
    )


def test_a_waiting_job_says_what_is_missing(place):
    access, client = place
    job = job_in(access, "queued", "waiting_for_quota", title="wide", **WAITS)
    html = text(client, url(job))
    assert "<title>Queued – wide – Choirmaster</title>" in html
    assert "Waiting for 8 more a100 GPUs" in html
    figures = [("Missing", "8"), ("Needs at once", "24"), ("Free to it now", "16"), ("Its queue reaches at most", "48")]
    for word, number in figures:
        assert f'<dt>{word}</dt><dd><b class="slot">{number} a100 GPUs</b></dd>' in html
    assert "position 1 of 2" in html


def test_only_the_message_about_this_job_s_quota_is_quoted(place):
    access, client = place
    job = job_in(access, "queued", "waiting_for_quota", **WAITS)
    conditions = [
        {"type": "QuotaReserved", "status": "False", "reason": "Pending", "message": "8 more needed"},
        {"type": "Evicted", "status": "True", "reason": "Preempted", "message": "for rival/secret-job"},
    ]
    Workload.objects.create(submission=job, object_uid="w", name="w", conditions=conditions, seen_at=job.submitted_at)
    html = text(client, url(job))
    assert "QuotaReserved=False  Pending\n8 more needed" in html
    assert "rival" not in html


def test_an_eviction_s_message_is_not_quoted_as_the_scheduler_s(place):
    """Kueue repeats it in QuotaReserved until its scheduler has looked again."""
    job = job_in(place[0], "preempted", "requeued", cause="InCohortReclamation")
    message = "Preempted to accommodate a workload; preemptor path: /gpu-cohort/rival"
    conditions = [{"type": "QuotaReserved", "status": "False", "reason": "Pending", "message": message}]
    Workload.objects.create(submission=job, object_uid="w", name="w", conditions=conditions, seen_at=job.submitted_at)
    html = text(place[1], url(job))
    assert "Stopped to give quota back" in html
    assert "rival" not in html


def test_a_job_that_is_well_has_no_panel_that_explains(place):
    job = job_in(place[0], "running", since="2026-01-01T00:00:00+00:00")
    assert "callout" not in text(place[1], url(job))


def test_a_failure_leads_to_the_log_of_its_culprit(place):
    job = job_in(place[0], "failed", "crashed", replica="worker-2", exit_code=1, restarts=3)
    html = text(place[1], url(job))
    assert "worker-2 exited with code 1; 3 restarts used up." in html
    assert f'href="{url(job, "logs/")}?replica=worker-2"' in html


@pytest.mark.parametrize(
    ("state", "reason", "tone"),
    [("starting", "image_failed", "failed"), ("running", "restarting", "warning"), ("queued", "", "queued")],
)
def test_trouble_looks_like_what_it_leads_to(place, state, reason, tone):
    job = job_in(place[0], state, reason, replica="worker-0")
    assert f"callout tone-{tone}" in text(place[1], url(job))


def test_a_position_that_is_not_known_is_said_to_be_so(place):
    numbers = {name: value for name, value in WAITS.items() if name not in {"position", "of"}}
    job = job_in(place[0], "queued", "waiting_for_quota", **numbers)
    assert "position not known yet" in text(place[1], url(job))


def test_earlier_reasons_are_kept(place):
    job = job_in(place[0], "queued", "waiting_for_quota", **WAITS)
    move(job, "running", after=5)
    assert "Waits for 8 more a100 GPUs; position 1 of 2." in text(place[1], f"{url(job)}?part=timeline")


@pytest.mark.parametrize("part", PARTS)
def test_each_part_comes_from_the_page_s_own_view(place, part):
    job = job_in(place[0], "queued", "waiting_for_quota", **WAITS)
    make_event(job)
    make_pod(job)
    html = text(place[1], f"{url(job)}?part={part}")
    assert "<html" not in html
    assert f'id="{part}"' in html
    assert f"?part={part}" in html


@pytest.mark.parametrize("address", ["?part=other", "replicas/?part=header", "manifest/?part=x", "logs/?part=x"])
def test_unknown_parts_are_not_there(place, address):
    assert place[1].get(url(make_submission(place[0]), address)).status_code == 404


def test_the_title_follows_where_a_part_is_fetched(place):
    job = job_in(place[0], "running", title="llama")
    response = place[1].get(f"{url(job)}?part=header", headers={"HX-Request": "true"})
    assert response.content.decode().strip().startswith("<title>Running – llama – Choirmaster</title>")


def test_replicas_show_the_newest_pod_of_each_and_trouble_first(place):
    job = job_in(place[0], "running")
    make_pod(job, 0)
    make_pod(job, 1, phase="Failed", exit_code=1, restarts=2, node="old-node")
    make_pod(job, 1, phase="Pending", state="waiting", ready=False, reason="ImagePullBackOff", node="")
    html = text(place[1], url(job, "replicas/"))
    assert "old-node" not in html
    assert html.index("worker-1") < html.index("worker-0")
    assert "No image" in html
    assert "no node yet" in html


def test_a_job_without_replicas_says_when_they_start(place):
    html = text(place[1], url(make_submission(place[0]), "replicas/"))
    assert "4 replicas were asked for. They start together" in html


def test_events_newest_first_with_counts(place):
    job = make_submission(place[0])
    make_event(job, 1, count=7)
    make_event(job, 2, type="Normal", reason="Later", at=job.submitted_at.replace(year=2030))
    html = text(place[1], url(job, "events/"))
    assert html.index("Later") < html.index("8 more needed")
    assert '<td class="number">7</td>' in html


def test_the_manifest_as_page_and_as_text(place):
    job = make_submission(place[0], title="llama")
    assert '<span class="key">apiVersion</span>: kubeflow.org/v1' in text(place[1], url(job, "manifest/"))
    plain = place[1].get(url(job, "manifest/?plain=1"))
    assert plain.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert plain.content.decode().startswith("apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata:\n  name: llama-")


def test_the_manifest_is_escaped(place):
    job = make_submission(place[0])
    Submission.objects.filter(pk=job.pk).update(manifest={"spec": {"evil": "<script>x</script>"}})
    assert "<script>x" not in text(place[1], url(job, "manifest/"))


@pytest.mark.parametrize("state", Submission.State.values)
def test_every_state_can_be_drawn_and_nothing_is_none(place, state):
    html = text(place[1], url(job_in(place[0], state)))
    for wrong in (">None<", "N/A", "undefined", "NaN"):
        assert wrong not in html


def test_who_is_offered_to_cancel(place):
    access, client = place
    job = job_in(access, "running")
    cancel = f'href="{url(job, "cancel/")}"'
    assert cancel in text(client, url(job))
    assert cancel in text(as_role(access, Role.OWNER), url(job))
    other = text(signed_in(make_access(access.tenant).user), url(job))
    assert cancel not in other
    assert "Only its author or an owner can cancel it." in other
    assert "cancel" not in text(as_role(access, Role.VIEWER), url(job)).lower()


def test_a_live_page_listens_to_its_job_and_a_finished_one_to_nothing(place):
    job = job_in(place[0], "running")
    assert f'data-live="/t/vision/live/?c=submission.{job.uid}"' in text(place[1], url(job))
    move(job, "succeeded")
    assert "data-live" not in text(place[1], url(job))


@pytest.mark.parametrize("tab", ["", "replicas/", "events/", "manifest/"])
def test_queries_of_a_page(place, tab, django_assert_max_num_queries):
    job = job_in(place[0], "queued", "waiting_for_quota", **WAITS)
    for number in range(4):
        make_event(job, number)
    with django_assert_max_num_queries(15):
        text(place[1], url(job, tab))


def test_another_tenant_s_job_is_not_there(place):
    theirs = make_submission()
    assert place[1].get(url(theirs)).status_code == 404
