"""Replies in forms that no documentation names: what is an answer is read, the rest fails its text alone."""

import asyncio
import json
from typing import Any

import pytest

from app.domain.project import Dimension
from app.errors import NoAnswerError, ProviderError
from app.evaluators.score_reading import ask_score
from app.providers.registry import open_model
from tests.support.adapter_cases import ADAPTERS, a_request, ask
from tests.support.fake_llm.behaviour import Raw
from tests.support.fake_llm.server import FakeLlm

COHERENCE = Dimension("coherence", "Parts fit.")
THOUGHT = "My score would be 2 for the flow."


def chat(usage: Any = None, **message: Any) -> dict[str, Any]:
    finish = message.pop("finish", "stop")
    return {
        "choices": [{"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish}],
        "usage": usage or {"prompt_tokens": 9, "completion_tokens": 1, "total_tokens": 10},
    }


def claude(content: Any, usage: Any = None, stop: Any = "end_turn") -> dict[str, Any]:
    counted = usage or {"input_tokens": 9, "output_tokens": 1}
    return {"type": "message", "role": "assistant", "content": content, "stop_reason": stop, "usage": counted}


def gemini(*parts: Any, finish: str = "STOP") -> dict[str, Any]:
    counted = {"promptTokenCount": 9, "candidatesTokenCount": 1}
    return {"candidates": [{"content": {"parts": list(parts)}, "finishReason": finish}], "usageMetadata": counted}


CALL = {"id": "c", "type": "function", "function": {"name": "answer", "arguments": '{"score": 4}'}}
CHAT_READ = {
    "list": chat(content=[{"type": "text", "text": "4"}]),
    "list-with-thinking": chat(
        content=[
            {"type": "thinking", "thinking": [{"type": "text", "text": THOUGHT}]},
            {"type": "text", "text": "4"},
        ]
    ),
    "part": chat(content={"type": "text", "text": "4"}),
    "strings": chat(content=["Score: ", "4"]),
    "new-part": chat(content=[{"type": "receipt", "text": None}, {"type": "output_text", "text": "4"}]),
    "thought-in-content": chat(content=f"<think>{THOUGHT}</think>\n4"),
    "thought-beside": chat(content="4", reasoning_content=THOUGHT, reasoning=THOUGHT),
    "swallowed": chat(content=None, reasoning_content="4"),
    "swallowed-after-thinking": chat(content="", reasoning=f"{THOUGHT}\n</think>\n\nScore: 4"),
    "tool": chat(content=None, tool_calls=[CALL], finish="tool_calls"),
    "tool-after-prose": chat(content="I call the tool.", tool_calls=[CALL]),
    "function": chat(content=None, function_call=CALL["function"]),
    "tool-with-an-object": chat(content=None, tool_calls=[{"function": {"name": "a", "arguments": {"score": 4}}}]),
    "usage-string": chat("many", content="4"),
    "usage-list": chat([1, 2], content="4"),
    "usage-details-string": chat({"prompt_tokens": 9, "prompt_tokens_details": "none"}, content="4"),
    "unknown-ending": chat(content="4", finish="repetition"),
    "odd-ending": chat(content="4", finish=["stop"]),
    "odd-logprobs": chat(content="4") | {"choices": [{"message": {"content": "4"}, "logprobs": "x"}]},
}
READ = {
    **{("llama", name): body for name, body in CHAT_READ.items()},
    **{("openai", name): CHAT_READ[name] for name in ("list", "tool", "usage-string", "unknown-ending")},
    ("anthropic", "new-block"): claude([{"type": "context_receipt", "digest": "a"}, {"type": "text", "text": "4"}]),
    ("anthropic", "new-block-with-text"): claude([{"type": "advice", "text": "2"}, {"type": "text", "text": "4"}]),
    ("anthropic", "thinking"): claude([{"type": "thinking", "thinking": THOUGHT}, {"type": "text", "text": "4"}]),
    ("anthropic", "tool"): claude([{"type": "tool_use", "id": "t", "name": "answer", "input": {"score": 4}}]),
    ("anthropic", "string"): claude("4"),
    ("anthropic", "usage-string"): claude([{"type": "text", "text": "4"}], "many"),
    ("anthropic", "usage-list"): claude([{"type": "text", "text": "4"}], [1]),
    ("anthropic", "unknown-ending"): claude([{"type": "text", "text": "4"}], stop="compaction"),
    ("anthropic", "odd-ending"): claude([{"type": "text", "text": "4"}], stop=["end_turn"]),
    ("google", "new-part"): gemini({"receipt": {"a": 1}}, {"text": "4"}),
    ("google", "thought"): gemini({"text": THOUGHT, "thought": True}, {"text": "4"}),
    ("google", "function"): gemini({"functionCall": {"name": "answer", "args": {"score": 4}}}),
    ("google", "unknown-ending"): gemini({"text": "4"}, finish="SOMETHING_NEW"),
}
# Nothing can be read; the reason says what the provider said, where it said anything.
SILENT = {
    ("llama", "no-choices"): (chat() | {"choices": []}, "an empty answer"),
    ("openai", "no-choices"): (chat() | {"choices": []}, "an empty answer"),
    ("llama", "nothing"): (chat(content=None), "an empty answer"),
    ("llama", "only-a-thought"): (chat(content="", reasoning_content=THOUGHT), "an empty answer"),
    ("llama", "unknown-ending"): (chat(content="", finish="abort"), "(abort)"),
    ("anthropic", "no-blocks"): (claude([]), "an empty answer"),
    ("anthropic", "null"): (claude(None), "an empty answer"),
    ("anthropic", "only-a-new-block"): (claude([{"type": "receipt"}]), "an empty answer"),
    ("anthropic", "unknown-ending"): (claude([], stop="pause_turn"), "(pause_turn)"),
    ("google", "no-candidates"): ({"candidates": [], "modelVersion": "g"}, "an empty answer"),
    ("google", "other"): (gemini(finish="OTHER"), "(OTHER)"),
    ("google", "malformed"): (gemini(finish="MALFORMED_RESPONSE"), "(MALFORMED_RESPONSE)"),
    ("google", "unknown-ending"): (gemini(finish="SOMETHING_NEW"), "(SOMETHING_NEW)"),
}
UNREADABLE: dict[tuple[str, str], Any] = {
    ("llama", "choices-string"): {"choices": "x"},
    ("llama", "choices-object"): {"choices": {}},
    ("llama", "choice-null"): {"choices": [None]},
    ("llama", "no-message"): {"choices": [{"index": 0}]},
    ("anthropic", "content-number"): claude(5),
    ("anthropic", "error-in-a-success"): {"type": "error", "error": {"type": "overloaded_error", "message": "x"}},
    ("google", "content-list"): {"candidates": [{"content": [{"parts": []}], "finishReason": "STOP"}]},
    ("google", "candidates-number"): {"candidates": 5},
    ("google", "candidate-string"): {"candidates": ["x"]},
    ("google", "usage-string"): gemini({"text": "4"}) | {"usageMetadata": "many"},
}


def score_of(prefix: str, server: FakeLlm, body: Any) -> float:
    server.usual = Raw(json.dumps(body).encode())

    async def run() -> float:
        case = ADAPTERS[prefix]
        model = open_model(case.name, case.credentials(server))
        try:
            found, _ = await ask_score(model, a_request(schema=None), COHERENCE)
            return found.value
        finally:
            await model.aclose()

    return asyncio.run(run())


def named(cases: dict[tuple[str, str], Any]) -> Any:
    return pytest.mark.parametrize(
        ("prefix", "body"), [pytest.param(k[0], v, id="-".join(k)) for k, v in cases.items()]
    )


@pytest.mark.filterwarnings("ignore:.*is not a valid FinishReason")
@named(READ)
def test_the_answer_is_read_whatever_it_comes_in(prefix: str, body: Any, server: FakeLlm) -> None:
    assert score_of(prefix, server, body) == 4
    assert len(server.requests) == 1


@pytest.mark.filterwarnings("ignore:.*is not a valid FinishReason")
@named(SILENT)
def test_a_reply_that_says_nothing_fails_with_the_provider_s_reason(prefix: str, body: Any, server: FakeLlm) -> None:
    said, reason = body
    with pytest.raises(NoAnswerError) as caught:
        score_of(prefix, server, said)
    assert reason in str(caught.value)
    assert len(server.requests) == 3


@named(UNREADABLE)
def test_what_is_no_reply_at_all_is_an_error_of_the_provider(prefix: str, body: Any, server: FakeLlm) -> None:
    server.usual = Raw(json.dumps(body).encode())
    with pytest.raises(ProviderError, match="is not an answer"):
        ask(ADAPTERS[prefix], server, a_request(schema=None))
