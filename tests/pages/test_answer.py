"""Answer: an expert answers one text after another, blind; the owner draws the texts and sees how far everybody is."""

import itertools
from collections.abc import Callable, Iterator

import pytest
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Block

from app.corpora.demo_data.corpus import DEMO_NOTICE
from app.domain.checklist_score import Answer
from app.domain.expert_answer import AnswerDraw
from app.services.checklists.answer_draws import draw_of, draw_texts
from app.services.checklists.checklists import new_draft, publish, view_checklist
from app.services.checklists.draft_edits import QuestionWording, edit_question
from app.services.checklists.expert_answers import answer, answer_sheet, expert_answers
from app.services.data.projects import one_dimension
from app.services.runtime.workbench import Workbench
from app.services.think_aloud.independence import add_own_attribute
from pages.components.results.details import OPEN
from tests.support.answering import answer_all
from tests.support.background import PATIENCE
from tests.support.browser_messages import send, shown
from tests.support.repository import ROOT

Open = Callable[..., AppTest]


def opened(expert: str) -> AppTest:
    app = AppTest.from_file(str(ROOT / "app" / "main.py"), default_timeout=PATIENCE)
    app.switch_page("../pages/answer.py")
    app.query_params["expert"] = expert
    app.query_params["dimension"] = "coherence"
    return app.run()


KEYS = "answer_entries_"


class Person:
    """Somebody at the keyboard: numbers what they do, as the browser does."""

    def __init__(self, app: AppTest) -> None:
        self.app, self.done = app, 0

    def does(self, *entries: dict[str, object]) -> None:
        numbered = []
        for entry in entries:
            self.done += 1
            numbered.append({"number": self.done, "text": shown(self.app, KEYS)["text"], **entry})
        send(self.app, KEYS, entries={"page": "p", "attempt": self.done, "entries": numbered})

    def question(self, place: int) -> int:
        return int(shown(self.app, KEYS)["questions"][place]["id"])


@pytest.fixture
def checklist(demo: Workbench) -> int:
    return view_checklist(demo, one_dimension(demo, "Demo", "coherence").id).checklist.id


@pytest.fixture
def draw(demo: Workbench, checklist: int) -> AnswerDraw:
    return draw_texts(demo, checklist, 3, seed=1)


def _blocks(block: Block) -> Iterator[Block]:
    for child in block.children.values():
        if isinstance(child, Block):
            yield child
            yield from _blocks(child)


def test_the_owner_draws_texts_then_more_and_sees_who_is_how_far(demo: Workbench, checklist: int, open_screen: Open):
    app = open_screen("answer", dimension="coherence")
    forms = [block.proto.form for block in _blocks(app.main) if block.type == "form"]
    form = next(form for form in forms if form.form_id == f"draw_form_{checklist}")
    assert form.enter_to_submit is False
    app.number_input(key=f"draw_texts_{checklist}").set_value(4)
    app.button(key=f"draw_submit_{checklist}").click().run()
    draw = draw_of(demo, checklist)
    assert draw is not None and len(draw.texts) == 4
    assert any("4 texts drawn" in c.value and "spread over the human scores" in c.value for c in app.caption)
    assert any("Nobody has answered yet" in m.value for m in app.markdown)
    question = view_checklist(demo, 1, 1).checklist.asked[0].id
    for text in draw.texts:
        answer(demo, draw, "Ana", text, question, Answer.YES)
    before = answer_sheet(demo, checklist, "Ana").texts
    app.run()
    frame = app.dataframe[0].value
    assert frame[["Expert", "Answers", "Skipped"]].values.tolist() == [["Ana", 4, 0]]
    assert not any(b.key == f"draw_again_{checklist}" for b in app.button)

    # More texts come after those that experts have; what they would bring is said first.
    app.button(key=f"draw_more_{checklist}").click().run()
    app.number_input(key=f"more_texts_{checklist}").set_value(5)
    app.button(key=f"more_look_{checklist}").click().run()
    said = [one.value for one in app.markdown]
    assert any("can't be told" in one or "plus or minus" in one for one in said)
    assert draw_of(demo, checklist) == draw, "looking draws nothing"
    app.button(key=f"more_submit_{checklist}").click().run()
    now = draw_of(demo, checklist)
    assert now is not None
    assert [len(wave.texts) for wave in now.waves] == [4, 5]
    assert answer_sheet(demo, checklist, "Ana").texts[:4] == before
    assert any("4 texts drawn on" in c.value and "5 texts drawn on" in c.value for c in app.caption)


