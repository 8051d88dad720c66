"""From a name a person writes to a model that answers. An SDK is imported when its first model is opened."""

from dataclasses import dataclass
from pathlib import Path

from app.providers.base import ChatModel
from app.providers.calling import DEFAULT_TIMEOUT
from app.providers.credentials import Credentials, credentials_problem, endpoint
from app.providers.model_name import KNOWN_PROVIDERS, ModelName, parse_model_name
from app.providers.pricing import Price, PriceList, shipped_prices


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """One line of the list of models. key_source: where the key comes from, in words; "" without one.

    price: None where it is unknown. obstacle: what stands in the way of using it, "" for nothing. note: what to know.
    """

    name: str
    provider: str
    key_set: bool
    key_source: str
    price: Price | None
    obstacle: str = ""
    note: str = ""


_NOTES = {
    "rules": "Text rules, not an LLM; needs no key.",
    "replay": "Answers from recorded calls in a file; needs no key.",
    "llama": "Any model your endpoint serves.",
    "local": "A folder or downloaded model on this computer (extra “local”); for gptscore only.",
}


def open_model(name: str, credentials: Credentials, timeout: float = DEFAULT_TIMEOUT) -> ChatModel:
    """A model ready to answer; close it with `aclose`.

    timeout: seconds for one request.

    Raises UnknownModelError, MissingKeyError, MissingAddressError, WrongKeyError, InputError; for replay NotFoundError
    or FileFormatError, for local NotReadyError.
    """
    parsed = parse_model_name(name)
    if parsed.provider == "rules":
        from app.providers.rules import RulesModel  # noqa: PLC0415

        return RulesModel()
    if parsed.provider == "replay":
        from app.providers.replay_adapter import ReplayModel  # noqa: PLC0415

        return ReplayModel(Path(parsed.model))
    if parsed.provider == "local":
        from app.providers.local_adapter import LocalModel  # noqa: PLC0415

        return LocalModel(parsed)
    return _open_over_http(parsed, credentials, timeout)


def gives_logprobs(name: str) -> bool:
    """Whether the provider's API can return log-probabilities; a single model of it may still refuse them."""
    return KNOWN_PROVIDERS[parse_model_name(name).provider].gives_logprobs


def rates_given_texts(name: str) -> bool:
    """Whether the provider can say how likely each token of a given text is; a single server may still not."""
    return KNOWN_PROVIDERS[parse_model_name(name).provider].rates_given


def answers_questions(name: str) -> bool:
    return KNOWN_PROVIDERS[parse_model_name(name).provider].answers


def describe_models(credentials: Credentials, prices: PriceList | None = None) -> list[ModelInfo]:
    """What can be used and what it costs: the built-in models, then every model with a known price."""
    known = prices or shipped_prices()
    names = ["rules", "replay:FILE", *known.prices]
    if not any(name.startswith("llama:") for name in known.prices):
        names.append("llama:NAME")
    names.append("local:NAME")
    return [_describe(name, credentials, known) for name in names]


def _describe(name: str, credentials: Credentials, prices: PriceList) -> ModelInfo:
    provider = parse_model_name(name).provider
    access = credentials.of(provider)
    obstacle = credentials_problem(provider, credentials)
    price = prices.of(name)
    return ModelInfo(name, provider, access.key is not None, access.source, price, obstacle, _NOTES.get(provider, ""))


def _open_over_http(name: ModelName, credentials: Credentials, timeout: float) -> ChatModel:
    reached = endpoint(KNOWN_PROVIDERS[name.provider], credentials.of(name.provider))
    match name.provider:
        case "anthropic":
            from app.providers import anthropic_adapter  # noqa: PLC0415

            return anthropic_adapter.open_model(name, reached, timeout)
        case "google":
            from app.providers import google_adapter  # noqa: PLC0415

            return google_adapter.open_model(name, reached, timeout)
        case "llama":
            from app.providers import compatible  # noqa: PLC0415

            return compatible.open_model(name, reached, timeout)
        case _:
            from app.providers import openai_adapter  # noqa: PLC0415

            return openai_adapter.open_model(name, reached, timeout)
