"""The adapters that speak HTTP, each as the contract suite meets it."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from pydantic import SecretStr

from app.domain.model_call import RenderedPrompt
from app.providers.base import ChatReply, ChatRequest
from app.providers.credentials import Access, Credentials
from app.providers.registry import open_model
from tests.support.fake_llm.server import FakeLlm, Received

KEY = "sk-Planted-KEY-0123456789"
SYSTEM = "You judge summaries. Rubric: PLANTEDRUBRIC."
USER = "Summary: PLANTEDTEXT about a fire."
SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {"answer": {"type": "string", "enum": ["yes", "no"]}},
    "required": ["answer"],
    "additionalProperties": False,
}


@dataclass(frozen=True)
class AdapterCase:
    """model takes a temperature, reasoner refuses one (None: the provider has no such rule of its own).

    key_header: the header the key belongs in, as (name, prefix).
    reported: the model's name in a reply.
    """

    prefix: str
    model: str
    reasoner: str | None
    path: str
    key_header: tuple[str, str]
    reported: str
    system_of: Callable[[dict[str, Any]], str]
    temperature_of: Callable[[dict[str, Any]], float | None]
    limit_of: Callable[[dict[str, Any]], int]
    turns_of: Callable[[dict[str, Any]], list[tuple[str, str]]]
    logprobs: bool = True

    @property
    def name(self) -> str:
        return f"{self.prefix}:{self.model}"

    def credentials(self, server: FakeLlm, key: str = KEY) -> Credentials:
        return Credentials({self.prefix: Access(SecretStr(key), server.url + self.path, "a test")})


def _openai_system(body: dict[str, Any]) -> str:
    content = body["messages"][0]["content"]
    return content if isinstance(content, str) else content[0]["text"]


def _openai_turns(body: dict[str, Any]) -> list[tuple[str, str]]:
    return [(message["role"], message["content"]) for message in body["messages"][1:]]


def _google_turns(body: dict[str, Any]) -> list[tuple[str, str]]:
    return [(said["role"].replace("model", "assistant"), said["parts"][0]["text"]) for said in body["contents"]]


_OPENAI = AdapterCase(
    prefix="openai",
    model="gpt-4o",
    reasoner="o3",
    path="/v1",
    key_header=("authorization", "Bearer "),
    reported="openai:gpt-4o-2026-01-02",
    system_of=_openai_system,
    temperature_of=lambda body: body.get("temperature"),
    limit_of=lambda body: body["max_completion_tokens"],
    turns_of=_openai_turns,
)
ADAPTERS: Mapping[str, AdapterCase] = {
    "openai": _OPENAI,
    "llama": replace(
        _OPENAI,
        prefix="llama",
        model="llama3.1:8b",
        reasoner=None,
        path="",
        reported="llama:llama3.1:8b",
        limit_of=lambda body: body["max_tokens"],
    ),
    "mistral": replace(
        _OPENAI,
        prefix="mistral",
        model="mistral-large-4",
        reasoner=None,
        path="/mistral/v1",
        reported="mistral:mistral-large-4",
        limit_of=lambda body: body["max_tokens"],
        logprobs=False,
    ),
    "anthropic": AdapterCase(
        prefix="anthropic",
        model="claude-haiku-4-5",
        reasoner="claude-opus-4-8",
        path="",
        key_header=("authorization", "Bearer "),
        reported="anthropic:claude-haiku-4-5",
        system_of=lambda body: body["system"][0]["text"],
        temperature_of=lambda body: body.get("temperature"),
        limit_of=lambda body: body["max_tokens"],
        turns_of=lambda body: [(message["role"], message["content"]) for message in body["messages"]],
        logprobs=False,
    ),
    "google": AdapterCase(
        prefix="google",
        model="gemini-2.5-flash",
        reasoner=None,
        path="",
        key_header=("x-goog-api-key", ""),
        reported="google:gemini-2.5-flash-001",
        system_of=lambda body: body["systemInstruction"]["parts"][0]["text"],
        temperature_of=lambda body: body["generationConfig"].get("temperature"),
        limit_of=lambda body: body["generationConfig"]["maxOutputTokens"],
        turns_of=_google_turns,
    ),
}


def a_request(**changes: Any) -> ChatRequest:
    prompt = RenderedPrompt("judge", 1, "d1", SYSTEM, USER, {})
    return replace(ChatRequest(prompt, schema=SCHEMA, max_output_tokens=300), **changes)


def ask(
    case: AdapterCase, server: FakeLlm, *requests: ChatRequest, model: str | None = None, timeout: float = 20.0
) -> list[ChatReply]:
    """The replies to requests made one after another through one client, which is then closed."""

    async def run() -> list[ChatReply]:
        opened = open_model(f"{case.prefix}:{model or case.model}", case.credentials(server), timeout)
        try:
            return [await opened.complete(request) for request in requests]
        finally:
            await opened.aclose()

    return asyncio.run(run())


def schema_sent(received: Received) -> Mapping[str, Any] | None:
    schema: Mapping[str, Any] | None = received.wire.schema_of(received.body)
    return schema
