"""A study of conditions: built and scored once, resumed, never in the way of the experts' own checklists."""

import csv
import io
import sqlite3
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import SecretStr

from app.domain.condition import Family
from app.domain.project import Dimension, Project
from app.errors import InputError, NotReadyError, UnknownModelError
from app.evaluators.checklist import PLAIN
from app.providers.credentials import Access, Credentials
from app.services.building.build import build
from app.services.checklists.checklists import published_checklist, versions_of
from app.services.conditions.study import StudyOptions, last_study, plan_study, plan_trials
from app.services.conditions.study_figures import study_figures, sweep_figures
from app.services.conditions.study_tables import study_csv
from app.services.conditions.study_worker import estimate_study, run_study
from app.services.runtime.prompts import project_prompt, save_wording
from app.services.runtime.workbench import Workbench
from app.services.scoring.runs import list_runs
from tests.support.fake_llm.behaviour import Drop
from tests.support.fake_llm.server import FakeLlm, varied_answers


def change(folder: Path, statement: str) -> None:
    """Something in the database that no service would do."""
    with sqlite3.connect(folder / "workbench.db") as connection:
        connection.execute(statement)
    connection.close()


def test_the_experts_own_checklists_stay_theirs(workbench: Workbench, project: Project, options: StudyOptions) -> None:
    (dimension,) = options.dimensions
    build(workbench, project, dimension, "rules", publish=True)
    draft = build(workbench, project, dimension, "rules", "mh")
    run_study(workbench, project, replace(options, families=(Family.COMB,)))
    assert [(c.version, c.condition) for c in versions_of(workbench, dimension.id)] == [(2, "mh"), (1, "comb")]
    assert versions_of(workbench, dimension.id)[0].id == draft.id
    assert published_checklist(workbench, dimension.id).version == 1
    made = versions_of(workbench, dimension.id, of_studies=True)
    assert [c.version for c in made] == [3]
    assert published_checklist(workbench, dimension.id, 3).version == 3  # by its number it can be used like any other


def test_a_stopped_study_is_gone_on_with(workbench: Workbench, project: Project, options: StudyOptions) -> None:
    options = replace(options, families=(Family.SH, Family.COMB))
    stop = threading.Event()

    def after_one(what: str, done: int, steps: int) -> None:
        if what.startswith("Building") and done == 1:
            stop.set()

    report = run_study(workbench, project, options, after_one, stop)
    assert report.stopped
    assert report.built == 2  # the one that was being built is finished
    assert report.missing == 3
    assert "start again" in str(report)
    finished = run_study(workbench, project, options)
    assert (finished.built, finished.missing) == (1, 0)


def test_an_estimate_counts_the_wording_in_force(workbench: Workbench, project: Project, options: StudyOptions) -> None:
    asked = replace(options, judge="llama:judge")
    plans = plan_trials(workbench, project, asked)
    before = estimate_study(workbench, asked, plans).input_tokens
    wording = project_prompt(workbench, project.id, PLAIN.prompt()).builtin
    save_wording(workbench, project.id, wording.name, wording.system, f"{wording.user}\n{'Read it twice. ' * 50}")
    assert estimate_study(workbench, asked, plans).input_tokens > before + 198 * 100


def test_what_can_not_be_done_is_said_first(workbench: Workbench, project: Project, options: StudyOptions) -> None:
    with pytest.raises(UnknownModelError):
        run_study(workbench, project, replace(options, model="nobody:x"))
    with pytest.raises(InputError, match="price"):
        run_study(workbench, project, replace(options, judge="llama:judge", budget=1.0))
    with pytest.raises(InputError, match="Nothing is chosen"):
        plan_study(workbench, project, replace(options, families=()))
    with workbench.database.write() as work:
        empty = work.projects.add_dimension(project.id, Dimension("fluency"))
    with pytest.raises(NotReadyError, match="no attributes yet"):
        plan_study(workbench, project, replace(options, dimensions=(empty,)))
    assert versions_of(workbench, options.dimensions[0].id, of_studies=True) == []


def test_a_draw_and_a_lock_decide_which_texts_are_scored(
    workbench: Workbench, project: Project, options: StudyOptions
) -> None:
    plan = plan_study(workbench, project, replace(options, share=0.5, seed=3))
    assert [len(texts) for texts in plan.texts.values()] == [9]
    found = study_figures(workbench, plan)
    assert (found.rows, found.differences) == ((), ())  # before anything is scored
    run_study(workbench, project, replace(options, families=(Family.COMB,)))
    with workbench.database.write() as work:
        work.held_out_splits.lock(project.id, ["d0"], 0.2, 1, "Ana")
    comb = replace(options, families=(Family.COMB,))
    locked = plan_study(workbench, project, comb)
    assert [len(texts) for texts in locked.texts.values()] == [15]
    assert locked.to_build == []  # the checklist is the same
    assert len(locked.to_score) == 1  # the texts are not


