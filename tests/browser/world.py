"""One tenant with jobs in the states that people meet, and the addresses of its pages."""

from dataclasses import dataclass

from django.utils import timezone

from jobs.models import Event, Heartbeat, Submission
from tenants.access import Access
from tenants.models import Role, User
from tests.factories import make_member, make_token
from tests.jobs.factories import make_submitter, make_template
from tests.jobs.views.pages import job_in, make_pod

GPUS = {"resource": "nvidia.com/gpu", "flavor": "a100"}
WAITS = GPUS | {"missing": 8, "needs": 24, "at_most": 48, "position": 1, "of": 2}
JOBS: dict[str, tuple[str, dict[str, object]]] = {
    "submitted": ("pending", {}),
    "queued": ("waiting_for_quota", WAITS),
    "cannot_run": ("exceeds_max_quota", GPUS | {"needs": 160, "at_most": 48}),
    "starting": ("image_failed", {"replica": "worker-1", "image": "registry.internal/a:1", "message": "not found"}),
    "running": ("running", {"since": "2026-11-01T10:00:00+00:00"}),
    "preempted": ("waiting_for_quota", WAITS),
    "stopping": ("stopping", {"pods": 3}),
    "succeeded": ("succeeded", {"seconds": 34860}),
    "failed": ("crashed", {"replica": "worker-2", "exit_code": 1, "restarts": 3}),
    "cancelled": ("cancelled", {"by": "owner@example.test"}),
    "rejected": ("rejected", {"message": "spec is required"}),
    "unknown": ("deleted_outside", {}),
}


@dataclass(frozen=True)
class World:
    access: Access
    viewer: User
    jobs: dict[str, Submission]

    def job(self, state: str, tab: str = "") -> str:
        return f"/t/vision/jobs/{self.jobs[state].uid}/{tab}"

    def pages(self) -> list[tuple[str, User | None]]:
        """(address, who looks at it) of every kind of page."""
        user = self.access.user
        tabs = [self.job("running", tab) for tab in ("logs/", "replicas/", "events/", "manifest/", "cancel/")]
        places = [
            "/t/",
            "/t/vision/jobs/",
            "/t/vision/jobs/?q=nothing",
            "/t/vision/jobs/new/",
            "/me/tokens/",
            "/nowhere/",
        ]
        states = [self.job(state) for state in ("queued", "starting", "failed", "unknown")]
        form = "/t/vision/jobs/new/pytorch-ddp/"
        mine = [(address, user) for address in (*places, form, *tabs, *states)]
        return [("/sign-in/", None), *mine, (form, self.viewer), (self.job("running", "cancel/"), self.viewer)]


def make_world() -> World:
    access = make_submitter("vision")
    make_template(slug="second", name="A second template")
    make_token(access)
    jobs = {state: job_in(access, state, reason, title=state, **params) for state, (reason, params) in JOBS.items()}
    for index in range(4):
        make_pod(jobs["running"], index)
        make_pod(jobs["failed"], index, **({"phase": "Failed", "exit_code": 1} if index == 2 else {}))
    event = {
        "at": timezone.now(),
        "type": "Warning",
        "reason": "Pending",
        "message": "8 more needed",
        "source": "kueue",
    }
    for number, job in enumerate((jobs["running"], jobs["queued"])):
        Event.objects.create(submission=job, object_uid=f"e{number}", regarding_kind="Workload", **event)
    Heartbeat.objects.beat(now=timezone.now())
    return World(access, make_member(access.tenant, Role.VIEWER), jobs)
