"""Every route × method × query × actor: who is let in, who is refused and how, and that a refusal changes nothing.

The rows are in tests/matrix/rows.py; a route without one fails here.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from django.conf import settings
from django.db import transaction
from django.http.response import HttpResponseBase
from pytest_django import DjangoDbBlocker

from tests.matrix.actors import ACTORS, Actor, Outcome, expected
from tests.matrix.rows import ROWS, Door, Need, Row, routes
from tests.matrix.snapshot import query, snapshot
from tests.matrix.world import World, make_world

pytestmark = pytest.mark.django_db
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
SUCCESS = frozenset({200, 201, 302, 303})
BY_NAME = {actor.name: actor for actor in ACTORS}
OWNERS = {Door.PAGE: BY_NAME["owner, session"], Door.REST: BY_NAME["owner, token"]}
REFUSED = {Outcome.UNKNOWN: 401, Outcome.FORBIDDEN: 403, Outcome.NOT_FOUND: 404}
CASES = [
    (name, method, query, actor)
    for name, row in ROWS.items()
    for method in METHODS
    for query in row.queries_of(method)
    for actor in ACTORS
]


@pytest.fixture(scope="module")
def world(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[World]:
    """Made once: each call of the matrix is rolled back by itself."""
    with django_db_blocker.unblock(), transaction.atomic():
        yield make_world()
        transaction.set_rollback(True)


def test_every_route_has_a_row(record_property: Callable[[str, object], None]) -> None:
    assert set(ROWS) == set(routes())
    record_property("figure", f"Access matrix: {len(ROWS)} routes, N = {len(CASES)} calls")


def test_every_part_has_a_row() -> None:
    """A part of a page is a partial of its template (jobs.views.pages.part_of)."""
    templates = Path(settings.BASE_DIR, "templates").rglob("*.html")
    defined = {name for path in templates for name in re.findall(r"{% partialdef (\w+)", path.read_text())}
    queries = {query for row in ROWS.values() for method in METHODS for query in row.queries_of(method)}
    assert defined == set(re.findall(r"part=(\w+)", " ".join(queries)))


@pytest.mark.parametrize("name", ROWS)
def test_route(name: str, world: World) -> None:
    sql = query()
    before = snapshot(sql)
    wrong = []
    for _, method, parameters, actor in (case for case in CASES if case[0] == name):
        with transaction.atomic():
            answer = world.call(name, method, parameters, actor)
            fault = judge(ROWS[name], method, actor, answer) or _change(answer, before, sql)
            transaction.set_rollback(True)
        if fault:
            wrong.append(f"{method} {parameters} by {actor.name}: {fault}")
    assert wrong == []


@pytest.mark.parametrize("name", [name for name, route in routes().items() if "<uuid:uid>" in route])
def test_what_is_another_tenants_is_as_if_it_were_not_there(name: str, world: World) -> None:
    """Not even its existence shows: the same answer, to the byte, as for a uid that nobody has."""
    row = ROWS[name]
    for method in row.methods:
        answers = [
            world.call(name, method, "", OWNERS[row.door], uid=uid) for uid in (world.foreign_uid(name), uuid4())
        ]
        assert [answer.status_code for answer in answers] == [404, 404]
        assert _told(answers[0]) == _told(answers[1])


def _told(answer: HttpResponseBase) -> str:
    """The body without what differs from answer to answer."""
    return re.sub(r'value="[A-Za-z0-9]{64}"|[0-9a-f-]{36}', "", answer.content.decode())  # type: ignore[attr-defined]


def _change(answer: HttpResponseBase, before: dict[str, tuple[int, str]], sql: str) -> str:
    """What a call that was not let in changed."""
    if answer.status_code < 400 and not _leads_to_sign_in(answer):
        return ""
    after = snapshot(sql)
    changed = [table for table in before if after[table] != before[table]]
    return f"refused with {answer.status_code}, but changed {changed}" if changed else ""


def judge(row: Row, method: str, actor: Actor, answer: HttpResponseBase) -> str:
    """What is wrong with the answer, or nothing."""
    need = row.methods.get("GET" if method == "HEAD" else method)
    if need is None:
        harmless = answer.status_code in {401, 403, 404, 405} or _leads_to_sign_in(answer)
        return "" if harmless else f"this method does not exist, but answered {answer.status_code}"
    outcome = expected(row.door, need, actor)
    if outcome is Outcome.IN:
        let_in = answer.status_code in SUCCESS | row.also and (need is Need.ANYBODY or not _leads_to_sign_in(answer))
        return "" if let_in else f"should be let in, but answered {answer.status_code}"
    if outcome is Outcome.SIGN_IN:
        return "" if _leads_to_sign_in(answer) else f"should be led to the sign-in, but answered {answer.status_code}"
    wanted = REFUSED[outcome]
    return "" if answer.status_code == wanted else f"should be {wanted}, but answered {answer.status_code}"


def _leads_to_sign_in(answer: HttpResponseBase) -> bool:
    return answer.status_code == 302 and answer.headers["Location"].startswith("/sign-in/")
