"""Results, Questions: what speaks against a question, with its evidence, and what nobody asks."""

from collections.abc import Callable
from pathlib import Path

from streamlit.testing.v1 import AppTest

from app.services.results.question_analysis import questions_of
from app.services.results.results import kept_results
from app.services.results.rubric.rubric_xray import rubric_xray
from app.services.runtime.workbench import Workbench
from tests.support.result_screen import change, shown

RUN = 1


def test_nothing_found_says_how_to_look_further_and_names_what_nobody_asks(
    demo: Workbench, open_results: Callable[..., AppTest]
) -> None:
    app = open_results(view="questions")
    assert not app.exception
    words = shown(app)
    assert "Nothing found that the answers at hand could show." in words
    assert "To look further: have two experts answer" in words
    found = rubric_xray(demo, kept_results(demo, RUN)[0])
    assert found is not None
    assert found.unserved
    assert all(each.text in words and each.reason in words for each in found.unserved)
    (section,) = [each for each in app.expander if each.label.startswith("Missing criteria")]
    assert section.label == f"Missing criteria: {len(found.unserved)} attribute no question serves"
    assert "Look at" not in app.dataframe[0].value


def test_a_badge_leads_to_its_evidence_and_to_the_question_itself(
    demo: Workbench, home: Path, open_results: Callable[..., AppTest]
) -> None:
    questions = questions_of(demo, kept_results(demo, RUN)[0])
    assert questions is not None
    second = questions.questions[1].id
    change(home, f"UPDATE question SET text = 'Is *it* dated, and is it named?' WHERE id = {second}")
    app = open_results(view="questions", asked=str(second))
    assert not app.exception
    words = shown(app)
    assert "1 of 12 questions has something to look at; most urgent: question 2, asks two things." in words
    assert [list(cell) for cell in app.dataframe[0].value["Look at"]][1] == ["asks two things"]
    assert "By its wording alone; no answers were looked at." in words
    assert "What to do:" in words
    app.button(key=f"edit_question_{second}").click().run()
    assert not app.exception
