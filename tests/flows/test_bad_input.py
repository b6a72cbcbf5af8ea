"""Bad input through form and REST: a message by the field, else 400, 413 or 415; nothing stored or sent; no 5xx."""

import json
import socket
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.db import transaction
from pytest_django import DjangoDbBlocker, Settings

from tests.flows.bad_inputs import BODIES, FIELDS, FORM_BODIES, BadBody, BadField
from tests.flows.people import Place, make_place
from tests.matrix.snapshot import query, snapshot

FORM_FIELDS = [case for case in FIELDS if case.form]


@pytest.fixture(scope="module")
def place(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Place]:
    """Made once: no call of this module may change it."""
    with django_db_blocker.unblock(), transaction.atomic():
        yield make_place()
        transaction.set_rollback(True)


@pytest.fixture(scope="module")
def stored(place: Place, django_db_blocker: DjangoDbBlocker) -> dict[str, tuple[int, str]]:
    with django_db_blocker.unblock():
        return snapshot(query())


@pytest.fixture(autouse=True)
def silent_cluster(settings: Settings) -> Iterator[None]:
    """A port where nobody may ever knock."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        settings.CLUSTER_URL = f"http://127.0.0.1:{listener.getsockname()[1]}"
        yield
        listener.setblocking(False)
        with pytest.raises(BlockingIOError):
            listener.accept()


@pytest.fixture(autouse=True)
def nothing_is_stored(db: None, stored: dict[str, tuple[int, str]]) -> Iterator[None]:
    yield
    assert snapshot(query()) == stored


@pytest.mark.parametrize("case", FIELDS, ids=str)
def test_rest_names_the_field(case: BadField, place: Place) -> None:
    answer = place.rest(json.dumps(_body(case)).encode())
    assert answer.status_code == 422, answer.content
    problem = answer.json()
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert case.path in {error["path"] for error in problem["errors"]}, problem
    assert case.words.lower() in " ".join(error["message"] for error in problem["errors"]).lower()


def _body(case: BadField) -> dict[str, Any]:
    body: dict[str, Any] = {"template": "pytorch-ddp", "name": "fine", "values": {"model": "m", "workers": 1}}
    name = case.path.removeprefix("values.")
    (body["values"] if name != case.path else body)[name] = case.value
    return body


@pytest.mark.parametrize("case", FORM_FIELDS, ids=str)
def test_the_form_names_the_field(case: BadField, place: Place) -> None:
    answer = place.form({"name": "fine", "values.model": "m", "values.workers": "1", case.path: str(case.value)})
    assert answer.status_code == 422
    form = answer.context["form"]
    shown_at = case.path if case.path in form.fields else "__all__"
    assert case.words.lower() in " ".join(form.errors[shown_at]).lower()
    page = answer.content.decode()
    assert "<title>Error: " in page
    assert shown_at == "__all__" or _is_marked(page, case.path)


def _is_marked(page: str, name: str) -> bool:
    """Whether the control of that name says that it is wrong (a group of radio buttons says it on its fieldset)."""
    controls = [tag for tag in page.split("<") if f'name="{name}"' in tag]
    return any('aria-invalid="true"' in tag for tag in controls) or f'id="id_{name}_error"' in page


@pytest.mark.parametrize("case", BODIES, ids=str)
def test_rest_refuses_the_body(case: BadBody, place: Place) -> None:
    answer = place.rest(case.body, case.content_type, case.headers)
    assert answer.status_code == case.status, answer.content[:300]
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert case.words in answer.content.decode()


@pytest.mark.parametrize("case", FORM_BODIES, ids=str)
def test_the_form_refuses_the_body(case: BadBody, place: Place) -> None:
    answer = place.form_bytes(case.body, case.content_type)
    assert answer.status_code == case.status
    assert case.words in answer.content.decode()


def test_the_table_is_long_enough(record_property: Callable[[str, object], None]) -> None:
    rest, form = len(FIELDS) + len(BODIES), len(FORM_FIELDS) + len(FORM_BODIES)
    assert rest + form >= 60
    record_property("figure", f"Bad input: {rest} cases through REST, {form} through the form")
