"""A judge that gives no log-probabilities: the run goes on without them, says so, and can be resumed."""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from app.domain.run import RunStatus
from app.errors import NoLogprobsError, QuotaError
from app.evaluators.checklist import JudgeOptions
from app.providers.base import ChatReply, ChatRequest, Usage
from app.providers.credentials import Credentials
from app.services.results.results import has_probabilities, results_of
from app.services.scoring.run_labels import judge_in_signature, logprobs_remark
from app.services.scoring.runs import RunOptions, get_run, start_run, work_on
from db.unit_of_work import Database
from tests.support.projects import ModelBench, ready_to_score

JUDGE = "openai:gpt-6-sol"


@dataclass
class Refusing:
    """Answers yes, 4 and 5 in turn, and refuses log-probabilities. Its quota ends after `quota` answers."""

    quota: int = 10**6
    asked: Counter[str] = field(default_factory=Counter)
    is_llm = True
    name = JUDGE

    async def complete(self, request: ChatRequest) -> ChatReply:
        if request.top_logprobs:
            self.asked["refused"] += 1
            raise NoLogprobsError(f"{JUDGE} gives no log-probabilities.")
        if self.asked["answered"] == self.quota:
            raise QuotaError("The quota is used up.")
        self.asked["answered"] += 1
        keys = (request.schema or {}).get("properties", {})
        answer = json.dumps({"steps": ["Read."]} if "steps" in keys else dict.fromkeys(keys, "yes"))
        return ChatReply(answer if keys else str(4 + request.sample % 2), JUDGE, Usage(10, 0, 1))

    async def aclose(self) -> None:
        """Nothing is open."""


@pytest.fixture
def judge(monkeypatch: pytest.MonkeyPatch) -> Refusing:
    refusing = Refusing()
    monkeypatch.setattr(ModelBench, "opener", staticmethod(lambda _: refusing), raising=False)
    return refusing


@pytest.fixture
def workbench(tmp_path: Path, judge: Refusing, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelBench]:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-planted")
    bench = ModelBench(Database(f"sqlite:///{tmp_path}/workbench.db"), Credentials())
    yield bench
    bench.database.close()


def g_eval(workbench: ModelBench) -> int:
    dimension = ready_to_score(workbench)
    options = RunOptions((dimension,), JUDGE, "g-eval", settings=(("samples", "4"),))
    return start_run(workbench, 1, options)


def test_g_eval_goes_on_with_samples_and_its_signature_says_so(workbench: ModelBench, judge: Refusing) -> None:
    run = work_on(workbench, g_eval(workbench)).run
    assert (run.status, run.done) == (RunStatus.DONE, run.all)
    assert judge.asked == {"refused": 1, "answered": 1 + 4 * run.all}
    assert judge_in_signature(run) == f"{JUDGE} samples=4 4 samples"
    with_effort = replace(run, params={**run.params, "effort": "low"})
    assert judge_in_signature(with_effort) == f"{JUDGE} effort=low samples=4 4 samples"
    assert "4 samples at temperature 1" in logprobs_remark(run)
    (result,) = results_of(workbench, run.id)
    assert result.meta.signature.judge == f"{JUDGE} samples=4 4 samples"
    assert logprobs_remark(run) in result.meta.cautions
    assert {row.score for row in result.rows} == {4.5}


def test_resumed_it_asks_for_samples_at_once(workbench: ModelBench, judge: Refusing) -> None:
    judge.quota = 30
    stopped = work_on(workbench, g_eval(workbench), concurrency=2).run
    assert stopped.status is RunStatus.FAILED
    assert 0 < stopped.done < stopped.all
    judge.quota = 10**6
    resumed = work_on(workbench, stopped.id).run
    assert (resumed.status, resumed.done) == (RunStatus.DONE, resumed.all)
    assert judge.asked == {"refused": 1, "answered": 1 + 4 * resumed.all}


def test_a_checklist_is_answered_without_probabilities_of_yes(workbench: ModelBench, judge: Refusing) -> None:
    options = RunOptions((ready_to_score(workbench),), JUDGE, asking=JudgeOptions(soft=True))
    run = work_on(workbench, start_run(workbench, 1, options)).run
    assert (run.status, run.done) == (RunStatus.DONE, run.all)
    assert judge.asked == {"refused": 1, "answered": run.all}
    assert not has_probabilities(run)
    assert "no probability of yes" in logprobs_remark(run)
    (result,) = results_of(workbench, run.id)
    assert {(row.score, row.soft) for row in result.rows} == {(5.0, None)}
    assert get_run(workbench, run.id).params["soft"] is True
