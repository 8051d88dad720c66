"""Failure rates of a binary dimension: by the judge alone, and corrected by what experts answer and find."""

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from app.domain.checklist import Checklist, ChecklistStatus, Component, Question, QuestionOrigin
from app.domain.checklist_score import Answer
from app.domain.project import Dimension, Task, Text, Verdict
from app.services.checklists.answer_draws import draw_texts
from app.services.data.projects import save_dimension
from app.services.results.failure_rates import FailureRates, failure_rates
from app.services.results.results import Choices, cached_results
from app.services.runtime.workbench import Workbench
from app.services.scoring.runs import RunOptions, start_run, work_on
from app.services.think_aloud.samples import give_verdict
from tests.support.answering import answer_all
from tests.support.console import console
from tests.support.prepared import Prepared, prepared
from tests.support.projects import workbench_at

TEXTS, DRAWN = 40, 20


def _scored_replies(workbench: Workbench) -> None:
    """Project 1: unrated texts, half of which the rules find faults in, scored."""
    with workbench.database.write() as work:
        project = work.projects.add("Replies", Task("reply", "ticket"))
        dimension = work.projects.add_dimension(project.id, Dimension("helpful", low=0, high=1))
        faulty = "no start and no end"
        texts = [Text(f"T{n}", faulty if n % 2 else f"Reply number {n} is complete.") for n in range(TEXTS)]
        work.texts.add_many(project.id, texts)
        question = Question("Are all sentences of the reply complete?", "Form", origin=QuestionOrigin.ADDED)
        more = Question(
            "Is every sentence of the reply brought to its end?", "Form", origin=QuestionOrigin.ADDED, position=1
        )
        form = (Component("Form"),)
        draft = Checklist("helpful", 0, ChecklistStatus.DRAFT, "comb", "", form, (question, more))
        work.checklists.publish(work.checklists.save(dimension.id, draft))
    work_on(workbench, start_run(workbench, 1, RunOptions((dimension,), "rules")))


@pytest.fixture(scope="module")
def replies() -> Prepared[None]:
    """Made once; each test has a copy."""
    return prepared(_scored_replies)


@pytest.fixture
def bench(replies: Prepared[None], tmp_path: Path) -> Iterator[Workbench]:
    replies.copy(tmp_path)
    made = workbench_at(tmp_path)
    yield made
    made.database.close()


def found(bench: Workbench) -> FailureRates:
    (result,) = cached_results(bench, [1], Choices("dataset"))
    rates = failure_rates(bench, result)
    assert rates is not None
    return rates


def asked(bench: Workbench) -> Checklist:
    with bench.database.read() as work:
        return work.checklists.get(1)


def judged(bench: Workbench) -> dict[int, dict[int, Answer]]:
    with bench.database.read() as work:
        return {text: {q: said for _, q, said in rows} for text, rows in work.results.answers(1, 1).items()}


def test_failure_rates_without_experts_are_the_judges(bench: Workbench) -> None:
    rates = found(bench)
    assert rates.agreement is None
    assert rates.whole.figure.value is None
    assert rates.whole.reason
    answers = judged(bench)
    for rate in rates.questions:
        assert rate.question is not None
        said = [given[rate.question.id] for given in answers.values()]
        assert (rate.rests_on, rate.of) == ("judge_only", TEXTS)
        assert rate.figure.value == pytest.approx(np.mean([one is Answer.NO for one in said]))
        assert rate.figure.low is not None
        assert rate.figure.high is not None
        assert rate.figure.low <= rate.figure.value <= rate.figure.high


def test_failure_rates_of_questions_rest_on_experts_where_they_answered(bench: Workbench) -> None:
    draw = draw_texts(bench, 1, DRAWN, seed=3)
    first, *_ = asked(bench).asked
    no = set(draw.texts[: DRAWN // 4])
    answer_all(bench, draw, "Ana", {(t, first.id): Answer.NO if t in no else Answer.YES for t in draw.texts})
    rates = {rate.question.id: rate for rate in found(bench).questions if rate.question}
    assert rates[first.id].rests_on in ("corrected", "human_only")
    assert rates[first.id].answered == DRAWN
    assert rates[first.id].figure.value == pytest.approx(0.25, abs=0.15)
    assert {rate.rests_on for id_, rate in rates.items() if id_ != first.id} == {"judge_only"}


def test_not_good_rests_on_verdicts_with_kappa_and_rates(bench: Workbench) -> None:
    (result,) = cached_results(bench, [1], Choices("dataset"))
    good = {row.text for row in result.rows if row.score is not None and row.score >= 0.5}
    some = [row.text for row in result.rows][:DRAWN]
    for text in some:
        verdict = Verdict.GOOD if text in good else Verdict.NOT_GOOD
        give_verdict(bench, 1, "Ana", text, verdict)
        give_verdict(bench, 1, "Ben", text, verdict if text != some[0] else Verdict.CANT_SAY)
    rates = found(bench)
    share = np.mean([text not in good for text in some])
    assert rates.whole.answered == DRAWN
    assert rates.whole.figure.value == pytest.approx(share, abs=0.1)
    assert rates.agreement is not None
    assert rates.agreement.texts == DRAWN
    assert rates.agreement.experts is not None
    assert 0 < share < 1
    assert rates.agreement.kappa.value == pytest.approx(1)
    assert (rates.agreement.finds_not_good.value, rates.agreement.finds_good.value) == (1, 1)
    assert rates.agreement.experts.value == pytest.approx(1)


def test_a_scale_has_no_failure_rates(bench: Workbench) -> None:
    save_dimension(bench, Dimension("helpful", low=1, high=5, id=1))
    (result,) = cached_results(bench, [1], Choices("dataset"))
    assert failure_rates(bench, result) is None


def test_runs_failures_prints_rates(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("app.services.runtime.workbench.open_workbench", lambda: bench)
    run = console(monkeypatch, capsys)
    _, out, _ = run("runs", "failures", 1, "--dimension", "helpful", "--json")
    printed = json.loads(out)
    assert printed["not_good"]["value"] is None
    assert printed["agreement"] is None
    assert [one["rests_on"] for one in printed["questions"]] == ["judge_only"] * 2
    for text in range(1, 11):
        give_verdict(bench, 1, "Ana", text, Verdict.GOOD if text % 2 else Verdict.NOT_GOOD)
    _, out, _ = run("runs", "failures", 1, "--dimension", "helpful", "--json")
    printed = json.loads(out)
    assert (printed["not_good"]["n_human"], printed["not_good"]["n"]) == (10, TEXTS)
    assert printed["agreement"]["n"] == 10
    save_dimension(bench, Dimension("helpful", low=0, high=5, id=1))
    status, _, _ = run("runs", "failures", 1, "--dimension", "helpful")
    assert status == 2
