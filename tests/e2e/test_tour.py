"""The tour as somebody meets it who opens the app for the first time."""

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import App
from tests.e2e.screen import at, button, click, settled, wait_until


@pytest.mark.long
def test_it_touches_nothing_leads_on_and_stays_away_once_it_was_skipped(page: Page, app: App) -> None:
    page.goto(app.url)
    card, name = at(page, "tour"), page.get_by_role("textbox", name="Name of the project")
    expect(card.get_by_text("Tour, 1 of 5")).to_be_visible()
    settled(page)
    name.fill("Talks")
    click(button(page, "Next step"), shows=card.get_by_text("Tour, 2 of 5"))
    expect(name).to_have_value("Talks")
    click(button(page, "Open Attributes"), shows=page.get_by_role("heading", level=1, name="Think aloud", exact=True))
    expect(card.get_by_text("Tour, 2 of 5")).to_be_visible()
    click(button(page, "Skip the tour"), hides=card)
    wait_until(page, "document.cookie.includes('interacteval_tour=')")

    page.goto(app.url)
    expect(name).to_be_visible()
    settled(page)
    expect(card).to_have_count(0)
    name.fill("Talks")
    click(button(page, "Tour"), shows=card)
    expect(name).to_have_value("Talks")
