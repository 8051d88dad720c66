"""Likeness against agreement over conditions (Fig. 10a): the same texts for all, one space for all, no mixing."""

import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from scipy.stats import spearmanr

from app.domain.condition import Family
from app.domain.project import Dimension, Project, Task
from app.domain.run import RunDimension
from app.services.attributes.attribute_changes import exclude_attributes
from app.services.attributes.attributes import attributes_of
from app.services.attributes.comparison import compare_contributors
from app.services.building.build import build
from app.services.conditions.condition_effect import condition_draws, effect_of_conditions
from app.services.conditions.study import StudyOptions, plan_study
from app.services.conditions.study_figures import study_figures
from app.services.conditions.study_worker import run_study
from app.services.results.results import Choices, results_of
from app.services.runtime.workbench import Workbench
from app.services.scoring.runs import RunOptions, start_run, work_on
from tests.support.fake_llm.server import FakeLlm, varied_answers
from tests.support.prepared import Prepared, prepared
from tests.support.projects import workbench_at
from tests.support.study_project import ferry_project

PAPERS = ["comb", "ml", "mh", "sl:model-a", "sl:model-b", "sh:Ana", "sh:Ben"]


@pytest.fixture
def dimension(workbench: Workbench, project: Project) -> Dimension:
    with workbench.database.read() as work:
        return work.projects.dimensions(project.id)[0]


@pytest.fixture
def options(dimension: Dimension) -> StudyOptions:
    return StudyOptions((dimension,), "rules", "rules", draw=(4, 3))


def _study_of_people(workbench: Workbench) -> Project:
    project = ferry_project(workbench)
    with workbench.database.read() as work:
        dimensions = tuple(work.projects.dimensions(project.id))
    families = (Family.MH, Family.SH)
    run_study(workbench, project, StudyOptions(dimensions, "rules", "rules", families=families, draw=(4, 3)))
    return project


@pytest.fixture(scope="module")
def ended() -> Prepared[Project]:
    """Made once; each test has a copy."""
    return prepared(_study_of_people)


@pytest.fixture
def studied(ended: Prepared[Project], tmp_path: Path) -> Iterator[Workbench]:
    """A workbench with the study of people's attributes that has ended."""
    (tmp_path / "studied").mkdir()
    ended.copy(tmp_path / "studied")
    made = workbench_at(tmp_path / "studied")
    yield made
    made.database.close()


@pytest.mark.long
def test_sets_without_one_contributor_are_no_points_and_every_point_has_the_same_texts(
    workbench: Workbench, project: Project, dimension: Dimension, options: StudyOptions, llm: FakeLlm
) -> None:
    llm.usual = varied_answers
    run_study(workbench, project, replace(options, judge="llama:judge"))
    there = condition_draws(workbench, project.id, dimension.id)
    (draw,) = there.draws
    assert there.refused == ()
    found = effect_of_conditions(workbench, project.id, dimension.id, draw, "dataset")
    assert [point.condition for point in found.points] == PAPERS
    assert {point.spearman.n for point in found.points} == {found.shared} == {12}
    for point in found.points:
        (alone,) = results_of(workbench, point.run, Choices("dataset"))
        assert point.spearman.value == alone.meta.figures["spearman"].value
    pairs = [(p.similarity.rouge_l, p.spearman.value) for p in found.points if p.spearman.value is not None]
    alike, agreement = zip(*pairs, strict=True)
    assert len(set(agreement)) > 1
    assert found.correlation("rouge_l") == pytest.approx(spearmanr(alike, agreement).statistic)


def test_likeness_is_the_compare_screens_likeness(studied: Workbench, project: Project, dimension: Dimension) -> None:
    (draw,) = condition_draws(studied, project.id, dimension.id).draws
    found = effect_of_conditions(studied, project.id, dimension.id, draw, "dataset")
    screen = compare_contributors(attributes_of(studied, project.id, dimension.id)).conditions.within
    for point in found.points:
        for measure in ("rouge_l", "jaccard", "cosine"):
            assert getattr(point.similarity, measure) == getattr(screen[point.condition], measure)
        assert (point.gone, point.since) == (0, 0)


