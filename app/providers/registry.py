"""The registry of models: from a name to an opened model. An SDK is imported when its first model is opened."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pkgutil import resolve_name
from typing import Any, Protocol, runtime_checkable

from app.errors import UnsupportedError
from app.providers.adapters.calling import DEFAULT_TIMEOUT, Wire
from app.providers.adapters.request_style import LearnedFacts, learned_at
from app.providers.base import ChatModel
from app.providers.batches.batch import Batches
from app.providers.credentials import ContextWindow, Credentials, LocalServer, credentials_problem, endpoint
from app.providers.known_prices import known_prices, today
from app.providers.model_name import chats, parse_model_name
from app.providers.pricing import Price, PriceList
from app.providers.specs import KNOWN_PROVIDERS, OWN, spec_of


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """An entry of the list of models. key_source: where the key comes from, in words; "" without one.

    price: None if unknown. obstacle: why it can't be used, "" if it can. note: further information.
    """

    name: str
    provider: str
    key_set: bool
    key_source: str
    price: Price | None
    obstacle: str = ""
    note: str = ""


@runtime_checkable
class WithWire(Protocol):
    """An adapter that gives access to its `Wire`, for batches."""

    def wire(self) -> Wire: ...


LIST_SECONDS = 3.0
# SDKs share modules; imported by several threads at once, one can see another's half made.
_importing = threading.Lock()


def open_model(
    name: str, credentials: Credentials, timeout: float = DEFAULT_TIMEOUT, most_output: int | None = None
) -> ChatModel:
    """Open a model; close it with `aclose`.

    timeout: seconds for one request. most_output: most tokens of an answer; None for the model's own limit.

    Raises UnknownModelError, MissingKeyError, MissingAddressError, WrongKeyError, InputError; for replay NotFoundError
    or FileFormatError, for local NotReadyError.
    """
    parsed = parse_model_name(name)
    spec = spec_of(parsed.provider)
    if not spec.speaks_http:
        built_in: ChatModel = resolve_name(spec.opener)(parsed)
        return built_in
    reached = endpoint(spec, credentials.of(spec.prefix))
    opened: ChatModel = imported(spec.opener)(parsed, reached, timeout, most_output)
    return opened


def gives_logprobs(name: str) -> bool:
    """Return whether the provider's API can return log-probabilities; some of its models may refuse them."""
    return spec_of(parse_model_name(name).provider).gives_logprobs


def expects_logprobs(name: str) -> bool:
    """Return whether this model probably gives log-probabilities, for forecasts; the first reply shows it."""
    parsed = parse_model_name(name)
    spec = spec_of(parsed.provider)
    return spec.gives_logprobs and not spec.models.no_logprobs.match(parsed.model)


def rates_given_texts(name: str) -> bool:
    """Return whether the provider can rate the tokens of given texts; a particular server may not."""
    return spec_of(parse_model_name(name).provider).rates_given


def sells_batches(name: str) -> bool:
    """Return whether its provider sells batches: many requests at once, answered later at a lower price."""
    return bool(spec_of(parse_model_name(name).provider).batcher)


def cached_from(name: str) -> int | None:
    """Return how many tokens requests must have in common at their beginning for the provider's cache; None if it has
    none, or the number is unknown."""
    found = parse_model_name(name)
    return next((least for of, least in spec_of(found.provider).models.cached_from if of.match(found.model)), None)


def open_batches(model: ChatModel) -> Batches:
    """Return the batches of an opened model. Raises UnsupportedError if its provider has none."""
    spec = spec_of(parse_model_name(model.name).provider)
    if not spec.batcher or not isinstance(model, WithWire):
        raise UnsupportedError(f"{model.name} takes no batches.")
    batches: Batches = imported(spec.batcher)(model.wire())
    return batches


def answers_questions(name: str) -> bool:
    return spec_of(parse_model_name(name).provider).answers


