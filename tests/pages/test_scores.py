"""Score: what a run would take, starting and stopping it, and going on with what is left."""

import time
from collections.abc import Callable
from datetime import timedelta

import pytest
from streamlit.testing.v1 import AppTest

from app.domain.checklist_score import Evaluation
from app.domain.job import JobStatus, NewJob
from app.domain.project import Dimension, Task
from app.domain.run import Outcome, RunStatus
from app.errors import ConflictError
from app.services.checklists.checklists import new_draft, published_checklist, versions_of
from app.services.data.projects import add_dimension, create_project, dimensions_named, get_project
from app.services.results.result_files import verdicts_of
from app.services.results.results import cached_results
from app.services.runtime.workbench import Workbench
from app.services.scoring.runs import RunOptions, get_run, list_runs, start_run
from app.services.scoring.scoring_jobs import begin_scoring, failure_kinds, is_scoring, job_key
from db.repositories import runs as run_repository
from tests.support.background import PATIENCE

Open = Callable[[str], AppTest]


def shown(app: AppTest) -> str:
    """Every word on the screen, without the marks that keep Markdown from reading names as markup."""
    elements = [*app.markdown, *app.caption, *app.error, *app.warning, *app.info, *app.success, *app.subheader]
    return "\n".join(str(element.value) for element in elements).replace("\\", "")


def planned(workbench: Workbench, project: str = "Demo") -> int:
    options = RunOptions(tuple(dimensions_named(workbench, project, "coherence")), "rules")
    return start_run(workbench, get_project(workbench, project).id, options)


def finish_jobs(workbench: Workbench, project_id: int) -> None:
    limit = time.monotonic() + PATIENCE
    while is_scoring(workbench, project_id):
        assert time.monotonic() < limit, "the run does not end"
        time.sleep(0.05)


def test_without_a_checklist_the_way_to_build_is_shown(workbench: Workbench, open_screen: Open) -> None:
    create_project(workbench, "Empty", Task(), (Dimension("clarity"),))
    app = open_screen("scores")
    assert not app.exception
    assert "No dimension has a checklist yet" in shown(app)
    assert app.button(key="empty_to_how_it_was_made").label == "Build the checklist"


def test_it_says_what_it_would_take_and_then_scores(demo: Workbench, open_screen: Open) -> None:
    project = get_project(demo, "Demo")
    app = open_screen("scores")
    assert not app.exception
    assert "52 texts on 4 dimensions, 40 on each: 160 scores" in shown(app)
    assert "not an LLM" in shown(app)
    app.button(key="start_scoring").click().run()
    finish_jobs(demo, project.id)
    app.run()
    newest = list_runs(demo, project.id)[0]
    assert (newest.status, newest.done, newest.all) == (RunStatus.DONE, 160, 160)
    assert f"Run {newest.id} is done: 160 of 160 scored" in shown(app)
    for result in cached_results(demo, [newest.id]):
        assert verdicts_of(demo, [result])[0].about(result.dimension.name) in shown(app)
    table = next(frame.value for frame in app.dataframe if "State" in frame.value)
    assert table["Run"].tolist()[0] == str(newest.id)


def test_trials_of_a_share_of_one_dimension_are_compared_and_run(demo: Workbench, open_screen: Open) -> None:
    project = get_project(demo, "Demo")
    app = open_screen("scores")
    pills = next(group for group in app.button_group if str(group.key).startswith("score_dimensions"))
    pills.set_value([dimensions_named(demo, "Demo", "coherence")[0].id])
    app.button_group(key="score_texts").set_value("A share").run()
    app.number_input(key="score_share").set_value(50)
    app.number_input(key="score_seed").set_value(7).run()
    assert "20 texts on coherence: 20 scores" in shown(app)
    app.number_input(key="score_trials").set_value(2).run()
    assert "(Kolmogorov-Smirnov, p =" in shown(app)
    app.button(key="start_scoring").click().run()
    finish_jobs(demo, project.id)
    newest = list_runs(demo, project.id)[:2]
    assert {(run.dimensions, run.done, run.params["sample"]) for run in newest} == {(("coherence",), 20, 0.5)}
    assert sorted(run.params["seed"] for run in newest) == [7, 8]


def test_texts_are_chosen_by_name_and_impossible_choices_are_said(demo: Workbench, open_screen: Open) -> None:
    coherence = dimensions_named(demo, "Demo", "coherence")[0].id
    with demo.database.read() as work:
        name = work.results.scored(1, coherence)[0].doc_id
    app = open_screen("scores")
    pills = next(group for group in app.button_group if str(group.key).startswith("score_dimensions"))
    assert len(pills.options) == len(dimensions_named(demo, "Demo", "all")) == len(pills.value)
    assert all(versions_of(demo, dimension_id) for dimension_id in pills.value)
    for written in ("doc_id", "=night-*"):
        app.text_area(key="score_matching").set_value(written).run()
        assert not app.exception
        assert app.error
    app.text_area(key="score_matching").set_value("")
    app.toggle(key="score_new").set_value(True).run()
    assert not app.exception
    assert all(button.key != "start_scoring" or button.disabled for button in app.button), "nothing is new"
    app.toggle(key="score_new").set_value(False)
    app.button_group(key="score_texts").set_value("Documents × systems").run()
    assert not app.exception
    assert "Ask for fewer documents or systems" in shown(app)

    app = open_screen("scores")
    pills = next(group for group in app.button_group if str(group.key).startswith("score_dimensions"))
    pills.set_value([coherence])
    app.text_area(key="score_matching").set_value(f"doc_id={name[:3]}*").run()
    assert not app.exception
    app.button(key="start_scoring").click().run()
    finish_jobs(demo, get_project(demo, "Demo").id)
    run = list_runs(demo)[0]
    with demo.database.read() as work:
        scored = {row.doc_id for row in work.results.scored(run.id, coherence)}
    assert scored
    assert all(doc.startswith(name[:3]) for doc in scored)
    assert run.params["matching"] == [["doc_id", f"{name[:3]}*"]]


