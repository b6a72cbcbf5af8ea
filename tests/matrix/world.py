"""Two tenants, a person for each role, tokens of every kind, and a job: each route can show or change something."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.conf import settings
from django.http.response import HttpResponseBase
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from jobs.models import Pod, Submission
from tenants.access import Access
from tenants.models import ApiToken, Role, Tenant
from tests.factories import make_access, make_admin, make_cohort_of_the_demo, make_member, make_token
from tests.jobs.factories import make_submission, make_template
from tests.matrix.actors import Actor, Person
from tests.matrix.rows import ROWS, Door, routes

ROLES = {
    Person.VIEWER: Role.VIEWER,
    Person.AUTHOR: Role.SUBMITTER,
    Person.OTHER: Role.SUBMITTER,
    Person.OWNER: Role.OWNER,
}
VALUES = {"model": "m", "workers": 1, "gpus_per_worker": 1}


@dataclass(frozen=True)
class World:
    tenant: Tenant
    submission: Submission
    own_token: ApiToken  # the author's, for the page that revokes it
    foreign: Submission  # of the other tenant
    sessions: dict[Person, str]
    secrets: dict[str, str]
    client: Client = field(default_factory=lambda: Client(raise_request_exception=False))

    def call(self, name: str, method: str, parameters: str, actor: Actor, uid: UUID | None = None) -> HttpResponseBase:
        """`uid` stands in the place of the tenant's own job, or of the author's own token."""
        headers = {"Authorization": f"Bearer {self.secrets[actor.token]}"} if actor.token else {}
        if ROWS[name].door is Door.REST:
            body, content_type = json.dumps(self._json(name)), "application/json"
        else:
            body, content_type = self._form(name), "application/x-www-form-urlencoded"
        # Signing out takes the cookie away: each call brings its own.
        self.client.cookies.clear()
        if actor.session:
            self.client.cookies[settings.SESSION_COOKIE_NAME] = self.sessions[actor.session]
        return self.client.generic(
            method,
            self._url(name, uid) + parameters.format(uid=self.submission.uid),
            body,
            content_type,
            headers=headers,
        )

    def foreign_uid(self, name: str) -> UUID:
        """Of something that exists and is not theirs who may do most in the tenant, its owner."""
        return self.own_token.uid if name == "tenants:token-revoke" else self.foreign.uid

    def _url(self, name: str, uid: UUID | None) -> str:
        values = {
            "tenant": self.tenant.slug,
            "template": "pytorch-ddp",
            "uid": uid or (self.own_token.uid if name == "tenants:token-revoke" else self.submission.uid),
        }
        return reverse(name, kwargs={key: values[key] for key in re.findall(r"<(?:\w+:)?(\w+)>", routes()[name])})

    def _json(self, name: str) -> dict[str, Any]:
        if name != "api:submission-collection":
            return {}
        return {"template": "pytorch-ddp", "name": "matrix", "values": VALUES}

    def _form(self, name: str) -> str:
        """What would change something, were the caller let in."""
        fields: dict[str, object] = {}
        if name == "jobs:submission-create":
            fields = {"name": "matrix", **{f"values.{key}": value for key, value in VALUES.items()}}
        elif name == "tenants:token-list":
            fields = {"name": "matrix", "tenant": self.tenant.slug, "role": "viewer", "days": 7}
        return urlencode(fields)


def make_world() -> World:
    premium, free = make_cohort_of_the_demo()
    make_template()
    people = {person: make_access(premium, role) for person, role in ROLES.items()}
    people[Person.OUTSIDER] = make_access(free, Role.OWNER)
    people[Person.ADMIN] = replace(people[Person.OWNER], user=make_admin())
    submission = make_submission(people[Person.AUTHOR])
    _make_pod(submission)
    own_token, _ = make_token(people[Person.AUTHOR])
    foreign = make_submission(people[Person.OUTSIDER], workers=1, gpus_per_worker=1)
    return World(
        premium,
        submission,
        own_token,
        foreign,
        {person: _session(access) for person, access in people.items()},
        _secrets(people, free),
    )


def _session(access: Access) -> str:
    client = Client()
    client.force_login(access.user)
    return client.cookies[settings.SESSION_COOKIE_NAME].value


def _secrets(people: Mapping[Person, Access], free: Tenant) -> dict[str, str]:
    owner = people[Person.OWNER]
    revoked, revoked_secret = make_token(owner)
    ApiToken.objects.filter(pk=revoked.pk).update(revoked_at=timezone.now())
    make_member(free, Role.OWNER, owner.user)
    return {
        **{person.value: make_token(access)[1] for person, access in people.items()},
        "below": make_token(owner, Role.VIEWER)[1],
        "expired": make_token(owner, days=-1)[1],
        "revoked": revoked_secret,
        "foreign": make_token(replace(owner, tenant=free))[1],
        "junk": "cm_" + "0" * 12 + "_" + "A" * 43,
    }


def _make_pod(submission: Submission) -> None:
    now = timezone.now()
    Pod.objects.create(
        submission=submission,
        object_uid="6f5d2d0e-0000-4000-8000-000000000000",
        name=f"{submission.job_name}-worker-0",
        role="worker",
        index=0,
        container="pytorch",
        phase="Running",
        state="running",
        created_at=now,
        started_at=now,
        seen_at=now,
    )
