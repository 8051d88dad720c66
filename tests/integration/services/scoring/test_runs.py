"""Runs against a provider on this machine, through the real SDK: nothing lost, paid twice or miscounted."""

import json
import re
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from app.domain.checklist_score import Answer
from app.domain.run import RunStatus, RunSummary
from app.errors import ConflictError, InputError, NotReadyError, UnsupportedError
from app.evaluators.checklist import JudgeOptions
from app.providers.pricing import OwnPrices, Price, PriceList
from app.scoring import engine
from app.services.results.result_texts import run_counts
from app.services.results.results import results_of
from app.services.runtime.workbench import Workbench
from app.services.scoring import dask_workers
from app.services.scoring.runs import RunOptions, failures_of, get_run, start_run, stop_run, work_on
from tests.support.fake_llm.behaviour import Answer as Reply
from tests.support.fake_llm.behaviour import Behaviour, Drop, Fail, Held, Slow, Status, all_yes
from tests.support.fake_llm.faults import FaultOnceEach
from tests.support.fake_llm.server import FakeLlm, Usual
from tests.support.projects import ready_to_score

JUDGE = "llama:judge"


@pytest.fixture
def usual() -> Usual:
    return Reply(all_yes)


def test_every_text_is_scored_with_one_request_that_is_never_paid_twice(workbench: Workbench, llm: FakeLlm) -> None:
    dimension = ready_to_score(workbench, texts=16)
    run_id = start_run(workbench, 1, RunOptions((dimension,), JUDGE))
    report = work_on(workbench, run_id)
    assert (report.run.done, report.run.failed, report.run.status) == (16, 0, RunStatus.DONE)
    assert len(llm.requests) == report.tally.calls == 16
    assert report.tally.cost_usd is None  # a local model has no known price, and that isn't 0
    assert run_counts(workbench, run_id)["coherence"] == {"scored": 16, "failed": 0, "unanswered": 0, "coverage": 1.0}
    (result,) = results_of(workbench, run_id)
    assert {row.score for row in result.rows} == {5.0}
    assert result.headline[0] is None
    assert result.meta.figures["spearman"].reason
    again = work_on(workbench, start_run(workbench, 1, RunOptions((dimension,), JUDGE)))
    assert len(llm.requests) == 16
    assert (again.tally.calls, again.tally.cached, again.run.done) == (0, 16, 16)


def test_equal_texts_in_flight_together_are_asked_about_once(workbench: Workbench, llm: FakeLlm) -> None:
    dimension = ready_to_score(workbench, texts=8)
    with workbench.database.write() as work:
        from sqlalchemy import text as sql  # noqa: PLC0415

        work.texts._session.execute(sql("UPDATE text SET text = 'The same.', source = 'One source.'"))
    llm.usual = Slow(0.1, Reply(all_yes))
    report = work_on(workbench, start_run(workbench, 1, RunOptions((dimension,), JUDGE)))
    assert (report.run.done, len(llm.requests)) == (8, 1)


def test_faults_end_in_the_same_scores_as_no_faults(workbench: Workbench, llm: FakeLlm) -> None:
    dimension = ready_to_score(workbench, texts=16)

    def by_text(schema: Mapping[str, Any] | None) -> str:
        return json.dumps({"q1": "yes", "q2": "no", "q3": "yes"})

    retry_soon = {"retry-after-ms": "1", "retry-after": "0"}
    faults: tuple[Behaviour, ...] = (
        Fail("rate-limit", retry_soon),
        Status(500),
        Reply('{"q1": "yes", "q2"'),
        Reply('{"q1": "yes", "q2"', finish="length"),
        Reply('{"q1": "yes", "q2": "no"}'),
        Reply('{"q0": "yes", "q1": "no", "q2": "yes"}'),
        Reply('{"q1": "no", "q1": "yes", "q2": "no", "q3": "yes"}'),
        Reply('{"q1": "yes", "q2": "maybe", "q3": "yes"}'),
        Reply('Sure! ```json\n{"q1": "yes", "q2": "no", "q3": "yes"}\n```'),
        Drop(),
        Status(503),
    )
    llm.usual = FaultOnceEach(faults, Reply(by_text))
    report = work_on(workbench, start_run(workbench, 1, RunOptions((dimension,), JUDGE)))
    assert (report.run.done, report.run.failed) == (16, 0)
    assert report.retries >= 4
    (result,) = results_of(workbench, report.run.id)
    assert {round(row.score or 0, 9) for row in result.rows} == {round(1 + 4 * 2 / 3, 9)}
    assert {row.coverage for row in result.rows} == {1.0}


