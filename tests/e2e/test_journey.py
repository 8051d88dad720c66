"""From an empty machine to correlations and topics, in a browser, without a key."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import App
from tests.support.fake_llm.behaviour import Answer, Slow
from tests.support.fake_llm.server import FakeLlm
from tests.support.real_data import shared_data


def _screen(page: Page, name: str) -> None:
    """Go there by the navigation, as people do."""
    page.get_by_test_id("stSidebarNav").get_by_role("link", name=name, exact=True).click()
    expect(page.get_by_role("heading", level=1, name=name)).to_be_visible()
    _settled(page)


def _settled(page: Page) -> None:
    """Wait until the server has drawn the whole screen."""
    expect(page.get_by_test_id("stStatusWidget")).to_have_count(0)
    expect(page.locator("[data-stale='true']")).to_have_count(0)


def _at(page: Page, key: str) -> Locator:
    return page.locator(f".st-key-{key}")


def _cells(page: Page, text: str) -> Locator:
    """Cells of tables, which are drawn on a canvas: their text is in a hidden table for screen readers."""
    return page.locator("td[data-testid^='glide-cell-']").get_by_text(text, exact=True)


def _demo(page: Page, app: App) -> None:
    app.command("demo")
    page.goto(f"{app.url}/?project=Demo")
    expect(page.get_by_text("Next for Demo")).to_be_visible()


def test_from_the_demo_to_a_checklist_of_ones_own(page: Page, app: App) -> None:
    page.goto(app.url)
    _at(page, "try_demo").get_by_role("button").click()
    expect(page.get_by_text("Next for Demo")).to_be_visible(timeout=90_000)
    expect(page.get_by_text("made up")).to_be_visible()

    _screen(page, "Results")
    expect(page.get_by_text(re.compile(r"of 10 sources used")).first).to_be_visible()
    expect(page.get_by_text("rules, not an LLM").first).to_be_visible()

    _screen(page, "Think aloud")
    _at(page, "expert_typed").get_by_role("textbox").fill("Nora")
    _at(page, "expert_start").get_by_role("button").click()
    line = page.get_by_role("textbox", name="What do you look for?")
    words = "<b>Does each sentence</b> follow from the one before? *always*"
    line.fill(words)
    line.press("Enter")
    expect(_at(page, "own_rows").get_by_text(words)).to_be_visible()
    page.reload()
    _at(page, "expert_typed").or_(_at(page, "own_rows")).first.wait_for()

    _at(page, "say_done").get_by_role("button").click()
    expect(page.get_by_text("See what others wrote")).to_be_visible()
    _screen(page, "Attributes")
    expect(page.get_by_text("28 of 28 attributes")).to_be_visible()

    _screen(page, "Build")
    page.get_by_role("button", name="Start a new build").click()
    _at(page, "build").get_by_role("button").click()
    expect(page.get_by_text(re.compile("Version 2 is a draft"))).to_be_visible()
    _screen(page, "Checklist")
    expect(page.get_by_text("Version 2").first).to_be_visible()

    questions = page.locator("[class*='st-key-open_']:not([class*='open_component'])")
    questions.get_by_role("button", name="Edit").first.click()
    wording = page.get_by_role("textbox", name="Wording")
    wording.fill("Does the summary keep the order of the article?")
    page.locator("[class*='st-key-save_question_']").get_by_role("button").click()
    expect(wording).to_have_count(0)  # the field holds the same words: it must be gone before they count as saved
    expect(page.get_by_text("Does the summary keep the order of the article?")).to_be_visible()
    page.reload()
    expect(page.get_by_text("Does the summary keep the order of the article?")).to_be_visible()
    _at(page, "publish").get_by_role("button").click()
    expect(_at(page, "new_draft")).to_be_visible()

    _screen(page, "Score")
    _at(page, "start_scoring").get_by_role("button").click()
    expect(page.get_by_text(re.compile(r"Run 2 is done"))).to_be_visible(timeout=60_000)

    _screen(page, "Results")
    expect(page.get_by_text("Point: the coefficient; line: its 95 % interval.")).to_be_visible()
    expect(page.get_by_test_id("stVegaLiteChart").first).to_be_visible()


def test_the_spread_of_topics_is_seen_with_how_far_it_can_be_trusted(page: Page, app: App) -> None:
    _demo(page, app)
    _screen(page, "Compare")
    page.get_by_role("radio", name="Topics").click()
    expect(page.get_by_text(re.compile("standard deviation", re.I)).first).to_be_visible()
    expect(page.get_by_text(re.compile("0 is chance", re.I)).first).to_be_visible()


def test_a_refresh_and_a_second_tab_while_a_run_scores_change_nothing(page: Page, app: App) -> None:
    def all_yes(schema: Mapping[str, Any] | None) -> str:
        return json.dumps(dict.fromkeys((schema or {})["required"], "yes"))

    with FakeLlm(usual=Slow(1.0, Answer(all_yes))) as llm:
        app.stop()
        app.environment = {"LLAMA_BASE_URL": llm.url}
        app.start()
        _demo(page, app)
        _screen(page, "Score")
        judge = _at(page, "score_judge").get_by_role("combobox")
        judge.press("Backspace")  # not the rules
        judge.fill("llama:judge")
        judge.press("Enter")
        expect(page.get_by_text("160 calls").first).to_be_visible()
        judge.press("Tab")  # the list of judges stays open over the rest until one goes on
        _at(page, "start_scoring").get_by_role("button").click()
        expect(_at(page, "stop_scoring")).to_be_visible()
        page.reload()
        other = page.context.new_page()
        other.goto(page.url)
        expect(_at(other, "stop_scoring")).to_be_visible()
        other.close()
        expect(_cells(page, "160 of 160")).to_have_count(2, timeout=60_000)
        assert len(llm.requests) == 160


def test_a_project_survives_the_machine_being_switched_off(page: Page, app: App) -> None:
    _demo(page, app)
    _screen(page, "Results")
    address = page.url
    app.stop()
    app.start()
    page.goto(address)
    expect(page.get_by_text(re.compile(r"of 10 sources used")).first).to_be_visible()
    assert "project=Demo" in page.url


def test_a_real_dataset_comes_in_by_the_browser(page: Page, app: App, tmp_path: Path) -> None:
    data = shared_data("topical_chat.json")
    page.goto(app.url)
    _at(page, "new_project_preset").get_by_role("combobox").fill("blank")
    _at(page, "new_project_preset").get_by_role("combobox").press("Enter")
    _at(page, "new_project_name").get_by_role("textbox").fill("Dialogues")
    _at(page, "create_project").get_by_role("button").click()
    expect(page.get_by_role("heading", level=1, name="Data")).to_be_visible()
    _at(page, "import_file").locator("input[type=file]").set_input_files(data)
    _at(page, "start_import").get_by_role("button").click()
    expect(page.get_by_text(re.compile("360 texts")).first).to_be_visible(timeout=60_000)


@pytest.mark.parametrize("width", [1280, 1920])
def test_no_screen_is_wider_than_the_window_and_none_shows_an_error(page: Page, app: App, width: int) -> None:
    _demo(page, app)
    page.set_viewport_size({"width": width, "height": 1080})
    for screen in (
        "Home",
        "Data",
        "Think aloud",
        "Ask the LLMs",
        "Attributes",
        "Side by side",
        "Build",
        "Checklist",
        "Score",
        "Results",
    ):
        _screen(page, screen)
        expect(page.get_by_test_id("stException")).to_have_count(0)
        overflow = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert overflow <= 0, screen
