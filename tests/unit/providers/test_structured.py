import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest

from app.domain.model_call import RenderedPrompt
from app.errors import CutOffError, OverloadedError, RefusedError, WrongSchemaError
from app.providers.base import ChatReply, ChatRequest, Usage
from app.providers.structured import Structured, ask
from tests.support.scripted_model import Scripted, ScriptedModel

SCHEMA = {
    "type": "object",
    "properties": {"q1": {"enum": ["yes", "no"]}, "q2": {"enum": ["yes", "no"]}},
    "required": ["q1", "q2"],
    "additionalProperties": False,
}
PROMPT = RenderedPrompt("judge-checklist", 1, "d", "system", "user", {})
REQUEST = ChatRequest(PROMPT, SCHEMA)
GOOD = '{"q1": "yes", "q2": "no"}'


def run(*replies: Scripted, **options: Any) -> tuple[Structured, ScriptedModel]:
    model = ScriptedModel(replies)
    return asyncio.run(ask(model, REQUEST, **options)), model


def test_a_good_answer_is_taken_at_once() -> None:
    answer, model = run(GOOD)
    assert answer.value == {"q1": "yes", "q2": "no"}
    assert (answer.attempts, answer.complete) == (1, True)
    assert model.requests == [REQUEST]


def test_a_bad_answer_is_asked_again_with_the_reason_and_all_attempts_are_paid() -> None:
    answer, model = run('{"q1": "maybe", "q2": "no"}', "no idea", GOOD)
    assert answer.attempts == 3
    assert answer.reply.usage == Usage(input_tokens=30, output_tokens=15)
    assert answer.reply.seconds == pytest.approx(1.5)
    assert answer.reply.text == GOOD
    turns = model.requests[2].turns
    assert [turn.answer for turn in turns] == ['{"q1": "maybe", "q2": "no"}', "no idea"]
    assert "q1 must be one of yes, no" in turns[0].correction
    assert "no JSON object" in turns[1].correction
    assert model.requests[1].turns == turns[:1]
    assert len({request.digest("m") for request in model.requests}) == 3


def test_an_empty_answer_leaves_no_empty_message_in_the_conversation() -> None:
    _, model = run("  ", GOOD)
    assert model.requests[1].turns[0].answer == "(empty)"


def test_after_the_last_attempt_it_fails_by_name_without_quoting_the_answer() -> None:
    with pytest.raises(WrongSchemaError) as caught:
        run(*['{"q1": "SECRET"}'] * 3)
    assert "SECRET" not in str(caught.value)
    assert "scripted:model did not answer judge-checklist@1 as asked in 3 attempts" in caught.value.message
    assert "the object lacks q2" in caught.value.message


def test_the_callers_check_counts_like_the_schema() -> None:
    answer, model = run(GOOD, '{"q1": "no", "q2": "no"}', check=lambda v: "q1 is off" if v["q1"] == "yes" else None)
    assert answer.value["q1"] == "no"
    assert "q1 is off" in model.requests[1].turns[0].correction


def test_the_check_never_sees_an_object_of_the_wrong_form() -> None:
    seen: list[dict[str, Any]] = []
    run('{"q1": 3}', GOOD, check=seen.append)
    assert seen == [{"q1": "yes", "q2": "no"}]


def test_a_refused_answer_is_not_asked_again() -> None:
    with pytest.raises(RefusedError):
        run(ChatReply(GOOD, "m", finish="refused"))


def test_a_cut_off_answer_is_asked_again_with_twice_the_room() -> None:
    cut_off = ChatReply('{"q1": "yes"', "m", finish="length", room=40_000)
    answer, model = run(cut_off, GOOD)
    assert answer.attempts == 2
    assert [request.cut_off for request in model.requests] == [(), (40_000,)]
    assert model.requests[1].turns == ()
    assert model.requests[1].digest("m") == replace(REQUEST, max_output_tokens=8192).digest("m"), "as on record"
    with pytest.raises(CutOffError):
        run(cut_off, cut_off, cut_off)
    with pytest.raises(CutOffError, match="limit of 40,000 output tokens"):
        run(replace(cut_off, last_room=True))


def test_answers_that_were_cut_off_do_not_use_up_the_attempts() -> None:
    cut_off = ChatReply('{"q1": "yes"', "m", finish="length", room=40_000)
    answer, _ = run(cut_off, "nonsense", cut_off, GOOD, attempts=2)
    assert answer.attempts == 4


def test_what_is_missing_is_said_once() -> None:
    with pytest.raises(WrongSchemaError) as caught:
        run(*["{}"] * 3)
    assert caught.value.message.count("q1, q2") == 1


def test_the_models_own_errors_pass_through() -> None:
    with pytest.raises(OverloadedError):
        run("nonsense", OverloadedError("busy"))


def test_the_last_resort_sees_only_the_last_object() -> None:
    answer, _ = run('{"q1": "yes"}', '{"q2": "no"}', attempts=2, last_resort=lambda value: value)
    assert answer.value == {"q2": "no"}
    assert not answer.complete


def test_nothing_is_made_of_an_unreadable_last_answer() -> None:
    with pytest.raises(WrongSchemaError):
        run('{"q1": "yes"}', "nonsense", attempts=2, last_resort=lambda value: value)
    with pytest.raises(WrongSchemaError):
        run('{"q1": "yes"}', attempts=1, last_resort=lambda _: None)


def test_a_request_without_schema_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="schema"):
        asyncio.run(ask(ScriptedModel([]), ChatRequest(PROMPT)))


@pytest.mark.parametrize(
    "wrapped",
    [
        f'{{"name": "answer", "arguments": {GOOD}}}',
        json.dumps({"name": "answer", "arguments": GOOD}),
        json.dumps({"tool_calls": [{"type": "function", "function": {"name": "answer", "arguments": GOOD}}]}),
        f'<tool_call>{{"name": "answer", "arguments": {GOOD}}}</tool_call>',
        f'{{"thought": "It flows.", "answer": {GOOD}}}',
        f"I call the tool: answer({GOOD})",
    ],
)
def test_an_answer_in_the_call_of_a_tool_is_taken_out(wrapped: str) -> None:
    answer, _ = run(wrapped)
    assert answer.value == json.loads(GOOD)
    assert answer.attempts == 1


def test_of_two_answers_in_one_wrapper_none_is_taken() -> None:
    other = GOOD.replace("yes", "no")
    with pytest.raises(WrongSchemaError):
        run(*[f'{{"draft": {other}, "final": {GOOD}}}'] * 3)
