"""Mistral refuses whatever it doesn't know: what is sent to it, and what becomes of what it says."""

import asyncio
from collections.abc import Sequence

import pytest
from pydantic import SecretStr

from app.domain.model_call import RenderedPrompt
from app.errors import ProviderError, TooLongError, UnknownModelError
from app.providers.base import ChatReply, ChatRequest, Turn
from app.providers.credentials import Access, Credentials
from app.providers.registry import open_model
from tests.support.adapter_cases import ADAPTERS, KEY, SCHEMA, a_request, ask
from tests.support.fake_llm.behaviour import Answer
from tests.support.fake_llm.server import FakeLlm
from tests.support.modern_vendors import ModernVendors

MODEL = "mistral:mistral-large-4"
SYSTEM = "You judge summaries by a long checklist. " * 150
"""About 1,500 tokens: the stand-in caches nothing shorter than 1,024."""


def asked(text: str = "A text.", **changes: object) -> ChatRequest:
    return ChatRequest(RenderedPrompt("judge", 1, "d", SYSTEM, text, {}), **changes)  # type: ignore[arg-type]


def replies(name: str, credentials: Credentials, requests: Sequence[ChatRequest]) -> list[ChatReply]:
    async def run() -> list[ChatReply]:
        model = open_model(name, credentials)
        try:
            return [await model.complete(request) for request in requests]
        finally:
            await model.aclose()

    return asyncio.run(run())


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"schema": SCHEMA},
        {"schema": SCHEMA | {"required": []}},
        {"temperature": None},
        {"temperature": 1.0, "top_p": 1.0, "sample": 3, "repeated": True},
        {"effort": "low", "tier": "flex", "idempotency_key": "k"},
        {"turns": (Turn("one", "wrong"), Turn("two", "still wrong"))},
    ],
    ids=lambda changes: "-".join(changes) or "plain",
)
def test_no_request_holds_what_mistral_refuses(modern: ModernVendors, changes: dict[str, object]) -> None:
    options = f"plain,taken-{'-'.join(changes)}-{len(str(changes))}"
    (reply,) = replies(MODEL, modern.credentials(options), [asked(**changes)])
    assert reply.text.strip()
    assert "One thing" not in reply.text, "its thoughts are no part of the answer"
    assert modern.state(options)["refused"] == {}


def test_what_mistral_cached_is_counted_as_it_bills(modern: ModernVendors) -> None:
    options = "plain,cached-mistral"
    found = replies(MODEL, modern.credentials(options), [asked("One."), asked("Two."), asked("Three.")])
    billed = modern.state(options)["billed"]
    assert [reply.usage.cached_tokens % 64 for reply in found] == [0, 0, 0]
    assert 0 < sum(reply.usage.cached_tokens for reply in found) == billed["cached"]
    assert sum(reply.usage.input_tokens for reply in found) == billed["input"]
    assert sum(reply.usage.output_tokens for reply in found) == billed["output"]


def test_openais_own_requests_are_refused_there(modern: ModernVendors) -> None:
    options = "plain,openai-at-mistral"
    there = Credentials({"openai": Access(SecretStr("sk-local"), modern.address("mistral", options), "a test")})
    with pytest.raises(ProviderError):
        replies("openai:gpt-4o", there, [asked(temperature=1.0, top_logprobs=2)])
    assert "422 logprobs max_completion_tokens top_logprobs" in modern.state(options)["refused"]


def test_an_unknown_model_is_named(modern: ModernVendors) -> None:
    with pytest.raises(UnknownModelError, match="offers no model mistral-huge"):
        replies("mistral:mistral-huge", modern.credentials("plain,huge"), [asked()])


def test_a_prompt_beyond_the_window_is_too_long(modern: ModernVendors) -> None:
    with pytest.raises(TooLongError):
        replies("mistral:mistral-small-2603", modern.credentials("plain,long"), [asked("word " * 250_000)])


def test_an_answer_that_fills_the_window_is_cut_off(server: FakeLlm) -> None:
    server.usual = Answer('{"answer": "y', finish="length")
    (reply,) = ask(ADAPTERS["mistral"], server, a_request())
    assert (reply.finish, reply.ending) == ("length", "")
    assert server.requests[0].key == KEY
