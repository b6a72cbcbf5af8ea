"""What the routes answer beyond who may ask (tests/test_access_matrix.py) and what is refused (tests/flows)."""

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import uuid4

import pytest
from django.db import connections
from django.test import Client
from pytest_django import Settings

from jobs.models import Event, IdempotencyKey, Submission
from tenants.models import Role
from tests.factories import make_access, make_token
from tests.jobs.factories import make_submission, make_submitter, make_template

pytestmark = pytest.mark.django_db
VALUES = {"model": "m", "workers": 1, "gpus_per_worker": 1}


class Caller:
    """A submitter of a new tenant, with a token."""

    def __init__(self, slug: str = "") -> None:
        self.access = make_submitter(slug)
        self.headers = {"Authorization": f"Bearer {make_token(self.access)[1]}"}
        self.root = f"/api/v1/tenants/{self.access.tenant.slug}/"

    def get(self, path: str, **query: object) -> Any:
        return Client().get(self.root + path, query, headers=self.headers)

    def post(self, path: str = "jobs/", body: object = None, key: str = "") -> Any:
        headers = {**self.headers, **({"Idempotency-Key": key} if key else {})}
        return Client().post(self.root + path, json.dumps(body), content_type="application/json", headers=headers)

    def submit(self, name: str = "a job", key: str = "") -> Any:
        return self.post(body={"template": "pytorch-ddp", "name": name, "values": VALUES}, key=key)


@pytest.fixture
def caller() -> Caller:
    return Caller()


def test_a_repeated_key_gives_the_first_job(caller: Caller) -> None:
    first, again = caller.submit(key="k"), caller.submit(key="k")
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json() == again.json()
    assert Submission.objects.count() == 1


def test_a_key_with_another_body_is_refused(caller: Caller) -> None:
    caller.submit("one", key="k")
    answer = caller.submit("two", key="k")
    assert (answer.status_code, answer.json()["code"]) == (422, "idempotency_key_reused")
    assert Submission.objects.count() == 1


def test_a_key_belongs_to_its_tenant(caller: Caller) -> None:
    assert caller.submit(key="k").status_code == 201
    assert Caller().submit(key="k").status_code == 201


@pytest.mark.django_db(transaction=True)
def test_parallel_calls_with_one_key_make_one_job() -> None:
    caller = Caller()

    def submit(_number: int) -> tuple[int, str]:
        answer = caller.submit(key="k")
        connections.close_all()
        return answer.status_code, answer.json()["uid"]

    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(submit, range(12)))
    assert sorted(status for status, _uid in answers) == [200] * 11 + [201]
    assert len({uid for _status, uid in answers}) == 1
    assert (Submission.objects.count(), IdempotencyKey.objects.count()) == (1, 1)


@pytest.mark.django_db(transaction=True)
def test_a_job_is_stored_while_redis_is_away(settings: Settings) -> None:
    caller = Caller()
    settings.CELERY_BROKER_URL = settings.REDIS_URL = "redis://127.0.0.1:1/0"
    assert caller.submit().status_code == 201
    assert Submission.objects.get().state == "submitted"


def test_a_session_opens_nothing_here(caller: Caller) -> None:
    browser = Client()
    browser.force_login(caller.access.user)
    answer = browser.get(caller.root + "jobs/")
    assert answer.status_code == 401
    assert answer.headers["WWW-Authenticate"].startswith("Bearer")
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert answer.json()["detail"].startswith("Send a token in the header “Authorization: Bearer cm_…”.")


def test_pages_follow_each_other_without_a_gap(caller: Caller) -> None:
    made = [str(make_submission(caller.access).uid) for _ in range(5)]
    first = caller.get("jobs/", limit=2).json()
    make_submission(caller.access)  # what arrives meanwhile shifts nothing
    second = caller.get("jobs/", limit=2, after=first["next"]).json()
    third = caller.get("jobs/", limit=2, after=second["next"]).json()
    assert [job["uid"] for page in (first, second, third) for job in page["items"]] == made[::-1]
    assert third["next"] is None


@pytest.mark.parametrize("path", ["jobs/", "templates/"])
def test_the_queries_of_a_list_do_not_grow_with_it(
    caller: Caller, path: str, django_assert_max_num_queries: Any
) -> None:
    for number in range(5):
        make_submission(caller.access)
        make_template(slug=f"template-{number}")
    with django_assert_max_num_queries(6):
        items = caller.get(path).json()["items"]
    assert len(items) >= 5


