import pytest
from django.contrib.sessions.backends.db import SessionStore
from django.db import OperationalError

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.portal.http.urls")]


def document(client, failure):
    response = client.get(f"/api/v1/fail/{failure}/")
    assert response["Content-Type"] == "application/problem+json"
    body = response.json()
    assert body["status"] == response.status_code
    assert "secret reason" not in response.content.decode()
    return response, body


@pytest.mark.parametrize(
    ("failure", "status", "code"),
    [
        ("portal", 429, "odd"),
        ("not-found", 404, "not_found"),
        ("forbidden", 403, "forbidden"),
        ("invalid", 422, "invalid"),
        ("conflict", 409, "changed"),
        ("http404", 404, "not_found"),
        ("denied", 403, "forbidden"),
        ("bad", 400, "bad_request"),
        ("database", 503, "database_unavailable"),
        ("drf-invalid", 422, "invalid"),
        ("drf-parse", 400, "parse_error"),
        ("drf-throttled", 429, "throttled"),
        ("drf-type", 415, "unsupported_media_type"),
    ],
)
def test_failures_of_rest(client, failure, status, code):
    _, body = document(client, failure)
    assert (body["status"], body["code"]) == (status, code)
    assert body["type"] == f"urn:choirmaster:problem:{code}"
    assert body["title"] and body["detail"]


def test_fields_are_named(client):
    _, body = document(client, "invalid")
    assert body["errors"] == [{"path": "values.workers", "message": "Use 64 or fewer."}]


def test_drf_s_nested_messages_become_dotted_paths(client):
    _, body = document(client, "drf-invalid")
    assert body["errors"] == [{"path": "values.workers", "message": "Use 64."}, {"path": "", "message": "No."}]


@pytest.mark.parametrize(("failure", "seconds"), [("portal", "7"), ("drf-throttled", "9"), ("database", "5")])
def test_seconds_to_wait(client, failure, seconds):
    response, _ = document(client, failure)
    assert response["Retry-After"] == seconds


def test_a_method_that_is_not_there(client):
    response = client.post("/api/v1/fail/portal/")
    assert response.status_code == 405
    assert set(response["Allow"].split(", ")) == {"GET", "OPTIONS"}


def test_a_route_of_rest_that_is_not_there(client):
    response = client.get("/api/v1/nothing/")
    assert (response.status_code, response["Content-Type"]) == (404, "application/problem+json")


@pytest.mark.parametrize("prefix", ["", "/api/v1"])
def test_a_fault_of_ours_gives_an_id_and_no_more(client, prefix):
    client.raise_request_exception = False
    response = client.get(f"{prefix}/fail/bug/", headers={"X-Request-ID": "id-12345"})
    assert response.status_code == 500
    assert "id-12345" in response.content.decode()
    assert "secret reason" not in response.content.decode()


@pytest.mark.parametrize(
    ("failure", "status", "words"),
    [
        ("portal", 429, "Do it &lt;otherwise&gt;."),
        ("http404", 404, "There is nothing here, or it is not yours to see."),
        ("forbidden", 403, "Only an owner can."),
        ("invalid", 422, "Use 64 or fewer."),
        ("conflict", 409, "It changed."),
        ("bad", 400, "malformed"),
        ("database", 503, "try again in 5 seconds"),
    ],
)
def test_pages(client, failure, status, words):
    response = client.get(f"/fail/{failure}/")
    assert response.status_code == status
    assert words in response.content.decode()
    assert "<main" in response.content.decode()


@pytest.mark.parametrize("path", ["/private/", "/sign-in/", "/nothing/"])
def test_a_session_that_cannot_be_read_is_no_fault_of_ours(client, path, settings, monkeypatch):
    def unanswered(session: SessionStore, *args: object) -> None:
        raise OperationalError("secret reason")

    monkeypatch.setattr(SessionStore, "load", unanswered)
    client.raise_request_exception = False
    client.cookies[settings.SESSION_COOKIE_NAME] = "a" * 32
    response = client.get(path)
    assert (response.status_code, response["Retry-After"]) == (503, "5")
    assert "secret reason" not in response.content.decode()


def test_a_fragment_is_one_line(client):
    response = client.get("/fail/portal/", headers={"HX-Request": "true"})
    assert response.status_code == 429
    assert response.content.decode() == "<p>Do it &lt;otherwise&gt;.</p>"


def test_foreign_and_missing_pages_look_the_same(client):
    headers = {"X-Request-ID": "id-12345"}
    missing = client.get("/nothing/", headers=headers)
    foreign = client.get("/fail/not-found/", headers=headers)
    assert (missing.status_code, missing.content) == (foreign.status_code, foreign.content)


def test_a_form_without_its_csrf_token():
    from django.test import Client

    response = Client(enforce_csrf_checks=True).post("/sign-in/", {"email": "a@b.test"})
    assert response.status_code == 403
    assert "reload the page" in response.content.decode()