def describe_models(
    credentials: Credentials, prices: PriceList | None = None, served: Sequence[str] = (), day: date | None = None
) -> list[ModelInfo]:
    """Return what is known of `offered_models`, with their prices on a day, today by default."""
    known = prices or known_prices()
    day = day or today()
    return [_describe(name, credentials, known, day) for name in offered_models(known, served, day)]


def offered_models(prices: PriceList | None = None, served: Sequence[str] = (), day: date | None = None) -> list[str]:
    """Return the models that can be used: the built-in ones, then every model with a known price.

    served: the models that the person's own server lists, as llama:NAME. day: of the prices, today by default.
    """
    offered = [spec for spec in KNOWN_PROVIDERS.values() if spec.asked]
    free = [spec.listed_as for spec in offered if not spec.charges]
    named = [*(prices or known_prices()).names(day or today()), *served]
    with_names = {name.partition(":")[0] for name in [*free, *named]}
    unnamed = [spec.listed_as for spec in offered if spec.prefix not in with_names]
    return list(dict.fromkeys([*free, *named, *unnamed]))


def _describe(name: str, credentials: Credentials, prices: PriceList, day: date) -> ModelInfo:
    spec = spec_of(parse_model_name(name).provider)
    access = credentials.of(spec.prefix)
    obstacle = credentials_problem(spec.prefix, credentials)
    note = "" if chats(name) else "Not for questions, going by its name."
    note = spec.note if name == spec.listed_as else note
    return ModelInfo(name, spec.prefix, access.key is not None, access.source, prices.of(name, day), obstacle, note)


async def served_names(credentials: Credentials, timeout: float = LIST_SECONDS) -> list[str]:
    """Return the models that the person's own server lists. Raises a ProviderError if it gives no list."""
    spec = spec_of(OWN)
    reached = endpoint(spec, credentials.of(OWN))
    names: list[str] = await imported(spec.lister)(spec, reached, timeout)
    return names


LOOK_SECONDS = 1.5


async def local_servers_at(ports: Sequence[int], timeout: float = LOOK_SECONDS) -> list[LocalServer]:
    """Return the model servers at these ports of this computer."""
    found: list[LocalServer] = await imported(f"{_LOOK}:find_servers_at_ports")(ports, timeout)
    return found


async def served_context(name: str, credentials: Credentials, timeout: float = LOOK_SECONDS) -> ContextWindow | None:
    """Return how much a model of the person's own server reads; None if it doesn't say, and for other models."""
    parsed = parse_model_name(name)
    if parsed.provider != OWN or credentials_problem(OWN, credentials):
        return None
    reached = endpoint(spec_of(OWN), credentials.of(OWN))
    found: ContextWindow | None = await imported(f"{_LOOK}:context_window")(reached, parsed.model, timeout)
    return found


def learned_facts(prefix: str, credentials: Credentials) -> dict[str, LearnedFacts]:
    """Return model -> what this process has learned about it from the provider's server."""
    spec = spec_of(prefix)
    if credentials_problem(prefix, credentials):
        return {}
    return {
        name: facts
        for name, facts in learned_at(endpoint(spec, credentials.of(prefix)).base_url).items()
        if name.startswith(f"{prefix}:")
    }


_LOOK = "app.providers.adapters.model_servers"


def sold_names(prefix: str, credentials: Credentials, timeout: float) -> list[str]:
    """Return the models for questions that the key may use, as provider:name, newest first. Raises a ProviderError."""
    spec = spec_of(prefix)
    reached = endpoint(spec, credentials.of(prefix))
    names: list[str] = imported("app.providers.adapters.vendor_models:list_vendor_models")(spec, reached, timeout)
    return [f"{prefix}:{name}" for name in names]


def import_sdk(prefix: str) -> None:
    """Import the provider's SDK before its first model: 0.5 to 1.5 seconds of a processor, more the first time ever."""
    imported(spec_of(prefix).opener)


def imported(dotted: str) -> Any:
    """Return what "module:function" of a spec names; this imports an SDK."""
    with _importing:
        return resolve_name(dotted)
