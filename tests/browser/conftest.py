"""The pages in Chromium, against the portal under uvicorn as in production. No cluster: rows are put into states."""

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import urlsplit

import httpx
import pytest
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tenants.models import User

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-dev-shm-usage"]
COUNT_VIOLATIONS = "addEventListener('securitypolicyviolation', (e) => console.error(`CSP ${e.violatedDirective}`))"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "tests/browser/" in item.nodeid:
            item.add_marker("browser")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("No Chromium on this machine: install Debian's chromium to run the browser tests.")
    # Playwright's loop runs in this thread, beside which Django refuses the database unless it is told otherwise.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield started
        started.close()
    del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]


@dataclass
class Site:
    """The running portal. `complaints`: what any page said in its console, and requests to other hosts."""

    url: str
    browser: Browser
    complaints: list[str]

    def open(self, user: User | None = None, **options: object) -> Page:
        """A page of a new browser context, signed in as `user`."""
        context = self.browser.new_context(base_url=self.url, **options)
        context.set_default_timeout(15_000)
        context.add_init_script(COUNT_VIOLATIONS)
        if user is not None:
            context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": _session(user), "url": self.url}])
        self._listen(context)
        return context.new_page()

    def _listen(self, context: BrowserContext) -> None:
        context.on("console", lambda message: self._complain(message.type, message.text))
        context.on("weberror", lambda error: self.complaints.append(str(error.error)))
        context.on("request", lambda request: self._check_host(request.url))

    def _complain(self, kind: str, text: str) -> None:
        # Chromium and htmx report our own refusals (422, 404) as errors of the console.
        refusal = "the server responded with a status of 4" in text or "Response Status Error Code 4" in text
        # hx-sync replaces a request that a newer one makes useless, and leaving a page ends one; htmx names both.
        given_up = text.startswith(("htmx:sendAbort", "htmx:afterRequest"))
        if kind in {"error", "warning"} and not refusal and not given_up:
            self.complaints.append(text)

    def _check_host(self, url: str) -> None:
        if not url.startswith((self.url, "data:")):
            self.complaints.append(f"asked another host: {url}")


def _session(user: User) -> str:
    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.create()
    return str(session.session_key)


@pytest.fixture(scope="session")
def portal(django_db_setup: None, static_files: None) -> Iterator[str]:
    """The address of a web process that works on the test's database. Its own process: killed, it leaves no session."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    database = urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{settings.DATABASES['default']['NAME']}")
    environment = {
        "DATABASE_URL": database.geturl(),
        "REDIS_URL": settings.REDIS_URL,
        "STATIC_ROOT": settings.STATIC_ROOT,
    }
    command = [sys.executable, "-m", "uvicorn", "portal.asgi:application", "--port", str(port), "--log-level", "error"]
    process = subprocess.Popen(command, env=os.environ | environment, cwd=settings.BASE_DIR)
    url = f"http://127.0.0.1:{port}"
    for _try in range(300):
        with suppress(httpx.TransportError):
            if httpx.get(f"{url}/healthz/").is_success:
                break
        assert process.poll() is None, f"the portal ended with {process.returncode}"
        time.sleep(0.1)
    yield url
    process.kill()
    process.wait(10)


@pytest.fixture
def site(browser: Browser, portal: str, transactional_db: None) -> Iterator[Site]:
    running = Site(portal, browser, [])
    yield running
    for context in browser.contexts:
        context.close()
    assert running.complaints == []
