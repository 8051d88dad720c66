"""Three ways of asking compared, with judges at a real server whose answers lean on a question's place, or don't."""

import json
from hashlib import sha256

import pytest

from app.domain.checklist_score import Answer
from app.domain.project import Dimension
from app.domain.run import AskingWay
from app.evaluators.checklist import JudgeOptions
from app.services.checklists.answer_draws import draw_texts
from app.services.results.asking_cost import AskingResult, asking_result
from app.services.results.quality_cost import quality_and_cost
from app.services.runtime.workbench import Workbench
from app.services.scoring.asking_runs import AskingOptions, asking_runs, start_asking, work_on_asking
from app.services.scoring.runs import RunOptions, start_run, work_on
from tests.support.answering import answer_all
from tests.support.asking_judges import judge_of, leaning, steady
from tests.support.fake_llm.behaviour import Answer as Reply
from tests.support.fake_llm.behaviour import Behaviour, Tokens
from tests.support.fake_llm.server import FakeLlm, Received
from tests.support.projects import ready_to_score

JUDGE = "llama:judge"
TEXTS, QUESTIONS = 24, 4


@pytest.fixture
def dimension(workbench: Workbench) -> Dimension:
    return ready_to_score(workbench, TEXTS, QUESTIONS)


def compared(workbench: Workbench, dimension: Dimension, seed: int = 1, texts: int = TEXTS) -> AskingResult:
    options = AskingOptions(dimension, JUDGE, texts=texts, seed=seed)
    work_on_asking(workbench, [run.id for run in start_asking(workbench, 1, options).values()])
    return asking_result(workbench, 1, dimension.id, asking_runs(workbench, 1, options))


def wavering_judge(received: Received) -> Behaviour:
    """Answers anew in every call, wherever a question stands."""
    asked = received.body["response_format"]["json_schema"]["schema"]["required"]
    content = json.dumps(received.body["messages"])
    drawn = {key: sha256(f"{key} {content}".encode()).digest()[0] for key in asked}
    return Reply(json.dumps({key: "yes" if number < 128 else "no" for key, number in drawn.items()}))


def test_a_judge_that_leans_on_the_place_is_found(workbench: Workbench, llm: FakeLlm, dimension: Dimension) -> None:
    llm.usual = judge_of(leaning)
    found = compared(workbench, dimension).comparison
    assert found is not None
    assert (found.texts, found.documents, found.questions, found.answers) == (
        TEXTS,
        TEXTS // 4,
        QUESTIONS,
        TEXTS * QUESTIONS,
    )
    assert found.position.value == pytest.approx(0.53, abs=0.12)  # chances .90, .63, .37, .10 by place
    assert found.position.low is not None
    assert found.position.low > 0
    assert found.reordered.value is not None
    assert found.reordered.value > 0.4


def billed(received: Received) -> Behaviour:
    """A steady judge whose replies take tokens by the number of questions."""
    reply = judge_of(steady)(received)
    assert isinstance(reply, Reply)
    questions = len(received.body["response_format"]["json_schema"]["schema"]["required"])
    return Reply(reply.text, tokens=Tokens(input=100 + 10 * questions, output=5 * questions))


@pytest.mark.long
def test_a_judge_that_goes_by_no_place_changes_nothing_but_the_cost(workbench: Workbench, llm: FakeLlm) -> None:
    dimension, llm.usual = ready_to_score(workbench, 40, QUESTIONS), billed
    with workbench.database.read() as work:
        checklist = work.checklists.versions(dimension.id)[0]
    drawn = draw_texts(workbench, checklist.id, 12, 1)
    answer_all(workbench, drawn, "Ana", {(text, checklist.asked[0].id): Answer.YES for text in drawn.texts})
    earlier = start_run(workbench, 1, RunOptions((dimension,), JUDGE))
    work_on(workbench, earlier)
    result = compared(workbench, dimension, texts=40)
    found = result.comparison
    assert found is not None
    assert (found.changed.value, found.reordered.value, found.position.value) == (0, 0, 0)
    assert found.spearman is not None
    assert (found.spearman.difference, result.verdict and result.verdict.kind) == (0, "no better alone")

    # Accuracy is that against the experts' answers.
    assert (found.experts, found.expert_texts) == (12, 12)
    accuracy = found.ways[AskingWay.REVERSED].accuracy
    with workbench.database.read() as work:
        given = work.results.answers(result.runs[AskingWay.TOGETHER].id, dimension.id)
    yes = [said for text in drawn.texts for _, question, said in given[text] if question == checklist.asked[0].id]
    assert accuracy is not None
    assert accuracy.value == pytest.approx(yes.count(Answer.YES) / 12)

    # By the replies that scores rest on, also those of the earlier run.
    together, alone = result.costs[AskingWay.TOGETHER], result.costs[AskingWay.ALONE]
    assert (together.calls, together.input_tokens, together.output_tokens) == (1000, 140_000, 20_000)
    assert (alone.calls, alone.input_tokens, alone.output_tokens) == (4000, 440_000, 20_000)
    assert (together.cost_usd, alone.cost_usd) == (None, None)  # nobody knows what this judge costs
    assert result.times == pytest.approx(460 / 160)
    assert result.verdict is not None
    assert "costs 2.9 times as much" in result.verdict.sentence

    # The judge's own repeats stand beside, and the three runs are no way of scoring among others.
    own = start_run(workbench, 1, RunOptions((dimension,), JUDGE, draw=(3, 4), asking=JudgeOptions(repeats=2)))
    work_on(workbench, own)
    result = compared(workbench, dimension, texts=40)
    assert (result.own_run, result.own and result.own.value) == (own, 0)
    assert f"(run {own}, at temperature 1" in result.beside[1]
    scored = [each.run.id for each in quality_and_cost(workbench, 1, dimension.id, compared=False)]
    assert sorted(scored) == [earlier, own]


@pytest.mark.long
def test_a_judge_that_wavers_changes_answers_without_a_lean(workbench: Workbench, llm: FakeLlm) -> None:
    dimension, llm.usual = ready_to_score(workbench, 48, QUESTIONS), wavering_judge
    results = [compared(workbench, dimension, seed, texts=40) for seed in (1, 2, 3)]
    positions = [each.comparison.position for each in results if each.comparison]
    assert sum(p.low is not None and p.high is not None and not p.low <= 0 <= p.high for p in positions) <= 1
    assert all(each.comparison and (each.comparison.reordered.value or 0) > 0.3 for each in results)
    assert "isn't known until a run asks the same twice" in results[0].beside[1]


def test_a_half_scored_comparison_says_so(workbench: Workbench, dimension: Dimension) -> None:
    runs = start_asking(workbench, 1, AskingOptions(dimension, JUDGE, texts=8))
    result = asking_result(workbench, 1, dimension.id, runs)
    assert (result.comparison, result.whole, result.verdict) == (None, False, None)
    assert result.to_json()["verdict"] == "No question was answered in all three ways."