def test_an_answer_that_never_comes_is_unanswered_not_no(workbench: Workbench, llm: FakeLlm) -> None:
    dimension = ready_to_score(workbench, texts=4)
    llm.usual = Reply('{"q1": "yes", "q2": "no"}')
    report = work_on(workbench, start_run(workbench, 1, RunOptions((dimension,), JUDGE)))
    assert run_counts(workbench, report.run.id)["coherence"]["unanswered"] == 4
    (result,) = results_of(workbench, report.run.id)
    assert {(row.score, round(row.coverage or 0, 9)) for row in result.rows} == {(3.0, round(2 / 3, 9))}
    assert (result.partial, result.meta.intake.rows) == (4, 4)
    with workbench.database.read() as work:
        answers = [j.answer for j in work.results.judgments(report.run.id, dimension.id, result.rows[0].text)]
    assert answers == [Answer.YES, Answer.NO, Answer.UNANSWERED]


def test_a_refusal_is_a_row_with_its_kind_and_is_tried_again_alone(workbench: Workbench, llm: FakeLlm) -> None:
    dimension = ready_to_score(workbench, texts=8)
    llm.script(Reply(finish="refused"), Fail("bad-request"))
    report = work_on(workbench, start_run(workbench, 1, RunOptions((dimension,), JUDGE)))
    assert (report.run.done, report.run.failed, report.run.status) == (6, 2, RunStatus.DONE)
    failures = failures_of(workbench, report.run.id)
    assert sorted(kind for _, _, kind, _ in failures) == ["provider", "refused"]
    said = " ".join(message for _, _, _, message in failures) + report.run.message
    assert said.strip()
    assert not re.search(r"planted-key|Text number|Source \d", said)
    again = work_on(workbench, report.run.id)
    assert (again.run.done, again.run.failed) == (8, 0)


def test_a_key_revoked_in_the_middle_stops_the_run_and_it_resumes(workbench: Workbench, llm: FakeLlm) -> None:
    dimension = ready_to_score(workbench, texts=16)
    llm.script(*[Reply(all_yes)] * 10)
    llm.usual = Fail("wrong-key")
    run_id = start_run(workbench, 1, RunOptions((dimension,), JUDGE))
    report = work_on(workbench, run_id, concurrency=4)
    assert (report.run.status, report.run.done) == (RunStatus.FAILED, 10)
    assert "key" in report.run.message
    assert "planted-key" not in report.run.message
    llm.usual = Reply(all_yes)
    llm.requests.clear()
    assert work_on(workbench, run_id).run.done == 16
    assert len(llm.requests) == 6


def test_a_stop_does_not_wait_for_ever_for_what_is_in_flight(
    workbench: Workbench, llm: FakeLlm, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "DRAIN_SECONDS", 0.5)
    dimension = ready_to_score(workbench, texts=12)
    llm.script(*[Reply(all_yes)] * 8)
    llm.usual = Held(Event(), Reply(all_yes))  # never: a run that waited for it would hang
    run_id = start_run(workbench, 1, RunOptions((dimension,), JUDGE))

    def stop_after_eight(run: RunSummary) -> None:
        if run.done == 8:
            stop_run(workbench, run_id)

    report = work_on(workbench, run_id, concurrency=8, on_progress=stop_after_eight)
    assert (report.run.status, report.run.done) == (RunStatus.STOPPED, 8)


@pytest.mark.long
def test_a_killed_run_loses_only_what_was_in_flight(workbench: Workbench, llm: FakeLlm, tmp_path: Path) -> None:
    texts, in_flight = 200, 32
    dimension = ready_to_score(workbench, texts)
    run_id = start_run(workbench, 1, RunOptions((dimension,), JUDGE))
    killed = Event()
    llm.usual = lambda _: Reply(all_yes) if len(llm.requests) <= 120 else Held(killed, Reply(all_yes))
    program = f"""
        from pathlib import Path
        from tests.support.projects import workbench_at
        from app.services.scoring.runs import work_on
        work_on(workbench_at(Path({str(tmp_path)!r}), {llm.url + "/v1"!r}), {run_id}, concurrency={in_flight})
    """
    with subprocess.Popen([sys.executable, "-c", textwrap.dedent(program)], cwd=Path.cwd()) as process:
        while len(llm.requests) <= 120 and process.poll() is None:
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
    killed.set()
    assert 120 < len(llm.requests) < texts
    assert get_run(workbench, run_id).status is RunStatus.INTERRUPTED
    llm.usual = Reply(all_yes)
    assert work_on(workbench, run_id).run.done == texts
    assert len(llm.requests) <= texts + in_flight


