"""Two people edit one draft in two browsers, publish it, compare the versions and score only what they changed."""

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.conftest import PATIENCE_MS, App, at
from tests.support.fake_llm.behaviour import Answer
from tests.support.fake_llm.server import FakeLlm

CHECKLIST = "checklist?project=Demo&dimension=coherence"
SCORE = ("score", "--project", "Demo", "--dimension", "coherence", "--judge", "llama:judge")


def all_yes(schema: Mapping[str, Any] | None) -> str:
    return json.dumps(dict.fromkeys((schema or {}).get("required", ()), "yes"))


@pytest.fixture
def llm(app: App) -> Iterator[FakeLlm]:
    with FakeLlm(usual=Answer(all_yes)) as server:
        app.environment["LLAMA_BASE_URL"] = f"{server.url}/v1"
        yield server


@pytest.fixture
def editors(browser: Browser, app: App) -> Iterator[tuple[Page, Page]]:
    """Ana and Ben, in contexts that share nothing."""
    expect.set_options(timeout=PATIENCE_MS)
    app.command("demo")
    with ExitStack() as opened:
        tabs = []
        for name in ("Ana", "Ben"):
            context = browser.new_context(viewport={"width": 1280, "height": 1000})
            opened.callback(context.close)
            page = context.new_page()
            page.set_default_timeout(PATIENCE_MS)
            page.goto(f"{app.url}/{CHECKLIST}&editor={name}")
            tabs.append(page)
        yield tabs[0], tabs[1]


def press(page: Page, key: str) -> None:
    page.locator(f"[class*='st-key-{key}']").get_by_role("button").first.click()


def reword(page: Page, text: str) -> None:
    """The first question's wording, saved by clicking straight from the field."""
    page.get_by_role("textbox", name="Wording").fill(text)
    press(page, "save_question_")


def questions_asked(llm: FakeLlm, since: int) -> set[int]:
    sent = (json.dumps(request.body).replace("\\n", "\n") for request in llm.requests[since:])
    return {len(re.findall(r"^q\d+: ", words, re.MULTILINE)) for words in sent}


def test_nobodys_words_vanish_and_only_what_changed_is_asked(
    editors: tuple[Page, Page], app: App, llm: FakeLlm
) -> None:
    ana, ben = editors
    app.command(*SCORE)
    texts = len(llm.requests)
    (all_questions,) = questions_asked(llm, 0)
    press(ana, "new_draft")
    expect(at(ana, "publish")).to_be_visible()
    ben.reload()
    for page in editors:
        expect(page.get_by_text(re.compile("You edit as"))).to_be_visible()
        expect(at(page, "add_question")).to_be_visible()  # below the draft's questions: those of version 1 are gone
        page.locator("[class*='st-key-open_']:not([class*='open_component'])").get_by_role("button").first.click()
    reword(ana, "Does each sentence lead to the next?")
    expect(ana.get_by_role("textbox", name="Wording")).to_have_count(0)
    reword(ben, "Is every sentence tied to the one before?")
    expect(ben.get_by_text("Your change is not saved yet.")).to_be_visible()
    expect(ben.get_by_text(re.compile(r"Ana \(.*\) changed this question meanwhile"))).to_be_visible()
    press(ben, "keep_mine_")
    expect(ben.get_by_role("paragraph").filter(has_text="Is every sentence tied to the one before?")).to_be_visible()
    ana.reload()
    expect(ana.get_by_text(re.compile("Last change: Ben reworded a question"))).to_be_visible()
    down = ana.locator("[class*='st-key-down_']").get_by_role("button").first
    down.focus()
    ana.keyboard.press("Enter")
    expect(at(ana, "undo_last")).to_contain_text("moved a question")
    press(ana, "undo_last")
    expect(at(ana, "undo_last")).to_contain_text("reworded a question")
    press(ana, "publish")
    expect(ana.get_by_text("Published: it stays as it is")).to_be_visible()
    ana.get_by_role("radio", name="Compare versions").or_(ana.get_by_role("button", name="Compare versions")).click()
    expect(ana.get_by_text("1 reworded", exact=True)).to_be_visible()
    app.command(*SCORE)
    assert len(llm.requests) == 2 * texts
    assert questions_asked(llm, texts) == {1}
    assert all_questions > 1
