"""Submit, cancel, read: the whole way with JavaScript off."""

import re

from playwright.sync_api import Page, expect

from jobs.models import Submission
from tests.browser.world import make_world
from tests.jobs.factories import make_submitter


def fill_in(page: Page, name: str, workers: str) -> None:
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_label("Model", exact=True).fill("meta-llama/Llama-3-8B")
    page.get_by_label("Workers", exact=True).fill(workers)


def test_submit_with_an_error_and_cancel(site) -> None:
    page = site.open(make_submitter("vision").user, java_script_enabled=False)
    page.goto("/t/vision/jobs/")
    page.get_by_role("main").get_by_role("link", name="New job").first.click()
    fill_in(page, "llama3-8b", "14")
    page.get_by_role("button", name="Submit job").click()
    expect(page).to_have_title(re.compile("^Error: New job"))
    page.get_by_role("link", name="Workers: Asks for 56 GPUs; vision can reach at most 48 GPUs.").click()
    page.get_by_label("Workers", exact=True).fill("4")
    page.get_by_role("button", name="Submit job").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("llama3-8b")
    page.get_by_role("link", name="Cancel job").click()
    page.get_by_role("button", name="Cancel job").click()
    expect(page.get_by_text("Cancel requested.").first).to_be_visible()
    assert Submission.objects.get().cancel_requested_at is not None


def test_check_without_submitting(site) -> None:
    page = site.open(make_submitter("vision").user, java_script_enabled=False)
    page.goto("/t/vision/jobs/new/pytorch-ddp/")
    fill_in(page, "llama3-8b", "14")
    page.get_by_role("button", name="Check without submitting").click()
    expect(page.get_by_label("Result of the check")).to_contain_text("Rules")
    expect(page.get_by_label("Name", exact=True)).to_have_value("llama3-8b")
    assert Submission.objects.count() == 0


def test_filter_and_read(site) -> None:
    world = make_world()
    page = site.open(world.access.user, java_script_enabled=False)
    page.goto("/t/vision/jobs/")
    page.get_by_label("Name, image or id").fill("fail")
    page.get_by_role("button", name="Filter").click()
    page.get_by_role("link", name="failed", exact=True).click()
    for tab in ("Replicas", "Events", "Manifest", "Logs"):
        page.get_by_label("Parts of the job").get_by_role("link", name=tab).click()
    expect(page.get_by_text("The cluster does not answer just now")).to_be_visible()
    page.get_by_label("Replica", exact=True).select_option("worker-3")
    page.get_by_role("button", name="Show").click()
    expect(page.get_by_role("heading", name="Log of worker-3")).to_be_visible()


def test_nothing_leads_nowhere(site) -> None:
    world = make_world()
    page = site.open(world.access.user, java_script_enabled=False)
    for address in ("/t/vision/jobs/", world.job("queued"), "/t/vision/jobs/new/pytorch-ddp/"):
        page.goto(address)
        assert page.locator('a[href="#"], a:not([href])').count() == 0
        assert page.locator("button:visible:not(form button)").count() == 0
