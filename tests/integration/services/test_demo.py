"""The demo shows what validation is for: on each dimension something is merged and something dropped, with reasons."""

import pytest

from app.corpora.demo_data import DEMO_NOTICE, demo_corpus
from app.domain.attribute import ContributorKind
from app.domain.build import ChangeKind, Stage
from app.services.attributes.attributes import attributes_of
from app.services.building.build import run_stages, start_build
from app.services.building.build_state import view_build
from app.services.data.imports import keep_corpus
from app.services.data.projects import dimensions_named
from app.services.demo import DEMO_PROJECT, prepare_demo
from app.services.runtime.workbench import Workbench
from app.services.think_aloud.llm_think_aloud import ask_models
from app.services.think_aloud.samples import ensure_samples


def test_demo_validation_drops_and_merges_and_keeps_the_lineage(workbench: Workbench) -> None:
    project = prepare_demo(workbench)
    dimensions = dimensions_named(workbench, project.name, "all")
    assert len(dimensions) == 4
    merged, dropped_on = set[str](), set[str]()
    for dimension in dimensions:
        ensure_samples(workbench, dimension.id)
        ask_models(workbench, project, [dimension], ["rules"])
        build_id = start_build(workbench, dimension, "rules")
        run_stages(workbench, build_id)
        build = view_build(workbench, build_id).build
        kinds = [change.kind for change in build.changes]
        merged |= {dimension.name for kind in kinds if kind is ChangeKind.MERGED}
        dropped_on |= {dimension.name for kind in kinds if kind is ChangeKind.DROPPED}
        assert kinds.count(ChangeKind.KEPT) >= 6, dimension.name
        assert all(change.reason for change in build.changes)
        changed = sorted(question for change in build.changes for question in change.before)
        assert changed == sorted(question.id for question in build.questions(Stage.SUB_QUESTIONS))
        said = {a.id for a in attributes_of(workbench, project.id, dimension.id)}
        used = {a for question in build.questions(Stage.SUB_QUESTIONS) for a in question.attributes}
        dropped = {placed.attribute for placed in build.placements if not placed.components}
        assert used | dropped == said
    assert (merged, dropped_on) == ({"coherence", "fluency", "relevance"}, {"coherence", "fluency", "consistency"})
    people = [a for a in attributes_of(workbench, project.id) if a.kind is ContributorKind.HUMAN]
    assert len({a.text for a in people}) == len(people)


EARLIER_NOTICE = (
    "This is sample data: the articles, summaries and ratings are made up, and the raters are simulated from the "
    "faults that were put into each summary on purpose."
)


@pytest.mark.parametrize("notice", [DEMO_NOTICE, EARLIER_NOTICE])
def test_the_demo_goes_on_with_its_project_whichever_version_made_it(workbench: Workbench, notice: str) -> None:
    keep_corpus(workbench, demo_corpus(), DEMO_PROJECT, notice)
    assert prepare_demo(workbench).notice == notice
