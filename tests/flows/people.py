"""Premium of the demo with its queue and the demo's form, and a submitter of it at both doors."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from tenants.models import Tenant, User
from tests.factories import make_access, make_cohort_of_the_demo, make_token
from tests.jobs.factories import make_template


@dataclass(frozen=True)
class Place:
    """`form` and `rest` send one request each, as the tenant's submitter."""

    tenant: Tenant
    user: User
    browser: Client
    token: str

    @property
    def form_url(self) -> str:
        return reverse("jobs:submission-create", args=[self.tenant.slug, "pytorch-ddp"])

    @property
    def rest_url(self) -> str:
        return reverse("api:submission-collection", args=[self.tenant.slug])

    def form(self, fields: Mapping[str, str]) -> HttpResponse:
        return self.browser.post(self.form_url, fields)

    def form_bytes(self, body: bytes, content_type: str) -> HttpResponse:
        return self.browser.post(self.form_url, body, content_type=content_type)

    def rest(
        self, body: bytes, content_type: str = "application/json", headers: Mapping[str, str] | None = None
    ) -> HttpResponse:
        sent = {**self._authorization, **(headers or {})}
        return Client().post(self.rest_url, body, content_type=content_type, headers=sent)

    def job(self, uid: UUID) -> dict[str, Any]:
        return self.get(f"{uid}/")

    def get(self, path: str) -> dict[str, Any]:
        return self._read(Client().get(self.rest_url + path, headers=self._authorization))

    def cancel(self, uid: UUID) -> dict[str, Any]:
        url = f"{self.rest_url}{uid}/cancel/"
        return self._read(Client().post(url, content_type="application/json", headers=self._authorization))

    def page(self, uid: UUID) -> str:
        """The words of the job's page."""
        answer = self.browser.get(reverse("jobs:submission-detail", args=[self.tenant.slug, uid]))
        assert answer.status_code == 200
        return " ".join(re.sub(r"<[^>]+>", " ", answer.content.decode()).split())

    @property
    def _authorization(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}

    def _read(self, answer: HttpResponse) -> dict[str, Any]:
        assert answer.status_code == 200, answer.content
        body: dict[str, Any] = json.loads(answer.content)
        return body


def make_place(tenant: Tenant | None = None) -> Place:
    """Its form is shown and its token used once, so that no later call writes a first time of use or a session."""
    if tenant is None:
        tenant, _free = make_cohort_of_the_demo()
        make_template()
    access = make_access(tenant)
    browser = Client(raise_request_exception=False)
    browser.force_login(access.user)
    _row, token = make_token(access)
    return Place(tenant, access.user, browser, token)
