"""Answer: an expert answers one text after another, blind; the owner draws the texts and sees how far everybody is."""

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from app.services.checklists import view_checklist
from app.services.expert_answers import Answer, AnswerDraw, answer, answer_sheet, draw_of, draw_texts, expert_answers
from app.services.independence import say
from app.services.projects import one_dimension
from app.services.workbench import Workbench
from tests.support.repository import ROOT

Open = Callable[[str], AppTest]


def opened(expert: str) -> AppTest:
    app = AppTest.from_file(str(ROOT / "app" / "main.py"), default_timeout=30)
    app.query_params["expert"] = expert
    app.query_params["dimension"] = "coherence"
    return app.run().switch_page("../pages/answer.py").run()


def press(app: AppTest, *keys: str) -> None:
    for key in keys:
        app.button(key=f"answer_{key}").click().run()
        assert not app.exception


@pytest.fixture
def checklist(demo: Workbench) -> int:
    return view_checklist(demo, one_dimension(demo, "Demo", "coherence").id).checklist.id


@pytest.fixture
def draw(demo: Workbench, checklist: int) -> AnswerDraw:
    return draw_texts(demo, checklist, 3, seed=1)


def asked(app: AppTest) -> str:
    return next(c.value for c in app.caption if c.value.startswith("Question "))


def test_the_owner_draws_texts_once_and_sees_who_is_how_far(demo: Workbench, checklist: int, open_screen: Open):
    app = open_screen("answer")
    app.selectbox(key="dimension").set_value("coherence").run()
    app.number_input(key=f"draw_texts_{checklist}").set_value(4)
    app.button(key=f"draw_submit_{checklist}").click().run()
    draw = draw_of(demo, checklist)
    assert draw is not None and len(draw.texts) == 4
    assert any("4 texts drawn" in c.value and "stratified" in c.value for c in app.caption)
    assert any("Nobody has answered yet" in m.value for m in app.markdown)
    answer(demo, draw, "Ana", draw.texts[0], view_checklist(demo, 1, 1).checklist.asked[0].id, Answer.YES)
    app.run()
    frame = app.dataframe[0].value
    assert frame[["Expert", "Answers", "Skipped"]].values.tolist() == [["Ana", 1, 0]]
    assert not any(b.key == f"draw_again_{checklist}" for b in app.button)


def test_answers_are_kept_at_once_go_on_to_the_next_question_and_survive_a_refresh(
    demo: Workbench, checklist: int, draw: AnswerDraw
):
    app = opened("Ana")
    assert asked(app).startswith("Question 1 of")
    press(app, "yes", "no", "unanswered")
    assert asked(app).startswith("Question 4 of")
    first = answer_sheet(demo, checklist, "Ana").texts[0]
    kept = [one.answer for one in answer_sheet(demo, checklist, "Ana").given.values()]
    assert kept == [Answer.YES, Answer.NO, Answer.UNANSWERED]
    assert asked(opened("Ana")).startswith("Question 4 of")
    press(app, "to_1", "yes")
    question = view_checklist(demo, 1, 1).checklist.asked[1]
    assert answer_sheet(demo, checklist, "Ana").given[first, question.id].answer is Answer.YES


def test_a_note_is_kept_to_the_letter(demo: Workbench, checklist: int, draw: AnswerDraw):
    app = opened("Ana")
    app.text_input[0].input("<b>=1+1</b> $x$").run()
    assert [one.note for one in answer_sheet(demo, checklist, "Ana").given.values()] == ["<b>=1+1</b> $x$"]
    again = opened("Ana")
    assert again.text_input[0].value == "<b>=1+1</b> $x$"
    current, other = (again.button(key=f"answer_to_{place}") for place in (0, 1))
    assert current.label.startswith("**") and current.label.endswith(" · note")
    assert not other.label.startswith("**") and not other.label.endswith(" · note")


def test_one_goes_on_and_back_and_is_told_what_is_missing_at_the_end(demo: Workbench, checklist: int, draw: AnswerDraw):
    app = opened("Ana")
    texts = answer_sheet(demo, checklist, "Ana").texts
    press(app, "next", "next", "back")
    assert app.get("progress")[0].proto.text == "Text 2 of 3 · 0 texts finished"
    for text in texts[:2]:
        for question in view_checklist(demo, 1, 1).checklist.asked:
            answer(demo, draw, "Ana", text, question.id, Answer.YES)
    press(app, "next", "next")
    assert any("1 text still" in m.value for m in app.markdown)
    press(app, "unfinished")
    for question in view_checklist(demo, 1, 1).checklist.asked:
        answer(demo, draw, "Ana", texts[2], question.id, Answer.YES)
    press(app, "next")
    assert any("All 3 texts are answered" in m.value for m in app.markdown)
    assert any("All 3 texts are answered" in m.value for m in opened("Ana").markdown)


def test_nothing_of_the_judge_or_of_others_is_shown(demo: Workbench, checklist: int, draw: AnswerDraw):
    question = view_checklist(demo, 1, 1).checklist.asked[0]
    for text in draw.texts:
        answer(demo, draw, "Bo", text, question.id, Answer.NO)
    app = opened("Ana")
    shown = " ".join(str(e.value) for e in (*app.markdown, *app.caption, *app.text) if e.value)
    shown += " ".join(b.label for b in app.button)
    assert "Bo" not in shown.split()
    assert "· **no**" not in shown
    assert "rules" not in shown
    assert not app.dataframe
    assert expert_answers(demo, checklist).experts == ("Bo",)


def test_whoever_is_thinking_aloud_finishes_first(demo: Workbench, draw: AnswerDraw):
    say(demo, 1, "Cy", "Order.")
    app = opened("Cy")
    assert any("still hidden from you" in m.value for m in app.markdown)
    assert not any(b.key == "answer_yes" for b in app.button)


def test_an_expert_waits_for_texts(demo: Workbench):
    assert any("No texts are drawn yet" in m.value for m in opened("Ana").markdown)


@pytest.mark.parametrize("view", ["questions", "people", "texts"])
def test_results_wait_until_the_expert_has_finished(demo: Workbench, checklist: int, draw: AnswerDraw, view: str):
    def results() -> AppTest:
        app = AppTest.from_file(str(ROOT / "app" / "main.py"), default_timeout=30)
        app.query_params["expert"], app.query_params["dimension"], app.query_params["view"] = "Ana", "coherence", view
        return app.run().switch_page("../pages/results.py").run()

    app = results()
    assert any("You have finished 0 of 3 texts" in m.value for m in app.markdown)
    assert not app.dataframe
    for text in draw.texts:
        for question in view_checklist(demo, 1, 1).checklist.asked:
            answer(demo, draw, "Ana", text, question.id, Answer.YES)
    app = results()
    assert not app.exception
    assert not any("You have finished" in m.value for m in app.markdown)