def test_answers_and_notes_are_kept_at_once_and_survive_a_refresh(demo: Workbench, checklist: int, draw: AnswerDraw):
    ana = Person(opened("Ana"))
    first, second, third, *_ = (ana.question(place) for place in range(4))
    ana.does(
        {"question": first, "answer": "yes"},
        {"question": second, "answer": "no"},
        {"question": third, "answer": "unanswered"},
    )
    kept = [one.answer for one in answer_sheet(demo, checklist, "Ana").given.values()]
    assert kept == [Answer.YES, Answer.NO, Answer.UNANSWERED]
    assert (shown(ana.app, KEYS)["page"], shown(ana.app, KEYS)["confirmed"]) == ("p", 3)
    for app in (ana.app, opened("Ana")):
        given = [question["answer"] for question in shown(app, KEYS)["questions"]]
        assert given[:4] == ["yes", "no", "unanswered", None]
    ana.does({"question": second, "answer": "yes"})
    text = answer_sheet(demo, checklist, "Ana").texts[0]
    assert answer_sheet(demo, checklist, "Ana").given[text, second].answer is Answer.YES
    old = {"number": 2, "text": text, "question": second, "answer": "no"}  # what arrives twice undoes nothing later
    send(ana.app, KEYS, entries={"page": "p", "attempt": 9, "entries": [old]})
    assert answer_sheet(demo, checklist, "Ana").given[text, second].answer is Answer.YES
    ana.does({"question": first, "note": "<b>=1+1</b> $x$"})
    assert answer_sheet(demo, checklist, "Ana").given[text, first].note == "<b>=1+1</b> $x$"
    assert [q["note"] for q in shown(opened("Ana"), KEYS)["questions"]][:2] == ["<b>=1+1</b> $x$", ""]


def test_what_is_no_answer_to_this_sheet_is_said_and_not_kept(demo: Workbench, checklist: int, draw: AnswerDraw):
    app = opened("Ana")
    for sent in (
        "yes",
        {"page": "p", "entries": [{"number": 1, "text": 1, "question": 1, "answer": "<b>"}]},
        {"page": "p", "entries": [{"number": 1, "text": 999999, "question": 1, "answer": "yes"}]},
    ):
        send(app, KEYS, entries=sent)
        assert any("Reload the page" in e.value for e in app.error)
        assert not answer_sheet(demo, checklist, "Ana").given


def test_one_goes_on_and_back_and_is_told_what_is_missing_at_the_end(demo: Workbench, checklist: int, draw: AnswerDraw):
    ana = Person(opened("Ana"))
    app, texts = ana.app, answer_sheet(demo, checklist, "Ana").texts
    for step in (1, 1, -1):
        ana.does({"step": step})
    assert app.get("progress")[0].proto.text == "Text 2 of 3 · 0 texts finished"
    ana.does({"step": 1, "text": texts[0]})  # from a text that is no longer on the screen
    assert shown(app, KEYS)["text"] == texts[1]
    asked = [question.id for question in view_checklist(demo, 1, 1).checklist.asked]
    answer_all(demo, draw, "Ana", dict.fromkeys(itertools.product(texts[:2], asked), Answer.YES))
    ana.does({"step": 1})
    ana.does({"step": 1})
    assert any("1 text still" in m.value for m in app.markdown)
    app.button(key="answer_unfinished").click().run()
    answer_all(demo, draw, "Ana", dict.fromkeys(itertools.product(texts[2:], asked), Answer.YES))
    ana.does({"step": 1})
    assert any("All 3 texts are answered" in m.value for m in app.markdown)
    assert any("All 3 texts are answered" in m.value for m in opened("Ana").markdown)


