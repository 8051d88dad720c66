"""However fast an expert types, each key answers the question that was on the screen, and nothing typed is lost."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import count
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, expect

from app.domain.checklist_score import Answer
from app.domain.expert_answer import AnswerSheet
from app.services.checklists.answer_draws import answerable, draw_texts
from app.services.checklists.checklist_files import import_checklist_file
from app.services.checklists.checklists import publish
from app.services.checklists.expert_answers import answer_sheet
from app.services.data.projects import one_dimension
from tests.e2e.conftest import App, opened
from tests.e2e.screen import IN_ONE_GO, at, click, press_key, settled

LETTERS = {"y": Answer.YES, "n": Answer.NO, "a": Answer.NOT_APPLICABLE, "s": Answer.UNANSWERED}
TYPED = "ynynnyysynnyyn"
NUMBERS = count(1)


@pytest.fixture(scope="module")
def asked(served_demo: App) -> App:
    """A server on the demo with two texts to answer, fourteen questions each."""
    questions = "\n".join(f"Is the part numbered {n} there?" for n in range(1, 15))
    to_answer(served_demo, "coherence", "questions.txt", questions)
    return served_demo


@pytest.fixture
def app(asked: App) -> App:
    return asked


@pytest.fixture
def expert() -> str:
    """Somebody who has answered nothing yet."""
    return f"Ana {next(NUMBERS)}"


@pytest.fixture
def ana(app: App, page: Page, expert: str) -> Page:
    """Her sheet."""
    open_sheet(page, app, expert)
    return page


def to_answer(app: App, dimension: str, name: str, file: str) -> None:
    """A file's questions, published, and two texts drawn for them."""
    with opened(app) as workbench:
        place = one_dimension(workbench, "Demo", dimension).id
        made = import_checklist_file(workbench, place, file.encode(), name).checklist
        publish(workbench, made.id)
        draw_texts(workbench, made.id, 2, seed=1)


def open_sheet(page: Page, app: App, expert: str) -> None:
    page.goto(f"{app.url}/answer?project=Demo&dimension=coherence&expert={quote(expert)}")
    expect(at(page, "answer_questions").get_by_role("button").nth(13)).to_be_visible()
    settled(page)


@contextmanager
def kept(app: App, expert: str) -> Iterator[AnswerSheet]:
    with opened(app) as workbench:
        checklist = answerable(workbench, one_dimension(workbench, "Demo", "coherence").id)[0][0]
        yield answer_sheet(workbench, checklist.id, expert)


def answers(app: App, expert: str, place: int = 0) -> str:
    """What is stored about one of the texts, a letter for each question, a dot where there is nothing."""
    letters = {given: letter for letter, given in LETTERS.items()}
    with kept(app, expert) as sheet:
        found = (sheet.given.get((sheet.texts[place], question.id)) for question in sheet.checklist.asked)
        return "".join(letters[one.answer] if one and one.answer else "." for one in found)


def all_saved(page: Page) -> None:
    expect(at(page, "answer_current").get_by_role("status")).to_have_text("All saved")


@contextmanager
def busy() -> Iterator[None]:
    """Two processes that want all there is of both processors."""
    with ExitStack() as stack:
        for _ in range(2):
            process = stack.enter_context(subprocess.Popen([sys.executable, "-c", "while True: pass"]))
            stack.callback(process.kill)
        yield


@pytest.mark.parametrize("pause", [*(pytest.param(ms, marks=pytest.mark.long) for ms in (100, 50)), 0])
def test_fourteen_answers_typed_fast_are_stored_as_they_were_typed(
    ana: Page, app: App, expert: str, pause: int
) -> None:
    ana.keyboard.type(TYPED, delay=pause)
    all_saved(ana)
    assert answers(app, expert) == TYPED


@pytest.mark.long
def test_typing_on_a_busy_machine_loses_and_moves_nothing(ana: Page, app: App, expert: str) -> None:
    with busy():
        ana.keyboard.type(TYPED, delay=100)
        all_saved(ana)
    assert answers(app, expert) == TYPED


@pytest.mark.long
def test_keys_after_the_last_question_answer_nothing_and_do_not_reach_the_next_text(
    ana: Page, app: App, expert: str
) -> None:
    ana.keyboard.type(TYPED + "yyy", delay=50)
    all_saved(ana)
    ana.evaluate(IN_ONE_GO, ["Enter", "n", "n", "n"])
    expect(at(ana, "answering")).to_contain_text("Text 2 of 2")
    settled(ana)
    assert answers(app, expert, 0) == TYPED
    assert answers(app, expert, 1) == "." * 14
    ana.keyboard.type("yn", delay=50)
    all_saved(ana)
    assert answers(app, expert, 1) == "yn" + "." * 12


@pytest.mark.long
def test_what_was_typed_before_going_on_is_kept(ana: Page, app: App, expert: str) -> None:
    ana.keyboard.type("yns\n", delay=0)
    expect(at(ana, "answering")).to_contain_text("Text 2 of 2")
    assert answers(app, expert, 0) == "yns" + "." * 11


