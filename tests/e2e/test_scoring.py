"""A run goes on whatever becomes of the tab in which it was begun."""

from collections.abc import Iterator
from threading import Event

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import App
from tests.e2e.screen import PATIENCE_MS, at, choose_judge, click, screen, settled
from tests.support.fake_llm.behaviour import Answer, Held, all_yes
from tests.support.fake_llm.server import FakeLlm

pytestmark = pytest.mark.usefixtures("demo")


@pytest.fixture
def released() -> Event:
    """No reply comes before it is set."""
    return Event()


@pytest.fixture
def llm(released: Event) -> Iterator[FakeLlm]:
    with FakeLlm(usual=Held(released, Answer(all_yes))) as server:
        yield server


@pytest.fixture
def environment(llm: FakeLlm) -> dict[str, str]:
    return {"LLAMA_BASE_URL": llm.url}


@pytest.mark.long
def test_a_refresh_and_a_second_tab_while_a_run_scores_change_nothing(
    page: Page, app: App, llm: FakeLlm, released: Event
) -> None:
    page.goto(f"{app.url}/?project=Demo")
    expect(at(page, "ready")).to_be_visible()
    settled(page)
    screen(page, "Scores")
    choose_judge(page, "llama:judge", "160 calls")
    click(at(page, "start_scoring").get_by_role("button"), shows=at(page, "stop_scoring"))
    page.reload()
    expect(at(page, "stop_scoring")).to_be_visible()
    other = page.context.new_page()
    other.goto(page.url)
    expect(at(other, "stop_scoring")).to_be_visible()
    other.close()
    released.set()
    # Cells of tables are drawn on a canvas: their text is in a hidden table for screen readers.
    cells = page.locator("td[data-testid^='glide-cell-']").get_by_text("160 of 160", exact=True)
    expect(cells).to_have_count(2, timeout=2 * PATIENCE_MS)
    assert len(llm.requests) == 160
