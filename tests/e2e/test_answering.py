"""An expert answers with the keyboard alone, and letters in a note are only letters."""

from playwright.sync_api import Page, expect

from tests.e2e.conftest import App, at


def listening(page: Page) -> None:
    """Keys work once the buttons they stand for are all drawn, which the words above them come before."""
    expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")
    page.wait_for_timeout(300)


def test_keys_answer_and_go_on_and_a_refresh_keeps_everything(page: Page, app: App) -> None:
    app.command("demo")
    app.command("answers", "draw", "--project", "Demo", "--dimension", "coherence", "--texts", "3")
    page.goto(f"{app.url}/answer?project=Demo&dimension=coherence&expert=Ana")
    current, questions = at(page, "answer_current"), at(page, "answer_questions")
    for number, key in enumerate("yns", start=1):
        expect(current).to_contain_text(f"Question {number} of")
        listening(page)
        page.keyboard.press(key)
    expect(current).to_contain_text("Question 4 of")
    for said in ("yes", "no", "skipped"):
        expect(questions).to_contain_text(f"· {said}")
    note = current.locator("input")
    note.click()
    note.press_sequentially("yes, no, s")
    note.press("Enter")
    expect(current).to_contain_text("Question 4 of")
    page.reload()
    expect(current).to_contain_text("Question 4 of")
    expect(current.locator("input")).to_have_value("yes, no, s")
    listening(page)
    page.keyboard.press("Enter")
    expect(at(page, "answering")).to_contain_text("Text 2 of 3")
    listening(page)
    page.keyboard.press("ArrowLeft")
    expect(at(page, "answering")).to_contain_text("Text 1 of 3")
