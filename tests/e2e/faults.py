"""Faults of a screen by axe-core's rules, for people who see little, hear the page or use keys alone."""

import re
from collections import Counter

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from pages.components.shell.navigation.screens import Screen
from tests.e2e.screen import settled

Faults = dict[tuple[str, str], list[str]]
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
PART_FITS = "() => (main => main.scrollWidth <= main.clientWidth)(document.querySelector('[data-testid=stMain]'))"


def grave_faults(page: Page, screen: Screen) -> Faults:
    """(screen, rule) -> the parts at fault; also what is too wide at 200 % zoom, and buttons of one name."""
    found: Faults = {}
    if not fits(page, 640, 450, PART_FITS):  # what a window of 1280 has at 200 % zoom
        found[screen.name, "scrolls sideways"] = []
    page.set_viewport_size({"width": 1280, "height": 900})
    settled(page)
    for violation in Axe().run(page).response["violations"]:
        if violation["impact"] in GRAVE:
            found[screen.name, violation["id"]] = [node["html"][:200] for node in violation["nodes"]]
    if alike := _named_alike(page):
        found[screen.name, "named alike"] = alike
    return found


def fits(page: Page, width: int, height: int, rule: str) -> bool:
    """Whether the rule comes to hold in a window of this size, in CSS pixels."""
    page.set_viewport_size({"width": width, "height": height})
    settled(page)
    for _ in range(200):  # charts and tables take their new width some time after the window has it
        if page.evaluate(rule):
            return True
        page.wait_for_timeout(50)
    return False


def _named_alike(page: Page) -> list[str]:
    """The names that several buttons have, so that who hears them can't tell what each is about."""
    names = re.findall(r'^\s*- button "(.*?)"', page.get_by_role("main").aria_snapshot(), re.MULTILINE)
    return [name for name, times in Counter(names).items() if times > 1 and name not in PARTS_OF_FIELDS]
