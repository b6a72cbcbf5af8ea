"""The smoke's browser and script against the real pages, over HTTP."""

from collections.abc import Iterator
from contextlib import closing
from uuid import uuid4

import pytest
from pytest_django.live_server_helper import LiveServer

from jobs.models import Submission
from portal.management.smoke.browser import Browser, SmokeFailed
from portal.management.smoke.rest import Rest
from tenants.models import Role
from tenants.services import create_user, set_member
from tests.factories import make_cohort_of_the_demo
from tests.jobs.factories import make_template

PASSWORD = "a-long-and-random-one-7"
FIELDS = {"name": "llama3-8b-finetune", "values.model": "m", "values.workers": "1", "values.rehearsal": "crash"}


@pytest.fixture
def browser(live_server: LiveServer) -> Iterator[Browser]:
    make_template()
    premium, _free = make_cohort_of_the_demo()
    user = create_user(email="engineer@premium.test", password=PASSWORD)
    set_member(tenant=premium, user=user, role=Role.SUBMITTER)
    browser = Browser(live_server.url)
    with closing(browser.http):
        yield browser


def test_a_person_submits_and_a_script_follows(browser: Browser, live_server: LiveServer) -> None:
    browser.sign_in("engineer@premium.test", PASSWORD)
    uid = browser.submit("premium", "pytorch-ddp", FIELDS)
    assert Submission.objects.get().values["rehearsal"] == "crash"
    rest = Rest(live_server.url, browser.make_token("premium", "smoke"), "premium")
    with closing(rest.http):
        assert rest.job(uid)["state"] == "submitted"
        assert rest.log(uid, "worker-0", 3) == []
        body = {"template": "pytorch-ddp", "name": "by REST", "values": {"model": "m", "workers": 1}}
        assert rest.submit(body, "k") == rest.submit(body, "k") != uid
        with pytest.raises(SmokeFailed, match="HTTP 404"):
            rest.job(uuid4())


def test_what_is_refused_is_told(browser: Browser) -> None:
    with pytest.raises(SmokeFailed, match="do not belong together"):
        browser.sign_in("engineer@premium.test", "a wrong one")
    browser.sign_in("engineer@premium.test", PASSWORD)
    with pytest.raises(SmokeFailed, match="64 or less"):
        browser.submit("premium", "pytorch-ddp", FIELDS | {"values.workers": "65"})
    with pytest.raises(SmokeFailed, match=r"no form with the fields \['values.nodes'\]"):
        browser.submit("premium", "pytorch-ddp", {"values.nodes": "1"})