def test_a_run_that_another_process_works_on_is_refused(workbench: Workbench) -> None:
    dimension = ready_to_score(workbench)
    run_id = start_run(workbench, 1, RunOptions((dimension,), JUDGE))
    with workbench.database.write() as work:
        work.runs.claim(run_id, "somebody else")
    with pytest.raises(ConflictError, match="another process"):
        work_on(workbench, run_id)


def test_a_budget_stops_the_run_and_raising_it_goes_on(
    workbench: Workbench, llm: FakeLlm, monkeypatch: pytest.MonkeyPatch
) -> None:
    dimension = ready_to_score(workbench, texts=16)
    price = Price(10_000.0, 10_000.0, 0.0)  # 100 tokens cost one dollar
    dear = PriceList((OwnPrices("dear", date(2026, 1, 1), {JUDGE: {"": price}}),))
    monkeypatch.setattr("app.providers.recorded.known_prices", lambda: dear)
    monkeypatch.setattr("app.services.runtime.judges.known_prices", lambda: dear)
    run_id = start_run(workbench, 1, RunOptions((dimension,), JUDGE, budget=10.0))
    report = work_on(workbench, run_id, concurrency=2)
    assert report.run.status is RunStatus.FAILED
    assert "budget" in report.run.message
    assert 10 <= len(llm.requests) <= 11
    assert report.tally.cost_usd == pytest.approx(len(llm.requests))
    again = work_on(workbench, run_id, concurrency=2)  # the same budget: nothing more is asked
    assert again.tally.calls == 0


def test_a_judge_without_a_price_or_probabilities_is_said_before_the_run(workbench: Workbench) -> None:
    dimension = ready_to_score(workbench)
    with pytest.raises(InputError, match="budget"):
        start_run(workbench, 1, RunOptions((dimension,), JUDGE, budget=1.0))
    with pytest.raises(UnsupportedError, match="log-probabilities"):
        start_run(workbench, 1, RunOptions((dimension,), "rules", asking=JudgeOptions(soft=True)))
    with pytest.raises(InputError, match="the same each time"):
        start_run(workbench, 1, RunOptions((dimension,), "rules", asking=JudgeOptions(repeats=3)))


def test_a_judge_that_gives_no_probabilities_is_asked_for_them_once(workbench: Workbench, llm: FakeLlm) -> None:
    """Its provider could give them; that this model doesn't shows with the first reply, and the answers count."""
    dimension = ready_to_score(workbench, texts=16)
    run_id = start_run(workbench, 1, RunOptions((dimension,), JUDGE, asking=JudgeOptions(soft=True)))
    report = work_on(workbench, run_id, concurrency=4)
    assert (report.run.status, report.run.done) == (RunStatus.DONE, 16)
    assert report.run.params["logprobs"] == "refused"
    assert [bool(received.body.get("logprobs")) for received in llm.requests] == [True] + [False] * 16


def test_what_can_not_start_says_why_before_anything_is_planned(workbench: Workbench) -> None:
    dimension = ready_to_score(workbench)
    for options, error, said in (
        (RunOptions((dimension,), JUDGE, evaluator="tea-leaves"), InputError, "tea-leaves"),
        (RunOptions((dimension,), JUDGE, version=7), NotReadyError, "version 7"),
        (RunOptions((dimension,), JUDGE, share=0), InputError, "share"),
    ):
        with pytest.raises(error, match=said):
            start_run(workbench, 1, options)
    with workbench.database.read() as work:
        assert work.runs.all() == []


@pytest.mark.slow
def test_a_large_run_starts_no_process_by_default(workbench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    def started(*_: object, **__: object) -> None:
        raise AssertionError("a process was started")

    dimension = ready_to_score(workbench, texts=480, questions=1)
    monkeypatch.setattr(subprocess, "Popen", started)
    monkeypatch.setattr(dask_workers, "local_cluster", started)
    run = work_on(workbench, start_run(workbench, 1, RunOptions((dimension,), "rules"))).run
    assert (run.status, run.done) == (RunStatus.DONE, run.all)
    assert run.all > dask_workers.FEWEST_TEXTS_FOR_A_CLUSTER
