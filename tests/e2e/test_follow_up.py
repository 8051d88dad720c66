"""A follow-up question: an invited expert is asked about an attribute of theirs, on a computer and on a phone."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from threading import Event

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from app.providers.credentials import Credentials
from app.services.data.projects import choose_follow_up, get_project
from app.services.runtime.workbench import Workbench
from db.unit_of_work import Database
from tests.e2e.conftest import App, written
from tests.e2e.screen import PATIENCE_MS, at, button, settled
from tests.support.fake_llm.behaviour import Answer, Fail, Held
from tests.support.fake_llm.server import FakeLlm

QUESTION = "What would a <b>summary</b> look like that *fails* this?"
ANSWER = Answer(json.dumps({"question": QUESTION}))


@pytest.fixture
def server() -> Iterator[FakeLlm]:
    with FakeLlm(usual=ANSWER, models=("asker",)) as running:
        yield running


@pytest.fixture
def environment(server: FakeLlm) -> dict[str, str]:
    return {"INTERACTEVAL_ACCESS": "invite", "LLAMA_BASE_URL": f"{server.url}/v1"}


@pytest.fixture
def asking(demo: None, tmp_path: Path) -> None:
    """The demo asks follow-up questions before the server starts."""
    database = Database(f"sqlite:///{tmp_path}/workbench.db")
    workbench = Workbench(database, Credentials())
    choose_follow_up(workbench, get_project(workbench, "Demo").id, "llama:asker")
    database.close()


def _own(page: Page, words: str) -> Locator:
    """An attribute in the list; the same words in the answer's field don't count."""
    return at(page, "own_rows").get_by_test_id("stText").get_by_text(words, exact=True)


def _say(page: Page, words: str) -> None:
    line = page.get_by_role("textbox", name="What do you look for?")
    line.fill(words)
    line.press("Enter")
    expect(_own(page, words)).to_be_visible()
    settled(page)


def _picture(page: Page, name: str) -> None:
    settled(page)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    if folder := os.environ.get("FOLLOW_UP_PICTURES"):
        page.screenshot(path=f"{folder}/{name}-{page.evaluate('innerWidth')}.png", full_page=True)


@pytest.mark.long
@pytest.mark.usefixtures("asking")
@pytest.mark.parametrize("width", [1440, 390])
def test_answers_become_an_attribute_and_a_better_wording(
    browser: Browser, app: App, server: FakeLlm, width: int
) -> None:
    expect.set_options(timeout=PATIENCE_MS)
    context = browser.new_context(viewport={"width": width, "height": 844}, has_touch=width < 500)
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    page.goto(app.invitation("Ana"))
    button(page, "Come in").click()
    expect(page.get_by_role("heading", level=1, name="My work", exact=True)).to_be_visible()
    page.goto(f"{app.url}/think_aloud?project=Demo&dimension=coherence")
    _say(page, "The order is clear.")
    asked, answer = at(page, "follow_up"), page.get_by_role("textbox", name="Your answer")

    server.usual = Fail("no-access")
    button(page, "Ask me about attribute 1").click()
    expect(page.get_by_role("alert")).to_be_visible()
    _picture(page, "failed")
    server.usual = held = Held(Event(), ANSWER)
    button(page, "Ask me about attribute 1").click()
    expect(page.get_by_text("Thinking of a question")).to_be_visible()
    held.released.set()
    expect(asked.get_by_text(QUESTION, exact=True)).to_be_visible()
    _picture(page, "asked")
    button(page, "Add as attribute").click()
    expect(page.get_by_role("alert")).to_be_visible()
    _picture(page, "empty")
    answer.fill("Events keep their order.")
    button(page, "Add as attribute").click()
    expect(_own(page, "Events keep their order.")).to_be_visible()
    expect(asked).to_have_count(0)
    _picture(page, "added")

    button(page, "Ask me about attribute 1").click()
    answer.fill("Each event is told after its cause.")
    button(page, "Replace attribute 1").click()
    expect(_own(page, "Each event is told after its cause.")).to_be_visible()
    expect(asked).to_have_count(0)
    assert written(app)["Ana"] == ["Each event is told after its cause.", "Events keep their order."]
    context.close()
