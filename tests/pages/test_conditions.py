"""Conditions: choices, estimate, work in the background, figures and comparisons."""

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from app.domain.attribute import ContributorKind
from app.domain.condition import Family
from app.domain.project import Dimension, Task
from app.services.attributes.attributes import add_attributes
from app.services.checklists.checklists import versions_of
from app.services.conditions.study import StudyOptions
from app.services.conditions.study_worker import run_study
from app.services.data.projects import create_project, dimensions_named, get_project
from app.services.runtime.workbench import Workbench
from app.services.scoring.scoring_jobs import job_key
from app.services.think_aloud.independence import add_own_attribute, mark_done
from app.settings import settings
from tests.support.background import ended

Open = Callable[[str], AppTest]


def shown(app: AppTest) -> str:
    elements = [*app.markdown, *app.caption, *app.error, *app.info, *app.success]
    return "\n".join(str(element.value) for element in elements).replace("\\", "")


def test_without_attributes_or_texts_it_says_what_to_do(workbench: Workbench, open_screen: Open) -> None:
    create_project(workbench, "P", Task(), (Dimension("clarity"),))
    app = open_screen("conditions")
    assert not app.exception
    assert "There are no attributes yet." in shown(app)
    dimension = dimensions_named(workbench, "P", "all")[0]
    add_attributes(workbench, dimension.id, "Ana", ContributorKind.HUMAN, ["It is clear."])
    app.run()
    assert not app.exception
    assert "The project has no texts to score." in shown(app)


def test_one_click_builds_and_scores_and_what_it_found_stays(demo: Workbench, open_screen: Open) -> None:
    project = get_project(demo, "Demo")
    dimension = dimensions_named(demo, "Demo", "all")[0]
    before = versions_of(demo, dimension.id)
    app = open_screen("conditions")
    assert not app.exception
    app.button_group(key="study_families").set_value([]).run()
    assert not app.exception
    assert "Choose at least one dimension" in shown(app)
    app.button_group(key=f"study_dimensions_{project.id}").set_value([dimension.id])
    app.button_group(key="study_families").set_value([Family.SH, Family.MH])
    app.selectbox(key="study_model").set_value("rules")
    app.selectbox(key="study_judge").set_value("rules").run()
    assert not app.exception
    assert "nothing is paid" in shown(app)
    app.button(key="start_study").click().run()
    app = ended(app, job_key(project.id))
    assert not app.exception
    words = shown(app)
    assert "Done:" in words
    assert "Everything is built and scored." in words
    assert versions_of(demo, dimension.id) == before

    # What it found, and on what ground.
    assert "texts that every condition scored" in words
    assert "comparisons are significantly different (Holm)" in words
    figures, members, differences = (frame.value for frame in app.dataframe)
    assert list(figures["Condition"]) == ["Single people (SH)", "All people (MH)"]
    assert set(figures["Dimension"]) == {dimension.name}
    assert list(members["Contributor"])[-2:] == ["simulated expert Ada", "simulated expert Ben"]
    assert all(members["Texts"] == figures["Texts"][0])
    assert {"First", "Second", "Difference", "From", "To", "p (Holm)", "z (Fisher)"} <= set(differences.columns)

    app = open_screen("conditions")
    assert app.dataframe[0].value.equals(figures)
    app = open_screen("scores")
    assert not app.exception
    methods = list(next(frame.value for frame in app.dataframe if "Method" in frame.value)["Method"])
    assert methods[-1] == "checklist"
    assert "checklist, condition: simulated expert Ada alone" in methods, "its runs are named by their condition"


def test_results_are_hidden_of_dimensions_an_expert_has_not_finished(demo: Workbench, open_screen: Open) -> None:
    first, *others = dimensions_named(demo, "Demo", "all")
    add_own_attribute(demo, first.id, "Ada", "It names who did what.")
    app = open_screen("conditions")
    app.query_params["expert"] = "Ada"
    app.run()
    assert f"how the conditions compare on {first.name} is still hidden" in shown(app)
    mark_done(demo, first.id, "Ada")
    app = app.run()
    assert not app.exception
    assert f"that you are done: {', '.join(d.name for d in others)}." in shown(app)
    project = get_project(demo, "Demo")
    assert app.button_group(key=f"study_dimensions_{project.id}").options == [first.name]


