"""Repeats of the same question: how steady the judge is, and soft scores from its probabilities."""

import itertools
import json
import math

import pytest

from app.domain.project import Dimension
from app.evaluators.checklist import JudgeOptions
from app.services.results.question_analysis import repeat_agreement
from app.services.results.results import Choices, cached_results
from app.services.runtime.workbench import Workbench
from app.services.scoring.runs import RunOptions, start_run, work_on
from tests.support.fake_llm.behaviour import Answer
from tests.support.fake_llm.server import FakeLlm, Received
from tests.support.projects import ready_to_score


def scored(workbench: Workbench, dimension: Dimension, asking: JudgeOptions) -> int:
    report = work_on(workbench, start_run(workbench, 1, RunOptions((dimension,), "llama:judge", asking=asking)), 1)
    assert report.run.done == report.run.all
    return report.run.id


def test_agreement_over_repeats_is_counted_by_question(workbench: Workbench, llm: FakeLlm) -> None:
    dimension = ready_to_score(workbench, texts=8)
    turn = itertools.count()

    def steady_but_for_the_second(_: Received) -> Answer:
        changing = "yes" if next(turn) % 4 else "no"
        return Answer(json.dumps({"q1": "yes", "q2": changing, "q3": "no"}))

    llm.usual = steady_but_for_the_second
    run_id = scored(workbench, dimension, JudgeOptions(repeats=4))
    found = list(repeat_agreement(workbench, run_id, dimension.id).values())
    assert [each.same_answer for each in found] == [1.0, pytest.approx(0.75), 1.0]
    assert {(each.n, each.n_undefined) for each in found} == {(8, 0)}


def sure(probability: float) -> tuple[tuple[str, float, dict[str, float]], ...]:
    yes, no = math.log(probability), math.log(1 - probability)
    spelled = []
    for key in ("q1", "q2", "q3"):
        spelled += [(f'{"{" if key == "q1" else ", "}"{key}": "', 0.0, {}), ("yes", yes, {"yes": yes, "no": no})]
        spelled.append(('"', 0.0, {}))
    return (*spelled, ("}", 0.0, {}))


def test_results_can_be_had_from_the_probabilities(workbench: Workbench, llm: FakeLlm) -> None:
    dimension = ready_to_score(workbench, texts=8)
    llm.usual = Answer('{"q1": "yes", "q2": "yes", "q3": "yes"}', logprobs=sure(0.7))
    run_id = scored(workbench, dimension, JudgeOptions(soft=True))
    (plain,) = cached_results(workbench, [run_id], Choices("dataset"))
    (soft,) = cached_results(workbench, [run_id], Choices("dataset", soft=True))
    assert {row.score for row in plain.rows} == {5.0}
    assert {round(row.score or 0, 6) for row in soft.rows} == {round(1 + 4 * 0.7, 6)}
    assert (plain.soft, soft.soft) == (False, True)
    assert "llama:judge soft=yes P(yes)" in str(soft.meta.signature)
    assert soft.to_json()["score_from"] == "probabilities"


def test_a_run_without_probabilities_keeps_its_answers(workbench: Workbench, llm: FakeLlm) -> None:
    dimension = ready_to_score(workbench)
    llm.usual = Answer('{"q1": "yes", "q2": "yes", "q3": "yes"}')
    run_id = scored(workbench, dimension, JudgeOptions())
    assert repeat_agreement(workbench, run_id, dimension.id) == {}, "asked once, it has nothing to agree with"
    (result,) = cached_results(workbench, [run_id], Choices("dataset", soft=True))
    assert not result.soft
    assert {row.score for row in result.rows} == {5.0}
