"""Wiring of the test run itself. What tests build on stands in tests/factories.py and tests/sandboxes.py.

Start the tests with `make test`, or `.venv/bin/python -m portal.management.embedded -- .venv/bin/pytest …`: both bring
a PostgreSQL and a Redis. Sockets reach no further than loopback (pyproject.toml).
"""

import os
from collections import Counter

import pytest
from django.conf import settings
from django.core.management import call_command

# Workers that run side by side have a test database each from pytest-django; the rest that is theirs alone is set here.
WORKER = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
settings.REDIS_URL = settings.REDIS_URL.rsplit("/", 1)[0] + f"/{WORKER}"
settings.CELERY_BROKER_URL = settings.REDIS_URL
settings.STATIC_ROOT = f"{settings.STATIC_ROOT}-{WORKER}"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Prints what tests counted (record_property "figure"), and each reason to skip once, wherever the tests ran."""
    for report in terminalreporter.getreports("passed"):
        for name, value in report.user_properties if report.when == "call" else ():
            if name == "figure":
                terminalreporter.write_line(str(value))
    reasons = Counter(str(report.longrepr[2]) for report in terminalreporter.getreports("skipped"))
    for reason, count in reasons.items():
        terminalreporter.write_line(f"{count} tests {reason[0].lower()}{reason[1:]}")


@pytest.fixture(scope="session", autouse=True)
def static_files() -> None:
    """Templates name static files by their hashed names, which exist only once they are collected."""
    call_command("collectstatic", interactive=False, verbosity=0)