@pytest.mark.long
def test_the_papers_design_is_drawn_checked_and_scored(demo: Workbench, open_screen: Open) -> None:
    project = get_project(demo, "Demo")
    dimension = dimensions_named(demo, "Demo", "all")[0]
    app = open_screen("conditions")
    app.button_group(key=f"study_dimensions_{project.id}").set_value([dimension.id]).run()
    app.button_group(key="study_families").set_value([Family.SH, Family.MH]).run()
    app.selectbox(key="study_model").set_value("rules").run()
    app.selectbox(key="study_judge").set_value("rules").run()
    app.segmented_control(key="study_texts").set_value("Documents × systems").run()
    app.number_input(key="study_documents").set_value(6).run()
    app.number_input(key="study_systems").set_value(3).run()
    app.number_input(key="study_trials").set_value(2).run()
    app.button_group(key="study_components").set_value([7]).run()
    assert not app.exception
    words = shown(app)
    assert "0 of 6 scored so far: 3 checklists in 2 trials." in words
    assert f"{dimension.name}, seed 1: 18 of" in words
    assert f"{dimension.name}, seed 2: 18 of" in words
    assert "Kolmogorov-Smirnov" in words
    app.button(key="start_study").click().run()
    app = ended(app, job_key(project.id))
    assert not app.exception
    means = app.dataframe[0].value
    assert list(means["Condition"]) == [
        "Single people (SH)",
        "simulated expert Ada alone",
        "simulated expert Ben alone",
        "All people (MH)",
    ]
    assert {"Spearman, mean", "Trial 1", "Trial 2"} <= set(means.columns)
    assert "Means over trials" in shown(app)
    first = list(app.dataframe[1].value["Runs"])
    app.segmented_control(key="study_trial").set_value(1).run()
    assert list(app.dataframe[1].value["Runs"]) != first
    assert sum("A source has" in warning.value for warning in app.warning) == 1

    fresh = open_screen("conditions")
    assert fresh.button_group(key="study_components").value == [7]
    assert fresh.number_input(key="study_documents").value == 6
    assert fresh.number_input(key="study_trials").value == 2
    assert fresh.button_group(key="study_families").value == [Family.SH, Family.MH]
    assert "6 of 6 scored so far" in shown(fresh)


def test_small_shares_and_options_a_model_does_not_take_are_warned_of(
    demo: Workbench, open_screen: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none-of-yours")
    settings.cache_clear()
    app = open_screen("conditions")
    app.selectbox(key="study_model").set_value("rules")
    app.selectbox(key="study_judge").set_value("rules")
    app.segmented_control(key="study_texts").set_value("A share").run()
    assert "study_effort" not in [box.key for box in app.selectbox], "the rules don't think"
    app.number_input(key="study_share").set_value(25)
    app.selectbox(key="study_judge").set_value("openai:gpt-4o").run()
    assert any("fewer than three texts" in warning.value for warning in app.warning)
    app.number_input(key="study_timeout").set_value(90.0).run()
    assert "To score:" in shown(app)
    app.selectbox(key="study_effort").set_value("low").run()
    assert not app.exception
    assert "openai:gpt-4o takes no reasoning effort" in shown(app)


def test_numbers_of_components_are_compared_in_one_picture(demo: Workbench, open_screen: Open) -> None:
    dimensions = tuple(dimensions_named(demo, "Demo", "all")[:1])
    options = StudyOptions(dimensions, "rules", "rules", (Family.COMB,), components=3, sweep=(3, 5))
    assert run_study(demo, get_project(demo, "Demo"), options).missing == 0
    app = open_screen("conditions")
    assert not app.exception
    assert app.button_group(key="study_components").value == [3, 5]
    rows = app.dataframe[0].value
    assert set(rows["Components"]) == {"3", "5"}
    assert len(rows) == len(set(rows["Dimension"])) * 2
