"""The demo shows what validation is for: on each dimension something is merged or dropped, with reasons."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.corpora.demo_data.corpus import demo_corpus
from app.domain.attribute import ContributorKind
from app.domain.build import ChangeKind, Stage
from app.domain.project import Dimension, Project
from app.services.attributes.attributes import attributes_of
from app.services.attributes.side_by_side import side_by_sides_of
from app.services.building.build_state import builds_of, view_build
from app.services.checklists.checklists import versions_of
from app.services.checklists.expert_answers import expert_answers
from app.services.data.held_out_split import state_of
from app.services.data.imports import store_corpus
from app.services.data.projects import dimensions_named, get_project
from app.services.demo import DEMO_PROJECT, load_demo, prepare_demo
from app.services.improvement.improve import attempt_outcome, attempts_at
from app.services.runtime.workbench import Workbench
from tests.support.demo.maker import content, make_demo, workbench_in

KINDS = (ContributorKind.HUMAN, ContributorKind.LLM)


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workbench]:
    workbench = workbench_in(tmp_path_factory.mktemp("bundle"))
    load_demo(workbench)
    yield workbench
    workbench.database.close()


def _parts(workbench: Workbench) -> tuple[Project, dict[str, Dimension]]:
    dimensions = {dimension.name: dimension for dimension in dimensions_named(workbench, DEMO_PROJECT, "all")}
    return get_project(workbench, DEMO_PROJECT), dimensions


def test_demo_validation_drops_and_merges_and_keeps_the_lineage(loaded: Workbench) -> None:
    project, dimensions = _parts(loaded)
    assert len(dimensions) == 4
    merged, dropped_on = set[str](), set[str]()
    for dimension in dimensions.values():
        (summary,) = builds_of(loaded, dimension.id)
        build = view_build(loaded, summary.id).build
        kinds = [change.kind for change in build.changes]
        merged |= {dimension.name for kind in kinds if kind is ChangeKind.MERGED}
        dropped_on |= {dimension.name for kind in kinds if kind is ChangeKind.DROPPED}
        assert kinds.count(ChangeKind.KEPT) >= 6, dimension.name
        assert all(change.reason for change in build.changes)
        changed = sorted(question for change in build.changes for question in change.before)
        assert changed == sorted(question.id for question in build.questions(Stage.SUB_QUESTIONS))
        said = {a.id for a in attributes_of(loaded, project.id, dimension.id)}
        used = {a for question in build.questions(Stage.SUB_QUESTIONS) for a in question.attributes}
        dropped = {placed.attribute for placed in build.placements if not placed.components}
        assert used | dropped == said
    assert (merged, dropped_on) == ({"coherence", "fluency"}, {"coherence", "consistency", "relevance"})
    people = [a for a in attributes_of(loaded, project.id) if a.kind is ContributorKind.HUMAN]
    assert len({a.text for a in people}) == len(people)


def test_bundle_has_four_experts_and_four_llms_on_each_dimension(loaded: Workbench) -> None:
    project, dimensions = _parts(loaded)
    said = attributes_of(loaded, project.id)
    for dimension in dimensions:
        names = {kind: {a.contributor for a in said if (a.dimension, a.kind) == (dimension, kind)} for kind in KINDS}
        assert [len(names[kind]) for kind in KINDS] == [4, 4]
        assert all(name.startswith("simulated ") for found in names.values() for name in found)


def test_bundle_has_one_improvement_proven_and_one_refused(loaded: Workbench) -> None:
    _, dimensions = _parts(loaded)
    published = [one for one in versions_of(loaded, dimensions["fluency"].id) if one.version == 2]
    attempts = [attempt for found in attempts_at(loaded, published[0].id).values() for attempt in found]
    assert [(attempt.status.value, attempt_outcome(attempt)) for attempt in attempts] == [
        ("accepted", "proven better"),
        ("refused", "not proven"),
    ]


def test_bundle_has_answers_decisions_looks_anchors_and_comparisons(loaded: Workbench) -> None:
    project, dimensions = _parts(loaded)
    coherence, fluency = dimensions["coherence"], dimensions["fluency"]
    with loaded.database.read() as work:
        (first,) = [one for one in work.checklists.versions(coherence.id) if one.version == 1]
        decided = work.decisions.of_checklist(first.id)
        looks = work.anchors.looks(work.anchors.sets(fluency.id)[0].id)
        studied = {run.study for run in work.runs.all(project.id)} - {""}
    assert len(expert_answers(loaded, first.id).experts) == 4
    assert sum(len(made) for made in decided.values()) == 8
    split = state_of(loaded, project.id)
    assert split is not None
    assert len(split.split.looks) == 1
    assert [look.is_reference for look in looks].count(False) == 1
    assert all(one.revealed for one in side_by_sides_of(loaded, coherence.id))
    assert len(studied) == 11


@pytest.mark.long
def test_bundle_is_what_make_demo_makes_now(loaded: Workbench, tmp_path: Path) -> None:
    made = workbench_in(tmp_path)
    project = make_demo(made)
    assert content(made, project) == content(loaded, _parts(loaded)[0])


def test_loading_the_demo_again_changes_nothing(loaded: Workbench) -> None:
    before = content(loaded, _parts(loaded)[0])
    load_demo(loaded)
    assert content(loaded, _parts(loaded)[0]) == before


EARLIER_NOTICE = (
    "This is sample data: the articles, summaries and ratings are made up, and the raters are simulated from the "
    "faults that were put into each summary on purpose."
)


def test_the_demo_goes_on_with_its_project_of_an_earlier_version(workbench: Workbench) -> None:
    store_corpus(workbench, demo_corpus(), DEMO_PROJECT, EARLIER_NOTICE)
    assert prepare_demo(workbench).notice == EARLIER_NOTICE
