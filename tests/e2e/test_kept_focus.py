"""The keyboard stays with what it moved, and where what it removed stood."""

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import App, begin
from tests.e2e.screen import at, settled

pytestmark = pytest.mark.usefixtures("demo")


def _listed(page: Page, *words: str) -> None:
    expect(at(page, "own_rows").get_by_test_id("stText")).to_have_text(words)
    settled(page)


def _of_row(page: Page, what: str, place: int) -> Locator:
    """A button of the row at this place, from 0."""
    return page.locator(f"[class*='st-key-{what}_']").nth(place).get_by_role("button")


@pytest.mark.long
def test_focus_follows_a_moved_point_and_stays_in_the_list_after_a_removal(page: Page, app: App) -> None:
    file = app.home / "ada.txt"
    file.write_text("One.\nTwo.\nThree.", encoding="utf-8")
    where = ["--project", "Demo", "--dimension", "coherence", "--contributor", "Ada", "--kind", "human"]
    app.command("attributes", "add", str(file), *where)
    begin(page, app, "Ada")
    _listed(page, "Three.", "Two.", "One.")
    _of_row(page, "down", 0).focus()
    page.keyboard.press("Enter")
    _listed(page, "Two.", "Three.", "One.")
    expect(_of_row(page, "down", 1)).to_be_focused()
    page.keyboard.press("Enter")
    _listed(page, "Two.", "One.", "Three.")
    expect(_of_row(page, "up", 2)).to_be_focused()  # the last row can't go further down

    _of_row(page, "remove", 1).focus()
    page.keyboard.press("Enter")
    _listed(page, "Two.", "Three.")
    expect(_of_row(page, "remove", 1)).to_be_focused()

    _of_row(page, "remove", 0).click()  # with the mouse: a space must not remove what took its place
    _listed(page, "Three.")
    expect(page.locator("button:focus")).to_have_count(0)
