"""A tenant with people of every role, signed in, and ways to put jobs into a state."""

from datetime import timedelta

from django.test import Client
from django.utils import timezone

from jobs.models import Pod, StateChange, Submission
from tenants.access import Access
from tenants.models import Role, User
from tests.factories import make_member
from tests.jobs.factories import make_submission, make_submitter


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def as_submitter(slug: str = "vision") -> tuple[Access, Client]:
    access = make_submitter(slug)
    return access, signed_in(access.user)


def as_role(access: Access, role: Role) -> Client:
    return signed_in(make_member(access.tenant, role))


def job_in(access: Access, state: str, reason: str = "", *, title: str = "", **params: object) -> Submission:
    """A job that derive gave this state; the change is kept as the mirror does."""
    job = make_submission(access, title=title)
    return move(job, state, reason, **params)


def move(job: Submission, state: str, reason: str = "", *, after: float = 0, **params: object) -> Submission:
    """The job, now in another state, `after` seconds from now."""
    at = timezone.now() + timedelta(seconds=after)
    columns = {"state": state, "reason": reason or state, "params": params, "state_since": at}
    Submission.objects.filter(pk=job.pk).update(**columns)
    StateChange.objects.create(submission=job, state=state, reason=reason or state, params=params, at=at)
    job.refresh_from_db()
    return job


def make_pod(job: Submission, index: int = 0, **columns: object) -> Pod:
    now = timezone.now()
    known = {"phase": "Running", "state": "running", "ready": True, "node": "a100-1", "started_at": now}
    return Pod.objects.create(
        submission=job,
        object_uid=f"{job.uid}-{index}-{Pod.objects.count()}",
        name=f"{job.job_name}-worker-{index}",
        role="worker",
        index=index,
        container="pytorch",
        created_at=now,
        seen_at=now,
        **known | columns,
    )
