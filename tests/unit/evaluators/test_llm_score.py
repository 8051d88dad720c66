"""LLMScore: one question, a score read from prose, asked again where it can't be read."""

import asyncio

import pytest

from app.domain.project import Dimension, Task, Text
from app.errors import CutOffError, RefusedError, UnreadableScoreError
from app.evaluators.llm_score import LlmScore
from app.providers.base import ChatReply
from tests.support.scripted_model import Scripted, ScriptedModel

ITEM = Text("d", "The ferry sails at noon.", source="A timetable.")


def scored(*replies: Scripted, prompt: str = "llm-score") -> tuple[float | None, ScriptedModel]:
    model = ScriptedModel(replies)
    evaluator = LlmScore(model, Task("summary", "article"), Dimension("coherence", "Parts fit."), prompt)
    return asyncio.run(evaluator.score(ITEM)).value, model


def test_one_call_at_temperature_0_without_a_schema() -> None:
    value, model = scored("Score: 4")
    (request,) = model.requests
    assert (value, request.temperature, request.schema) == (4, 0.0, None)
    assert "Parts fit." in request.prompt.system
    assert "A timetable." in request.prompt.user
    assert "step by step" not in request.prompt.system


def test_with_thinking_the_last_line_counts() -> None:
    value, model = scored("It has 3 parts and 2 of them fit.\nFinal score: 2", prompt="llm-score-cot")
    assert value == 2
    assert "step by step" in model.requests[0].prompt.system


def test_what_can_not_be_read_is_asked_again_then_said() -> None:
    value, model = scored("Between 3 and 4.", "Score: 3")
    assert value == 3
    assert "1 to 5" in model.requests[1].turns[0].correction
    with pytest.raises(UnreadableScoreError):
        scored("Good.", "Good.", "8/10")


def test_an_answer_cut_off_gets_twice_the_room() -> None:
    value, model = scored(ChatReply("Final score: 4", "m", finish="length"), "Final score: 4.5")
    assert value == 4.5
    assert [len(request.cut_off) for request in model.requests] == [0, 1]
    with pytest.raises(CutOffError):
        scored(*[ChatReply("4", "m", finish="length")] * 3)
    with pytest.raises(RefusedError):
        scored(ChatReply("", "m", finish="refused"))
