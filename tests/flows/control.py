"""A sandbox whose clock the test moves, and what worker, beat and watch do, called by hand and in order."""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_django import Settings

from jobs.launch import launch
from jobs.mirror import resync
from jobs.models import Submission
from portal.kube.client import Cluster, cluster_from_settings
from portal.kube.kinds import PYTORCHJOB, Object, Ref
from quotas.schedule import apply_unapplied
from tenants.models import Tenant
from tests.sandboxes import Sandbox, running_sandbox

CLAIMS = ("training-data", "checkpoint-pvc")


@dataclass(frozen=True)
class Control:
    sandbox: Sandbox
    cluster: Cluster

    def apply(self, *tenants: Tenant) -> None:
        """Queues and namespaces as beat applies them, and the claims that an admin makes."""
        apply_unapplied(self.cluster)
        for tenant in tenants:
            for claim in CLAIMS:
                self.cluster.create(claim_of(tenant.namespace, claim))
        resync(self.cluster)

    def work(self) -> None:
        """What the worker does with every hint."""
        for pk in Submission.objects.due().order_by("id").values_list("pk", flat=True):
            launch(self.cluster, pk)

    def pass_time(self, seconds: float) -> None:
        self.work()
        self.sandbox.tick(seconds)
        resync(self.cluster)

    def until(self, submission: uuid.UUID, state: str, *, step: int = 5, seconds: int = 600) -> list[str]:
        """Passes time, `step` seconds by `step`, until the job is in `state`; the states that it went through."""
        row = Submission.objects.get(uid=submission)
        for _second in range(0, seconds, step):
            row.refresh_from_db()
            if row.state == state:
                return [*row.changes.order_by("id").values_list("state", flat=True)]
            self.pass_time(step)
        raise AssertionError(f"{row.state} ({row.reason} {row.params}) and not {state} after {seconds} s")

    def job(self, submission: uuid.UUID) -> Object:
        row = Submission.objects.get(uid=submission)
        return self.cluster.get(Ref(PYTORCHJOB, row.job_name, row.namespace))


@contextmanager
def running_control(folder: Path, settings: Settings) -> Iterator[Control]:
    with running_sandbox(folder) as sandbox:
        token_file = folder / "token"
        token_file.write_text(sandbox.token)
        settings.CLUSTER_URL, settings.CLUSTER_TOKEN_FILE = sandbox.url, str(token_file)
        yield Control(sandbox, cluster_from_settings())


def claim_of(namespace: str, name: str) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"accessModes": ["ReadWriteMany"], "resources": {"requests": {"storage": "1Ti"}}},
    }
