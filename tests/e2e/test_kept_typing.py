"""Drafts of text fields outlive reload, Back, other tabs and a restart, and go once they are saved or discarded."""

import json
import re

import pytest
from playwright.sync_api import Locator, Page, expect

from app.providers.credentials import Credentials
from app.services.building.build_state import builds_of, view_build
from app.services.runtime.workbench import Workbench
from db.unit_of_work import Database
from tests.e2e.conftest import App, begin, shown, written
from tests.e2e.screen import at, button, click, first_of, reading, screen, settled, wait_until
from tests.support.disagreements import experts_say, parted_project

HALF = "Does each sentence --> follow </style> from the one be"


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


@pytest.mark.long
def test_half_a_point_outlives_a_late_redraw(page: Page, app: App) -> None:
    begin(page, app, "Ben")
    _line(page).press_sequentially(HALF)
    page.reload()
    expect(_line(page)).to_have_value(HALF)
    _draw_over(_line(page))
    expect(_line(page)).to_have_value(HALF)


@pytest.mark.long
def test_a_cancelled_edit_is_not_brought_back(page: Page, app: App) -> None:
    begin(page, app, "Cleo")
    _line(page).fill("Order.")
    _line(page).press("Enter")
    shown(page, "Order.")
    wording = page.get_by_role("textbox", name="Your wording")
    click(first_of(page, "edit_").get_by_role("button"), shows=wording)
    wording.fill("  ")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_test_id("stAlert")).to_be_visible()
    settled(page)
    expect(page.get_by_test_id("stAlert")).to_be_visible()
    wording.fill("Disorder.")
    click(page.get_by_role("button", name="Cancel"), shows=at(page, "own_rows").get_by_text("Order.", exact=True))
    settled(page)
    click(first_of(page, "edit_").get_by_role("button"), shows=wording)
    expect(wording).to_have_value("Order.")


@pytest.mark.long
def test_an_edit_of_a_point_outlives_reload_and_back(page: Page, app: App) -> None:
    begin(page, app, "Dora")
    _line(page).fill("Order.")
    _line(page).press("Enter")
    shown(page, "Order.")
    wording = page.get_by_role("textbox", name="Your wording")
    click(first_of(page, "edit_").get_by_role("button"), shows=wording)
    wording.fill("Disorder.")
    page.reload()
    expect(at(page, "own_rows").get_by_text("an edit is not saved yet")).to_be_visible()
    screen(page, "Attributes")
    page.go_back()
    expect(at(page, "own_rows").get_by_text("an edit is not saved yet")).to_be_visible()
    settled(page)
    click(first_of(page, "edit_").get_by_role("button"), shows=wording)
    expect(wording).to_have_value("Disorder.")
    click(page.get_by_role("button", name="Save", exact=True), hides=wording)
    shown(page, "Disorder.")
    expect(at(page, "own_rows").get_by_text("an edit is not saved yet")).to_have_count(0)


@pytest.mark.long
def test_a_rubric_outlives_another_section_and_a_restart(page: Page, app: App) -> None:
    page.goto(f"{app.url}/texts?project=Demo&dimension=coherence&section=Dimensions and wording")
    rubric = _rubric(page)
    settled(page)
    saved = rubric.input_value()
    rubric.fill("Coherence is")
    section = at(page, "data_section_1")
    click(section.get_by_text("Samples", exact=True), hides=page.get_by_role("textbox", name="Rubric"))
    click(section.get_by_text("Dimensions and wording"), shows=page.get_by_role("textbox", name="Rubric"))
    expect(rubric).to_have_value("Coherence is")
    app.stop()
    app.start()
    page.reload()
    expect(rubric).to_have_value("Coherence is")
    expect(_note(page)).to_have_count(1)
    settled(page)
    click(page.get_by_role("button", name="Discard"), hides=_note(page))
    expect(rubric).to_have_value(saved)
    page.reload()
    expect(rubric).to_have_value(saved)
    expect(_note(page)).to_have_count(0)