def test_one_key_goes_back_and_the_answer_is_given_anew(ana: Page, app: App, expert: str) -> None:
    current = at(ana, "answer_current")
    ana.keyboard.type("yyy", delay=0)
    press_key(ana, "Backspace", shows=current.get_by_text("Question 3 of"))
    press_key(ana, "Backspace", shows=current.get_by_text("Question 2 of"))
    ana.keyboard.type("n", delay=0)
    expect(current).to_contain_text("Question 4 of")
    click(at(ana, "answer_back").get_by_role("button"), shows=current.get_by_text("Question 2 of"))
    ana.keyboard.type("n", delay=0)
    expect(current).to_contain_text("Question 4 of")
    all_saved(ana)
    assert answers(app, expert) == "yny" + "." * 11


@pytest.mark.long
def test_skipped_questions_are_counted_apart_from_answers(ana: Page, app: App, expert: str) -> None:
    ana.keyboard.type("y" * 12 + "ss", delay=50)
    all_saved(ana)
    expect(at(ana, "answer_current")).to_contain_text("12 answered, 2 skipped")


@pytest.mark.long
def test_a_key_held_down_answers_one_question(ana: Page, app: App, expert: str) -> None:
    for _ in range(5):
        ana.keyboard.down("y")  # the browser calls all but the first a repetition
    ana.keyboard.up("y")
    all_saved(ana)
    assert answers(app, expert) == "y" + "." * 13


@pytest.mark.long
def test_the_mouse_and_a_focused_button_answer_too(ana: Page, app: App, expert: str) -> None:
    current = at(ana, "answer_current")
    click(current.get_by_role("button", name="Yes"), shows=current.get_by_text("Question 2 of"))
    click(at(ana, "answer_to_4").get_by_role("button"), shows=current.get_by_text("Question 5 of"))
    current.get_by_role("button", name="No").focus()
    press_key(ana, "Enter", shows=current.get_by_text("Question 6 of"))
    all_saved(ana)
    assert answers(app, expert) == "y...n" + "." * 9
    expect(at(ana, "answering")).to_contain_text("Text 1 of 2")


@pytest.mark.long
def test_a_server_that_is_away_gets_everything_when_it_is_back(ana: Page, app: App, expert: str) -> None:
    app.stop()
    ana.keyboard.type(TYPED, delay=50)
    expect(at(ana, "answer_current").get_by_role("status")).to_contain_text("14")
    app.start()
    all_saved(ana)
    assert answers(app, expert) == TYPED


@pytest.mark.long
def test_a_reload_in_the_middle_of_typing_loses_nothing(ana: Page, app: App, expert: str) -> None:
    app.stop()
    ana.keyboard.type("ynyn", delay=0)
    app.start()
    open_sheet(ana, app, expert)
    all_saved(ana)
    assert answers(app, expert) == "ynyn" + "." * 10


@pytest.mark.long
def test_a_tab_closed_before_all_was_saved_loses_nothing(ana: Page, app: App, expert: str) -> None:
    closed = ana.context.new_page()
    open_sheet(closed, app, expert)
    app.stop()
    closed.keyboard.type("ynyn", delay=0)
    closed.close()
    app.start()
    open_sheet(ana, app, expert)
    all_saved(ana)
    assert answers(app, expert) == "ynyn" + "." * 10


def test_what_experts_read_is_shown_as_text(page: Page, app: App) -> None:
    words = "Is <img src=x onerror=alert(1)> & **this** there?"
    asked = {"questions": [{"text": words, "component": "<b>Parts</b>"}]}
    to_answer(app, "fluency", "questions.json", json.dumps(asked))
    page.goto(f"{app.url}/answer?project=Demo&dimension=fluency&expert=Ana")
    current = at(page, "answer_current")
    expect(current).to_contain_text(words)
    expect(current.locator("img")).to_have_count(0)


@pytest.mark.long
def test_does_not_apply_is_a_key_on_the_questions_that_allow_it_and_on_no_other(
    app: App, page: Page, expert: str
) -> None:
    rows = [
        "text,may_not_apply",
        *(f"Is the part numbered {n} there?,{'no' if n % 2 else 'yes'}" for n in range(1, 15)),
    ]
    to_answer(app, "coherence", "questions.csv", "\n".join(rows))
    open_sheet(page, app, expert)
    button = at(page, "answer_does_not_apply").get_by_role("button")
    expect(at(page, "answer_yes").get_by_role("button")).to_be_visible()
    expect(button).to_be_hidden()
    page.keyboard.type("aya" + "ana")  # each second A falls on a question that always applies, and does nothing
    all_saved(page)
    assert answers(app, expert)[:5] == "yana."
    expect(button).to_be_hidden()
    page.keyboard.type("y")
    expect(button).to_be_visible()
    expect(button).to_have_accessible_name("Does not apply")
    button.click()
    all_saved(page)
    assert answers(app, expert)[:7] == "yanaya."
