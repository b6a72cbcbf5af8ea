"""Fixtures of the sandbox's tests: a store on disk, a running server, and the official client pointed at it."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from kubernetes import client

from sandbox.store import Store
from tests.sandboxes import Sandbox, running_sandbox

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A store at noon with the namespace team-a."""
    made = Store(tmp_path, start=NOON)
    made.create("namespaces", {"metadata": {"name": "team-a"}})
    yield made
    made.close()


@pytest.fixture
def sandbox(tmp_path: Path) -> Iterator[Sandbox]:
    """A server with the demo's nodes, a manual clock and the namespace team-a."""
    with running_sandbox(tmp_path) as running:
        running.call("POST", "/api/v1/namespaces", {"metadata": {"name": "team-a"}})
        yield running


@pytest.fixture
def api(sandbox: Sandbox) -> Iterator[client.ApiClient]:
    """The official client as the administrator."""
    with official_client(sandbox) as made:
        yield made


@pytest.fixture
def core(api: client.ApiClient) -> client.CoreV1Api:
    return client.CoreV1Api(api)


@pytest.fixture
def custom(api: client.ApiClient) -> client.CustomObjectsApi:
    return client.CustomObjectsApi(api)


def official_client(sandbox: Sandbox, token: str = "") -> client.ApiClient:
    configuration = client.Configuration(host=sandbox.url)
    configuration.api_key = {"authorization": f"Bearer {token or sandbox.token}"}
    return client.ApiClient(configuration)