def test_conditions_on_different_texts_are_refused_and_other_options_named(
    studied: Workbench, project: Project, dimension: Dimension, options: StudyOptions
) -> None:
    run_study(studied, project, replace(options, families=(Family.COMB,), seed=2))
    there = condition_draws(studied, project.id, dimension.id)
    assert there.draws == ()
    refusal = next(refusal for refusal in there.refused if refusal.missing == ("comb",))
    sentence = refusal.sentence(str.upper)
    assert "12 texts (4 x 3, seed 1)" in sentence
    assert "COMB" in sentence
    # On the same texts it is one of them, and its checklist with other components is named.
    run_study(studied, project, replace(options, families=(Family.COMB,), components=3))
    there = condition_draws(studied, project.id, dimension.id)
    assert [sorted(draw.runs) for draw in there.draws] == [["comb", "mh", "sh:Ana", "sh:Ben"]]
    assert there.refused == ()
    found = effect_of_conditions(studied, project.id, dimension.id, there.draws[0], "dataset")
    assert any("at most 3 and 5 components" in remark for remark in found.remarks())


@pytest.mark.long
def test_each_trial_is_a_draw_and_a_run_of_one_condition_alone_takes_no_place(
    workbench: Workbench, project: Project, dimension: Dimension, options: StudyOptions
) -> None:
    run_study(workbench, project, replace(options, trials=2))
    build(workbench, project, dimension, "rules", publish=True)
    work_on(workbench, start_run(workbench, project.id, RunOptions((dimension,), "rules")))
    draws = condition_draws(workbench, project.id, dimension.id).draws
    assert [draw.words for draw in draws] == ["12 texts (4 x 3, seed 2)", "12 texts (4 x 3, seed 1)"]
    assert all(len(draw.runs) == len(PAPERS) for draw in draws)


def test_a_run_that_has_not_ended_takes_no_place(studied: Workbench, project: Project, dimension: Dimension) -> None:
    (draw,) = condition_draws(studied, project.id, dimension.id).draws
    run, checklist = draw.runs["mh"]
    with studied.database.write() as work:
        texts = tuple(work.runs.texts_of(run.id, dimension.id))
        part = RunDimension(dimension.id, checklist.id, texts=texts)
        work.runs.create(project.id, "checklist", "rules", dict(run.params), [part])
    (draw,) = condition_draws(studied, project.id, dimension.id).draws
    assert draw.runs["mh"][0].id == run.id


def test_attributes_that_went_since_are_named(studied: Workbench, project: Project, dimension: Dimension) -> None:
    anas = next(a for a in attributes_of(studied, project.id, dimension.id) if a.contributor == "Ana")
    exclude_attributes(studied, [anas.id], "no longer wanted")
    (draw,) = condition_draws(studied, project.id, dimension.id).draws
    found = effect_of_conditions(studied, project.id, dimension.id, draw, "dataset")
    point = next(point for point in found.points if point.condition == "sh:Ana")
    assert (point.attributes, point.gone) == (1, 1)
    assert any(remark.startswith("SH:ANA: of the attributes") for remark in found.remarks(str.upper))


def test_without_runs_there_are_no_draws(workbench: Workbench) -> None:
    with workbench.database.write() as work:
        project = work.projects.add("News", Task())
        dimension = work.projects.add_dimension(project.id, Dimension("coherence"))
    assert condition_draws(workbench, project.id, dimension.id).draws == ()


def test_figures_have_the_cautions_of_each_run_and_name_a_missing_level(
    studied: Workbench, project: Project, options: StudyOptions, tmp_path: Path
) -> None:
    plan = plan_study(studied, project, replace(options, families=(Family.SH, Family.MH)))
    found = study_figures(studied, plan, permutations=20)
    assert found.cautions
    for row in found.rows:
        for member in row.members:
            (alone,) = results_of(studied, member.run)
            said = [c.text for c in found.cautions if not c.about or member.condition.key in c.about]
            assert said == list(alone.meta.cautions)
    with sqlite3.connect(tmp_path / "studied" / "workbench.db") as connection:
        connection.execute("UPDATE text SET item_id = system_id, system_id = ''")
    connection.close()
    found = study_figures(studied, plan, level="system")
    assert found.rows == ()
    assert "needs to know the system" in found.problems[0]
