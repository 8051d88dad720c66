"""The demo as it is found: its topics are read, and it is there again when the machine was switched off."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import App
from tests.e2e.screen import at, click, screen, settled


@pytest.fixture
def app(served_demo: App) -> App:
    return served_demo


def _open_demo(page: Page, app: App) -> None:
    page.goto(f"{app.url}/?project=Demo")
    expect(at(page, "ready")).to_be_visible()
    settled(page)


@pytest.mark.long
def test_the_spread_of_topics_is_seen_with_how_far_it_can_be_trusted(page: Page, app: App) -> None:
    _open_demo(page, app)
    screen(page, "Compare")
    click(page.get_by_role("radio", name="Topics"), shows=page.get_by_text(re.compile("standard deviation", re.I)))
    expect(page.get_by_text("How far to trust these topics")).to_be_visible()


@pytest.mark.long
def test_a_project_survives_the_machine_being_switched_off(page: Page, app: App) -> None:
    _open_demo(page, app)
    screen(page, "Results")
    address = page.url
    app.stop()
    app.start()
    page.goto(address)
    expect(page.locator("[class*='st-key-verdict_']").first).to_be_visible()
    assert "project=Demo" in page.url
