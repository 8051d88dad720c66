"""“Does not apply” and “can't tell” as all six readers take it: never a score, never a No, never a failure."""

import asyncio
import json
from dataclasses import replace

import pytest

from app.domain.checklist import Checklist, ChecklistStatus, Question
from app.domain.checklist_score import ABSTAINED, CANNOT_TELL, Answer, Evaluation
from app.domain.project import Dimension, Task, Text
from app.errors import UnreadableScoreError, WrongSchemaError
from app.evaluators import check_eval, coascore, g_eval, llm_score
from app.evaluators import checklist as checklist_evaluator
from app.evaluators.checklist import METHOD as CHECKLIST_METHOD
from app.evaluators.checklist import JudgeOptions, judge_request, judge_schema
from app.evaluators.method import EvaluatorContext, Method, as_params
from app.prompting import load_prompt
from app.rules.model import RulesModel
from tests.support.scripted_model import Scripted, ScriptedModel

USUAL = tuple(Question(f"Is point {n} met?", "Order", id=10 * n) for n in (1, 2, 3))
MAY = (USUAL[0], replace(USUAL[1], may_not_apply=True), USUAL[2])
ITEM = Text("doc", "The text.", source="The source.")
TASK, DIMENSION = Task("summary", "article"), Dimension("coherence", "Parts fit.")


def run(
    *replies: Scripted, questions: tuple[Question, ...] = MAY, options: JudgeOptions | None = None
) -> tuple[Evaluation, ScriptedModel]:
    model = ScriptedModel(replies)
    checklist = Checklist("coherence", 1, ChecklistStatus.PUBLISHED, "comb", "", questions=questions)
    made = EvaluatorContext(model, TASK, DIMENSION, options or JudgeOptions(), checklist)
    return asyncio.run(CHECKLIST_METHOD.make(made).score(ITEM)), model


def said(found: Evaluation) -> list[tuple[str, bool]]:
    return [(judgment.answer.value, judgment.cannot_tell) for judgment in found.judgments]


def test_it_is_offered_where_the_question_allows_it_and_nowhere_else() -> None:
    found, model = run('{"q1": "yes", "q2": "does not apply", "q3": "no"}')
    assert (found.value, found.coverage) == (3.0, 1.0)
    (request,) = model.requests
    assert request.schema is not None
    enums = [request.schema["properties"][key]["enum"] for key in ("q1", "q2", "q3")]
    assert enums == [["yes", "no"], ["yes", "no", "does not apply"], ["yes", "no"]]
    assert '(or "does not apply")\nq3' in request.prompt.system
    assert request.prompt.system.count('(or "does not apply")') == 1
    assert "cannot tell" not in request.prompt.system


def test_where_no_question_allows_it_the_request_is_to_the_letter_what_it_was() -> None:
    _, model = run('{"q1": "yes", "q2": "no", "q3": "no"}', questions=USUAL)
    (request,) = model.requests
    usual = judge_request(load_prompt("judge-checklist"), TASK, DIMENSION, USUAL, ITEM)
    assert request == usual
    assert (request.prompt.name, request.schema) == ("judge-checklist", judge_schema(3))
    assert "apply" not in request.prompt.system
    assert "cannot_tell" not in as_params(JudgeOptions())


def test_asked_alone_only_the_question_that_may_not_apply_is_asked_otherwise() -> None:
    _, model = run('{"q1": "no"}', '{"q1": "n/a"}', '{"q1": "no"}', options=JudgeOptions(per_question=True))
    assert [r.prompt.name for r in model.requests] == ["judge-checklist", "judge-checklist-open", "judge-checklist"]


def test_said_of_a_question_that_does_not_allow_it_it_is_asked_again_and_then_unanswered_never_no() -> None:
    wrong = '{"q1": "does not apply", "q2": "no", "q3": "n/a"}'
    found, model = run(wrong, wrong, wrong)
    assert said(found) == [("unanswered", False), ("no", False), ("unanswered", False)]
    assert (len(model.requests), found.settled) == (3, False)


def test_a_text_where_nothing_applies_has_no_score_and_every_answer() -> None:
    questions = tuple(replace(question, may_not_apply=True) for question in USUAL)
    found, _ = run('{"q1": "does not apply", "q2": "N/A", "q3": "Not applicable."}', questions=questions)
    assert (found.value, found.coverage, found.settled) == (None, 1.0, True)


def test_a_judge_that_can_not_tell_is_heard_at_once_with_its_reason_whether_offered_or_not() -> None:
    for questions in (USUAL, MAY):
        found, model = run('{"q1": "yes", "q2": "Not enough information: no date", "q3": "no"}', questions=questions)
        assert said(found) == [("yes", False), ("unanswered", True), ("no", False)]
        assert found.judgments[1].rationale == "Not enough information: no date"
        assert (found.value, found.coverage, found.settled, len(model.requests)) == (3.0, pytest.approx(2 / 3), True, 1)


