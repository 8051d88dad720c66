import re
from dataclasses import replace

import pytest

from app.errors import UnknownModelError
from app.providers.model_name import ModelName, parse_model_name
from app.providers.specs import KNOWN_PROVIDERS


@pytest.mark.parametrize(
    ("written", "parsed"),
    [
        ("openai:gpt-4o", ModelName("openai", "gpt-4o")),
        (" anthropic:claude-opus-5 ", ModelName("anthropic", "claude-opus-5")),
        ("google:models/gemini-3.8-flash", ModelName("google", "models/gemini-3.8-flash")),
        ("llama:llama3.1:8b", ModelName("llama", "llama3.1:8b")),
        ("llama:meta-llama/Llama-3.1-8B-Instruct", ModelName("llama", "meta-llama/Llama-3.1-8B-Instruct")),
        ("rules", ModelName("rules", "")),
        ("replay:C:\\runs\\calls.jsonl", ModelName("replay", "C:\\runs\\calls.jsonl")),
    ],
)
def test_names_are_split_at_the_first_colon(written: str, parsed: ModelName) -> None:
    assert parse_model_name(written) == parsed
    assert str(parsed) == written.strip()


@pytest.mark.parametrize(
    ("written", "suggestion"),
    [
        ("gpt-4o", "Did you mean openai:gpt-4o?"),
        ("o3", "Did you mean openai:o3?"),
        ("claude-opus-5", "Did you mean anthropic:claude-opus-5?"),
        ("gemini-3.8-flash", "Did you mean google:gemini-3.8-flash?"),
        ("llama3.1", "Did you mean llama:llama3.1?"),
        ("llama3.1:8b", "Did you mean llama:llama3.1:8b?"),
        ("mistral:7b", "Did you mean llama:mistral:7b?"),
        ("mistral-nemo", "Did you mean mistral:mistral-nemo or llama:mistral-nemo?"),
        ("codestral-2508", "Did you mean mistral:codestral-2508?"),
        ("mistral", "for example mistral:mistral-large-4"),
        ("opnai:gpt-4o", "Did you mean openai:gpt-4o?"),
        ("Anthropic:claude-opus-5", "Did you mean anthropic:claude-opus-5?"),
        ("openai:", "Write it like openai:gpt-6-luna."),
        ("openai", "for example openai:gpt-6-luna"),
        ("rules:fast", "without a model"),
        ("", "provider:name"),
        ("mine:model", "openai, anthropic, google, mistral, llama, rules, replay, local"),
    ],
)
def test_what_was_probably_meant_is_said(written: str, suggestion: str) -> None:
    with pytest.raises(UnknownModelError) as caught:
        parse_model_name(written)
    assert suggestion in str(caught.value)
    assert caught.value.exit_status == 2


@pytest.mark.parametrize("tag", ["8b", "latest", "0.5b-instruct", "8x7b-text-v2.5-q4_0", "v0.3", "instruct"])
def test_a_tag_of_ollama_is_no_model_of_a_vendor(tag: str, vendor_of_qwen: None) -> None:
    with pytest.raises(UnknownModelError, match=rf"Did you mean llama:qwen:{tag}\?"):
        parse_model_name(f"qwen:{tag}")
    assert parse_model_name("qwen:qwen-3-max") == ModelName("qwen", "qwen-3-max")


def test_a_name_of_two_families_may_be_of_either(vendor_of_qwen: None) -> None:
    with pytest.raises(UnknownModelError, match=r"Did you mean llama:qwen-3-max or qwen:qwen-3-max\?"):
        parse_model_name("qwen-3-max")


@pytest.fixture
def vendor_of_qwen(monkeypatch: pytest.MonkeyPatch) -> None:
    """A vendor whose prefix and models are called like those of Ollama."""
    spec = replace(KNOWN_PROVIDERS["openai"], prefix="qwen", family=re.compile("qwen"))
    monkeypatch.setitem(KNOWN_PROVIDERS, "qwen", spec)  # type: ignore[arg-type]


@pytest.mark.parametrize("pasted", ["sk-proj-abcdef123456", "AIzaSyabcdef", "a" * 400, "two words"])
def test_what_may_be_a_key_or_a_text_is_not_repeated(pasted: str) -> None:
    with pytest.raises(UnknownModelError) as caught:
        parse_model_name(pasted)
    assert pasted not in str(caught.value)


def test_every_example_is_a_name_of_its_own_provider() -> None:
    for prefix, provider in KNOWN_PROVIDERS.items():
        assert parse_model_name(provider.example).provider == prefix
