"""Half-typed words outlive a reload and a look elsewhere, and are gone once they are sent or put aside."""

import json

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import App, begin, shown, written
from tests.e2e.screen import at, click, first_of, screen, settled

HALF = "Does each sentence follow from the one be"


@pytest.fixture
def app(served_demo: App) -> App:
    return served_demo


def _line(page: Page) -> Locator:
    return page.get_by_role("textbox", name="What do you look for?")


def _draw_over(field: Locator) -> None:
    """As a late redraw does: the field says what the server knows, and the screen around it changes."""
    field.evaluate(
        """field => {
          Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, "value").set.call(field, "");
          document.body.append(document.createElement("i"));
        }"""
    )


def test_half_a_point_is_there_until_it_is_sent(page: Page, app: App) -> None:
    begin(page, app, "Ada")
    _line(page).press_sequentially(HALF)
    page.reload()
    expect(_line(page)).to_have_value(HALF)
    settled(page)
    screen(page, "Attributes")
    screen(page, "Think aloud")
    expect(_line(page)).to_have_value(HALF)
    settled(page)
    click(at(page, "say_add").get_by_role("button"), shows=at(page, "own_rows").get_by_text(HALF, exact=True))
    expect(_line(page)).to_have_value("")
    settled(page)
    page.reload()
    shown(page, HALF)
    expect(_line(page)).to_have_value("")
    assert written(app)["Ada"] == [HALF]

    click(at(page, "undo_last").get_by_role("button"), shows=page.get_by_text("Removed by you (1)"))
    assert "Ada" not in written(app), "what was done before the reload was taken back"


def test_half_a_point_outlives_a_late_redraw(page: Page, app: App) -> None:
    begin(page, app, "Ben")
    _line(page).press_sequentially(HALF)
    page.reload()
    expect(_line(page)).to_have_value(HALF)
    _draw_over(_line(page))
    expect(_line(page)).to_have_value(HALF)


def test_a_wording_put_aside_is_not_brought_back_and_a_rubric_is(page: Page, app: App) -> None:
    begin(page, app, "Cleo")
    _line(page).fill("Order.")
    _line(page).press("Enter")
    shown(page, "Order.")
    wording = page.get_by_role("textbox", name="Your wording")
    click(first_of(page, "edit_").get_by_role("button"), shows=wording)
    wording.fill("Disorder.")
    click(page.get_by_role("button", name="Cancel"), shows=at(page, "own_rows").get_by_text("Order.", exact=True))
    settled(page)
    click(first_of(page, "edit_").get_by_role("button"), shows=wording)
    expect(wording).to_have_value("Order.")

    page.goto(f"{app.url}/data?project=Demo&dimension=coherence&section=Dimensions and wording")
    rubric = page.get_by_role("textbox", name="Rubric").first
    settled(page)
    page.wait_for_function("window.interactevalKeptTyping")  # nothing can keep words before it has arrived
    rubric.fill("Coherence is")
    page.reload()
    expect(rubric).to_have_value("Coherence is")


def test_words_typed_into_a_field_the_moment_it_is_there_are_kept_with_what_it_said(page: Page, app: App) -> None:
    page.goto(f"{app.url}/data?project=Demo&dimension=coherence&section=Dimensions and wording")
    settled(page)
    kept = page.get_by_role("textbox", name="Rubric").first.evaluate(
        """field => {
          const quick = field.cloneNode();
          quick.value = "What it said";
          field.after(quick);
          quick.focus();
          quick.value = "Coherence is";
          quick.dispatchEvent(new Event("input", { bubbles: true }));
          return Object.values(sessionStorage).filter(one => one.includes("Coherence is"));
        }"""
    )
    assert [json.loads(one) for one in kept] == [{"before": "What it said", "words": "Coherence is"}]
