"""Benchmark of the Results screen in a real browser: from the click until all is drawn and nothing is computed."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from tests.benchmarks.browser import in_browser, until_drawn

if TYPE_CHECKING:
    from playwright.sync_api import Page

CHART = "[data-testid=stVegaLiteChart] :is(canvas, svg)"
TABLE = "[data-testid=stDataFrame] canvas"
SENTENCES = "[class*='st-key-verdict_']"


def browser_times(database_url: str) -> dict[str, float] | str:
    """Seconds of each step on the Results screen of the only project there; a sentence where no browser is found."""
    return in_browser(database_url, lambda tabs, app: _steps(tabs.new_page(), tabs.new_page, app.address))


def _steps(page: "Page", another_tab: Callable[[], "Page"], address: str) -> dict[str, float]:
    def press(words: str) -> Callable[[], None]:
        return lambda: page.get_by_test_id("stMain").get_by_role("radio", name=words, exact=True).click()

    def unfold(words: str) -> Callable[[], None]:
        return lambda: page.get_by_test_id("stExpander").get_by_text(words).click()

    def one_system() -> None:
        page.get_by_role("combobox", name="System").click()
        page.get_by_role("option").nth(1).click()

    results = page.locator(".st-key-door_results").get_by_role("link")
    times = {
        "overview, opened": until_drawn(page, lambda: page.goto(address)),
        "results, opened": until_drawn(page, results.click, CHART),
    }
    page, shown = another_tab(), page.url
    times |= {
        "results, by its address in a new tab": until_drawn(page, lambda: page.goto(shown), SENTENCES),
        "another level": until_drawn(page, press("Dataset"), SENTENCES),
        "the level before": until_drawn(page, press("Per source"), SENTENCES),
        "the details": until_drawn(page, press("Details")),
        "the pictures": until_drawn(page, unfold("Pictures: how scores"), CHART),
        "the people": until_drawn(page, unfold("People: how well the raters agree"), TABLE),
        "the questions": until_drawn(page, press("Questions"), TABLE),
        "the texts": until_drawn(page, press("Texts"), TABLE),
        "texts, who is kinder": until_drawn(page, press("Judge kinder"), TABLE),
        "texts, one system": until_drawn(page, one_system, TABLE),
    }
    return times
