"""Good or not good on screens: below samples, beside the questions, and as failure rates."""

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from app.domain.project import Dimension, Task, Text, Verdict
from app.services.checklists.answer_draws import draw_texts
from app.services.data.projects import create_project, save_dimension
from app.services.runtime.workbench import Workbench
from app.services.scoring.runs import RunOptions, start_run, work_on
from app.services.think_aloud.samples import ensure_samples, give_verdict, samples_of, verdicts_by
from tests.support.projects import small_checklist

Open = Callable[[str], AppTest]
HELPFUL = Dimension("helpful", "It solves the ticket.", low=0, high=1)


@pytest.fixture
def replies(workbench: Workbench) -> Workbench:
    """Project 1: thirty replies that nobody rated."""
    project = create_project(workbench, "Replies", Task("reply", "ticket"), (HELPFUL,))
    with workbench.database.write() as work:
        work.texts.add_many(project.id, [Text(f"T{n}", f"Reply {n} says a word. " * (1 + n % 4)) for n in range(30)])
    ensure_samples(workbench, 1)
    return workbench


def as_ana(app: AppTest) -> AppTest:
    app.text_input(key="expert_typed").input("Ana")
    return app.button(key="expert_start").click().run()


def test_a_verdict_below_a_sample_is_kept_or_said_to_be_impossible(replies: Workbench, open_screen: Open) -> None:
    app = as_ana(open_screen("think_aloud"))
    first, second = (sample.text.id for sample in samples_of(replies, 1)[:2])
    app.segmented_control(key=f"verdict_1_{second}_Ana").set_value(Verdict.NOT_GOOD).run()
    assert not app.exception
    assert verdicts_by(replies, 1, "Ana") == {second: Verdict.NOT_GOOD}
    assert app.selectbox(key="say_sample_1").value == second, "what prompted the next attribute"
    app.segmented_control(key=f"verdict_1_{second}_Ana").set_value(Verdict.CANT_SAY).run()
    assert verdicts_by(replies, 1, "Ana") == {second: Verdict.CANT_SAY}
    assert not app.error
    save_dimension(replies, Dimension("helpful", low=0, high=5, id=1))  # meanwhile, by a facilitator
    app.segmented_control(key=f"verdict_1_{first}_Ana").set_value(Verdict.GOOD).run()
    assert not app.exception
    assert len(app.error) == 1
    assert verdicts_by(replies, 1, "Ana") == {second: Verdict.CANT_SAY}


def test_on_a_scale_nothing_is_asked(demo: Workbench, open_screen: Open) -> None:
    app = as_ana(open_screen("think_aloud"))
    assert [one.key for one in app.segmented_control if str(one.key).startswith("verdict_")] == []


def test_samples_are_drawn_anew_in_the_way_and_number_asked(replies: Workbench, open_screen: Open) -> None:
    app = open_screen("texts")
    app.segmented_control(key="data_section_1").set_value("Samples").run()
    app.segmented_control(key="sample_way_1").set_value("Unlike each other")
    app.number_input(key="sample_count_1_4").set_value(6)
    app.button(key="choose_again").click().run()
    assert not app.exception
    assert len(samples_of(replies, 1)) == 6


def test_failure_rates_stand_first_under_questions(replies: Workbench, open_screen: Open) -> None:
    with replies.database.write() as work:
        small_checklist(work, 1)
        dimension = work.projects.dimension_by_id(1)
    work_on(replies, start_run(replies, 1, RunOptions((dimension,), "rules")))
    app = open_screen("results")
    app.button(key="to_failure_rates").click().run()
    assert not app.exception
    (table,) = [one.value for one in app.dataframe if "Fails" in one.value]
    assert list(table["Rests on"]) == ["judge alone"] * 3
    drawn = draw_texts(replies, 1, 20, seed=1).texts
    for place, text in enumerate(drawn):
        give_verdict(replies, 1, "Ana", text, Verdict.GOOD if place % 2 else Verdict.NOT_GOOD)
    app.run()
    assert any("20 of 26 texts" in one.value for one in app.markdown)


def test_a_verdict_stands_beside_the_questions(replies: Workbench, open_screen: Open) -> None:
    with replies.database.write() as work:
        small_checklist(work, 1)
    draw = draw_texts(replies, 1, 5, seed=1)
    app = as_ana(open_screen("answer"))
    (key,) = [str(one.key) for one in app.segmented_control if str(one.key).startswith("verdict_")]
    app.segmented_control(key=key).set_value(Verdict.GOOD).run()
    assert not app.exception
    assert set(verdicts_by(replies, 1, "Ana")) <= set(draw.texts)
    assert list(verdicts_by(replies, 1, "Ana").values()) == [Verdict.GOOD]
