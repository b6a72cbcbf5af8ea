"""A person at the pages: signs in, makes a token, fills in a form.

Every field is sent as the page had it but for those named.
"""

import re
from collections.abc import Mapping
from html import unescape
from uuid import UUID

import httpx

from portal.management.smoke.forms import Form, forms_of

SECRET = re.compile(r"cm_[A-Za-z0-9]+_[A-Za-z0-9_-]{20,}")
MESSAGE = re.compile(r'role="alert".*?</(?:div|section|ul)>', re.DOTALL)


class SmokeFailed(Exception):
    """The portal did something else than it should; the text says what was asked and what came back."""


class Browser:
    def __init__(self, url: str) -> None:
        self.http = httpx.Client(base_url=url, timeout=20, follow_redirects=True, headers={"Accept": "text/html"})

    def sign_in(self, email: str, password: str) -> None:
        page = self._post("/sign-in/", {"email": email, "password": password})
        if page.url.path.startswith("/sign-in"):
            raise SmokeFailed(f"Sign-in as {email} was refused: {_messages(page)}")

    def make_token(self, tenant: str, name: str) -> str:
        """The secret of a new token for `tenant`, read off the page that shows it once."""
        page = self._post("/me/tokens/", {"name": name, "tenant": tenant, "role": "submitter", "days": "7"})
        found = SECRET.search(unescape(page.text))
        if found is None:
            raise SmokeFailed(f"The page of tokens showed none (HTTP {page.status_code}): {_messages(page)}")
        return found[0]

    def submit(self, tenant: str, template: str, fields: Mapping[str, str]) -> UUID:
        page = self._post(f"/t/{tenant}/jobs/new/{template}/", fields)
        found = re.fullmatch(rf"/t/{tenant}/jobs/([0-9a-f-]{{36}})/(?:[a-z]+/)?", page.url.path)
        if found is None:
            raise SmokeFailed(f"The form was refused (HTTP {page.status_code}): {_messages(page)}")
        return UUID(found[1])

    def page(self, path: str) -> str:
        answer = self.http.get(path)
        if answer.status_code != 200:
            raise SmokeFailed(f"{path} answered HTTP {answer.status_code}")
        return answer.text

    def _post(self, path: str, fields: Mapping[str, str]) -> httpx.Response:
        """Sends the page's form that has all of `fields`."""
        form = _with_fields(self.page(path), fields, path)
        return self.http.post(form.action or path, data={**form.fields, **fields})


def _with_fields(page: str, fields: Mapping[str, str], path: str) -> Form:
    posts = [form for form in forms_of(page) if form.method == "post"]
    for form in posts:
        if form.names.issuperset(fields):
            return form
    there = sorted(set().union(*(form.names for form in posts)))
    raise SmokeFailed(f"{path} has no form with the fields {sorted(fields)}; it has {there}")


def _messages(page: httpx.Response) -> str:
    """The page's alerts as plain text, else its title."""
    found = MESSAGE.search(page.text) or re.search(r"<title>.*?</title>", page.text, re.DOTALL)
    text = re.sub(r"<[^>]+>", " ", found[0].partition(">")[2] if found else page.text[:500])
    return " ".join(unescape(text).split())
