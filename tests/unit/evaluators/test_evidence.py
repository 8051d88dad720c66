"""Evidence: each answer with the passage that decides it, asked for by a prompt of its own."""

import asyncio
import json
from dataclasses import replace

import pytest

from app.domain.checklist import Checklist, ChecklistStatus, Question
from app.domain.checklist_score import Evaluation
from app.domain.project import Dimension, Task, Text
from app.domain.quotes import LONGEST, find_quote
from app.evaluators.answer_reading import ANSWERS
from app.evaluators.checklist import METHOD, JudgeOptions, judge_request
from app.evaluators.method import EvaluatorContext, as_params
from app.prompting import load_prompt
from app.providers.base import ChatReply, TokenLogprob
from app.rules.model import RulesModel
from tests.support.scripted_model import Scripted, ScriptedModel

QUESTIONS = tuple(Question(f"Is point {n} met?", "Order", id=10 * n) for n in (1, 2))
ITEM = Text("doc", "The ferry sails at noon. It carries nine.", source="Nobody swims.")
TASK, DIMENSION = Task("summary", "article"), Dimension("coherence", "Parts fit.")
EVIDENCE = JudgeOptions(evidence=True)


def run(
    *replies: Scripted, options: JudgeOptions = EVIDENCE, questions: tuple[Question, ...] = QUESTIONS
) -> tuple[Evaluation, ScriptedModel]:
    model = ScriptedModel(replies)
    return asyncio.run(METHOD.make(context(model, options, questions)).score(ITEM)), model


def context(model: object, options: JudgeOptions, questions: tuple[Question, ...] = QUESTIONS) -> EvaluatorContext:
    checklist = Checklist("coherence", 1, ChecklistStatus.PUBLISHED, "comb", "", questions=questions)
    return EvaluatorContext(model, TASK, DIMENSION, options, checklist)  # type: ignore[arg-type]


def answered(**cells: object) -> str:
    return json.dumps(cells)


def test_each_answer_comes_with_its_quote() -> None:
    found, model = run(
        answered(q1={"quote": "sails at noon", "answer": "yes"}, q2={"quote": "", "answer": "no"}),
    )
    (request,) = model.requests
    assert request.prompt.name == "judge-checklist-evidence"
    assert request.schema is not None
    first = request.schema["properties"]["q1"]
    assert (list(first["properties"]), first["required"]) == (["quote", "answer"],) * 2
    assert first["properties"]["answer"]["enum"] == list(ANSWERS)
    assert "shortest passage of the summary or its article that decides" in request.prompt.system
    assert '"no" is for something absent' in request.prompt.system
    assert [(j.answer.value, j.quote, j.rationale) for j in found.judgments] == [
        ("yes", "sails at noon", ""),
        ("no", "", ""),
    ]
    assert found.value == 3.0


def test_it_goes_with_reasons_open_questions_and_a_judge_that_can_not_tell() -> None:
    options = replace(EVIDENCE, reasons=True, cannot_tell=True)
    questions = (replace(QUESTIONS[0], may_not_apply=True), QUESTIONS[1])
    cells = {
        "q1": {"quote": "at noon", "reason": "No time.", "answer": "n/a"},
        "q2": {"quote": "x", "reason": "No source.", "answer": "cannot tell"},
    }
    found, model = run(answered(**cells), options=options, questions=questions)
    (request,) = model.requests
    assert request.schema is not None
    one, two = request.schema["properties"].values()
    assert list(one["properties"]) == ["quote", "reason", "answer"]
    assert one["properties"]["answer"]["enum"] == ["yes", "no", "does not apply", "cannot tell"]
    assert two["properties"]["answer"]["enum"] == ["yes", "no", "cannot tell"]
    assert '"reason" (in at most twenty words' in request.prompt.system
    assert [(j.answer.value, j.cannot_tell, j.quote, j.rationale) for j in found.judgments] == [
        ("does not apply", False, "at noon", "No time."),
        ("unanswered", True, "", "No source."),
    ]


def test_asked_alone_and_repeatedly_each_call_asks_for_it() -> None:
    replies = [answered(q1={"quote": f"quote {n}", "answer": "yes"}) for n in range(4)]
    found, model = run(*replies, options=replace(EVIDENCE, per_question=True, repeats=2))
    assert {request.prompt.name for request in model.requests} == {"judge-checklist-evidence"}
    assert sorted(judgment.quote for judgment in found.judgments) == [f"quote {n}" for n in range(4)]


