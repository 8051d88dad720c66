"""The five steps of a dimension: what is done, what is ready, what waits for what; and what comes next."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.domain.attribute import ContributorKind
from app.domain.project import Dimension, Project, Task, Text
from app.services.attributes.attributes import add_attributes
from app.services.checklists.checklists import new_draft, publish
from app.services.data.projects import add_dimension, create_project, overview
from app.services.data.workflow_steps import NextStep, StepState, next_of, next_step, steps_of
from app.services.demo import run_flow
from app.services.runtime.workbench import Workbench
from tests.support.prepared import Prepared, prepared
from tests.support.projects import rated_on_two, workbench_at

DONE, READY, BLOCKED = StepState.DONE, StepState.READY, StepState.BLOCKED


def standing(workbench: Workbench, project_id: int, place: int = 0) -> tuple[list[StepState], NextStep]:
    """How the steps of one of its dimensions stand, and what comes next there."""
    found = overview(workbench, project_id)
    dimension = found.dimensions[place]
    return [step.state for step in steps_of(found, dimension)], next_of(found, dimension)


def test_without_texts_everything_waits_for_them(workbench: Workbench) -> None:
    project = create_project(workbench, "News", Task(), (Dimension("order"),))
    states, todo = standing(workbench, project.id)
    assert states == [READY, BLOCKED, BLOCKED, BLOCKED, BLOCKED]
    assert (todo.screen, todo.verb) == ("texts", "Import texts")


def test_without_a_dimension_every_step_says_what_is_missing(workbench: Workbench) -> None:
    project = create_project(workbench, "News", Task())
    with workbench.database.write() as work:
        work.texts.add_many(project.id, [Text("d1", "A text.")])
    found = overview(workbench, project.id)
    steps = steps_of(found, None)
    assert [step.state for step in steps] == [READY, BLOCKED, BLOCKED, BLOCKED, BLOCKED]
    assert {step.words for step in steps} == {"Say what quality the texts are judged on."}
    assert next_step(found) == next_of(found, None)


def test_a_dimension_that_nobody_rated_is_thought_aloud_about(workbench: Workbench) -> None:
    project = create_project(workbench, "News", Task(), (Dimension("order"),))
    with workbench.database.write() as work:
        work.texts.add_many(project.id, [Text("d1", "A text.")])
    states, todo = standing(workbench, project.id)
    assert states == [DONE, READY, BLOCKED, BLOCKED, BLOCKED]
    assert todo.screen == "think_aloud"


@pytest.fixture(scope="module")
def flow() -> Prepared[Project]:
    """A project whose two dimensions went through the whole flow; each test has a copy."""

    def fill(workbench: Workbench) -> Project:
        project, _ = rated_on_two(workbench)
        run_flow(workbench, project, "rules")
        return project

    return prepared(fill)


@pytest.fixture
def ended(flow: Prepared[Project], tmp_path: Path) -> Iterator[tuple[Workbench, Project]]:
    project = flow.copy(tmp_path)
    workbench = workbench_at(tmp_path)
    yield workbench, project
    workbench.database.close()


def test_a_dimension_that_nobody_rated_comes_after_the_rated_ones(ended: tuple[Workbench, Project]) -> None:
    workbench, project = ended
    states, todo = standing(workbench, project.id)
    assert (states, todo.screen) == ([DONE] * 5, "results")
    assert next_step(overview(workbench, project.id)).why == "Every dimension has scores."
    add_dimension(workbench, project.id, Dimension("tact"))
    todo = next_step(overview(workbench, project.id))
    assert todo.screen == "think_aloud"
    assert "tact" in todo.why


def test_each_step_opens_the_next_one(workbench: Workbench) -> None:
    project, (order, _) = rated_on_two(workbench)
    assert standing(workbench, project.id)[0] == [DONE, READY, BLOCKED, BLOCKED, BLOCKED]
    add_attributes(workbench, order.id, "Ada", ContributorKind.HUMAN, ["It has one thread."])
    states, todo = standing(workbench, project.id)
    assert (states, todo.screen) == ([DONE, DONE, READY, BLOCKED, BLOCKED], "how_it_was_made")


def test_a_draft_beside_a_published_version_blocks_nothing_and_is_named(ended: tuple[Workbench, Project]) -> None:
    workbench, project = ended
    dimension = overview(workbench, project.id).dimensions[0]
    assert dimension.checklist is not None
    draft = new_draft(workbench, dimension.checklist.id)
    found = overview(workbench, project.id)
    checklist = steps_of(found, found.dimensions[0])[2]
    assert (checklist.state, checklist.words) == (DONE, "Version 1 is published; version 2 is a draft")
    publish(workbench, draft.id)
    assert overview(workbench, project.id).dimensions[0].published == 2


def test_a_newer_version_without_scores_of_its_own_is_scored_next(ended: tuple[Workbench, Project]) -> None:
    workbench, project = ended
    dimension = overview(workbench, project.id).dimensions[0]
    assert dimension.checklist is not None
    assert (dimension.scored, dimension.unscored_version) == (1, None)
    publish(workbench, new_draft(workbench, dimension.checklist.id).id)
    found = overview(workbench, project.id)
    scores = steps_of(found, found.dimensions[0])[3]
    assert scores.state is READY
    run = found.dimensions[0].run
    assert run is not None
    assert found.dimensions[0].scored_words == f"version 1 by run {run.id}, version 2 not yet"
    assert found.dimensions[0].scored_words in scores.words
    todo = next_of(found, found.dimensions[0])
    assert (todo.screen, todo.verb) == ("scores", "Score the texts")
    assert todo.why.startswith("The newest version of the checklist of")
