"""No screen has a serious fault by axe-core's rules for people who see little, hear the page or use keys alone."""

import re
from collections import Counter

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect
from playwright.sync_api import TimeoutError as NeverError

from pages.components.shell.navigation.screens import SCREENS
from tests.e2e.conftest import App
from tests.e2e.screen import PATIENCE_MS, settled

GRAVE = ("serious", "critical")
# Streamlit's own, each inside a field or beside a picture that has a name.
PARTS_OF_FIELDS = {
    "Open",
    "Help",
    "Increment",
    "Decrement",
    "Show/hide columns",
    "Search",
    "Fullscreen",
    "Download as CSV",
}
FITS = "() => (main => main.scrollWidth <= main.clientWidth)(document.querySelector('[data-testid=stMain]'))"


@pytest.mark.usefixtures("demo")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_screen_has_a_serious_violation_or_scrolls_sideways(browser: Browser, app: App, scheme: str) -> None:
    context = browser.new_context(viewport={"width": 1280, "height": 900}, color_scheme=scheme)
    page, found = context.new_page(), {}
    page.set_default_timeout(PATIENCE_MS)
    for screen in SCREENS.values():
        page.goto(f"{app.url}/{screen.name}?project=Demo&dimension=fluency")
        expect(page.get_by_role("heading", level=1, name=screen.title, exact=True)).to_be_visible(timeout=PATIENCE_MS)
        settled(page)
        page.set_viewport_size({"width": 640, "height": 450})  # what a window of 1280 has at 200 % zoom
        settled(page)
        try:
            page.wait_for_function(FITS)  # charts and tables take their new width some time after the window has it
        except NeverError:
            found[screen.name, "scrolls sideways"] = []
        page.set_viewport_size({"width": 1280, "height": 900})
        settled(page)
        for violation in Axe().run(page).response["violations"]:
            if violation["impact"] in GRAVE:
                found[screen.name, violation["id"]] = [node["html"][:200] for node in violation["nodes"]]
        if alike := _named_alike(page):
            found[screen.name, "named alike"] = alike
    context.close()
    assert found == {}


def _named_alike(page: Page) -> list[str]:
    """The names that several buttons have, so that who hears them can't tell what each is about."""
    names = re.findall(r'^\s*- button "(.*?)"', page.get_by_role("main").aria_snapshot(), re.MULTILINE)
    return [name for name, times in Counter(names).items() if times > 1 and name not in PARTS_OF_FIELDS]