@pytest.mark.long
def test_a_saved_rubric_leaves_no_draft(page: Page, app: App) -> None:
    page.goto(f"{app.url}/texts?project=Demo&dimension=fluency&section=Dimensions and wording")
    rubric = at(page, "dimension_rubric_2").get_by_role("textbox")
    expect(rubric).to_be_visible()
    settled(page)
    rubric.fill("Fluent.")
    click(at(page, "save_dimension_2").get_by_role("button"), shows=page.get_by_text("Saved.", exact=True))
    wait_until(page, "!Object.keys(localStorage).some(key => key.includes('dimension_rubric_2'))")


@pytest.mark.long
def test_words_of_two_tabs_are_both_offered(page: Page, app: App) -> None:
    address = f"{app.url}/texts?project=Demo&dimension=coherence&section=Dimensions and wording"
    page.goto(address)
    expect(_rubric(page)).to_be_visible()
    settled(page)
    other = page.context.new_page()
    other.goto(address)
    expect(_rubric(other)).to_be_visible()
    settled(other)
    _rubric(page).fill("First.")
    _rubric(other).fill("Second.")
    page.reload()
    expect(_rubric(page)).to_have_value("Second.")
    expect(_note(page)).to_contain_text("First.")
    settled(page)
    page.get_by_role("button", name="Use", exact=True).click()
    expect(_rubric(page)).to_have_value("First.")
    expect(_note(page)).to_contain_text("Second.")


@pytest.mark.long
def test_a_question_outlives_editing_another_and_is_published(page: Page, app: App) -> None:
    page.goto(f"{app.url}/checklist?project=Demo&dimension=coherence")
    click(at(page, "new_draft").get_by_role("button"), shows=at(page, "publish"))
    editors = (
        page.locator("[class*='st-key-open_']")
        .get_by_role("button", name="the question")
        .or_(page.locator("[class*='st-key-open_']").get_by_role("button", name="question "))
    )
    wording = page.get_by_role("textbox", name="Wording")
    first, second = (editors.nth(place) for place in (0, 1))
    click(first, shows=wording)
    old = wording.input_value()
    wording.fill("Is it in order from start to end?")
    second.click()
    expect(wording).not_to_have_value(re.compile(re.escape("Is it in order")))
    expect(wording).not_to_have_value(old)
    expect(page.get_by_text("not saved yet")).to_be_visible()
    page.reload()
    expect(page.get_by_text("not saved yet")).to_be_visible()
    settled(page)
    click(at(page, "publish").get_by_role("button"), shows=at(page, "publish_saved"))
    expect(at(page, "publishing")).to_contain_text("question 1")
    click(at(page, "publish_saved").get_by_role("button"), shows=at(page, "new_draft"))
    expect(page.get_by_text("Is it in order from start to end?")).to_be_visible()


@pytest.mark.long
def test_a_reason_outlives_the_next_disagreement(page: Page, app: App) -> None:
    database = Database(f"sqlite:///{app.home}/workbench.db")
    workbench = Workbench(database, Credentials())
    experts_say(workbench, parted_project(workbench), {"Ana": ["yyy"] * 4, "Ben": ["nyy"] * 4})
    database.close()
    page.goto(f"{app.url}/disagreements?project=Letters&dimension=tone")
    why = page.get_by_role("textbox", name="Why, in a line")
    expect(at(page, "pair_steps")).to_contain_text("1 of 4")
    settled(page)
    why.fill("It greets twice.")
    click(at(page, "next_pair").get_by_role("button"), shows=at(page, "pair_steps").get_by_text("2 of 4"))
    expect(why).to_have_value("")
    click(at(page, "previous_pair").get_by_role("button"), shows=at(page, "pair_steps").get_by_text("1 of 4"))
    expect(why).to_have_value("It greets twice.")


