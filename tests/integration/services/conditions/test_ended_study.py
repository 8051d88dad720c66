"""A study that has ended: nothing of it is paid again, only what changed is made anew, and its figures are compared."""

import shutil
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from app.domain.condition import Family
from app.domain.project import Project
from app.services.attributes.attribute_changes import edit_attribute
from app.services.attributes.attributes import attributes_of
from app.services.conditions.study import StudyOptions, plan_study, plan_trials
from app.services.conditions.study_figures import study_figures
from app.services.conditions.study_worker import StudyEstimate, StudyReport, estimate_study, run_study
from app.services.data.held_out_split import lock
from app.services.runtime.workbench import Workbench
from app.services.scoring.runs import list_runs
from tests.support.fake_llm.server import FakeLlm, Usual, varied_answers
from tests.support.projects import workbench_at
from tests.support.study_project import ferry_project

JUDGE = "llama:judge"
DOCUMENTS = 4
TEXTS = 3 * DOCUMENTS


@dataclass(frozen=True)
class Ended:
    """The folder of its database, how it ended, what it asked its judge, and what was said of it before."""

    folder: Path
    project: Project
    options: StudyOptions
    report: StudyReport
    paid: int
    estimate: StudyEstimate


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> Ended:
    """Made once; each test has a copy."""
    folder = tmp_path_factory.mktemp("ended")
    with FakeLlm(usual=varied_answers) as llm:
        workbench = workbench_at(folder, f"{llm.url}/v1")
        project = ferry_project(workbench, DOCUMENTS)
        with workbench.database.read() as work:
            options = StudyOptions(tuple(work.projects.dimensions(project.id)), "rules", JUDGE)
        plan = plan_study(workbench, project, options)
        assert [cell.condition.key for cell in plan.cells][4:7] == ["ml", "mh", "comb"]
        assert len(plan.to_build) == len(plan.to_score) == 11
        before = estimate_study(workbench, options, plan_trials(workbench, project, options))
        report = run_study(workbench, project, options)
        workbench.database.close()
        return Ended(folder, project, options, report, len(llm.requests), before)


@pytest.fixture
def usual() -> Usual:
    return varied_answers


@pytest.fixture
def workbench(ended: Ended, llm: FakeLlm, tmp_path: Path) -> Iterator[Workbench]:
    """One with a study that has ended."""
    shutil.copy(ended.folder / "workbench.db", tmp_path)
    made = workbench_at(tmp_path, f"{llm.url}/v1")
    yield made
    made.database.close()


@pytest.fixture
def project(ended: Ended) -> Project:
    return ended.project


@pytest.fixture
def options(ended: Ended) -> StudyOptions:
    return ended.options


def test_everything_was_built_and_scored_as_estimated_and_nothing_twice(
    workbench: Workbench, project: Project, options: StudyOptions, ended: Ended, llm: FakeLlm
) -> None:
    report, before = ended.report, ended.estimate
    assert (before.checklists, before.build_calls, before.judge_calls, before.texts_scored) == (
        11,
        55,
        11 * TEXTS,
        TEXTS,
    )
    assert before.input_tokens > 0
    assert before.cost_usd is None  # nobody knows the price of a judge of one's own
    assert str(11 * TEXTS) in str(before)
    assert (report.built, report.scored, report.missing, report.problems) == (11, 11, 0, ())
    assert 0 < ended.paid <= 11 * TEXTS
    runs = len(list_runs(workbench, project.id))
    after = estimate_study(workbench, options, plan_trials(workbench, project, options))
    assert (after.checklists, after.judge_calls, after.cost_usd) == (0, 0, 0.0)
    again = run_study(workbench, project, options)
    assert (again.built, again.scored, again.missing) == (0, 0, 0)
    assert llm.requests == []
    assert len(list_runs(workbench, project.id)) == runs == 11


def test_after_a_lock_nothing_is_paid_again(
    workbench: Workbench, project: Project, options: StudyOptions, llm: FakeLlm
) -> None:
    options = replace(options, families=(Family.MH, Family.COMB))
    assert plan_study(workbench, project, options).elsewhere == 0
    lock(workbench, project.id, 0.2, 1, "Ana")
    plan = plan_study(workbench, project, options)
    assert plan.elsewhere == len(plan.to_score) == 2
    assert run_study(workbench, project, options).missing == 0
    assert llm.requests == []


def test_a_changed_attribute_makes_only_its_own_conditions_anew(
    workbench: Workbench, project: Project, options: StudyOptions
) -> None:
    anas = next(a for a in attributes_of(workbench, project.id) if a.contributor == "Ana")
    edit_attribute(workbench, anas.id, "Sentences come in a sensible order.")
    plan = plan_study(workbench, project, options)
    assert {cell.condition.key for cell in plan.to_build} == {
        "sh:Ana",
        "mh",
        "comb",
        "without:Ben",
        "without:model-a",
        "without:model-b",
    }


def test_only_what_is_missing_of_a_run_is_scored_again(
    workbench: Workbench, project: Project, options: StudyOptions, tmp_path: Path
) -> None:
    run = list_runs(workbench, project.id)[0]
    with sqlite3.connect(tmp_path / "workbench.db") as connection:
        connection.execute(f"UPDATE score SET status='pending', value=NULL WHERE run_id={run.id} AND id % 2 = 0")
    connection.close()
    plan = plan_study(workbench, project, options)
    assert len(plan.to_score) == 1
    assert plan.to_build == []
    assert run_study(workbench, project, options).missing == 0
    assert len(list_runs(workbench, project.id)) == 11


def test_means_members_and_differences(workbench: Workbench, project: Project, options: StudyOptions) -> None:
    found = study_figures(workbench, plan_study(workbench, project, options), permutations=50, resamples=50)
    rows = {(row.family, row.name): row for row in found.rows}
    sh = rows[Family.SH, ""]
    assert [member.condition.name for member in sh.members] == ["Ana", "Ben"]
    values = [member.figures["spearman"].value for member in sh.members]
    assert None not in values
    assert values[0] != values[1]
    assert sh.figures["spearman"].value == pytest.approx(sum(values) / 2)
    names = [(each.first.family, each.second.family) for each in found.differences]
    assert names[:8] == [
        (Family.SL, Family.SH),
        (Family.ML, Family.MH),
        (Family.SL, Family.ML),
        (Family.SH, Family.MH),
        (Family.SL, Family.COMB),
        (Family.SH, Family.COMB),
        (Family.ML, Family.COMB),
        (Family.MH, Family.COMB),
    ]
    assert names[8:] == [(Family.WITHOUT, Family.COMB)] * 4
    assert found.shared == {options.dimensions[0].id: TEXTS}
    tested = [each.tested["spearman"] for each in found.differences]
    known = [t for t in tested if t.permutation.p is not None]
    assert all(t.p_holm is not None and t.permutation.p is not None and t.p_holm >= t.permutation.p for t in known)
    assert found.comparisons("spearman") == len(known)
