"""From an empty machine to correlations and topics, in a browser, without a key."""

import re
from pathlib import Path
from threading import Event

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import App
from tests.e2e.screen import PATIENCE_MS, at, button, choose, click, press_key, reading, screen, settled
from tests.support.fake_llm.behaviour import Answer, Held, all_yes
from tests.support.fake_llm.server import FakeLlm
from tests.support.real_data import shared_data


def _cells(page: Page, text: str) -> Locator:
    """Cells of tables, which are drawn on a canvas: their text is in a hidden table for screen readers."""
    return page.locator("td[data-testid^='glide-cell-']").get_by_text(text, exact=True)


def _open_demo(page: Page, app: App) -> None:
    page.goto(f"{app.url}/?project=Demo")
    expect(at(page, "ready")).to_be_visible()
    settled(page)


def test_from_the_demo_to_a_checklist_of_ones_own(page: Page, app: App) -> None:
    page.goto(app.url)
    at(page, "try_demo").get_by_role("button").click()
    expect(at(page, "ready")).to_be_visible(timeout=2 * PATIENCE_MS)
    expect(page.get_by_text("made up")).to_be_visible()

    screen(page, "Results")
    expect(page.get_by_text(re.compile(r"inside \d+ of 10 sources")).first).to_be_visible()
    expect(page.get_by_text("rules, not an LLM").first).to_be_visible()

    screen(page, "Think aloud")
    at(page, "expert_typed").get_by_role("textbox").fill("Nora")
    line = page.get_by_role("textbox", name="What do you look for?")
    click(at(page, "expert_start").get_by_role("button"), shows=line)
    words = "<b>Does each sentence</b> follow from the one before? *always*"
    line.fill(words)
    press_key(page, "Enter", shows=at(page, "own_rows").get_by_text(words))
    page.reload()
    expect(at(page, "own_rows").get_by_text(words)).to_be_visible()
    settled(page)
    click(at(page, "say_done").get_by_role("button"), shows=page.get_by_text("See what others wrote"))
    screen(page, "Attributes")
    expect(page.get_by_text("30 attributes", exact=True)).to_be_visible()

    screen(page, "How it was made")
    click(button(page, "Start a new build"), shows=button(page, "Run all stages"))
    click(button(page, "Run all stages"), shows=page.get_by_text(re.compile("Version 2 is a draft")))
    screen(page, "Checklist")
    wording = page.get_by_role("textbox", name="Wording")
    questions = page.locator("[class*='st-key-open_']:not([class*='open_component'])")
    click(questions.get_by_role("button", name="Edit").first, shows=wording)
    wording.fill("Does the summary keep the order of the article?")
    click(button(page, "Save question"), hides=wording)
    expect(reading(page, "Does the summary keep the order of the article?")).to_be_visible()
    page.reload()
    expect(reading(page, "Does the summary keep the order of the article?")).to_be_visible()
    settled(page)
    click(button(page, "Publish version 2"), shows=at(page, "new_draft"))

    screen(page, "Scores")
    at(page, "start_scoring").get_by_role("button").click()
    expect(page.get_by_text(re.compile(r"Run 2 is done"))).to_be_visible(timeout=2 * PATIENCE_MS)

    screen(page, "Results")
    picture = page.get_by_text(re.compile("Point: the coefficient; line: its 95 % interval."))
    click(page.get_by_text("The figures as a picture", exact=True), shows=picture)
    expect(page.get_by_test_id("stVegaLiteChart").first).to_be_visible()


@pytest.mark.usefixtures("demo")
def test_the_spread_of_topics_is_seen_with_how_far_it_can_be_trusted(page: Page, app: App) -> None:
    _open_demo(page, app)
    screen(page, "Compare")
    click(page.get_by_role("radio", name="Topics"), shows=page.get_by_text(re.compile("standard deviation", re.I)))
    expect(page.get_by_text(re.compile("0 is chance", re.I)).first).to_be_visible()


@pytest.mark.usefixtures("demo")
def test_a_refresh_and_a_second_tab_while_a_run_scores_change_nothing(page: Page, app: App) -> None:
    released = Event()
    with FakeLlm(usual=Held(released, Answer(all_yes))) as llm:
        app.stop()
        app.environment["LLAMA_BASE_URL"] = llm.url
        app.start()
        _open_demo(page, app)
        screen(page, "Scores")
        judge = at(page, "score_judge").get_by_role("combobox")
        judge.press("Backspace")  # not the rules
        expect(page.get_by_text("Choose a judge.")).to_be_visible()
        settled(page)
        choose(judge, "llama:judge")
        expect(page.get_by_text(re.compile("160 calls"))).to_be_visible()
        judge.press("Tab")  # the list of judges stays open over the rest until one goes on
        click(at(page, "start_scoring").get_by_role("button"), shows=at(page, "stop_scoring"))
        page.reload()
        expect(at(page, "stop_scoring")).to_be_visible()
        other = page.context.new_page()
        other.goto(page.url)
        expect(at(other, "stop_scoring")).to_be_visible()
        other.close()
        released.set()
        expect(_cells(page, "160 of 160")).to_have_count(2, timeout=2 * PATIENCE_MS)
        assert len(llm.requests) == 160


@pytest.mark.usefixtures("demo")
def test_a_project_survives_the_machine_being_switched_off(page: Page, app: App) -> None:
    _open_demo(page, app)
    screen(page, "Results")
    address = page.url
    app.stop()
    app.start()
    page.goto(address)
    expect(page.get_by_text(re.compile(r"inside \d+ of 10 sources")).first).to_be_visible()
    assert "project=Demo" in page.url


def test_a_real_dataset_comes_in_by_the_browser(page: Page, app: App, tmp_path: Path) -> None:
    data = shared_data("topical_chat.json")
    page.goto(app.url)
    expect(at(page, "create_project").get_by_role("button")).to_be_visible()
    settled(page)
    choose(at(page, "new_project_preset").get_by_role("combobox"), "blank")
    at(page, "new_project_name").get_by_role("textbox").fill("Dialogues")
    click(at(page, "create_project").get_by_role("button"), shows=page.get_by_role("heading", level=1, name="Texts"))
    at(page, "import_file").locator("input[type=file]").set_input_files(data)
    at(page, "start_import").get_by_role("button", disabled=False).click()
    expect(page.get_by_text(re.compile("360 texts")).first).to_be_visible(timeout=2 * PATIENCE_MS)


@pytest.mark.usefixtures("demo")
@pytest.mark.parametrize("width", [1280, 1920])
def test_no_screen_is_wider_than_the_window_and_none_shows_an_error(page: Page, app: App, width: int) -> None:
    _open_demo(page, app)
    page.set_viewport_size({"width": width, "height": 1080})
    for name in (
        "Texts",
        "Think aloud",
        "Ask the LLMs",
        "Attributes",
        "Side by side",
        "Checklist",
        "How it was made",
        "Why these questions",
        "Answer",
        "Scores",
        "Results",
        "Compare",
        "Conditions",
        "Settings",
        "Overview",
    ):
        screen(page, name)
        expect(page.get_by_test_id("stException")).to_have_count(0)
        overflow = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert overflow <= 0, name
