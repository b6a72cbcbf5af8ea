import pytest
from django.conf import settings
from django.test import Client

from tests.factories import make_user

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.portal.http.urls")]


def test_an_id_is_made_and_echoed(client):
    first, second = (client.get("/echo/")["X-Request-ID"] for _ in range(2))
    assert len(first) == 36
    assert first != second


@pytest.mark.parametrize("sent", ["short", "a" * 37, "not safe<>", "line\x85break"])
def test_an_id_that_is_not_taken_over(client, sent):
    assert client.get("/echo/", headers={"X-Request-ID": sent})["X-Request-ID"] != sent


def test_an_id_that_is_taken_over(client):
    assert client.get("/echo/", headers={"X-Request-ID": "ci-run-4711"})["X-Request-ID"] == "ci-run-4711"


def test_nothing_is_stored_by_caches(client):
    response = client.get("/sign-in/")
    assert response["Cache-Control"] == "private, no-store"
    assert {"HX-Request", "Cookie"} <= {name.strip() for name in response["Vary"].split(",")}


def test_the_largest_body(client):
    body = b"x" * settings.MAX_BODY_BYTES
    assert client.post("/echo/", body, content_type="text/plain").content == str(len(body)).encode()


@pytest.mark.parametrize("path", ["/echo/", "/api/v1/fail/portal/"])
def test_a_body_that_is_too_large(client, path):
    response = client.post(path, b"x" * (settings.MAX_BODY_BYTES + 1), content_type="application/json")
    assert response.status_code == 413
    assert str(settings.MAX_BODY_BYTES) in response.content.decode()


@pytest.mark.parametrize("path", ["/echo/?q=a%00b", "/echo/%00/"])
def test_a_nul_in_the_address(client, path):
    response = client.get(path)
    assert response.status_code == 400
    assert "NUL" in response.content.decode()


@pytest.mark.parametrize("path", ["/echo/", "/private/", "/api/v1/private/", "/nothing/"])
def test_a_nul_in_a_cookie(client, path):
    response = client.get(path, headers={"Cookie": f'{settings.SESSION_COOKIE_NAME}="\\000aaaaaaaaaaa"'})
    assert response.status_code == 400
    assert "cookie holds a NUL" in response.content.decode()


@pytest.mark.parametrize("charset", ["hex", "rot13", "idna", "undefined", "unicode_escape", "utf-7", "utf-16"])
def test_a_form_in_another_charset(client, charset):
    body = '--x\r\nContent-Disposition: form-data; name="email"\r\n\r\n\\ud800+2AA-\r\n--x--\r\n'
    response = client.generic(
        "POST", "/sign-in/", body, content_type=f"multipart/form-data; boundary=x; charset={charset}"
    )
    assert response.status_code == 415
    assert "in UTF-8" in response.content.decode()


@pytest.mark.parametrize("content_type", ["multipart/form-data; boundary=", "application/x-www-form-urlencoded"])
def test_a_malformed_form_leaves_no_traceback(content_type, caplog):
    body = "&".join(f"field{number}=1" for number in range(settings.DATA_UPLOAD_MAX_NUMBER_FIELDS + 1))
    strict = Client(enforce_csrf_checks=True)
    response = strict.generic("POST", "/sign-in/", body, content_type=content_type)
    assert response.status_code == 400
    assert not any(record.exc_info for record in caplog.records)


@pytest.mark.parametrize("charset", ["utf-8", "UTF8", "no-such-charset"])
def test_a_form_in_the_one_charset(client, charset):
    content_type = f"multipart/form-data; boundary=x; charset={charset}"
    assert client.generic("POST", "/sign-in/", b"--x--\r\n", content_type=content_type).status_code == 422


def test_a_page_needs_a_user(client):
    response = client.get("/private/?a=1")
    assert (response.status_code, response["Location"]) == (302, "/sign-in/?next=/private/%3Fa%3D1")
    client.force_login(make_user())
    assert client.get("/private/").content == b"private"


def test_a_form_sent_by_a_stranger_does_not_come_back(client):
    assert client.post("/private/")["Location"] == "/sign-in/"


@pytest.mark.parametrize("headers", [{"HX-Request": "true"}, {"Accept": "text/event-stream"}])
def test_fragments_and_streams_are_not_answered_by_a_sign_in_page(client, headers):
    response = client.get("/private/", headers=headers)
    assert (response.status_code, response["HX-Refresh"]) == (401, "true")


def test_a_session_opens_no_door_of_rest(client):
    client.force_login(make_user())
    response = client.get("/api/v1/private/")
    assert response.status_code == 401
    assert response["WWW-Authenticate"].startswith("Bearer")


def test_a_user_who_was_switched_off_is_signed_out(client):
    user = make_user()
    client.force_login(user)
    user.is_active = False
    user.save()
    assert client.get("/private/").status_code == 302


def test_health(client):
    assert client.get("/healthz/").content == b"ok\n"
