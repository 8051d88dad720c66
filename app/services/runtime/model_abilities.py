"""Abilities of a model, found by asking it, and what this process learned about its server's requests."""

import asyncio
from collections.abc import Awaitable
from dataclasses import asdict, dataclass, replace
from typing import Any

from app.domain.model_call import RenderedPrompt
from app.domain.roles_and_rights import Right
from app.errors import ProviderError, UnsupportedError, WrongAddressError
from app.providers.adapters.request_style import LearnedFacts
from app.providers.base import ChatReply, ChatRequest
from app.providers.model_name import parse_model_name
from app.providers.model_options import options_for
from app.providers.registry import expects_logprobs, learned_facts, rates_given_texts
from app.providers.specs import spec_of
from app.services.runtime.endpoint_models import context_window
from app.services.runtime.models import TEST_SECONDS, model_session, test_model
from app.services.runtime.workbench import Workbench, use_case

TOKENS = 64
"""Tokens of the answer from which log-probabilities and speed are measured."""
LEAST_TOKENS = 8
"""Tokens needed to measure speed; for fewer the network's delay dominates."""
_PROSE = RenderedPrompt("model-test", 1, "", "", "Describe a cat on a warm mat in two sentences.", {})
_SAID = RenderedPrompt("model-test", 1, "", "", "What does the cat do?", {})
CAN_NOT = UnsupportedError, WrongAddressError
"""Errors of a server that lacks an ability, or the endpoint for it."""
FORMS = {
    "json_schema": "json_schema",
    "json_object_schema": "json_object with the schema",
    "json_object": "json_object, schema in the prompt",
    "prompt": "schema in the prompt only",
}


@dataclass(frozen=True, slots=True)
class ModelAbilities:
    """The abilities of a model; None if unknown. seconds: until the answer to one question. schema: how JSON is asked
    for, as in specs.JsonForm; schema_kept: whether that answer was only JSON. learned: what requests leave out or name
    differently. probed: False for built-in models, which have none of these."""

    model: str
    seconds: float
    schema: str | None = None
    schema_kept: bool | None = None
    logprobs: bool | None = None
    echo: bool | None = None
    context_tokens: int | None = None
    tokens_per_second: float | None = None
    learned: tuple[str, ...] = ()
    probed: bool = True

    def to_json(self) -> dict[str, Any]:
        found = asdict(self) | {"seconds": round(self.seconds, 3), "learned": list(self.learned)}
        del found["probed"]
        return {"ok": True, **found}

    def rows(self) -> list[tuple[str, str]]:
        """Return (ability, value) for screens; [] for a built-in model."""
        if not self.probed:
            return []
        context = None if self.context_tokens is None else f"{self.context_tokens:,} tokens"
        return [
            ("Schema", schema_words(self.schema, self.schema_kept)),
            ("Log-probabilities", _yes_or_no(self.logprobs)),
            ("Echo of a given text", _yes_or_no(self.echo)),
            ("Context length", context or "unknown"),
            ("Tokens a second", "unknown" if self.tokens_per_second is None else f"{self.tokens_per_second:,.0f}"),
            ("Requests", ", ".join(self.learned) or "as usual"),
        ]


@use_case(Right.SET_UP)
async def probe_model(workbench: Workbench, name: str) -> ModelAbilities:
    """Ask one yes/no question, then for a short text with log-probabilities, and a user's own server to echo a text.
    Raises what `test_model` raises; an ability whose test fails later is unknown."""
    seconds = await test_model(workbench, name)
    provider = spec_of(parse_model_name(name).provider)
    if not provider.speaks_http:
        return ModelAbilities(name, seconds, probed=False)
    reply = logprobs = echo = None
    options = replace(options_for(name, workbench.asking), max_output_tokens=TOKENS)
    async with model_session(workbench, name, use_cache=False, options=options) as model:
        prose = ChatRequest(_PROSE, max_output_tokens=TOKENS)
        if expects_logprobs(name):
            try:
                reply = await _in_time(model.complete(replace(prose, top_logprobs=5)))
                logprobs = bool(reply.logprobs) if reply else None
            except CAN_NOT:
                logprobs = False
        if reply is None:
            reply = await _in_time(model.complete(prose))
        if rates_given_texts(name):
            try:
                rated = await _in_time(model.complete(ChatRequest(_SAID, given="It sleeps.")))
                echo = bool(rated.logprobs) if rated else None
            except CAN_NOT:
                echo = False
    window = await asyncio.to_thread(context_window, workbench, name)
    facts = learned_facts(provider.prefix, workbench.credentials).get(name, LearnedFacts())
    return ModelAbilities(
        name,
        seconds,
        facts.schema,
        facts.schema_kept,
        logprobs,
        echo,
        (window.tokens if window else None) or facts.context_tokens,
        _speed(reply),
        facts.differences,
    )


@use_case(Right.SET_UP)
def learned_in_words(workbench: Workbench, prefix: str) -> dict[str, str]:
    """Return model -> what this process learned about its server, for each model of the provider that was asked."""
    found = {}
    for name, facts in learned_facts(prefix, workbench.credentials).items():
        said = [f"schema: {schema_words(facts.schema, facts.schema_kept)}"] if facts.schema else []
        said += [] if facts.logprobs is None else [f"log-probabilities: {_yes_or_no(facts.logprobs)}"]
        said += [] if facts.context_tokens is None else [f"context length: {facts.context_tokens:,} tokens"]
        said += facts.differences
        if said:
            found[name] = ", ".join(said)
    return found


def schema_words(form: str | None, kept: bool | None) -> str:
    if form is None:
        return "unknown"
    return FORMS[form] + (", not kept: words stand around the JSON" if kept is False else "")


def _yes_or_no(known: bool | None) -> str:
    return "unknown" if known is None else "yes" if known else "no"


def _speed(reply: ChatReply | None) -> float | None:
    if reply is None or reply.usage.output_tokens < LEAST_TOKENS or reply.seconds <= 0:
        return None
    return round(reply.usage.output_tokens / reply.seconds, 1)


async def _in_time(asked: Awaitable[ChatReply]) -> ChatReply | None:
    """Return the reply, None if none came in time or at all. Raises the errors in CAN_NOT."""
    try:
        async with asyncio.timeout(TEST_SECONDS):
            return await asked
    except CAN_NOT:
        raise
    except (ProviderError, TimeoutError):
        return None
