"""A tenant whose namespace is on a sandbox, reached through a proxy at which things can go wrong."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from jobs.launch import launch
from jobs.models import Submission
from portal.kube.client import Cluster
from portal.kube.errors import NotFound
from portal.kube.kinds import ref_of
from tenants.access import Access
from tenants.models import Tenant
from tests.jobs.factories import make_submission, make_submitter
from tests.jobs.launch.proxy import Proxy, running_proxy
from tests.sandboxes import Sandbox, running_sandbox


@dataclass
class Place:
    sandbox: Sandbox
    proxy: Proxy
    cluster: Cluster
    access: Access

    def submission(self) -> Submission:
        return make_submission(self.access)

    def launch(self, submission: Submission) -> Submission:
        """One hint, however long the pause between tries is; the row as it is then."""
        Submission.objects.filter(pk=submission.pk).update(next_try_at=None)
        launch(self.cluster, submission.pk)
        submission.refresh_from_db()
        return submission

    def job(self, submission: Submission) -> dict[str, Any] | None:
        try:
            return self.cluster.get(ref_of(submission.manifest))
        except NotFound:
            return None

    def created(self) -> list[dict[str, Any]]:
        """Every job that the sandbox ever made, from its journal."""
        return [entry for entry in self.sandbox.journal() if entry["resource"] == "pytorchjobs.kubeflow.org"]


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    with running_sandbox(tmp_path_factory.mktemp("sandbox")) as sandbox:
        yield sandbox


@pytest.fixture
def place(db: None, sandbox: Sandbox, tmp_path: Path) -> Iterator[Place]:
    """Tests of one module share the sandbox; each has a namespace of its own."""
    token_file = tmp_path / "token"
    token_file.write_text(sandbox.token)
    access = make_submitter()
    namespace = json.loads(sandbox.call("POST", "/api/v1/namespaces", {"metadata": {"name": access.tenant.namespace}}))
    Tenant.objects.filter(pk=access.tenant.pk).update(namespace_uid=namespace["metadata"]["uid"])
    access.tenant.refresh_from_db()
    with running_proxy(sandbox.url) as proxy:
        yield Place(sandbox, proxy, Cluster(url=proxy.url, token_file=str(token_file)), access)
