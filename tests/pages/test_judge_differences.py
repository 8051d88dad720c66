"""Results, Questions: which system scores higher, and what a new version of the checklist changed."""

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from app.domain.checklist_score import Answer
from app.services.checklists.answer_draws import draw_texts
from app.services.runtime.workbench import Workbench
from app.services.scoring.runs import RunOptions, start_run, work_on
from tests.support.answering import answer_all
from tests.support.projects import ready_to_score, small_checklist

Open = Callable[..., AppTest]


@pytest.fixture
def ready(workbench: Workbench) -> Workbench:
    """Three sources, each with a text of four systems, scored with the only version."""
    dimension = ready_to_score(workbench, texts=12)
    work_on(workbench, start_run(workbench, 1, RunOptions((dimension,), "rules")))
    return workbench


def experts_answer(workbench: Workbench, checklist: int) -> None:
    """Experts say no to the first question about the texts of the first system."""
    draw = draw_texts(workbench, checklist, 12, seed=3)
    with workbench.database.read() as work:
        questions = [question.id for question in work.checklists.get(checklist).asked]
        systems = {number: text.system_id for number, text in work.texts.many(draw.texts).items()}
    given = {
        (text, question): Answer.NO if place == 0 and systems[text] == "s0" else Answer.YES
        for text in draw.texts
        for place, question in enumerate(questions)
    }
    answer_all(workbench, draw, "Ana", given)


def questions(open_screen: Open) -> AppTest:
    app = open_screen("results", view="questions")
    assert not app.exception
    return app


def words(app: AppTest) -> str:
    return "\n".join(str(element.value) for element in [*app.markdown, *app.caption])


def test_systems_and_versions_are_compared_as_experts_see_them(ready: Workbench, open_screen: Open) -> None:
    experts_answer(ready, 1)
    app = questions(open_screen)
    table = next(frame.value for frame in app.dataframe if "System" in frame.value and "Read" in frame.value)
    assert list(table["System"]) == ["s0", "s1", "s2", "s3"]
    assert list(table["Experts' texts"]) == ["3 of 3"] * 4
    assert table["Judge off by"].tolist() == pytest.approx([4 / 3, 0, 0, 0])
    assert "s1 is 1.33 higher than s0" in words(app)
    app.selectbox(key="difference_a").set_value("s2")
    app.selectbox(key="difference_b").set_value("s3").run()
    assert "s2 is level with s3" in words(app)
    assert "What did the new version" not in words(app)
    app.selectbox(key="difference_a").set_value("s3").run()
    assert not app.exception, "the other list no longer holds what was chosen"

    # A version that nobody answered leaves the judge alone.
    with ready.database.write() as work:
        dimension = work.projects.dimension_by_id(1)
        second = small_checklist(work, 1, questions=2)
    work_on(ready, start_run(ready, 1, RunOptions((dimension,), "rules")))
    app = questions(open_screen)
    assert "No expert has answered the questions of this checklist yet" in words(app)
    assert "What did the new version of the checklist change?" in words(app)
    assert "by the judge alone" in words(app)
    assert "answered every question of Version 2 on 0" in words(app)
    experts_answer(ready, second.id)
    app.run()
    assert not app.exception
    assert "answered every question of" not in words(app)
    assert "12 texts scored with both versions, 12 of them" in words(app)


def test_one_system_and_one_version_show_nothing(workbench: Workbench, open_screen: Open) -> None:
    ready_to_score(workbench, texts=4)
    with workbench.database.write() as work:
        dimension = work.projects.dimension_by_id(1)
    work_on(workbench, start_run(workbench, 1, RunOptions((dimension,), "rules", share=0.25)))
    app = questions(open_screen)
    assert not any(box.key == "difference_a" for box in app.selectbox)
    assert "mean score" not in words(app)
