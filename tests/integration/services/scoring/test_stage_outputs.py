"""What a judge wrote once is seen, changed and used from then on; earlier versions stay."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from app.cli import build
from app.errors import InputError, NotReadyError
from app.services.runtime.workbench import Workbench, open_workbench
from app.services.scoring.runs import RunOptions, start_run, work_on
from app.services.scoring.stage_outputs import save_edit, save_own_seeds, stage_outputs_of
from tests.support.fake_llm.behaviour import Answer
from tests.support.fake_llm.server import FakeLlm, Usual
from tests.support.projects import ready_to_score

PLAIN = (("probabilities", "none"),)


@pytest.fixture
def usual() -> Usual:
    steps = json.dumps({"steps": ["Read.", "Rate."]})
    return Answer(lambda schema: steps if schema else "4")


def said(llm: FakeLlm) -> str:
    return "\n".join(str(message["content"]) for message in llm.requests[-1].body["messages"])


def test_edited_steps_are_used_by_the_next_run_and_versions_kept(workbench: Workbench, llm: FakeLlm) -> None:
    dimension = ready_to_score(workbench)
    options = RunOptions((dimension,), "llama:judge", evaluator="g-eval", settings=PLAIN)
    work_on(workbench, start_run(workbench, 1, options))
    (written,) = stage_outputs_of(workbench, dimension.id)
    assert (written.stage, written.judge, written.lines) == ("g-eval-steps", "llama:judge", "Read.\nRate.")
    save_edit(workbench, dimension.id, written, "Read twice.\nRate.\n")
    save_edit(workbench, dimension.id, written, "Read twice.\nRate.")  # nothing new
    (written,) = stage_outputs_of(workbench, dimension.id)
    assert [(v.number, v.by, v.lines) for v in written.versions] == [
        (2, "a person", "Read twice.\nRate."),
        (1, "llama:judge", "Read.\nRate."),
    ]
    asked = len(llm.requests)
    work_on(workbench, start_run(workbench, 1, options))
    assert len(llm.requests) == asked + 12  # no new steps are asked for; every text is scored anew with the new ones
    assert "Read twice." in said(llm)
    with pytest.raises(InputError, match="nothing to keep"):
        save_edit(workbench, dimension.id, written, "")


def test_own_seeds_lead_check_eval(workbench: Workbench, llm: FakeLlm) -> None:
    dimension = ready_to_score(workbench)
    options = RunOptions((dimension,), "llama:judge", evaluator="check-eval", settings=(("seeds", "own"),))
    with pytest.raises(NotReadyError, match="Nobody wrote sub-aspects"):
        work_on(workbench, start_run(workbench, 1, options))
    save_own_seeds(workbench, dimension.id, "Order\n- Is it in order?")
    replies = {"questions": '{"questions": []}', "keep": '{"keep": [1]}', "q1": '{"q1": "yes"}'}
    llm.usual = Answer(lambda schema: replies[next(iter((schema or {})["required"]))])
    report = work_on(workbench, start_run(workbench, 1, options))
    assert (report.run.done, report.run.failed) == (12, 0)
    assert "Is it in order?" in said(llm)
    assert [w.stage for w in stage_outputs_of(workbench, dimension.id)] == ["check-eval-own-seeds"]


def test_the_commands(tmp_path: Path) -> None:
    ready_to_score(open_workbench())
    where = ["--project", "Ready", "--dimension", "coherence"]
    file = tmp_path / "seeds.txt"
    file.write_text("Order\n- Is it in order?\n", encoding="utf-8")

    def run(*arguments: str) -> str:
        done = CliRunner().invoke(build(), ["stage-outputs", *arguments, *where])
        assert done.exit_code == 0, done.output
        return done.stdout

    assert "has written anything" in run("list")
    assert "seeds=own" in run("seeds", str(file))
    file.write_text("Order\n- Is all in order?\n", encoding="utf-8")
    run("edit", str(file), "--stage", "check-eval-own-seeds")
    (written,) = json.loads(run("list", "--json"))
    assert [v["lines"] for v in written["versions"]] == ["Order\n- Is all in order?", "Order\n- Is it in order?"]
