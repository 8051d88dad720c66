"""ProviderSpec: everything the program knows of a provider beforehand, beside its adapter."""

import re
from dataclasses import dataclass
from typing import Literal

NO_MODEL = re.compile(r"(?!)")
ALL_MODELS = re.compile(r"")

CachedFrom = tuple[tuple[re.Pattern[str], int], ...]
JsonForm = Literal["json_schema", "json_object_schema", "json_object", "prompt"]
"""json_schema: the API's own schema mode; json_object_schema, json_object: its JSON mode, with the schema beside or
alone; prompt: in words only."""
Efforts = tuple[tuple[re.Pattern[str], tuple[str, ...]], ...]


@dataclass(frozen=True, slots=True)
class ModelTraits:
    """What the names of a provider's models tell. Patterns are matched from the beginning of a name.

    no_temperature: refuse a temperature; one missing here costs a single refused request.
    no_logprobs: refuse log-probabilities although the provider's API has them.
    cache_mark: take a mark at the end of what the provider's prompt cache is to keep.
    cached_from: tokens that must be the same at the beginning before the provider's prompt cache keeps them, by the
        first pattern that matches; models without one aren't cached.
    beta: are only in the beta version of the provider's API. What else is turns out when the other version lacks it.
    reasons_unasked: reason without being told to.
    efforts: the reasoning efforts that are taken, by the first pattern that matches, none for models that don't
        reason; of all others the provider is asked, and refuses before anything is paid.
    """

    no_temperature: re.Pattern[str] = NO_MODEL
    no_logprobs: re.Pattern[str] = NO_MODEL
    cache_mark: re.Pattern[str] = NO_MODEL
    cached_from: CachedFrom = ()
    beta: re.Pattern[str] = NO_MODEL
    reasons_unasked: re.Pattern[str] = NO_MODEL
    efforts: Efforts = ()


@dataclass(frozen=True, slots=True)
class VendorListing:
    """Where a vendor lists the models that a key can use.

    path: behind the address. key_header, key_before: the header with the key, and what stands before it there. more:
    further headers. items, named, dated: how the list, a model's name and its day are called; "" for no day.
    """

    path: str
    key_header: str
    key_before: str = ""
    more: tuple[tuple[str, str], ...] = ()
    items: str = "data"
    named: str = "id"
    dated: str = ""


@dataclass(frozen=True, slots=True)
class ProviderSpec:
    """Where models come from.

    What opens them is named as "module:function", so that an SDK is imported when its first model is opened.

    opener: gives the ChatModel for (ModelName, Endpoint, seconds for a request, most tokens of an answer or None), of a
        provider that doesn't speak HTTP for the ModelName alone.
    embedder, lister: the same for embeddings, as (ModelName, Endpoint), and for the list of the models that a server
        has, as (ProviderSpec, Endpoint, seconds); "" where there is none.

    listing: where a vendor that is no server of one's own lists its models; None where it doesn't.

    example: a model of it, by its full name; the one that choices start with.
    placeholder: what lists say for the model where nobody knows the names; "" for a provider written without a model.
    note: what to know about it, shown beside the placeholder.
    family: what its models are called, for people who write a name without the provider.
    colon_in_names: whether its models' own names may hold one.
    by_path: what a model is that may be named by its path in the file system; "" for none.

    key_variables: variables of the environment with the key; the first is the one that people are told.
    default_url: the vendor's address; None where there is none and the person must give one, as in example_url.
    api_path: belongs behind an address without a path.
    unknown_model_hint: what to do where it knows no such model.

    gives_logprobs: whether its API can return log-probabilities (a single model of it may still refuse).
    rates_given: whether it can say how likely each token of a given text is.
    answers: whether it can be asked anything else.
    asked: whether it can be asked at all, and so is offered; who can't only gave answers that came as a file.
    charges: whether calls may cost something. priced_as: what genai-prices calls the vendor, "" for whoever serves
        models at prices of their own.
    traced_as: what OpenTelemetry's GenAI conventions call it, "" where that is the prefix.
    sells_flex: whether it has a slower tier of that name at a lower price; a single model of it may be without.
    batcher: gives the Batches for an adapter's Wire: many requests, handed in at once, answered later at a lower price;
        "" where the provider has none.
    json_forms: how JSON can be asked for, in the order in which forms are tried after one is refused.
    limit_parameter: what an API of OpenAI's style calls the most tokens of an answer.
    embeddings, transcribers: models for these at the time of writing; others can be named as well.
    """

    prefix: str
    title: str
    example: str
    opener: str
    speaks_http: bool = True
    needs_key: bool = True
    key_variables: tuple[str, ...] = ()
    url_variable: str = ""
    default_url: str | None = None
    example_url: str = ""
    api_path: str = ""
    unknown_model_hint: str = "Check the model's name and whether your key may use it."
    placeholder: str = "NAME"
    note: str = ""
    family: re.Pattern[str] = NO_MODEL
    colon_in_names: bool = False
    by_path: Literal["", "recording", "model"] = ""
    gives_logprobs: bool = True
    rates_given: bool = False
    answers: bool = True
    asked: bool = True
    charges: bool = True
    priced_as: str = ""
    traced_as: str = ""
    sells_flex: bool = False
    batcher: str = ""
    limit_parameter: Literal["max_completion_tokens", "max_tokens"] = "max_tokens"
    json_forms: tuple[JsonForm, ...] = ("json_schema", "prompt")
    models: ModelTraits = ModelTraits()
    embedder: str = ""
    embeddings: tuple[str, ...] = ()
    transcribers: tuple[str, ...] = ()
    lister: str = ""
    listing: VendorListing | None = None

    @property
    def key_variable(self) -> str:
        return self.key_variables[0] if self.key_variables else ""

    @property
    def listed_as(self) -> str:
        """How lists write a model of it whose name nobody knows."""
        return f"{self.prefix}:{self.placeholder}" if self.placeholder else self.prefix
