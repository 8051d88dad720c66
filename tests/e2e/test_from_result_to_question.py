"""From a result to the question behind a text's score, to its new figures, and back to the same text."""

import re
from urllib.parse import parse_qs, urlparse

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import App
from tests.e2e.screen import at, button, click, first_of, reading, screen, settled
from tests.e2e.walk import Walk

NEW = "Does each sentence follow from the one before it?"


@pytest.fixture
def app(served_demo: App) -> App:
    return served_demo


@pytest.mark.long
@pytest.mark.walk
def test_from_a_verdict_to_an_improved_question_and_back_to_the_text(page: Page, app: App) -> None:
    page.goto(f"{app.url}/results?project=Demo&dimension=coherence&run=1")
    verdict = at(page, "verdict_1_1")
    expect(verdict).to_contain_text("Coherence: agrees with people")
    settled(page)
    walk = Walk(page, "From a result to an improved question and its new figures", limit=5)
    walk.click(
        page.get_by_role("button", name="Texts furthest from people").first, shows=button(page, "Read them one by one")
    )
    walk.click(button(page, "Read them one by one"), shows=at(page, "text_steps").get_by_text("Text 1 of 40"))
    there = _address(page)
    assert there["view"] == ["texts"]
    wording = first_of(page, "question_text_").get_by_role("textbox")
    walk.click(first_of(page, "edit_question_").get_by_role("button"), shows=wording)
    expect(wording).to_be_focused()
    expect(wording).to_be_in_viewport()
    here = _address(page)
    assert not {"run", "view", "text", "detail_run"} & here.keys()
    page.keyboard.press("Control+A")
    page.keyboard.type(NEW)
    walk.click(button(page, "Save question"), shows=reading(page, NEW))
    walk.click(at(page, "ask_again").get_by_role("button"), shows=reading(page, re.compile("From people on average")))
    expect(at(page, "tuning_bar")).to_contain_text(re.compile(r"before, \d\.\d\d now"))
    walk.done()
    page.reload()
    expect(reading(page, NEW)).to_be_visible()
    settled(page)
    page.go_back()
    expect(at(page, "text_steps")).to_contain_text("Text 1 of 40")
    settled(page)
    assert _address(page) == there


@pytest.mark.long
def test_one_button_leads_back_to_the_same_text_tab_and_run(page: Page, app: App) -> None:
    page.goto(f"{app.url}/results?project=Demo&dimension=fluency&run=1&view=texts&direction=harsher")
    click(button(page, "Read them one by one"), shows=at(page, "text_steps"))
    click(at(page, "next_text").get_by_role("button"), shows=at(page, "text_steps").get_by_text("Text 2 of"))
    there, draft = _address(page), page.get_by_role("button", name=re.compile("^Publish version 2"))
    click(first_of(page, "edit_question_").get_by_role("button"), shows=draft)
    click(button(page, "Back to the text"), shows=at(page, "text_steps").get_by_text("Text 2 of"))
    assert _address(page) == there
    click(first_of(page, "edit_question_").get_by_role("button"), shows=draft)  # the same draft, no second one
    expect(page.get_by_role("button", name=re.compile("^Publish version 3"))).to_have_count(0)


@pytest.mark.long
def test_back_is_one_step_a_screen(page: Page, app: App) -> None:
    page.goto(f"{app.url}/texts?project=Demo")
    expect(page.get_by_role("heading", level=1, name="Texts", exact=True)).to_be_visible()
    settled(page)
    screen(page, "Results")
    click(page.get_by_role("radio", name="Questions").or_(button(page, "Questions")), shows=at(page, "weights"))
    there = page.url
    screen(page, "Checklist")
    screen(page, "Scores")
    for name in ("Checklist", "Results", "Texts"):
        page.go_back()
        expect(page.get_by_role("heading", level=1, name=name, exact=True)).to_be_visible()
        settled(page)
        if name == "Results":
            assert page.url == there


def _address(page: Page) -> dict[str, list[str]]:
    return parse_qs(urlparse(page.url).query)
