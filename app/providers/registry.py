"""From a name a person writes to a model that answers. An SDK is imported when its first model is opened."""

import re
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pkgutil import resolve_name

from app.providers.adapters.calling import DEFAULT_TIMEOUT
from app.providers.base import ChatModel
from app.providers.credentials import Credentials, Endpoint, credentials_problem, endpoint
from app.providers.model_files import recording_path
from app.providers.model_name import KNOWN_PROVIDERS, ModelName, parse_model_name
from app.providers.model_purpose import chats
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
    "replay:FILE": "Answers from recorded calls in a file; needs no key.",
    "llama:NAME": "Any model your endpoint serves.",
    "local:NAME": "A folder or downloaded model on this computer (extra “local”); for gptscore only.",
}


# Of the one server whose models nobody knows until it is asked.
OWN = "llama"
LIST_SECONDS = 3.0

# Models that reason unless they are told not to refuse them; of Gemini's, only the 2.0 family gives them.
_REFUSE_LOGPROBS = {
    "openai": re.compile(r"o\d|gpt-5(?!\.[1-4](?!\d)|-chat)|gpt-([6-9]|\d\d)"),
    "google": re.compile(r"gemini-(?!2\.0)"),
}
_Open = Callable[[ModelName, Endpoint, float, int | None], ChatModel]
# SDKs share modules; imported by several threads at once, one can see another's half made.
_importing = threading.Lock()


def open_model(
    name: str, credentials: Credentials, timeout: float = DEFAULT_TIMEOUT, most_output: int | None = None
) -> ChatModel:
    """A model ready to answer; close it with `aclose`.

    timeout: seconds for one request. most_output: tokens an answer may take at most; None for as many as it gives.

    Raises UnknownModelError, MissingKeyError, MissingAddressError, WrongKeyError, InputError; for replay NotFoundError
    or FileFormatError, for local NotReadyError.
    """
    parsed = parse_model_name(name)
    if parsed.provider == "rules":
        rules: ChatModel = resolve_name("app.rules:RulesModel")()
        return rules
    if parsed.provider == "replay":
        from app.providers.adapters.replay import ReplayModel  # noqa: PLC0415

        return ReplayModel(recording_path(parsed.model), str(parsed))
    if parsed.provider == "local":
        from app.providers.adapters.local import LocalModel  # noqa: PLC0415

        return LocalModel(parsed)
    return _open_over_http(parsed, credentials, timeout, most_output)


def gives_logprobs(name: str) -> bool:
    """Whether the provider's API can return log-probabilities; a single model of it may still refuse them."""
    return KNOWN_PROVIDERS[parse_model_name(name).provider].gives_logprobs


def expects_logprobs(name: str) -> bool:
    """Whether this model is likely to give them, for forecasts; whether it does turns out when it is asked."""
    parsed = parse_model_name(name)
    refuses = _REFUSE_LOGPROBS.get(parsed.provider)
    return gives_logprobs(name) and not (refuses and refuses.match(parsed.model))


def rates_given_texts(name: str) -> bool:
    """Whether the provider can say how likely each token of a given text is; a single server may still not."""
    return KNOWN_PROVIDERS[parse_model_name(name).provider].rates_given


def answers_questions(name: str) -> bool:
    return KNOWN_PROVIDERS[parse_model_name(name).provider].answers


def describe_models(
    credentials: Credentials, prices: PriceList | None = None, served: Sequence[str] = ()
) -> list[ModelInfo]:
    """What can be used and what it costs: the built-in models, then every model with a known price.

    served: the models that the person's own server lists, as llama:NAME.
    """
    known = prices or shipped_prices()
    own = list(served)
    if not own and not any(name.startswith(f"{OWN}:") for name in known.prices):
        own = [f"{OWN}:NAME"]
    names = dict.fromkeys(["rules", "replay:FILE", *known.prices, *own, "local:NAME"])
    return [_describe(name, credentials, known) for name in names]


def _describe(name: str, credentials: Credentials, prices: PriceList) -> ModelInfo:
    provider = parse_model_name(name).provider
    access = credentials.of(provider)
    obstacle = credentials_problem(provider, credentials)
    price = prices.of(name)
    note = _NOTES.get(name, "") if name in _NOTES or chats(name) else "Not for questions, going by its name."
    return ModelInfo(name, provider, access.key is not None, access.source, price, obstacle, note)


async def served_names(credentials: Credentials, timeout: float = LIST_SECONDS) -> list[str]:
    """What the person's own server calls its models. Raises a ProviderError that says why it gives no list."""
    provider = KNOWN_PROVIDERS[OWN]
    reached = endpoint(provider, credentials.of(OWN))
    with _importing:
        from app.providers.adapters.model_list import list_models  # noqa: PLC0415
    return await list_models(provider, reached, timeout)


def import_sdk(prefix: str) -> None:
    """Ahead of the provider's first model: 0.5 to 1.5 seconds of a processor, and more the first time ever."""
    _opener(prefix)


def _open_over_http(name: ModelName, credentials: Credentials, timeout: float, most_output: int | None) -> ChatModel:
    reached = endpoint(KNOWN_PROVIDERS[name.provider], credentials.of(name.provider))
    return _opener(name.provider)(name, reached, timeout, most_output)


def _opener(prefix: str) -> _Open:
    """What opens a provider's models; its SDK is imported here."""
    with _importing:
        match prefix:
            case "anthropic":
                from app.providers.adapters import anthropic  # noqa: PLC0415

                return anthropic.open_model
            case "google":
                from app.providers.adapters import google  # noqa: PLC0415

                return google.open_model
            case "llama":
                from app.providers.adapters import compatible  # noqa: PLC0415

                return compatible.open_model
            case _:
                from app.providers.adapters import openai  # noqa: PLC0415

                return openai.open_model