def test_a_budget_ends_the_study_also_at_a_lost_reply_and_it_goes_on(
    workbench: Workbench, project: Project, options: StudyOptions, llm: FakeLlm
) -> None:
    priced = replace(
        workbench, credentials=Credentials({"openai": Access(SecretStr("planted-key"), f"{llm.url}/v1", "a test")})
    )
    few = replace(options, families=(Family.SH, Family.MH), draw=(3, 3))  # three checklists, about nine texts each
    asked = replace(few, judge="openai:gpt-4o", budget=0.003)  # a call costs 100 * 2.5e-6 + 7 * 1e-5 = .00032
    report = run_study(priced, project, asked, concurrency=1)
    assert report.stopped
    assert report.missing > 0
    assert report.cost_usd == pytest.approx(0.003, abs=0.0003)
    assert any("budget" in problem for problem in report.problems)
    paid = len(llm.requests)
    # More of it goes on, until a reply is lost whose cost nobody knows.
    llm.script(Drop(after_headers=True))
    report = run_study(priced, project, replace(asked, budget=5.0), concurrency=1)
    assert (report.stopped, report.cost_usd) == (True, None)
    assert any("budget can't be kept" in problem for problem in report.problems)
    assert len(llm.requests) == paid + 2
    finished = run_study(priced, project, replace(asked, budget=None))
    assert (finished.missing, finished.problems) == (0, ())
    assert len(llm.requests) <= 3 * 9 + 1  # nothing twice but the lost one


def test_trials_of_a_drawn_study_share_checklists_and_have_a_mean(
    workbench: Workbench, project: Project, options: StudyOptions, llm: FakeLlm
) -> None:
    llm.usual = varied_answers
    options = replace(options, judge="llama:judge")
    asked = replace(options, families=(Family.SH, Family.MH), draw=(4, 3), seed=5, trials=2, components=7)
    plans = plan_trials(workbench, project, asked)
    (first,), (second,) = (plan.texts.values() for plan in plans)
    assert len(first) == len(second) == 12
    assert set(first) != set(second)
    assert estimate_study(workbench, asked, plans).checklists == 3
    assert last_study(workbench, project) is None
    report = run_study(workbench, project, asked)
    assert last_study(workbench, project) == asked
    assert (report.built, report.scored, report.missing, report.problems) == (3, 6, 0, ())
    sweep = sweep_figures(workbench, plan_trials(workbench, project, asked), permutations=20, resamples=20)
    (found,) = sweep.values()
    assert [trial.seed for trial in found.trials] == [5, 6]
    assert [mean.condition for mean in found.means] == ["sh", "sh:Ana", "sh:Ben", "mh"]
    for mean in found.means:
        values = mean.values["kendall"]
        assert len(values) == 2
        assert None not in values
        assert mean.spread("kendall")[0] == pytest.approx(sum(values) / 2)
    lines = list(csv.DictReader(io.StringIO(study_csv(sweep).decode("utf-8-sig"))))
    compared = [(line["trial"], line["compared_with"], line["condition"]) for line in lines if line["compared_with"]]
    assert compared == [("1", "sh", "mh"), ("2", "sh", "mh")]
    lines = [line for line in lines if not line["compared_with"]]
    assert [(line["trial"], line["condition"], line["contributor"]) for line in lines] == [
        (trial, *whose)
        for trial in ("1", "2", "mean")
        for whose in (("sh", ""), ("sh", "Ana"), ("sh", "Ben"), ("mh", ""))
    ]
    assert {run.trial for run in list_runs(workbench, project.id)} == {1, 2}


def test_what_was_chosen_for_a_share_is_there_again_with_the_study(
    workbench: Workbench, project: Project, options: StudyOptions, tmp_path: Path
) -> None:
    shared = replace(options, families=(Family.MH,), seed=5, share=0.5, components=3)
    run_study(workbench, project, shared)
    assert last_study(workbench, project) == shared
    change(tmp_path, "UPDATE scoring_run SET params = json_remove(params, '$.study_choices', '$.draw')")
    assert last_study(workbench, project) == replace(shared, families=tuple(Family), components=5)


def test_numbers_that_make_no_study_are_refused(workbench: Workbench, project: Project, options: StudyOptions) -> None:
    with pytest.raises(InputError, match="same each time"):
        plan_trials(workbench, project, replace(options, trials=2))
    with pytest.raises(InputError, match="components"):
        plan_trials(workbench, project, replace(options, components=10))
    with pytest.raises(NotReadyError, match="Only 6 of 6 documents"):
        plan_trials(workbench, project, replace(options, draw=(7, 3)))
