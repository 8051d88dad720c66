"""How far a project is, and what comes next."""

from pathlib import Path

import pytest

from app.domain.attribute import ContributorKind
from app.domain.task import Dimension, Task
from app.domain.text import Rating, Text
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
from app.services.data.steps import next_step
from app.services.flow import run_flow
from app.services.results.results import runs_to_show
from app.services.runtime.workbench import Workbench, open_workbench
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
    assert (next_step(found).screen, progress_words(found)) == ("data", "no texts yet")


def test_dimensions_that_nobody_rated_do_not_hold_up_the_others():
    workbench = open_workbench()
    project_id = rated_project(workbench)
    found = overview(workbench, project_id)
    assert (next_step(found).screen, progress_words(found)) == ("think_aloud", "texts imported")
    assert next_step(found).why == "Nobody has said yet what to look for in order."
    order = dimensions_named(workbench, "Talks", "order")[0]
    add_attributes(workbench, order.id, "Ada", ContributorKind.HUMAN, ["It has one thread."])
    found = overview(workbench, project_id)
    assert (next_step(found).screen, progress_words(found)) == ("build", "1 of 2 with attributes")


def test_other_samples_are_offered_nearest_in_score_first():
    workbench = open_workbench()
    rated_project(workbench)
    order = dimensions_named(workbench, "Talks", "order")[0]
    assert [o.score for o in sample_options(workbench, order.id, near=4.5)] == [5, 3, 1]
    assert [o.text.doc_id for o in sample_options(workbench, order.id, near=4.5, search="TEXT 0")] == ["d0"]
    assert sample_options(workbench, order.id, near=4.5, limit=1)[0].score == 5


def test_a_study_of_conditions_does_not_count_as_scoring(tmp_path: Path) -> None:
    workbench = workbench_at(tmp_path)
    dimension = ready_to_score(workbench, texts=40)
    project = get_project(workbench, "Ready")
    add_attributes(workbench, dimension.id, "Ada", ContributorKind.HUMAN, ["It has one thread."])
    add_attributes(workbench, dimension.id, "Ben", ContributorKind.HUMAN, ["It ends well."])
    assert run_study(workbench, project, StudyOptions((dimension,), "rules", "rules")).scored == 3
    found = overview(workbench, project.id)
    assert (next_step(found).screen, progress_words(found)) == ("score", "1 of 1 with a checklist")
    with pytest.raises(NotReadyError, match="Only studies of conditions"):
        runs_to_show(workbench, project.id)
    run = run_flow(workbench, project, "rules")
    assert run == 4
    assert progress_words(overview(workbench, project.id)) == "1 of 1 scored"
    assert runs_to_show(workbench, project.id) == [run]