def test_offered_it_stands_in_prompt_and_schema_and_makes_it_another_way_of_asking() -> None:
    options = JudgeOptions(cannot_tell=True, reasons=True)
    reply = {"q1": {"reason": "No source.", "answer": "cannot tell"}}
    found, model = run(json.dumps(reply), questions=USUAL[:1], options=options)
    (request,) = model.requests
    assert (request.prompt.name, found.judgments[0].rationale) == ("judge-checklist-open-reasons", "No source.")
    assert "cannot tell" in json.dumps(request.schema)
    assert "does not apply" not in request.prompt.system
    assert as_params(options)["cannot_tell"]
    assert CHECKLIST_METHOD.prompt_digest(options) != CHECKLIST_METHOD.prompt_digest(JudgeOptions(reasons=True))


def test_each_repeat_is_scored_by_what_applied_then() -> None:
    replies = (
        '{"q1": "yes", "q2": "no", "q3": "yes"}',
        '{"q1": "yes", "q2": "does not apply", "q3": "yes"}',
    )
    found, _ = run(*replies, options=JudgeOptions(repeats=2))
    assert found.value == pytest.approx(((1 + 4 * 2 / 3) + 5) / 2)
    assert found.coverage == 1


def test_the_rules_say_it_where_a_text_gives_a_rule_nothing_to_look_at() -> None:
    asked = Question("Are all figures and names in the source?", "Facts", id=1)
    for question, answer in ((asked, Answer.YES), (replace(asked, may_not_apply=True), Answer.NOT_APPLICABLE)):
        checklist = Checklist("coherence", 1, ChecklistStatus.PUBLISHED, "comb", "", questions=(question,))
        evaluator = checklist_evaluator.ChecklistEvaluator(RulesModel(), TASK, DIMENSION, checklist)
        found = asyncio.run(evaluator.score(Text("doc", "the ferry sails.", source="The ferry sails.")))
        assert [judgment.answer for judgment in found.judgments] == [answer]


def scored(method: Method, *replies: Scripted, **options: object) -> Evaluation:
    chosen = method.read_options(options)
    context = EvaluatorContext(ScriptedModel(replies), TASK, DIMENSION, chosen, others=(Dimension("fluency", id=2),))
    return asyncio.run(method.make(context).score(ITEM))


FREE = (
    *((method, {}) for method in llm_score.METHODS),
    (g_eval.METHOD, {"steps": False, "probabilities": "none"}),
    (g_eval.METHOD, {"steps": False, "probabilities": "samples", "samples": 1}),
)


@pytest.mark.parametrize(("method", "options"), FREE)
@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ("Score: cannot tell", CANNOT_TELL),
        ("Score: N/A (1-5)", "does not apply"),
        ("Not enough information.", CANNOT_TELL),
    ],
)
def test_methods_that_ask_for_a_score_have_none_then_and_say_why(
    method: Method, options: dict[str, object], reply: str, why: str
) -> None:
    found = scored(method, reply, **options)
    assert (found.value, found.coverage, found.details, found.settled) == (None, 0.0, {ABSTAINED: why}, True)


def test_what_holds_no_score_and_does_not_abstain_is_asked_again_as_ever() -> None:
    with pytest.raises(UnreadableScoreError):
        scored(llm_score.METHODS[0], "Good.", "Good.", "Good.")


def test_of_samples_those_that_abstain_play_no_part() -> None:
    found = scored(g_eval.METHOD, "4", "cannot tell", "2", steps=False, probabilities="samples", samples=3)
    assert (found.value, found.details["samples"], found.details["asked"]) == (3.0, 2, 3)


def test_coascore_does_without_the_aspects_it_can_not_score() -> None:
    others = {"variant": "inter"}
    found = scored(coascore.METHOD, '{"a1": "does not apply"}', **others)
    assert (found.value, found.details[ABSTAINED]) == (None, CANNOT_TELL)
    found = scored(coascore.METHOD, '{"a1": 4}', "Score: can't tell", **others)
    assert (found.value, found.details) == (
        None,
        {ABSTAINED: CANNOT_TELL, "aspects": [{"name": "fluency", "score": 4}]},
    )
    with pytest.raises(WrongSchemaError):
        scored(coascore.METHOD, *['{"a1": "good"}'] * 3, **others)
    with pytest.raises(WrongSchemaError):
        scored(coascore.METHOD, *['{"a1": 9}'] * 3, **others)


def test_check_eval_keeps_that_the_judge_can_not_tell_with_the_question(monkeypatch: pytest.MonkeyPatch) -> None:
    async def questions(*_: object) -> tuple[Question, ...]:
        return USUAL

    monkeypatch.setattr(check_eval, "write_questions", questions)
    found = scored(check_eval.METHOD, '{"q1": "yes", "q2": "cannot tell", "q3": "no"}')
    assert [one["answer"] for one in found.details["answers"]] == ["yes", CANNOT_TELL, "no"]
    assert (found.value, found.coverage, found.settled) == (3.0, pytest.approx(2 / 3), True)
