"""Models are named provider:model by people; this is where such a name is understood."""

import difflib
import re
from dataclasses import dataclass

from app.errors import UnknownModelError
from app.providers.specs import KNOWN_PROVIDERS, provider_names, spec_of


@dataclass(frozen=True, slots=True)
class ModelName:
    """`model` is what the provider calls it; a file for replay, "" for rules."""

    provider: str
    model: str

    @property
    def title(self) -> str:
        return spec_of(self.provider).title

    def __str__(self) -> str:
        return f"{self.provider}:{self.model}" if self.model else self.provider


def parse_model_name(name: str) -> ModelName:
    """Raises UnknownModelError, with what was probably meant, where the name can't be understood."""
    written = name.strip()
    prefix, colon, model = written.partition(":")
    spec = KNOWN_PROVIDERS.get(prefix)
    if spec and not spec.placeholder and not colon:
        return ModelName(prefix, "")
    if not colon:
        raise UnknownModelError(f"{_shown(written)} names no provider.", _suggest_provider(written))
    if spec is None or not spec.placeholder:
        raise UnknownModelError(f"{_shown(prefix)} is not a provider.", _suggest_prefix(prefix, model))
    if not model:
        raise UnknownModelError(f"{prefix}: lacks the model's name.", f"Write it like {spec.example}.")
    return ModelName(prefix, model)


def _suggest_provider(model: str) -> str:
    if model in KNOWN_PROVIDERS:
        return f"Add the model, for example {KNOWN_PROVIDERS[model].example}."
    for spec in KNOWN_PROVIDERS.values():
        if spec.family.match(model.lower()):
            return f"Did you mean {spec.prefix}:{model}?"
    return provider_names()


def _suggest_prefix(prefix: str, model: str) -> str:
    if prefix in KNOWN_PROVIDERS:
        return f"The built-in judge is written {prefix}, without a model."
    for spec in KNOWN_PROVIDERS.values():
        if spec.colon_in_names and spec.family.match(prefix.lower()):
            return f"Did you mean {spec.prefix}:{prefix}:{model}?"
    close = difflib.get_close_matches(prefix.lower(), KNOWN_PROVIDERS, n=1)
    if close and spec_of(close[0]).placeholder:
        return f"Did you mean {close[0]}:{model}?"
    return provider_names()


def _shown(name: str) -> str:
    """What was typed, unless it is so long or so shaped that it may be a pasted key or text."""
    if not name:
        return "An empty name"
    return f"'{name}'" if re.fullmatch(r"(?!sk-|AIza)[\w./@+:-]{1,60}", name) else "What was given"
