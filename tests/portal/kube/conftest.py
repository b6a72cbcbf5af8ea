from collections.abc import Iterator
from pathlib import Path

import pytest

from portal.kube.client import Cluster
from tests.sandboxes import Sandbox, running_sandbox


@pytest.fixture
def sandbox(tmp_path: Path) -> Iterator[Sandbox]:
    with running_sandbox(tmp_path) as sandbox:
        yield sandbox


@pytest.fixture
def cluster(sandbox: Sandbox, tmp_path: Path) -> Cluster:
    """Of the sandbox, with a namespace cm-team."""
    token_file = tmp_path / "token"
    token_file.write_text(sandbox.token + "\n")
    cluster = Cluster(url=sandbox.url, token_file=str(token_file))
    cluster.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "cm-team"}})
    return cluster
