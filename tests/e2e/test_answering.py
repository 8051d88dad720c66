"""An expert answers with the keyboard alone, and letters in a note are only letters."""

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.conftest import App
from tests.e2e.screen import PATIENCE_MS, at, press_key, settled


@pytest.mark.long
@pytest.mark.usefixtures("demo")
def test_keys_answer_and_go_on_and_a_refresh_keeps_everything(page: Page, app: App) -> None:
    app.command("answers", "draw", "--project", "Demo", "--dimension", "coherence", "--texts", "3")
    page.goto(f"{app.url}/answer?project=Demo&dimension=coherence&expert=Ana")
    current, questions = at(page, "answer_current"), at(page, "answer_questions")
    progress = at(page, "answering")
    expect(current.get_by_role("button", name="Yes")).to_be_visible()
    settled(page)
    expect(current).to_contain_text("Question 1 of")
    for number, key in enumerate("yns", start=2):
        press_key(page, key, shows=current.get_by_text(f"Question {number} of"))
    for said in ("yes", "no", "skipped"):
        expect(questions).to_contain_text(f"· {said}")
    note = current.get_by_role("textbox")
    note.click()
    note.press_sequentially("yes, no, s")
    press_key(page, "Enter", shows=questions.get_by_text("· note"))
    expect(current).to_contain_text("Question 4 of")
    page.reload()
    expect(current.get_by_role("button", name="Yes")).to_be_visible()
    expect(current).to_contain_text("Question 4 of")
    expect(note).to_have_value("yes, no, s")
    settled(page)
    note.press("End")
    note.press_sequentially(" and half a note")
    page.reload()
    expect(note).to_have_value("yes, no, s and half a note")
    settled(page)
    press_key(page, "Enter", shows=progress.get_by_text("Text 2 of 3"))
    press_key(page, "ArrowLeft", shows=progress.get_by_text("Text 1 of 3"))


@pytest.mark.long
@pytest.mark.usefixtures("demo")
def test_phone_keeps_the_question_in_reach_while_the_text_is_read(browser: Browser, app: App) -> None:
    app.command("answers", "draw", "--project", "Demo", "--dimension", "coherence", "--texts", "3")
    context = app.let_in(browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True))
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    page.goto(f"{app.url}/answer?project=Demo&dimension=coherence&expert=Ana")
    current = at(page, "answer_current")
    expect(current.get_by_role("button", name="Yes")).to_be_in_viewport(ratio=1)
    settled(page)
    for part in (current, at(page, "answer_next"), current.get_by_role("textbox")):
        expect(part).to_be_in_viewport(ratio=1)
    expect(current.locator("kbd").first).to_be_hidden()
    for target in current.locator("button, input").locator("visible=true").all():
        box = target.bounding_box()
        assert box is not None
        assert box["height"] >= 44
    last = at(page, "answer_questions").get_by_role("button").last
    last.scroll_into_view_if_needed()
    last.click()  # nothing covers it
    expect(last).to_have_attribute("aria-current", "true")
    assert page.evaluate("document.querySelector('.stMain').scrollWidth <= 390")
    context.close()


@pytest.mark.long
@pytest.mark.usefixtures("demo")
def test_guidance_reads_in_the_direction_of_its_own_words(page: Page, app: App) -> None:
    file = app.home / "questions.csv"
    file.write_text("text,guidance\nDoes it close?,כן: כל משפט שלם (19).\n", encoding="utf-8")
    place = ("--project", "Demo", "--dimension", "coherence")
    app.command("checklist", "import", str(file), *place, "--publish")
    app.command("answers", "draw", *place, "--texts", "3")
    page.goto(f"{app.url}/answer?project=Demo&dimension=coherence&expert=Ana")
    guidance = at(page, "answer_current").get_by_text("19")
    expect(guidance).to_have_css("direction", "rtl")
    expect(at(page, "answer_current").get_by_text("Does it close?")).to_have_css("direction", "ltr")
