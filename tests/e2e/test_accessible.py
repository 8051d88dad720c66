"""No screen has a serious fault by axe-core's rules for people who see little, hear the page or use keys alone."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from pages.components.shell.navigation.screens import SCREENS, Screen
from tests.e2e.conftest import App
from tests.e2e.faults import GRAVE, PART_FITS, Faults, fits, grave_faults
from tests.e2e.screen import screen as go_to
from tests.e2e.screen import settled

ALL_FITS = "() => document.documentElement.scrollWidth <= document.documentElement.clientWidth"


@pytest.fixture
def app(served_bundle: App) -> App:
    return served_bundle


def _open(page: Page, app: App, screen: Screen) -> None:
    page.goto(f"{app.url}/{screen.name}?project=Demo&dimension=fluency")
    expect(page.get_by_role("heading", level=1, name=screen.title, exact=True)).to_be_visible()
    settled(page)


@pytest.mark.long
def test_no_screen_at_its_address_has_a_grave_fault(page: Page, app: App) -> None:
    found: Faults = {}
    for screen in SCREENS.values():
        _open(page, app, screen)
        found |= grave_faults(page, screen)
    assert found == {}


@pytest.mark.long
@pytest.mark.parametrize("scheme", ["dark"])
def test_no_screen_behind_the_doors_has_one_either_or_an_error_or_is_wider_than_the_window(
    page: Page, app: App
) -> None:
    home, *others = SCREENS.values()
    found: Faults = {}
    _open(page, app, home)
    for screen in (*others, home):
        go_to(page, screen.title)
        expect(page.get_by_test_id("stException")).to_have_count(0)
        for width in (1920, 1280):
            if not fits(page, width, 1080, ALL_FITS):
                found[screen.name, f"is wider than {width}"] = []
        found |= grave_faults(page, screen)
    assert "dimension=fluency" in page.url
    assert found == {}


@pytest.mark.long
@pytest.mark.parametrize("screen", ["results", "conditions"])
def test_wide_tables_and_pictures_have_no_grave_fault_on_a_phone(page: Page, app: App, screen: str) -> None:
    _open(page, app, SCREENS[screen])
    for width, height in ((1920, 1080), (390, 844)):
        assert fits(page, width, height, PART_FITS)
        graves = [one["id"] for one in Axe().run(page).response["violations"] if one["impact"] in GRAVE]
        assert graves == [], width


@pytest.mark.long
@pytest.mark.parametrize("width", [1280, 1440, 1920])
def test_heat_map_of_eight_contributors_fits(page: Page, app: App, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"{app.url}/compare?project=Demo&dimension=fluency&compare_view=alike")
    drawn = page.locator(".vega-embed :is(svg, canvas)").first
    expect(drawn).to_be_visible()
    settled(page)
    chart, main = drawn.bounding_box(), page.get_by_test_id("stMain").bounding_box()
    assert chart and main
    assert main["x"] <= chart["x"] and chart["x"] + chart["width"] <= main["x"] + main["width"]
    assert page.evaluate(PART_FITS)
    names = page.locator(".vega-embed").first.get_by_text("simulated")
    assert names.count() >= 8