def test_the_list_is_narrowed_to_a_state(caller: Caller) -> None:
    running, _submitted = make_submission(caller.access), make_submission(caller.access)
    Submission.objects.filter(pk=running.pk).update(state="running")
    assert [job["uid"] for job in caller.get("jobs/", state="running").json()["items"]] == [str(running.uid)]


@pytest.mark.parametrize(
    "query",
    [
        "user__password=x", "tenant=other", "_connector=OR", "state=Running", "state=", "after=1", "limit=0",
        "limit=201", "limit=x", "limit=1&limit=2", "order=name", "format=json",
    ],
)  # fmt: skip
def test_an_unknown_or_wrong_parameter_is_refused(query: str, caller: Caller) -> None:
    answer = caller.get(f"jobs/?{query}")
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_query")
    assert answer.json()["errors"][0]["path"] == query.partition("=")[0]


def test_a_state_that_does_not_exist_is_answered_with_those_that_do(caller: Caller) -> None:
    detail = caller.get("jobs/", state="done").json()["detail"]
    assert detail.startswith("state: “done” is no state; the states are: submitted, queued, ")


def test_another_tenants_cursor_is_nothing(caller: Caller) -> None:
    theirs = make_submission()
    assert caller.get("jobs/", after=theirs.uid).status_code == caller.get("jobs/", after=uuid4()).status_code == 404


def test_a_dry_run_without_a_cluster_says_so(caller: Caller) -> None:
    answer = caller.post("jobs/?dry_run=1", {"template": "pytorch-ddp", "name": "a", "values": VALUES})
    assert (answer.status_code, answer.json()["code"]) == (503, "cluster_unavailable")
    assert not Submission.objects.exists()


def test_templates_come_with_their_schema(caller: Caller) -> None:
    [listed] = caller.get("templates/").json()["items"]
    shown = caller.get(f"templates/{listed['slug']}/").json()
    assert (listed["version"], shown["version"], shown["kind"]) == (1, 1, "PyTorchJob")
    assert "gpus_per_worker" in shown["schema"]["properties"]
    assert caller.get("templates/nothing/").status_code == 404


def test_cancelling_a_job_that_is_over_is_a_conflict(caller: Caller) -> None:
    job = make_submission(caller.access)
    Submission.objects.filter(pk=job.pk).update(state="succeeded")
    assert caller.post(f"jobs/{job.uid}/cancel/", {}).status_code == 409


def test_thousands_of_unknown_fields_get_a_short_answer(caller: Caller) -> None:
    answer = caller.post(body={f"field{number}": 1 for number in range(5000)})
    assert answer.status_code == 422
    assert len(answer.content) < 5000


def test_cancelling_takes_no_body(caller: Caller) -> None:
    job = make_submission(caller.access)
    answer = caller.post(f"jobs/{job.uid}/cancel/", {"force": True})
    assert (answer.status_code, answer.json()["errors"][0]["path"]) == (422, "force")
    assert caller.post(f"jobs/{job.uid}/cancel/", {}).json()["state"] == "stopping"


def test_a_log_says_why_it_is_empty(caller: Caller) -> None:
    job = make_submission(caller.access)
    log = caller.get(f"jobs/{job.uid}/logs/", replica="worker-3").json()
    assert (log["replica"], log["lines"], log["empty"]) == ("worker-3", [], "not_started")
    assert caller.get(f"jobs/{job.uid}/logs/", replica="worker-4").status_code == 404
    assert caller.get(f"jobs/{job.uid}/logs/", replica="../../secrets").status_code == 400


def test_events_come_newest_first(caller: Caller) -> None:
    job = make_submission(caller.access)
    for number in range(3):
        Event.objects.create(
            submission=job,
            object_uid=f"event-{number}",
            at=f"2026-01-0{number + 1}T00:00:00Z",
            type="Normal",
            reason=f"R{number}",
            message="m",
            source="kueue-admission",
            regarding_kind="Workload",
            regarding_name="w",
        )
    assert [event["reason"] for event in caller.get(f"jobs/{job.uid}/events/").json()["items"]] == ["R2", "R1", "R0"]


def test_a_viewers_refusal_names_the_role_and_who_gives_it(caller: Caller) -> None:
    tenant = caller.access.tenant
    owner = make_access(tenant, role=Role.OWNER).user
    viewer = make_access(tenant, role=Role.VIEWER)
    caller.headers = {"Authorization": f"Bearer {make_token(viewer)[1]}"}
    detail = caller.submit().json()["detail"]
    assert "submitter" in detail
    assert owner.email in detail
