"""The ways a judge can be asked: with reasons, several times, question by question, with its probabilities."""

import asyncio
import json
import math
from dataclasses import replace

import pytest

from app.domain.checklist import Checklist, ChecklistStatus, Question
from app.domain.checklist_score import Answer, Evaluation, Judgment
from app.domain.project import Dimension, Task, Text
from app.evaluators.checklist import METHOD, ChecklistEvaluator, JudgeOptions
from app.evaluators.method import as_params
from app.prompting import load_prompt
from app.providers.base import ChatReply, TokenLogprob
from tests.support.scripted_model import Scripted, ScriptedModel

QUESTIONS = tuple(Question(f"Is point {n} met?", "Order", id=10 * n) for n in (1, 2))
CHECKLIST = Checklist("coherence", 1, ChecklistStatus.PUBLISHED, "comb", "", questions=QUESTIONS)
ITEM = Text("doc", "The text.", source="The source.")


def run(options: JudgeOptions, *replies: Scripted, is_llm: bool = True) -> tuple[Evaluation, ScriptedModel]:
    model = ScriptedModel(replies, is_llm=is_llm)
    evaluator = ChecklistEvaluator(model, Task("summary"), Dimension("coherence"), CHECKLIST, options)
    return asyncio.run(evaluator.score(ITEM)), model


def test_by_default_one_call_answers_everything() -> None:
    found, model = run(JudgeOptions(), '{"q1": "yes", "q2": "no"}')
    assert (found.value, found.coverage, found.soft) == (3.0, 1.0, None)
    assert [request.temperature for request in model.requests] == [0.0]


def test_the_weighted_score_stands_beside_the_score_where_weights_differ() -> None:
    weighted = replace(CHECKLIST, questions=(replace(CHECKLIST.questions[0], weight=3.0), *CHECKLIST.questions[1:]))
    for checklist, details in ((weighted, {"weighted": 1 + 4 * 3 / 4}), (CHECKLIST, {})):
        model = ScriptedModel(['{"q1": "yes", "q2": "no"}'])
        found = asyncio.run(ChecklistEvaluator(model, Task("summary"), Dimension("coherence"), checklist).score(ITEM))
        assert (found.value, found.details) == (3.0, details)


def test_what_was_answered_earlier_is_not_asked_again() -> None:
    first, second = CHECKLIST.asked
    model = ScriptedModel(['{"q1": "no"}'])
    earlier = {ITEM.id: [Judgment(first.id, Answer.YES, "clear", origin=12)]}
    evaluator = ChecklistEvaluator(model, Task("summary"), Dimension("coherence"), CHECKLIST, earlier=earlier)
    found = asyncio.run(evaluator.score(ITEM))
    assert [(j.question, j.answer, j.origin) for j in found.judgments] == [
        (first.id, Answer.YES, 12),
        (second.id, Answer.NO, None),
    ]
    assert [q["question"] for q in model.requests[0].prompt.variables["questions"]] == [second.text]


def test_reasons_are_kept_with_their_answers() -> None:
    answer = {"q1": {"reason": "The order is kept.", "answer": "yes"}, "q2": {"reason": " ", "answer": "no"}}
    found, model = run(JudgeOptions(reasons=True), json.dumps(answer))
    assert [j.rationale for j in found.judgments] == ["The order is kept.", ""]
    assert model.requests[0].prompt.name == "judge-checklist-reasons"
    assert (model.requests[0].schema or {})["properties"]["q1"]["required"] == ["reason", "answer"]


def test_a_plain_answer_where_reasons_were_asked_is_asked_again_then_taken() -> None:
    plain = '{"q1": "yes", "q2": "no"}'
    found, model = run(JudgeOptions(reasons=True), plain, plain, plain)
    assert len(model.requests) == 3
    assert [j.answer for j in found.judgments] == [Answer.YES, Answer.NO]


def test_a_model_that_is_no_llm_gives_its_reasons_anyway() -> None:
    reply = ChatReply('{"q1": "yes", "q2": "no"}', "rules", rationales={"q1": "3 of 4 words"})
    found, model = run(JudgeOptions(reasons=True), reply, is_llm=False)
    assert found.judgments[0].rationale == "3 of 4 words"
    assert model.requests[0].prompt.name == "judge-checklist"


def test_repeats_are_different_requests_and_their_scores_are_averaged() -> None:
    replies = ['{"q1": "yes", "q2": "no"}', '{"q1": "yes", "q2": "yes"}', '{"q1": "no", "q2": "no"}']
    found, model = run(JudgeOptions(repeats=3), *replies)
    assert found.value == pytest.approx((3 + 5 + 1) / 3)
    assert [(r.sample, r.temperature) for r in model.requests] == [(0, 1.0), (1, 1.0), (2, 1.0)]
    assert len({r.digest("m") for r in model.requests}) == 3
    assert [j.repeat for j in found.judgments] == [0, 0, 1, 1, 2, 2]


def test_question_by_question_asks_each_alone() -> None:
    found, model = run(JudgeOptions(per_question=True), '{"q1": "yes"}', '{"q1": "no"}')
    assert [(j.question, j.answer) for j in found.judgments] == [(10, Answer.YES), (20, Answer.NO)]
    assert [r.prompt.variables["questions"] for r in model.requests] == [
        [{"key": "q1", "question": "Is point 1 met?", "guidance": ""}],
        [{"key": "q1", "question": "Is point 2 met?", "guidance": ""}],
    ]


def test_in_reversed_order_answers_still_belong_to_their_questions() -> None:
    found, model = run(JudgeOptions(reversed_order=True), '{"q1": "yes", "q2": "no"}')
    assert [q["question"] for q in model.requests[0].prompt.variables["questions"]] == [
        "Is point 2 met?",
        "Is point 1 met?",
    ]
    assert [(j.question, j.answer) for j in found.judgments] == [(10, Answer.NO), (20, Answer.YES)]
    _, usual = run(JudgeOptions(), '{"q1": "yes", "q2": "no"}')
    assert model.requests[0].digest("m") != usual.requests[0].digest("m")


def test_the_order_changes_the_digest_of_the_prompt_and_runs_of_the_usual_order_are_stored_as_ever() -> None:
    usual, reversed_order = JudgeOptions(), JudgeOptions(reversed_order=True)
    assert METHOD.prompt_digest(usual) == load_prompt("judge-checklist").digest
    assert METHOD.prompt_digest(reversed_order) not in ("", METHOD.prompt_digest(usual))
    assert as_params(usual) == {"reasons": False, "repeats": 1, "soft": False, "per_question": False}
    assert as_params(reversed_order) == as_params(usual) | {"reversed_order": True}
    assert METHOD.read_options(as_params(usual)) == usual


def test_the_soft_score_is_the_mean_probability_on_the_scale() -> None:
    spelled = (('{"q1": "', 1.0, {}), ("yes", 0.9, {"no": 0.1}), ('", "q2": "', 1.0, {}), ("no", 0.8, {"yes": 0.2}))
    logprobs = tuple(
        TokenLogprob(token, math.log(p), {other: math.log(q) for other, q in top.items()}) for token, p, top in spelled
    )
    reply = ChatReply('{"q1": "yes", "q2": "no"}', "m", logprobs=logprobs)
    found, model = run(JudgeOptions(soft=True), reply)
    assert model.requests[0].top_logprobs > 0
    assert [j.p_yes for j in found.judgments] == [pytest.approx(0.9), pytest.approx(0.2)]
    assert found.value == 3.0
    assert found.soft == pytest.approx(1 + 4 * (0.9 + 0.2) / 2)
