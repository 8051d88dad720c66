"""The demo as it is found: its topics are read, and it is there again when the machine was switched off."""

import pytest
from playwright.sync_api import Page, expect

from pages.components.shell.navigation.screens import SCREENS
from tests.e2e.conftest import App
from tests.e2e.screen import at, click, screen, settled


@pytest.fixture
def app(served_bundle: App) -> App:
    return served_bundle


def _open_demo(page: Page, app: App) -> None:
    page.goto(f"{app.url}/?project=Demo")
    expect(at(page, "ready")).to_be_visible()
    settled(page)


@pytest.mark.long
def test_every_screen_of_the_demo_has_content(page: Page, app: App) -> None:
    for name in SCREENS:
        page.goto(f"{app.url}/{name}?project=Demo&dimension=coherence")
        expect(page.get_by_role("heading", level=1, name=SCREENS[name].title, exact=True)).to_be_visible()
        settled(page)
        assert page.locator("[class*='st-key-empty_state']").count() == 0, name
        expect(page.get_by_test_id("stException")).to_have_count(0)


@pytest.mark.long
def test_the_spread_of_topics_is_seen_with_how_far_it_can_be_trusted(page: Page, app: App) -> None:
    _open_demo(page, app)
    screen(page, "Compare")
    click(page.get_by_role("radio", name="Topics"), shows=page.get_by_text("How far to trust these topics"))


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
