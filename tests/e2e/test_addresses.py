"""Addresses that people type lead where they say."""

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import App
from tests.e2e.screen import at, click, settled
from tests.support.result_screen import change


@pytest.fixture
def app(served_demo: App) -> App:
    return served_demo


def test_home_answers_to_its_name_and_keeps_the_project(page: Page, app: App) -> None:
    page.goto(f"{app.url}/overview?project=Demo&dimension=fluency")
    expect(page.get_by_role("heading", level=1, name="Overview", exact=True)).to_be_visible()
    settled(page)
    expect(page.get_by_text("Page not found")).to_have_count(0)
    assert "dimension=fluency" in page.url
    expect(at(page, "doors").get_by_role("link", name="Overview", exact=True)).to_have_count(1)


@pytest.mark.long
@pytest.mark.parametrize(
    ("old", "title"), [("home", "Overview"), ("data", "Texts"), ("lineage", "Why these questions")]
)
def test_an_address_of_the_last_release_leads_to_its_screen(page: Page, app: App, old: str, title: str) -> None:
    page.goto(f"{app.url}/{old}?project=Demo&dimension=fluency")
    expect(page.get_by_role("heading", level=1, name=title, exact=True)).to_be_visible()
    settled(page)
    assert "dimension=fluency" in page.url


@pytest.mark.parametrize(
    "address",
    [
        "nonsense",
        *(pytest.param(one, marks=pytest.mark.long) for one in ("texts/x", "results/1/", "a/b/c", "texts%2Fx")),
    ],
)
def test_an_unknown_address_says_so_and_shows_home(page: Page, app: App, address: str) -> None:
    page.goto(f"{app.url}/{address}?project=Demo&dimension=fluency")
    expect(page.get_by_role("dialog")).to_contain_text("Page not found")
    expect(page.get_by_role("heading", level=1, name="Overview", exact=True, include_hidden=True)).to_be_visible()
    assert "dimension=fluency" in page.url


def test_error_in_the_program_shows_our_panel_and_no_search_links(page: Page, app: App) -> None:
    """A list of documents that no version of the program wrote stands for any error that nobody thought of."""
    change(app.home, "UPDATE run_dimension SET excluded_docs = '[' WHERE id = 1")
    try:
        page.goto(f"{app.url}/results?project=Demo")
        again = page.locator("[class*='st-key-try_again_']")
        expect(again).to_be_visible()
        settled(page)
        expect(page.get_by_test_id("stException")).to_have_count(0)
        words = page.locator("body").inner_text()
        assert not any(word in words for word in ("Traceback", "DecodeError", "Google", "ChatGPT"))
        expect(page.get_by_role("link", name="Overview")).to_be_visible()
    finally:
        change(app.home, "UPDATE run_dimension SET excluded_docs = '[]' WHERE id = 1")
    click(again.get_by_role("button"), shows=at(page, "verdict_1_1"))
