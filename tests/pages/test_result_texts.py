"""Results, text by text: the largest disagreements, what a score was computed from, and the ways on from there."""

import re
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from app.domain.checklist import ChecklistStatus
from app.domain.project import Task
from app.services.attributes.attributes import attributes_of
from app.services.checklists.checklists import view_checklist
from app.services.data.projects import get_project
from app.services.data.texts import text_titles
from app.services.results.question_analysis import questions_of
from app.services.results.result_texts import TextFilter, disagreements
from app.services.results.results import cached_results, results_of
from app.services.runtime.workbench import Workbench
from app.services.scoring.runs import RunOptions, start_run, work_on
from pages.components.results.texts import by_score
from pages.components.shell.tables import WRITER, with_writers
from tests.support.projects import ready_to_score
from tests.support.result_screen import change, shown, table

Open = Callable[..., AppTest]
RUN = 1


def test_the_largest_disagreement_opens_with_everything_said(
    read_demo: Workbench, open_results: Callable[..., AppTest]
) -> None:
    result = results_of(read_demo, RUN)[0]
    app = open_results(view="texts")
    distances = [abs(float(cell)) for cell in table(app, "Difference")]
    largest = max(abs(row.score - row.human) for row in result.rows)
    assert distances == sorted(distances, reverse=True)
    assert distances[0] == pytest.approx(largest)
    assert len(distances) == 20

    row = result.rows[0]
    app = open_results(view="texts", text=str(row.text))
    with read_demo.database.read() as work:
        text, judgments = work.texts.get(row.text), work.results.judgments(RUN, result.dimension.id, row.text)
        ratings = [value for name, _, value in work.texts.ratings_of(row.text) if name == result.dimension.name]
    words = shown(app)
    assert text.text in [element.value for element in app.text]
    assert text.source in [element.value for element in app.text]
    assert all(judgment.rationale in words for judgment in judgments)
    assert words.count("Yes**") + words.count("Yes]**") == sum(judgment.answer == "yes" for judgment in judgments)
    assert all(f" {value:g}" in words for value in ratings)
    app.button(key="close_text").click().run()
    assert "text" not in app.query_params
    assert len(table(app, "Difference")) == 20


def test_texts_are_chosen_by_system_direction_and_score(
    read_demo: Workbench, open_results: Callable[..., AppTest]
) -> None:
    rows = cached_results(read_demo, [RUN])[0].compared
    system = rows[0].system_id
    app = open_results(view="texts", system=system, direction="harsher")
    assert not app.exception
    expected = [row for row in rows if row.system_id == system and row.score < row.human]
    assert len(table(app, "Difference")) == min(20, len(expected))
    assert all(float(cell) < 0 for cell in table(app, "Difference"))
    assert f"{len(expected)} of {len(rows)} texts" in shown(app)
    app.button_group(key="direction").set_value("all").run()
    app.slider(key="scores").set_range(2.0, 3.0).run()
    assert all(2 <= float(cell) <= 3 for cell in table(app, "Judge"))
    assert app.query_params["scores"] == "2,3"
    assert app.query_params["system"] == system
    app = open_results(view="texts", system="nobody", scores="9,1", direction="up")
    assert not app.exception
    assert len(table(app, "Difference")) == 20


def test_texts_are_read_one_by_one_in_the_order_of_the_list(
    read_demo: Workbench, open_results: Callable[..., AppTest]
) -> None:
    result = cached_results(read_demo, [RUN])[0]
    listed = disagreements(result.compared, TextFilter(direction="harsher"))
    app = open_results(view="texts", direction="harsher")
    app.button(key="read_texts").click().run()
    assert app.query_params["text"] == str(listed[0].row.text)
    assert app.button(key="previous_text").disabled
    assert f"Text 1 of {len(listed)}" in shown(app)
    app.button(key="next_text").click().run()
    assert not app.exception
    assert (app.query_params["text"], app.query_params["direction"]) == (str(listed[1].row.text), "harsher")
    app.button(key="previous_text").click().run()
    assert app.query_params["text"] == str(listed[0].row.text)
    kinder = next(row for row in result.compared if row.score > row.human)
    app = open_results(view="texts", direction="harsher", text=str(kinder.text))
    assert not [button for button in app.button if button.key == "next_text"], "not one of the list"


def test_back_in_the_list_its_page_is_that_of_the_text(
    read_demo: Workbench, open_results: Callable[..., AppTest]
) -> None:
    result = cached_results(read_demo, [RUN])[0]
    listed = disagreements(result.compared)
    app = open_results(view="texts", text=str(listed[25].row.text))
    assert "Text 26 of 40" in shown(app)
    app.button(key="close_text").click().run()
    assert not app.exception
    titles = text_titles(read_demo, 1, [each.row.text for each in listed[20:40]])
    assert table(app, "Text") == [titles[each.row.text] for each in listed[20:40]]


