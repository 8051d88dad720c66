"""A run, its recording, and the same run again with nobody there to answer."""

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.domain.project import Dimension
from app.domain.run import RunStatus
from app.errors import NotFoundError, NotReadyError
from app.evaluators.checklist import JudgeOptions
from app.services.results.results import results_of
from app.services.runtime.workbench import Workbench
from app.services.scoring.recordings import record_run, recordable_runs, recording_of
from app.services.scoring.runs import RunOptions, RunReport, start_run, work_on
from tests.support.fake_llm.behaviour import Answer as Reply
from tests.support.fake_llm.behaviour import Fail
from tests.support.fake_llm.server import FakeLlm, Received, Usual
from tests.support.projects import ready_to_score

JUDGE = "llama:judge"
TEXTS = 8
_TURN = iter(range(10**6))


def varied(_: Mapping[str, Any] | None) -> str:
    """Answers that differ from call to call, so that equal scores can't be chance."""
    n = next(_TURN)
    return json.dumps({f"q{k}": "yes" if (n * 7 + k * k * 3) % 5 < 2 + k % 2 else "no" for k in (1, 2, 3)})


@pytest.fixture
def usual() -> Usual:
    return Reply(varied)


@pytest.fixture
def dimension(workbench: Workbench) -> Dimension:
    return ready_to_score(workbench, TEXTS)


def scored(workbench: Workbench, dimension: Dimension, judge: str = JUDGE, **options: Any) -> RunReport:
    return work_on(workbench, start_run(workbench, 1, RunOptions((dimension,), judge, **options)))


def scores(workbench: Workbench, report: RunReport) -> list[float | None]:
    (result,) = results_of(workbench, report.run.id)
    return [row.score for row in result.rows]


def replayed(workbench: Workbench, llm: FakeLlm, dimension: Dimension, path: Path, **options: Any) -> RunReport:
    """Score again from the file, by a workbench without keys or address, while the server counts what it gets."""
    llm.requests.clear()
    report = scored(
        replace(workbench, credentials=type(workbench.credentials)()), dimension, f"replay:{path}", **options
    )
    assert llm.requests == []
    return report


def test_a_recording_without_texts_scores_again_without_a_network(
    workbench: Workbench, llm: FakeLlm, dimension: Dimension, tmp_path: Path
) -> None:
    run = scored(workbench, dimension)
    assert len(set(scores(workbench, run))) > 1
    assert record_run(workbench, run.run.id, tmp_path / "calls.jsonl") == TEXTS
    content = (tmp_path / "calls.jsonl").read_text()
    assert len(content.splitlines()) == TEXTS
    for secret in ("planted-key", "Text number", "Source 0", "in its place"):
        assert secret not in content
    again = replayed(workbench, llm, dimension, tmp_path / "calls.jsonl")
    assert (again.run.status, again.run.done, again.run.failed) == (RunStatus.DONE, TEXTS, 0)
    assert scores(workbench, again) == scores(workbench, run)


def test_answers_that_were_free_are_in_the_recording_too(
    workbench: Workbench, llm: FakeLlm, dimension: Dimension, tmp_path: Path
) -> None:
    odd = {0: '{"q1": "yes"', 1: '{"q1": "yes", "q2": "no"}', 2: '{"q1": "y'}

    def odd_at_first(received: Received) -> Reply:
        """By the text that is asked about: requests overtake each other."""
        text = re.search(r"Text number (\d+)\.", received.wire.said_by_user(received.body))
        return Reply(odd.pop(int(text[1]), varied) if text else varied)

    llm.usual = odd_at_first
    run = scored(workbench, dimension)
    free = scored(workbench, dimension)
    assert (free.tally.calls, free.run.done) == (0, TEXTS)
    assert record_run(workbench, free.run.id, tmp_path / "calls.jsonl") == run.tally.calls == TEXTS + 3
    again = replayed(workbench, llm, dimension, tmp_path / "calls.jsonl")
    assert scores(workbench, again) == scores(workbench, run)


def test_a_run_keeps_its_own_answers_where_a_later_run_got_others(
    workbench: Workbench, llm: FakeLlm, dimension: Dimension, tmp_path: Path
) -> None:
    first = scored(workbench, dimension, use_cache=False)
    second = scored(workbench, dimension, use_cache=False)
    assert scores(workbench, first) != scores(workbench, second)
    for run in (first, second):
        path = tmp_path / f"{run.run.id}.jsonl"
        record_run(workbench, run.run.id, path)
        assert scores(workbench, replayed(workbench, llm, dimension, path)) == scores(workbench, run)


def test_a_failure_is_one_again_and_the_rest_is_scored(
    workbench: Workbench, llm: FakeLlm, dimension: Dimension, tmp_path: Path
) -> None:
    llm.script(Fail("bad-request"))
    run = scored(workbench, dimension)
    assert (run.run.done, run.run.failed) == (TEXTS - 1, 1)
    record_run(workbench, run.run.id, tmp_path / "calls.jsonl")
    again = replayed(workbench, llm, dimension, tmp_path / "calls.jsonl")
    assert (again.run.status, again.run.done, again.run.failed) == (RunStatus.DONE, TEXTS - 1, 1)
    assert scores(workbench, again) == scores(workbench, run)


def test_probabilities_and_repeats_come_back(
    workbench: Workbench, llm: FakeLlm, dimension: Dimension, tmp_path: Path
) -> None:
    tokens = ('{"q1": "', "yes", '", "q2": "', "no", '", "q3": "', "yes", '"}')
    logprobs = tuple((token, -0.25, {"yes": -0.25, "no": -1.5}) for token in tokens)
    llm.usual = Reply("".join(tokens), logprobs=logprobs)
    asking = JudgeOptions(repeats=2, soft=True)
    run = scored(workbench, dimension, asking=asking)
    assert record_run(workbench, run.run.id, tmp_path / "calls.jsonl") == 2 * TEXTS
    again = replayed(workbench, llm, dimension, tmp_path / "calls.jsonl", asking=asking)
    (before,), (after,) = results_of(workbench, run.run.id), results_of(workbench, again.run.id)
    assert [row.soft for row in after.rows] == [row.soft for row in before.rows]
    assert None not in [row.soft for row in after.rows]


def test_only_runs_that_called_a_provider_can_be_recorded(workbench: Workbench, dimension: Dimension) -> None:
    run, rules = scored(workbench, dimension), scored(workbench, dimension, "rules")
    assert [found.id for found in recordable_runs(workbench)] == [run.run.id]
    with pytest.raises(NotReadyError, match="rules"):
        recording_of(workbench, rules.run.id)
    waiting = start_run(workbench, 1, RunOptions((dimension,), "llama:another"))
    with pytest.raises(NotReadyError, match="called nothing"):
        recording_of(workbench, waiting)
    with pytest.raises(NotFoundError):
        recording_of(workbench, 99)
