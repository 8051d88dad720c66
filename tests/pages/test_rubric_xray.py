"""Results, Questions: what speaks against a question, with its evidence, and what nobody asks."""

from collections.abc import Callable
from pathlib import Path

from streamlit.testing.v1 import AppTest

from app.services.checklists.answer_draws import draw_texts
from app.services.results.question_analysis import questions_of
from app.services.results.results import cached_results
from app.services.results.rubric_xray import rubric_xray
from app.services.runtime.workbench import Workbench
from app.services.think_aloud.independence import mark_done
from tests.support.background import PATIENCE
from tests.support.result_screen import change, shown

RUN = 1


def test_nothing_found_says_how_to_look_further_and_names_what_nobody_asks(
    read_demo: Workbench, open_results: Callable[..., AppTest]
) -> None:
    app = open_results(view="questions")
    assert not app.exception
    words = shown(app)
    assert "No question stands out beyond doubt in the answers at hand; remarks are hints." in words
    assert "To look further: have two experts answer" in words
    found = rubric_xray(read_demo, cached_results(read_demo, [RUN])[0])
    assert found is not None
    assert found.unserved
    assert all(each.text in words and each.reason in words for each in found.unserved)
    (section,) = [each for each in app.expander if each.label.startswith("Missing criteria")]
    assert section.label == f"Missing criteria: {len(found.unserved)} attribute no question serves"
    assert "Look at" not in app.dataframe[0].value


def test_a_badge_leads_to_its_evidence_and_to_the_question_itself(
    demo: Workbench, home: Path, open_results: Callable[..., AppTest]
) -> None:
    questions = questions_of(demo, cached_results(demo, [RUN])[0])
    assert questions is not None
    second = questions.questions[1].id
    change(home, f"UPDATE question SET text = 'Is *it* dated, and is it named?' WHERE id = {second}")
    app = open_results(view="questions", asked=str(second))
    assert not app.exception
    words = shown(app)
    assert "question 2, asks two things" in words
    assert [list(cell) for cell in app.dataframe[0].value["Look at"]][1] == ["asks two things"]
    assert "By its wording alone; no answers were looked at." in words
    assert "What to do:" in words
    app.button(key=f"edit_question_{second}").click().run()
    assert not app.exception


def _report_is_whole() -> None:
    import streamlit as st  # noqa: PLC0415 - a script of its own

    from app.services.data.projects import dimensions_named, get_project  # noqa: PLC0415
    from app.services.runtime.workbench import open_workbench  # noqa: PLC0415
    from pages.components.shell.blinding import all_open  # noqa: PLC0415

    workbench = open_workbench()
    dimension = dimensions_named(workbench, "Demo", "coherence")[0]
    st.text(str(all_open(workbench, get_project(workbench, "Demo"), dimension)))


def test_who_is_still_at_it_gets_a_report_without_what_others_said(demo: Workbench) -> None:
    def whole(expert: str) -> str:
        app = AppTest.from_function(_report_is_whole, default_timeout=PATIENCE)
        app.query_params["expert"] = expert
        return str(app.run().text[0].value)

    ada = "simulated expert Ada"
    assert [whole(who) for who in ("", ada)] == ["True", "False"], "Ada has not said that she is done"
    with demo.database.read() as work:
        part = work.runs.parts(RUN)[0]
    mark_done(demo, part.dimension, ada)
    assert whole(ada) == "True"
    assert part.checklist is not None
    draw_texts(demo, part.checklist, 5, seed=1)
    assert [whole(who) for who in ("", ada)] == ["True", "False"], "Ada has texts to answer now"