def test_a_text_leads_to_an_attribute_and_to_a_question_asked_again(
    demo: Workbench, open_results: Callable[..., AppTest]
) -> None:
    result = cached_results(demo, [RUN])[0]
    first = disagreements(result.compared)[0].row
    app = open_results(view="texts", text=str(first.text), run="1")
    assert re.search(r"Raters: [^:.]+: \d", shown(app))
    app.text_area(key=f"attribute_words_{first.text}").set_value("The ending follows from the beginning")
    app.button(key=f"attribute_save_{first.text}").click().run()
    assert "Nobody is named" in shown(app)
    app.text_input(key=f"attribute_by_{first.text}").set_value("Ana")
    app.button(key=f"attribute_save_{first.text}").click().run()
    assert not app.exception
    added = attributes_of(demo, get_project(demo, "Demo").id, result.dimension.id)[-1]
    assert (added.text, added.prompted_by) == ("The ending follows from the beginning", first.text)
    question = questions_of(demo, result).questions[0]
    app.button(key=f"edit_question_{question.id}").click().run()
    assert app.title[0].value == "Checklist"
    assert not {"run", "view", "text"} & set(app.query_params)
    app = app.switch_page("../pages/checklist.py").run()  # AppTest forgets where it was led
    assert "From people on average" not in shown(app)
    app.button(key="ask_again").click().run()
    assert not app.exception
    assert "as before on 20 of 20 texts" in shown(app), "nothing has changed yet"
    opened = app.session_state["opened_question"]
    app.text_area(key=f"question_text_{opened}").set_value("Is every sentence about the same thing?")
    app.button(key=f"save_question_{opened}").click().run()
    assert "From people on average" not in shown(app), "the figures were about other questions"
    app.button(key="ask_again").click().run()
    assert "From people on average" in shown(app)
    assert "where almost any change helps" in shown(app)
    app.button(key="back_to_result").click().run()
    assert app.title[0].value == "Results"
    assert {name: app.query_params[name] for name in ("run", "view", "text")} == {
        "run": "1",
        "view": "texts",
        "text": str(first.text),
    }
    other = questions_of(demo, result).questions[3]
    app = open_results(view="questions", asked=str(other.id))
    app.button(key=f"edit_question_{other.id}").click().run()
    assert not app.exception
    draft = view_checklist(demo, result.dimension.id, 2).checklist
    shown_one = next(each for each in draft.questions if each.id == app.session_state["opened_question"])
    assert (draft.status, shown_one.text) == (ChecklistStatus.DRAFT, other.text)
    assert app.text_area(key=f"question_text_{shown_one.id}").value == other.text
    assert app.title[0].value == "Checklist"
    app = app.switch_page("../pages/checklist.py").run()
    assert app.button(key="back_to_result").label == "Back to the result"
    app.button(key="publish").click().run()
    app.button(key="publish_now").click().run()
    assert not any(button.key == "ask_again" for button in app.button), "all texts are scored with what is published"
    app.button(key="hide_tuning").click().run()
    assert "back_to_result" not in [button.key for button in app.button]


def test_what_a_score_was_computed_from_and_the_writers_word_are_shown(
    demo: Workbench, home: Path, open_results: Callable[..., AppTest]
) -> None:
    change(home, """UPDATE score SET details = '{"aspects": [{"name": "Order", "score": 4}], "p_yes": 0.25}'""")
    change(home, "UPDATE project SET writer_name = 'student'")
    app = open_results(view="texts")
    assert app.selectbox(key="system").label == "Student"
    assert any(table(app, "Student"))
    app = open_results(view="texts", text=str(cached_results(demo, [RUN])[0].rows[0].text))
    assert not app.exception
    assert table(app, "Name") == ["Order"]
    assert "Probability of yes: 0.250" in shown(app).replace("*", "")


def unrated(workbench: Workbench, home: Path) -> int:
    """A scored run of texts that nobody rated; their writers are called agents."""
    dimension = ready_to_score(workbench)
    change(home, "DELETE FROM rating")
    change(home, "UPDATE project SET writer_name = 'agent'")
    run = start_run(workbench, get_project(workbench, "Ready").id, RunOptions((dimension,), "rules"))
    work_on(workbench, run)
    return run


def test_scores_of_unrated_texts_are_listed_and_open(
    workbench: Workbench, home: Path, open_results: Callable[..., AppTest]
) -> None:
    run = unrated(workbench, home)
    app = open_results(view="texts")
    assert not app.exception
    frame = next(frame.value for frame in app.dataframe if "Judge" in frame.value)
    assert list(frame["Judge"]) == sorted(frame["Judge"])
    assert set(frame["Agent"]) == {"s0", "s1", "s2", "s3"}
    rows = by_score(cached_results(workbench, [run])[0].rows)
    assert len(rows) == len(frame) > 2
    app = open_results(view="texts", text=str(rows[1].text))
    assert not app.exception
    app.button(key="next_text").click().run()
    assert app.query_params["text"] == str(rows[2].text)
    app = open_results()
    next(button for button in app.button if str(button.key).startswith("worst_")).click().run()
    assert app.session_state["view"] == "texts"


def test_a_writers_word_that_names_another_column_hides_none() -> None:
    frame = pd.DataFrame({"Judge": [1.0], WRITER: ["Ada"]})
    assert list(with_writers(frame, Task(writer_name="judge"))) == ["Judge", WRITER]
    assert list(with_writers(frame, Task(writer_name="LLM agent"))) == ["Judge", "LLM agent"]
    assert list(with_writers(frame.assign(**{WRITER: [""]}), Task())) == ["Judge"]