def test_nothing_of_the_judge_of_others_or_of_the_plan_is_shown(demo: Workbench, checklist: int, draw: AnswerDraw):
    asked = view_checklist(demo, 1, 1).checklist.asked
    for text in draw.texts:
        answer(demo, draw, "Bo", text, asked[0].id, Answer.NO)
    app = opened("Ana")
    words = " ".join(str(e.value) for e in (*app.markdown, *app.caption, *app.text) if e.value)
    words += " ".join(b.label for b in app.button)
    assert "Bo" not in words.split()
    assert "rules" not in words.replace(DEMO_NOTICE, "")
    assert [question["answer"] for question in shown(app, KEYS)["questions"]] == [None] * len(asked)
    assert [choice["key"] for choice in shown(app, KEYS)["choices"]] == ["Y", "N", "S"], "no question may not apply"
    assert not app.dataframe
    assert not app.radio
    assert not any(button.key.startswith(("more_", "draw_")) for button in app.button if button.key)
    assert expert_answers(demo, checklist).experts == ("Bo",)


def test_an_expert_waits_for_texts_and_finishes_thinking_aloud_first(demo: Workbench, checklist: int):
    assert any("No texts are drawn yet" in m.value for m in opened("Ana").markdown)
    draw_texts(demo, checklist, 3, seed=1)
    add_own_attribute(demo, 1, "Cy", "Order.")
    app = opened("Cy")
    assert any("still hidden from you" in m.value for m in app.markdown)
    assert not app.get("bidi_component")


def test_results_wait_until_the_expert_has_finished(
    demo: Workbench, checklist: int, draw: AnswerDraw, open_results: Open
):
    def results(view: str, section: str) -> AppTest:
        return open_results(expert="Ana", dimension="coherence", view=view, **{OPEN: section})

    views = [("questions", ""), ("details", "people"), ("details", "download"), ("texts", "")]
    for place in views:
        app = results(*place)
        assert any("You have finished 0 of 3 texts" in m.value for m in app.markdown)
        assert not app.dataframe
    asked = [question.id for question in view_checklist(demo, 1, 1).checklist.asked]
    answer_all(demo, draw, "Ana", dict.fromkeys(itertools.product(draw.texts, asked), Answer.YES))
    for place in views[:2]:
        app = results(*place)
        assert not app.exception
        assert not any("You have finished" in m.value for m in app.markdown)


def test_what_the_judges_figures_are_worth_and_whether_it_may_stand_in(
    demo: Workbench, checklist: int, open_screen: Open
):
    draw = draw_texts(demo, checklist, 30, seed=3)
    with demo.database.read() as work:
        asked = [question.id for question in work.checklists.get(checklist).asked]
        run = next(number for number in range(1, 20) if work.results.answers(number, 1))
        judged = work.results.answers(run, 1)
    said = {(text, question): given for text in draw.texts for _, question, given in judged.get(text, [])}
    for expert in ("Ana", "Ben"):
        pairs = itertools.product(draw.texts, asked[:2])
        answer_all(demo, draw, expert, {pair: said.get(pair, Answer.NO) for pair in pairs})
    app = open_screen("results", view="questions")
    assert not app.exception
    words = "\n".join(str(element.value) for element in app.markdown)
    assert "May the judge stand in for one of the experts?" in words
    assert "The judge may stand in for one of these people" in words
    table = next(frame.value for frame in app.dataframe if "Judge off by" in frame.value)
    assert list(table["Experts' texts"].dropna()) == [f"{len(draw.texts)} of {len(judged)}"] * 2
    assert "No mean score can be corrected" in words, "nobody answered every question"
    assert "what does not apply" not in words, "every question applies"


def test_does_not_apply_is_offered_with_a_key_where_a_question_allows_it(demo: Workbench, checklist: int):
    draft = new_draft(demo, checklist)
    second = draft.asked[1]
    edit_question(demo, second, QuestionWording(second.text, second.component, may_not_apply=True))
    version = publish(demo, draft.id).id
    draw_texts(demo, version, 2, seed=1)
    ana = Person(opened("Ana"))
    choices = shown(ana.app, KEYS)["choices"]
    assert [(c["label"], c["key"]) for c in choices if c.get("open")] == [("Does not apply", "A")]
    assert [question["open"] for question in shown(ana.app, KEYS)["questions"]][:3] == [False, True, False]
    ana.does({"question": ana.question(1), "answer": "does not apply"})
    assert not ana.app.error
    ana.does({"question": ana.question(0), "answer": "does not apply"})
    assert any("doesn't take it" in error.value for error in ana.app.error)
    given = answer_sheet(demo, version, "Ana").given
    assert [(one.question, one.answer) for one in given.values()] == [(ana.question(1), Answer.NOT_APPLICABLE)]
