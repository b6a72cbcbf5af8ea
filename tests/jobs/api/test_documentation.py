"""The served OpenAPI document against the routes: nothing undocumented, nothing invented, every refusal described."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from django.urls import URLPattern
from drf_spectacular.drainage import GENERATOR_STATS, reset_generator_stats
from drf_spectacular.validation import validate_schema

from jobs.api.documentation import _document
from jobs.api.views import TenantView
from portal.api_urls import urlpatterns

PROBLEM = "application/problem+json"
EVERYWHERE = {"400", "401", "403", "404", "429", "503"}
PREFIX = "/api/v1/"


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    reset_generator_stats()
    _document.cache_clear()
    answer = Client().get(f"{PREFIX}openapi.json")
    assert answer.status_code == 200
    assert not GENERATOR_STATS, "drf-spectacular warns about a view; run manage.py spectacular"
    loaded: dict[str, Any] = json.loads(answer.content)
    return loaded


def operations(document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for path, item in document["paths"].items():
        for method, operation in item.items():
            yield f"{method} {path}", operation


def routes(patterns: Any = urlpatterns, prefix: str = PREFIX) -> Iterator[tuple[str, type[TenantView]]]:
    for pattern in patterns:
        route = prefix + str(pattern.pattern)
        if not isinstance(pattern, URLPattern):
            yield from routes(pattern.url_patterns, route)
        elif pattern.name != "openapi":
            yield route, pattern.callback.view_class  # type: ignore[attr-defined]


def test_it_is_valid_openapi(document: dict[str, Any]) -> None:
    validate_schema(document)


def test_every_route_and_method_is_described(document: dict[str, Any]) -> None:
    served = {
        f"{method} {route.replace('<uuid:', '{').replace('<slug:', '{').replace('>', '}')}"
        for route, view in routes()
        for method in view.http_method_names
        if method not in {"head", "options"} and hasattr(view, method)
    }
    assert served == {name for name, _ in operations(document)}


def test_every_refusal_is_described(document: dict[str, Any]) -> None:
    for name, operation in operations(document):
        wanted = EVERYWHERE | ({"413", "415", "422"} if name.startswith("post") else set())
        problems = {status for status, answer in operation["responses"].items() if PROBLEM in answer["content"]}
        assert wanted <= problems, name
        assert operation["summary"]
        assert operation["security"] == [{"token": []}], name
        for status in problems:
            assert operation["responses"][status]["description"]
            assert operation["responses"][status]["content"][PROBLEM]["schema"]["$ref"].endswith("/ProblemOutput")


def test_submitting_names_its_key_and_its_dry_run(document: dict[str, Any]) -> None:
    operation = document["paths"]["/api/v1/tenants/{tenant}/jobs/"]["post"]
    parameters = {(parameter["in"], parameter["name"]) for parameter in operation["parameters"]}
    assert {("header", "Idempotency-Key"), ("query", "dry_run"), ("path", "tenant")} == parameters
    assert {"200", "201", "409"} <= set(operation["responses"])
    assert list(operation["requestBody"]["content"]) == ["application/json"]


def test_listing_names_its_filters(document: dict[str, Any]) -> None:
    operation = document["paths"]["/api/v1/tenants/{tenant}/jobs/"]["get"]
    assert {parameter["name"] for parameter in operation["parameters"]} == {"tenant", "state", "after", "limit"}


def test_it_needs_no_token_and_shows_no_tenant(document: dict[str, Any]) -> None:
    assert Client().get(f"{PREFIX}openapi.json").status_code == 200
    assert "premium" not in json.dumps(document)
