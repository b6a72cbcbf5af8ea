"""What changes by itself, and what must not change while somebody reads or types."""

import re

from django.db import transaction
from playwright.sync_api import expect

from portal.live import announce
from tests.browser.world import WAITS, make_world
from tests.jobs.factories import make_submission, make_submitter
from tests.jobs.views.pages import job_in, move


def tell(channel: str) -> None:
    with transaction.atomic():
        announce(channel)


def test_a_job_page_follows_its_job_and_keeps_what_was_opened(site) -> None:
    access = make_submitter("vision")
    job = job_in(access, "queued", "waiting_for_quota", title="wide", **WAITS)
    move(job, "queued", "waiting_for_quota", **WAITS)
    page = site.open(access.user)
    page.goto(f"/t/vision/jobs/{job.uid}/")
    expect(page.locator("#live")).to_have_text("Live")
    page.get_by_text("Show 1 earlier reason").click()
    move(job, "running")
    tell(f"submission.{job.uid}")
    expect(page).to_have_title("Running – wide – Choirmaster")
    expect(page.locator("#header .chip")).to_have_text("Running")
    expect(page.locator("#why .callout")).to_have_count(0)
    expect(page.locator("#timeline details")).to_have_attribute("open", "")


def test_rows_change_in_place_and_new_ones_are_only_announced(site) -> None:
    access = make_submitter("vision")
    job = job_in(access, "queued", title="first")
    page = site.open(access.user)
    page.goto("/t/vision/jobs/")
    expect(page.locator("#live")).to_have_text("Live")
    move(job, "succeeded")
    make_submission(access, title="second")
    tell(f"jobs.{access.tenant.uid}")
    expect(page.locator(f"#job-{job.uid} .chip")).to_have_text("Succeeded")
    expect(page.locator("tbody tr")).to_have_count(1)
    page.get_by_role("link", name="1 new job: show").click()
    expect(page.locator("tbody tr")).to_have_count(2)


def test_a_panel_that_cannot_refresh_keeps_what_it_showed(site) -> None:
    access = make_submitter("vision")
    job = job_in(access, "running", title="llama")
    page = site.open(access.user)
    page.goto(f"/t/vision/jobs/{job.uid}/events/")
    expect(page.locator("#live")).to_have_text("Live")
    page.route("**/*part=header*", lambda route: route.fulfill(status=404))
    tell(f"submission.{job.uid}")
    expect(page.locator("#header .stale-note")).to_have_text("Could not refresh (404). Reload the page.")
    expect(page.locator("#header h1")).to_contain_text("llama")


def test_a_field_is_checked_when_it_is_left_and_typing_goes_on(site) -> None:
    page = site.open(make_world().access.user)
    page.goto("/t/vision/jobs/new/pytorch-ddp/")
    page.get_by_label("Name", exact=True).fill("llama")
    workers = page.get_by_label("Workers", exact=True)
    workers.fill("99")
    page.get_by_label("Model", exact=True).focus()
    page.keyboard.type("meta-llama/Llama-3-8B")
    expect(page.locator('[id="id_values.workers_error"]')).to_contain_text("Enter 64 or less.")
    workers.fill("6")
    workers.blur()
    expect(page.locator('[id="id_values.workers_error"] p')).to_have_count(0)
    expect(page.locator("#summary")).to_contain_text("24 GPUs")
    expect(page.get_by_label("Model", exact=True)).to_have_value("meta-llama/Llama-3-8B")


def test_what_a_check_found_goes_away_with_the_next_change(site) -> None:
    page = site.open(make_world().access.user)
    page.goto("/t/vision/jobs/new/pytorch-ddp/")
    page.get_by_label("Name", exact=True).fill("llama")
    page.get_by_label("Model", exact=True).fill("meta-llama/Llama-3-8B")
    page.get_by_role("button", name="Check without submitting").click()
    expect(page.locator("#check")).to_be_in_viewport()
    page.get_by_label("Workers", exact=True).fill("2")
    page.get_by_label("Workers", exact=True).blur()
    expect(page.locator("#check")).to_have_count(0)


def test_the_list_of_problems_takes_the_focus_and_leads_to_the_field(site) -> None:
    page = site.open(make_world().access.user)
    page.goto("/t/vision/jobs/new/pytorch-ddp/")
    page.get_by_role("button", name="Submit job").click()
    expect(page.locator("#problems")).to_be_focused()
    page.locator("#problems a").first.click()
    expect(page.get_by_label("Name", exact=True)).to_be_focused()


def test_the_list_is_filtered_while_one_types_and_the_address_follows(site) -> None:
    page = site.open(make_world().access.user)
    page.goto("/t/vision/jobs/")
    page.get_by_label("Name, image or id").press_sequentially("cancel")
    expect(page.locator("tbody tr")).to_have_count(1)
    expect(page).to_have_url(re.compile("q=cancel"))
    expect(page.get_by_label("Name, image or id")).to_be_focused()
    page.get_by_role("link", name="Remove filter Text: cancel").click()
    expect(page.locator("tbody tr")).to_have_count(12)


def test_going_back_leaves_the_list_and_not_one_letter_of_its_filter(site) -> None:
    page = site.open(make_world().access.user)
    page.goto("/me/tokens/")
    page.goto("/t/vision/jobs/")
    page.get_by_label("Name, image or id").press_sequentially("cancel", delay=400)
    expect(page).to_have_url(re.compile("q=cancel"))
    page.go_back()
    expect(page).to_have_url(re.compile("/me/tokens/$"))
