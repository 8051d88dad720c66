"""The adapter against recorded replies of llama-cpp-python with SmolLM2-135M (tests/support/record_replies.py)."""

import asyncio
import json
import math
from collections.abc import Iterator

import pytest

from app.errors import TooLongError
from app.providers.adapters.request_style import learned_at
from app.providers.base import ChatReply, ChatRequest
from app.providers.registry import open_model, served_names
from tests.support.adapter_cases import ADAPTERS, SYSTEM, a_request, ask
from tests.support.fake_llm.behaviour import Raw
from tests.support.fake_llm.server import FakeLlm, Received
from tests.support.repository import ROOT

RECORDED = json.loads((ROOT / "tests/contract/recorded/llama_cpp_python.json").read_text(encoding="utf-8"))
LLAMA = ADAPTERS["llama"]


def reply_named(name: str) -> Raw:
    return Raw(json.dumps(RECORDED[name]["body"]).encode(), status=RECORDED[name]["status"])


def as_recorded(received: Received) -> Raw:
    form = received.body.get("response_format", {})
    if "echo" in received.body:
        return reply_named("echo")
    if form:
        return reply_named("json_object_schema" if "schema" in form else form["type"])
    if received.body["max_tokens"] == 3:
        return reply_named("cut off")
    return reply_named("too long" if "a a a" in received.body["messages"][-1]["content"] else "logprobs")


@pytest.fixture
def recorded() -> Iterator[FakeLlm]:
    with FakeLlm(usual=as_recorded, listing=reply_named("models")) as running:
        yield running


def limited(server: FakeLlm, most: int) -> ChatReply:
    async def run() -> ChatReply:
        model = open_model(LLAMA.name, LLAMA.credentials(server), most_output=most)
        try:
            return await model.complete(a_request(schema=None))
        finally:
            await model.aclose()

    return asyncio.run(run())


def test_recorded_refusal_of_a_schema_costs_one_request(recorded: FakeLlm) -> None:
    first, second = ask(LLAMA, recorded, a_request(), a_request())
    assert first.text == second.text
    assert json.loads(first.text)["answer"] in ("yes", "no")
    assert first.model == LLAMA.name, "not the path of a file"
    assert (first.finish, first.usage.known, len(recorded.requests)) == ("stop", True, 3)
    assert learned_at(f"{recorded.url}/v1")[LLAMA.name].schema == "json_object_schema"


def test_recorded_logprobs_spell_the_reply(recorded: FakeLlm) -> None:
    (reply,) = ask(LLAMA, recorded, a_request(schema=None, top_logprobs=3))
    assert "".join(token.token for token in reply.logprobs).strip() == reply.text.strip()
    assert all(token.logprob <= 0 and len(token.top) >= 3 for token in reply.logprobs)


def test_recorded_echo_rates_the_given_text(recorded: FakeLlm) -> None:
    prompt = a_request().prompt
    (reply,) = ask(LLAMA, recorded, ChatRequest(prompt, given="It burns."))
    assert "".join(token.token for token in reply.logprobs).strip() == "It burns."
    assert all(math.isfinite(token.logprob) for token in reply.logprobs)


def test_recorded_cut_off_reply_ends_by_length(recorded: FakeLlm) -> None:
    assert limited(recorded, 3).finish == "length"


def test_recorded_context_overflow_is_too_long_and_teaches(recorded: FakeLlm) -> None:
    prompt = type(a_request().prompt)("judge", 1, "d", SYSTEM, "a " * 9000, {})
    with pytest.raises(TooLongError):
        ask(LLAMA, recorded, ChatRequest(prompt))
    assert learned_at(f"{recorded.url}/v1")[LLAMA.name].context_tokens == 2048


def test_recorded_list_names_the_model(recorded: FakeLlm) -> None:
    assert asyncio.run(served_names(LLAMA.credentials(recorded), 20)) == ["smollm2"]