@pytest.mark.long
def test_a_component_renamed_without_save_is_used(page: Page, app: App) -> None:
    page.goto(f"{app.url}/how_it_was_made?project=Demo&dimension=coherence")
    another, step = button(page, "Start a new build"), button(page, "Go step by step")
    expect(another.or_(step).first).to_be_visible()
    settled(page)
    if not step.count():
        click(another, shows=step)
    click(step, shows=button(page, "Make the components"))
    click(button(page, "Make the components"), shows=button(page, "Make the clusters"))
    name = first_of(page, "component_name_").get_by_role("textbox")
    click(page.locator("[class*='st-key-open_'][class*='_component_']").get_by_role("button").first, shows=name)
    name.fill("Threads")
    click(button(page, "Make the clusters"), shows=button(page, "Make the key questions"))
    click(at(page, "step_components").get_by_role("button"), shows=reading(page, "Threads"))
    assert "Threads" in _components(app)


def test_a_key_is_never_kept(page: Page, app: App) -> None:
    page.goto(f"{app.url}/settings")
    opener = first_of(page, "type_key_").get_by_role("button")
    key = first_of(page, "typed_key_").locator("input")
    click(opener, shows=key)
    key.fill("sk-secret")
    show = first_of(page, "typed_key_").get_by_role("button")
    if show.count():
        show.first.click()
        key.press_sequentially("-shown")
    assert not page.evaluate("[localStorage, sessionStorage].some(kept => JSON.stringify(kept).includes('secret'))")


@pytest.mark.long
def test_words_typed_into_a_field_the_moment_it_is_there_are_kept_with_what_it_said(page: Page, app: App) -> None:
    page.goto(f"{app.url}/texts?project=Demo&dimension=coherence&section=Dimensions and wording")
    settled(page)
    kept = _rubric(page).evaluate(
        """field => {
          localStorage.clear();
          const quick = field.cloneNode();
          quick.value = "What it said";
          field.after(quick);
          quick.focus();
          quick.value = "Coherence is";
          quick.dispatchEvent(new Event("input", { bubbles: true }));
          return Object.values(localStorage).filter(one => one.includes("Coherence is"));
        }"""
    )
    assert [(json.loads(one)["before"], json.loads(one)["words"]) for one in kept] == [("What it said", "Coherence is")]


@pytest.mark.long
def test_choices_of_a_closed_question_outlive_reload(page: Page, app: App) -> None:
    page.goto(f"{app.url}/checklist?project=Demo&dimension=coherence")
    draft, publish = at(page, "new_draft"), at(page, "publish")
    expect(draft.or_(publish).first).to_be_visible()
    settled(page)
    if draft.count():
        click(draft.get_by_role("button"), shows=publish)
    editor = page.locator("[class*='st-key-open_']").get_by_role("button", name=re.compile("question 1$"))
    may_not = first_of(page, "question_may_not_apply_").get_by_role("checkbox")
    click(editor, shows=may_not)
    first_of(page, "question_may_not_apply_").locator("label").click()
    expect(may_not).to_be_checked()
    expect(page.get_by_text("not saved yet")).to_be_visible()
    settled(page)
    click(editor, hides=may_not)
    page.reload()
    expect(page.get_by_text("not saved yet")).to_be_visible()
    settled(page)
    click(editor, shows=may_not)
    expect(may_not).to_be_checked()


def _rubric(page: Page) -> Locator:
    return page.get_by_role("textbox", name="Rubric").first


def _note(page: Page) -> Locator:
    return page.locator(".kept-typing-note")


def _components(app: App) -> list[str]:
    """Of the newest build of the demo's first dimension."""
    database = Database(f"sqlite:///{app.home}/workbench.db")
    workbench = Workbench(database, Credentials())
    newest = max(build.id for build in builds_of(workbench, 1))
    found = [component.name for component in view_build(workbench, newest).build.components]
    database.close()
    return found
