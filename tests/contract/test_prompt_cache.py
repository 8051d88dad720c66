"""What is written to and read from a provider's prompt cache, counted by a strict server of today."""

import asyncio

import pytest

from app.domain.model_call import RenderedPrompt
from app.providers.base import ChatRequest, Usage
from app.providers.registry import open_model
from tests.support.modern_vendors import ModernVendors

SYSTEM = "You judge summaries by a long checklist. " * 150  # about 1,500 tokens: what is shorter is never cached
CONSTANT = len(SYSTEM) // 4


def ask_about(modern: ModernVendors, name: str, options: str, texts: int = 10) -> Usage:
    """One request a text, one after another, with the same constant part."""

    async def run() -> Usage:
        model, usage = open_model(name, modern.credentials(options)), Usage()
        for number in range(texts):
            prompt = RenderedPrompt("judge", 1, "d", SYSTEM, f"Text {number}: " + "Some words of it. " * 300, {})
            usage += (await model.complete(ChatRequest(prompt))).usage
        await model.aclose()
        return usage

    return asyncio.run(run())


@pytest.mark.parametrize(
    "name", ["openai:gpt-5.6-sol", "openai:gpt-6-luna", "openai:gpt-6.2-astra", "anthropic:claude-sonnet-5-5"]
)
def test_only_the_constant_part_is_written_to_the_cache_and_then_read(modern: ModernVendors, name: str) -> None:
    options = "plain,cached-" + name.replace(":", "-")
    usage, state = ask_about(modern, name, options), modern.state(options)
    billed = state["billed"]
    assert abs(billed["written"] - CONSTANT) <= 1, "the constant part, once"
    assert abs(billed["cached"] - 9 * CONSTANT) <= 9
    assert (usage.cache_write_tokens, usage.cached_tokens) == (billed["written"], billed["cached"])
    assert state["refused"] == {}


@pytest.mark.parametrize("name", ["openai:gpt-6-luna", "anthropic:claude-sonnet-5-5"])
def test_of_a_prompt_that_is_asked_several_times_all_is_marked(modern: ModernVendors, name: str) -> None:
    """Samples of one text share the text too, not only what is constant from text to text."""
    options = "plain,repeated-" + name.replace(":", "-")
    prompt = RenderedPrompt("judge", 1, "d", SYSTEM, "A long text.", {})

    async def run() -> None:
        model = open_model(name, modern.credentials(options))
        for repeated in (False, True):
            await model.complete(ChatRequest(prompt, temperature=None, repeated=repeated))
        await model.aclose()

    asyncio.run(run())
    once, several = ([m for m in body["messages"] if m["role"] == "user"] for body in modern.bodies(options))
    assert once[0]["content"] == "A long text."
    (part,) = several[0]["content"]
    assert part["text"] == "A long text."
    assert {"prompt_cache_breakpoint", "cache_control"} & set(part)
    assert modern.state(options)["refused"] == {}


@pytest.mark.parametrize("name", ["openai:gpt-4o", "openai:gpt-5.5", "llama:llama3.1", "llama:gpt-6-luna"])
def test_who_does_not_know_the_mark_never_gets_it(modern: ModernVendors, name: str) -> None:
    options = "local,unmarked-" + name.replace(":", "-") if name.startswith("llama") else f"plain,un-{name[7:]}"
    ask_about(modern, name, options, texts=2)
    assert modern.state(options)["refused"] == {}
    for body in modern.bodies(options):
        assert "prompt_cache_options" not in body
        assert isinstance(body["messages"][0]["content"], str)