def test_drafts_are_published_and_missing_checklists_built_from_here(demo: Workbench, open_screen: Open) -> None:
    tone, warmth = (add_dimension(demo, 1, Dimension(name=name)) for name in ("tone", "warmth"))
    coherence = dimensions_named(demo, "Demo", "coherence")[0]
    draft = new_draft(demo, published_checklist(demo, coherence.id).id)
    app = open_screen("scores")
    button = app.button(key=f"publish_{draft.id}")
    assert button.label.startswith(f"Publish version {draft.version} and use it")
    button.click().run()
    app.button(key="publish_now").click().run()
    assert published_checklist(demo, coherence.id).version == draft.version
    assert not [b for b in app.button if str(b.key).startswith("publish_")]
    pills = next(group for group in app.button_group if str(group.key).startswith("score_dimensions"))
    assert f"version {draft.version}" in pills.options[0].replace("\\", "")

    assert {f"build_{tone.id}", f"build_{warmth.id}"} <= {button.key for button in app.button}
    app.button(key=f"build_{warmth.id}").click().run()
    assert not app.exception
    assert (app.title[0].value, app.query_params["dimension"]) == ("How it was made", "warmth")


def test_a_run_at_work_keeps_others_waiting_and_stopped_is_no_success(demo: Workbench, open_screen: Open) -> None:
    project = get_project(demo, "Demo")
    first = planned(demo)
    with demo.database.write() as work:
        work.runs.claim(first, "another process")
    app = open_screen("scores")
    assert not app.exception
    assert f"Run {first} · checklist" in shown(app)
    assert app.button(key="start_scoring").disabled
    before = len(list_runs(demo, project.id))
    with pytest.raises(ConflictError, match=f"Run {first}"):
        begin_scoring(demo, project.id, RunOptions(tuple(dimensions_named(demo, "Demo", "fluency")), "rules"))
    assert len(list_runs(demo, project.id)) == before
    app.button(key="stop_scoring").click().run()
    with demo.database.read() as work:
        assert work.runs.stop_requested(first)
    assert "Stopping" in shown(app)

    with demo.database.write() as work:
        work.runs.save([Outcome(score, Evaluation(3.0)) for score in work.runs.open_scores(first)[:39]])
        work.runs.finish(first, RunStatus.STOPPED)
    ended = get_run(demo, first)
    new = NewJob(job_key(project.id), "ScoringJob", {}, "Scoring")
    with demo.database.write() as work:
        job = work.jobs.add(new, "somebody")
        work.jobs.report(job.id, "somebody", complete=False)
        said = f"Run {ended.id} was stopped: {ended.done} of {ended.all} scored."
        work.jobs.end(job.id, "somebody", JobStatus.DONE, said)
    app = open_screen("scores")
    assert not app.success
    assert f"Run {first} was stopped: 39 of 40 scored." in shown(app)


def test_an_interrupted_run_and_one_with_failures_are_told_and_resumed(
    demo: Workbench, open_screen: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = get_project(demo, "Demo")
    dead, failing = planned(demo), planned(demo)
    with demo.database.write() as work:
        work.runs.claim(dead, "a process that is gone")
        work.runs.claim(failing, "somebody")
        scores = work.runs.open_scores(failing)
        work.runs.save([Outcome(score, error_kind="refused", error="The model declined. Read it.") for score in scores])
        work.runs.finish(failing, RunStatus.DONE)
    assert [(failure.kind, failure.count) for failure in failure_kinds(demo, failing)] == [("refused", 40)]
    monkeypatch.setattr(run_repository, "HEARTBEAT_TIMEOUT", timedelta(seconds=-1))
    app = open_screen("scores")
    assert "interrupted, 0 of 40 scored" in shown(app)
    assert "done, 40 failed" in shown(app)
    assert "40 × [refused](/guide/" in shown(app)
    assert "): The model declined. Read it." in shown(app)
    monkeypatch.undo()
    with demo.database.write() as work:
        work.runs.finish(dead, RunStatus.INTERRUPTED)
    assert app.button(key=f"resume_{failing}").label.startswith("Try the failures again")
    for run in (dead, failing):
        app.button(key=f"resume_{run}").click().run()
        finish_jobs(demo, project.id)
        after = get_run(demo, run)
        assert (after.done, after.failed) == (40, 0)
        app.run()
