"""A CI script at the REST door."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

import httpx

from portal.management.smoke.browser import SmokeFailed


class Rest:
    def __init__(self, url: str, token: str, tenant: str) -> None:
        self.http = httpx.Client(
            base_url=f"{url.rstrip('/')}/api/v1/tenants/{tenant}/",
            headers={"Authorization": f"Bearer {token}"},
            timeout=20,
        )

    def submit(self, body: Mapping[str, object], key: str) -> UUID:
        """The job's uid; a repeated call with the same key gives the same one."""
        answer = self.http.post("jobs/", json=body, headers={"Idempotency-Key": key})
        return UUID(_read(answer, 201, 200)["uid"])

    def job(self, uid: UUID) -> dict[str, Any]:
        return _read(self.http.get(f"jobs/{uid}/"), 200)

    def log(self, uid: UUID, replica: str, lines: int, *, previous: bool = False) -> list[str]:
        query: dict[str, str | int] = {"replica": replica, "tail": lines, "previous": int(previous)}
        answer = _read(self.http.get(f"jobs/{uid}/logs/", params=query), 200)
        return [line["text"] for line in answer["lines"]]


def _read(answer: httpx.Response, *statuses: int) -> dict[str, Any]:
    if answer.status_code not in statuses:
        request = answer.request
        raise SmokeFailed(
            f"{request.method} {request.url.path} answered HTTP {answer.status_code}: {answer.text[:2000]}"
        )
    body: dict[str, Any] = answer.json()
    return body
