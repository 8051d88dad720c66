"""How far a project is, and what comes next."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from app.domain.attribute import ContributorKind
from app.domain.project import Dimension, Rating, Task, Text
from app.domain.run import RunStatus, RunSummary
from app.errors import NotReadyError
from app.services.attributes.attributes import add_attributes
from app.services.conditions.study import StudyOptions
from app.services.conditions.study_worker import run_study
from app.services.data.projects import (
    create_project,
    dimensions_named,
    get_project,
    overview,
    progress_words,
)
from app.services.data.workflow_steps import next_step
from app.services.demo import run_flow
from app.services.results.quality_cost import quality_and_cost
from app.services.results.results import USUAL, default_runs, left_out_words, newer_trial, runs_to_show
from app.services.results.rubric_xray import result_with_questions
from app.services.runtime.workbench import Workbench, open_workbench
from app.services.scoring.runs import RunOptions, get_run, start_run, work_on
from app.services.think_aloud.samples import sample_options
from tests.support.projects import ready_to_score, workbench_at


def rated_project(workbench: Workbench) -> int:
    """Three texts rated 1, 3 and 5 on order; warmth is rated by nobody."""
    project = create_project(workbench, "Talks", Task(), (Dimension("order"), Dimension("warmth")))
    with workbench.database.write() as work:
        work.texts.add_many(project.id, [Text(f"d{n}", f"Text {n}.") for n in range(3)])
        order = work.projects.dimension(project.id, "order").id
        ids = work.texts.ids_by_key(project.id)
        work.texts.add_ratings([(ids[f"d{n}", "", ""], order, Rating("order", "a", 1 + 2 * n)) for n in range(3)])
    return project.id


def test_an_empty_project_begins_with_texts():
    workbench = open_workbench()
    found = overview(workbench, create_project(workbench, "Empty", Task()).id)
    assert (next_step(found).screen, progress_words(found)) == ("texts", "no texts yet")


def test_dimensions_that_nobody_rated_do_not_hold_up_the_others():
    workbench = open_workbench()
    project_id = rated_project(workbench)
    found = overview(workbench, project_id)
    assert (next_step(found).screen, progress_words(found)) == ("think_aloud", "texts imported")
    assert next_step(found).why == "Nobody has said yet what to look for in order."
    order = dimensions_named(workbench, "Talks", "order")[0]
    add_attributes(workbench, order.id, "Ada", ContributorKind.HUMAN, ["It has one thread."])
    found = overview(workbench, project_id)
    assert (next_step(found).screen, progress_words(found)) == ("how_it_was_made", "1 of 2 with attributes")


def test_other_samples_are_offered_nearest_in_score_first():
    workbench = open_workbench()
    rated_project(workbench)
    order = dimensions_named(workbench, "Talks", "order")[0]
    assert [o.score for o in sample_options(workbench, order.id, near=4.5)] == [5, 3, 1]
    assert [o.text.doc_id for o in sample_options(workbench, order.id, near=4.5, search="TEXT 0")] == ["d0"]
    assert sample_options(workbench, order.id, near=4.5, limit=1)[0].score == 5


def test_default_run_after_a_trial_is_still_the_whole_run(tmp_path: Path) -> None:
    workbench = workbench_at(tmp_path)
    dimension = ready_to_score(workbench, texts=8)
    project = get_project(workbench, "Ready")
    whole = start_run(workbench, project.id, RunOptions((dimension,), "rules"))
    trial = start_run(workbench, project.id, RunOptions((dimension,), "rules", share=0.2))
    for run in (whole, trial):
        work_on(workbench, run)
    assert 0 < get_run(workbench, trial).texts < get_run(workbench, whole).texts
    assert get_run(workbench, trial).drawn
    assert runs_to_show(workbench, project.id) == [whole]
    assert [one.run.id for one in overview(workbench, project.id).dimensions if one.run] == [whole]
    assert result_with_questions(workbench, project.id, dimension, None, USUAL).run.id == whole
    assert [one.run.id for one in quality_and_cost(workbench, project.id, dimension.id)] == [whole]
    assert result_with_questions(workbench, project.id, dimension, trial, USUAL).run.id == trial


@pytest.mark.parametrize(
    ("versions", "texts", "shown"),
    [
        ((1, 1, 1), (160, 4, 160), 3),
        ((1, 1, 1), (160, 4, 20), 1),
        ((1, 2, 2), (160, 50, 4), 2),
        ((1, 1, 1), (4, 4, 4), 3),
    ],
)
def test_default_run_is_that_with_most_texts_of_the_newest_version(
    versions: tuple[int, ...], texts: tuple[int, ...], shown: int
) -> None:
    runs = [
        RunSummary(
            number,
            "News",
            "checklist",
            "rules",
            ("order",),
            RunStatus.DONE,
            done,
            0,
            160,
            datetime(2026, 1, number, tzinfo=UTC),
            versions={"order": version},
        )
        for number, version, done in zip((1, 2, 3), versions, texts, strict=True)
    ]
    assert [run.id for run in default_runs(runs[::-1], "order")] == [shown]
    assert [run.id for run in default_runs(runs[::-1])] == [shown]


def test_a_trial_of_a_newer_version_stays_behind_the_whole_run() -> None:
    begun = datetime(2026, 1, 1, tzinfo=UTC)
    whole = RunSummary(1, "N", "checklist", "m", ("a",), RunStatus.DONE, 160, 0, 160, begun, versions={"a": 1})
    trial = replace(whole, id=2, done=4, all=4, params={"draw": {"documents": 2, "systems": 2}}, versions={"a": 2})
    later = replace(whole, id=3, versions={"a": 2})
    assert [run.id for run in default_runs([trial, whole], "a")] == [1]
    assert newer_trial([trial, whole], [whole], "a") == trial
    assert newer_trial([trial, whole], [trial], "a") is None
    assert newer_trial([later, trial, whole], [whole], "a") is None
    assert [run.id for run in default_runs([later, trial, whole], "a")] == [3]
    assert [run.id for run in default_runs([trial], "a")] == [2]


def test_default_runs_of_a_project_hide_no_dimension() -> None:
    both = RunSummary(1, "N", "g-eval", "m", ("a", "b"), RunStatus.DONE, 80, 0, 80, datetime(2026, 1, 1, tzinfo=UTC))
    one = replace(both, id=2, dimensions=("a",), done=40, all=40)
    assert [run.id for run in default_runs([one, both])] == [2, 1]
    assert [run.id for run in default_runs([one, both], "a")] == [2]
    assert [run.id for run in default_runs([one, both], "b")] == [1]


def test_a_study_of_conditions_does_not_count_as_scoring(tmp_path: Path) -> None:
    workbench = workbench_at(tmp_path)
    dimension = ready_to_score(workbench, texts=8)
    project = get_project(workbench, "Ready")
    add_attributes(workbench, dimension.id, "Ada", ContributorKind.HUMAN, ["It has one thread."])
    add_attributes(workbench, dimension.id, "Ben", ContributorKind.HUMAN, ["It ends well."])
    assert run_study(workbench, project, StudyOptions((dimension,), "rules", "rules")).scored == 3
    found = overview(workbench, project.id)
    assert (next_step(found).screen, progress_words(found)) == ("scores", "1 of 1 with a checklist")
    with pytest.raises(NotReadyError, match="Only studies of conditions"):
        runs_to_show(workbench, project.id)
    run = run_flow(workbench, project, "rules")
    assert run == 4
    assert progress_words(overview(workbench, project.id)) == "1 of 1 scored"
    assert runs_to_show(workbench, project.id) == [run]
    assert "(1, 2, 3)" in left_out_words(workbench, project.id)
