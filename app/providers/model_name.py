"""Models are named provider:model by people; this is where such a name is understood."""

import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass

from app.errors import UnknownModelError


@dataclass(frozen=True, slots=True)
class Provider:
    """Where models come from.

    default_url: the vendor's address; None where there is none and the person must give one.
    gives_logprobs: whether its API can return log-probabilities (a single model of it may still refuse).
    rates_given: whether it can say how likely each token of a given text is.
    answers: whether it can be asked anything else.
    """

    prefix: str
    title: str
    example: str
    speaks_http: bool = True
    needs_key: bool = True
    gives_logprobs: bool = True
    rates_given: bool = False
    answers: bool = True
    key_variable: str = ""
    url_variable: str = ""
    default_url: str | None = None


KNOWN_PROVIDERS: Mapping[str, Provider] = {
    provider.prefix: provider
    for provider in (
        Provider(
            "openai",
            "OpenAI",
            "openai:gpt-4o",
            key_variable="OPENAI_API_KEY",
            url_variable="OPENAI_BASE_URL",
            default_url="https://api.openai.com/v1",
        ),
        Provider(
            "anthropic",
            "Anthropic",
            "anthropic:claude-sonnet-5-5",
            gives_logprobs=False,
            key_variable="ANTHROPIC_API_KEY",
            url_variable="ANTHROPIC_BASE_URL",
            default_url="https://api.anthropic.com",
        ),
        Provider(
            "google",
            "Google",
            "google:gemini-3.8-flash",
            key_variable="GOOGLE_API_KEY",
            url_variable="GOOGLE_GEMINI_BASE_URL",
            default_url="https://generativelanguage.googleapis.com/",
        ),
        Provider(
            "llama",
            "The Llama endpoint",
            "llama:llama3.1",
            needs_key=False,
            rates_given=True,
            key_variable="LLAMA_API_KEY",
            url_variable="LLAMA_BASE_URL",
        ),
        Provider("rules", "Rules", "rules", speaks_http=False, needs_key=False, gives_logprobs=False),
        Provider("replay", "Replay", "replay:calls.jsonl", speaks_http=False, needs_key=False, rates_given=True),
        Provider(
            "local",
            "A model on this computer",
            "local:gpt2",
            speaks_http=False,
            needs_key=False,
            gives_logprobs=False,
            rates_given=True,
            answers=False,
        ),
    )
}

_FAMILIES = (
    (re.compile(r"gpt|chatgpt|o\d"), "openai"),
    (re.compile(r"claude"), "anthropic"),
    (re.compile(r"gemini|gemma"), "google"),
    (re.compile(r"llama|qwen|mistral|mixtral|deepseek|phi"), "llama"),
)


@dataclass(frozen=True, slots=True)
class ModelName:
    """`model` is what the provider calls it; a file for replay, "" for rules."""

    provider: str
    model: str

    @property
    def title(self) -> str:
        return KNOWN_PROVIDERS[self.provider].title

    def __str__(self) -> str:
        return f"{self.provider}:{self.model}" if self.model else self.provider


def parse_model_name(name: str) -> ModelName:
    """Raises UnknownModelError, with what was probably meant, where the name can't be understood."""
    written = name.strip()
    if written == "rules":
        return ModelName("rules", "")
    prefix, colon, model = written.partition(":")
    if not colon:
        raise UnknownModelError(f"{_shown(written)} names no provider.", _suggest_provider(written))
    if prefix not in KNOWN_PROVIDERS or prefix == "rules":
        raise UnknownModelError(f"{_shown(prefix)} is not a provider.", _suggest_prefix(prefix, model))
    if not model:
        example = KNOWN_PROVIDERS[prefix].example
        raise UnknownModelError(f"{prefix}: lacks the model's name.", f"Write it like {example}.")
    return ModelName(prefix, model)


def _suggest_provider(model: str) -> str:
    if model in KNOWN_PROVIDERS:
        return f"Add the model, for example {KNOWN_PROVIDERS[model].example}."
    for pattern, prefix in _FAMILIES:
        if pattern.match(model.lower()):
            return f"Did you mean {prefix}:{model}?"
    return f"Models are written provider:name; the providers are {', '.join(KNOWN_PROVIDERS)}."


def _suggest_prefix(prefix: str, model: str) -> str:
    if prefix == "rules":
        return "The built-in judge is written rules, without a model."
    # Ollama's own names hold a colon: llama3.1:8b.
    for pattern, family in _FAMILIES:
        if pattern.match(prefix.lower()) and family == "llama":
            return f"Did you mean llama:{prefix}:{model}?"
    close = difflib.get_close_matches(prefix.lower(), KNOWN_PROVIDERS, n=1)
    if close and close[0] != "rules":
        return f"Did you mean {close[0]}:{model}?"
    return f"Models are written provider:name; the providers are {', '.join(KNOWN_PROVIDERS)}."


def _shown(name: str) -> str:
    """What was typed, unless it is so long or so shaped that it may be a pasted key or text."""
    if not name:
        return "An empty name"
    return f"'{name}'" if re.fullmatch(r"(?!sk-|AIza)[\w./@+:-]{1,60}", name) else "What was given"