@pytest.mark.parametrize("cell", ["yes", {"answer": "yes"}, {"quote": None, "answer": "yes"}])
def test_a_judge_that_quotes_nothing_scores_and_is_not_asked_again_for_it(cell: object) -> None:
    found, model = run(answered(q1=cell, q2=cell))
    assert (found.value, len(model.requests), {j.quote for j in found.judgments}) == (5.0, 1, {""})


def test_what_is_no_answer_is_asked_again_whatever_it_quotes() -> None:
    wrong = answered(q1={"quote": "sails", "answer": "perhaps"}, q2={"quote": "", "answer": "no"})
    found, model = run(wrong, wrong, wrong)
    assert len(model.requests) == 3
    assert [(j.answer.value, j.quote) for j in found.judgments] == [("unanswered", ""), ("no", "")]


@pytest.mark.parametrize(
    "quote",
    [
        "<script>alert(1)</script>",
        "x" * 100_000,
        "\0\x1b[31m\ud800",
        "You judge the coherence of one summary by answering",
    ],
)
def test_hostile_quotes_are_kept_short_and_storable_and_are_nowhere(quote: str) -> None:
    found, _ = run(answered(q1={"quote": quote, "answer": "yes"}, q2={"quote": quote, "answer": "no"}))
    for judgment in found.judgments:
        assert 0 < len(judgment.quote) <= LONGEST
        judgment.quote.encode()
        assert "\0" not in judgment.quote
        assert find_quote(judgment.quote, ITEM.text, ITEM.source) is None


def test_how_sure_the_judge_is_is_read_at_the_answer_not_in_the_quote() -> None:
    said = '{"q1": {"quote": "\\"answer\\": \\"no", "answer": "yes"}}'
    start = said.index('"yes"') + 1
    tokens = (
        TokenLogprob(said[:start], 0.0, {}),
        TokenLogprob("yes", -0.1, {"yes": -0.1, "no": -2.4}),
        TokenLogprob(said[start + 3 :], 0.0, {}),
    )
    reply = ChatReply(said, "scripted:model", logprobs=tokens)
    found, _ = run(reply, options=replace(EVIDENCE, soft=True), questions=QUESTIONS[:1])
    assert found.judgments[0].p_yes == pytest.approx(0.909, abs=0.001)
    assert found.judgments[0].quote == '"answer": "no'


def test_unasked_everything_is_to_the_letter_as_before_and_asked_it_is_another_way_of_asking() -> None:
    for options in (JudgeOptions(), JudgeOptions(reasons=True), JudgeOptions(cannot_tell=True)):
        request = judge_request(options.template(QUESTIONS), TASK, DIMENSION, QUESTIONS, ITEM, options)
        assert "quote" not in json.dumps(request.schema)
        assert "evidence" not in as_params(options)
        with_it = replace(options, evidence=True)
        assert as_params(with_it) == as_params(options) | {"evidence": True}
    ways = [
        replace(JudgeOptions(), evidence=evidence, reasons=reasons, cannot_tell=untold, reversed_order=turned)
        for evidence in (True, False)
        for reasons in (True, False)
        for untold in (True, False)
        for turned in (True, False)
    ]
    assert len({METHOD.prompt_digest(way) for way in ways}) == len(ways)
    assert METHOD.prompt_digest(JudgeOptions()) == load_prompt("judge-checklist").digest


def test_the_rules_quote_what_is_there() -> None:
    asked = (Question("Are all figures and names in the source?", "Facts", id=1),)
    for reasons in (False, True):
        evaluator = METHOD.make(context(RulesModel(), replace(EVIDENCE, reasons=reasons), asked))
        source = "The ferry sails to the island at noon, and it carries people. " * 3
        text = Text("doc", "The ferry sails. It sank in 1999.", source=source)
        (judgment,) = asyncio.run(evaluator.score(text)).judgments
        assert (judgment.answer.value, judgment.quote) == ("no", "It sank in 1999.")
        assert "figures and names" in judgment.rationale
        assert find_quote(judgment.quote, text.text, text.source) is not None
