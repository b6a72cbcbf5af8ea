"""axe-core over every kind of page, in both colour schemes and on both widths; nothing wider than its screen."""

from importlib.resources import files

import pytest
from playwright.sync_api import Page

from tests.browser.world import make_world

AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text()
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
RUN = f"async () => (await axe.run(document, {{runOnly: {{type: 'tag', values: {TAGS}}}}})).violations"
WIDTHS = (1280, 390)


def violations(page: Page, scheme: str, width: int) -> list[str]:
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 900})
    found = page.evaluate(RUN)
    return [f"{scheme} {width}: {each['id']} {each['nodes'][0]['html'][:160]}" for each in found]


def test_axe_finds_nothing_on_any_page(site) -> None:
    world = make_world()
    tabs = {None: site.open(), world.access.user: site.open(world.access.user), world.viewer: site.open(world.viewer)}
    found = {}
    for address, user in world.pages():
        page = tabs[user]
        page.goto(address)
        page.evaluate(AXE)
        wrong = [line for scheme in ("light", "dark") for width in WIDTHS for line in violations(page, scheme, width)]
        if wrong:
            found[address] = wrong
    assert found == {}


def test_no_page_scrolls_sideways_on_a_small_screen(site) -> None:
    world = make_world()
    tabs = {user: site.open(user, viewport={"width": 320, "height": 700}) for user in (world.access.user, world.viewer)}
    tabs[None] = site.open(viewport={"width": 320, "height": 700})
    wide = {}
    for address, user in world.pages():
        tabs[user].goto(address)
        over = tabs[user].evaluate("document.documentElement.scrollWidth - innerWidth")
        if over > 0:
            wide[address] = over
    assert wide == {}


def test_the_form_that_came_back_with_errors_is_accessible_too(site) -> None:
    page = site.open(make_world().access.user)
    page.goto("/t/vision/jobs/new/pytorch-ddp/")
    page.get_by_label("Workers", exact=True).fill("99")
    page.get_by_role("button", name="Submit job").click()
    page.wait_for_selector("#problems")
    page.evaluate(AXE)
    assert [line for width in WIDTHS for line in violations(page, "dark", width)] == []


@pytest.mark.parametrize("address", ["/t/vision/jobs/", "/t/vision/jobs/new/pytorch-ddp/"])
def test_the_keyboard_reaches_the_content_first(site, address) -> None:
    page = site.open(make_world().access.user)
    page.goto(address)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to main content"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
