"""The providers, one spec each."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from app.errors import UnknownModelError

NO_MODEL = re.compile(r"(?!)")
ALL_MODELS = re.compile(r"")

CachedFrom = tuple[tuple[re.Pattern[str], int], ...]
JsonForm = Literal["json_schema", "json_object_schema", "json_object", "prompt"]
"""json_schema: the API's own schema mode; json_object_schema, json_object: its JSON mode, with the schema beside or
alone; prompt: in words only."""
Efforts = tuple[tuple[re.Pattern[str], tuple[str, ...]], ...]


@dataclass(frozen=True, slots=True)
class ModelTraits:
    """Traits of a provider's models by their names. Patterns match the beginning of a name.

    no_temperature: refuse a temperature; a missing pattern costs one refused request.
    no_logprobs: refuse log-probabilities although the provider's API has them.
    cache_mark: take a mark at the end of what the provider's prompt cache should store.
    cached_from: tokens that requests must have in common at their beginning for the provider's prompt cache, by the
    first matching pattern; models without one aren't cached.
    beta: are only in the provider's beta API. Others are found there when the normal API lacks them.
    reasons_unasked: reason without being told to.
    efforts: the reasoning efforts taken, by the first matching pattern, none for models that don't reason; for other
    models the provider refuses a wrong effort before anything is paid.
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

    path: after the address. key_header, key_before: the header of the key, and what precedes the key there. more:
    further headers. items, named, dated, ends: the fields of the list, a model's name, its day and its last day; "" for
    no day. abilities: the field with what a model can do, a list or yes and no by name, and ability: what it must be
    able to; "" where the list doesn't say.
    """

    path: str
    key_header: str
    key_before: str = ""
    more: tuple[tuple[str, str], ...] = ()
    items: str = "data"
    named: str = "id"
    dated: str = ""
    ends: str = ""
    abilities: str = ""
    ability: str = ""


@dataclass(frozen=True, slots=True)
class ProviderSpec:
    """A provider of models.

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
    colon_in_names: whether its models' own names may hold one. tags: what follows it there and is no vendor's model,
        which tells mistral:7b from a model of a vendor with that prefix.
    by_path: what a model is that may be named by its path in the file system; "" for none.

    key_variables: variables of the environment with the key; the first is the one that people are told.
    default_url: the vendor's address; None where there is none and the person must give one, as in example_url.
    api_path: belongs behind an address without a path.
    unknown_model_hint: what to do where it knows no such model.

    gives_logprobs: whether its API can return log-probabilities (a single model of it may still refuse).
    rates_given: whether it can say how likely each token of a given text is.
    answers: whether it can be asked anything else.
    asked: whether it can be asked at all, and so is offered; who can't only gave answers that came as a file.
    charges: whether calls may cost something. priced_as: what genai-prices calls the vendor, "" for servers
        with prices of their own.
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
    tags: re.Pattern[str] = NO_MODEL
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
        """The name that lists show for a model of unknown name."""
        return f"{self.prefix}:{self.placeholder}" if self.placeholder else self.prefix


# The one server whose models nobody knows until it is asked.
OWN = "llama"

EXAMPLE = "openai:gpt-6-luna"
"""The model named in defaults, help and messages."""

# OpenAI's that reason unless they are told not to: they refuse a temperature and log-probabilities.
_OPENAI_REASONERS = re.compile(r"o\d|gpt-5(?!\.[1-4](?!\d)|-chat)|gpt-([6-9]|\d\d)")

_OPENAI = ProviderSpec(
    "openai",
    "OpenAI",
    EXAMPLE,
    "app.providers.adapters.openai:open_model",
    key_variables=("OPENAI_API_KEY",),
    batcher="app.providers.batches.openai:OpenAIBatches",
    url_variable="OPENAI_BASE_URL",
    default_url="https://api.openai.com/v1",
    family=re.compile(r"gpt|chatgpt|o\d"),
    priced_as="openai",
    listing=VendorListing("models", "authorization", "Bearer ", dated="created", ends="shutdown_date"),
    sells_flex=True,
    limit_parameter="max_completion_tokens",
    models=ModelTraits(
        no_temperature=_OPENAI_REASONERS,
        no_logprobs=_OPENAI_REASONERS,
        # From GPT-5.6 on a breakpoint can be set (openai SDK 3.52, PromptCacheBreakpoint); before that caching is
        # automatic.
        cache_mark=re.compile(r"gpt-(5\.([6-9]|\d\d)|[6-9]|\d\d)"),
        cached_from=((ALL_MODELS, 1024),),  # developers.openai.com, prompt caching; November 2026
        reasons_unasked=re.compile(r"o\d|gpt-5(-|$)|gpt-5\.([5-9]|\d\d)|gpt-([6-9]|\d\d)"),
        efforts=(
            (re.compile(r"gpt-[34]|chatgpt|gpt-5-chat"), ()),
            (re.compile(r"gpt-5(-|$)"), ("minimal", "low", "medium", "high")),
            (re.compile(r"o\d"), ("low", "medium", "high")),
        ),
    ),
    embedder="app.providers.embeddings.openai:OpenAIEmbedder",
    embeddings=("text-embedding-3-small", "text-embedding-3-large"),
    transcribers=("gpt-transcribe",),
)

_ANTHROPIC = ProviderSpec(
    "anthropic",
    "Anthropic",
    "anthropic:claude-sonnet-5-5",
    "app.providers.adapters.anthropic:open_model",
    key_variables=("ANTHROPIC_API_KEY",),
    batcher="app.providers.batches.anthropic:AnthropicBatches",
    url_variable="ANTHROPIC_BASE_URL",
    default_url="https://api.anthropic.com",
    family=re.compile(r"claude"),
    priced_as="anthropic",
    listing=VendorListing(
        "v1/models?limit=1000", "x-api-key", more=(("anthropic-version", "2023-06-01"),), dated="created_at"
    ),
    gives_logprobs=False,
    models=ModelTraits(
        no_temperature=re.compile(r"claude-(opus|sonnet|haiku)-(4-([7-9]|\d\d)(?!\d)|[5-9])|claude-(fable|mythos)"),
        # platform.claude.com, prompt caching, and what others measured; November 2026. For models it doesn't name, the
        # usual number.
        cached_from=(
            (re.compile(r"claude-(opus-5(?![-.]?\d)|fable-5|mythos-5)"), 512),
            (re.compile(r"claude-(opus-4-[56]|haiku-4-5)(?!\d)"), 4096),
            (re.compile(r"claude-(opus-4-7(?!\d)|3(-5)?-haiku)"), 2048),
            (ALL_MODELS, 1024),
        ),
        reasons_unasked=re.compile(r"claude-(fable|mythos)|claude-(opus|sonnet|haiku)-[5-9]"),
        efforts=((re.compile(r"claude-(instant|2|3)"), ()), (ALL_MODELS, ("low", "medium", "high", "xhigh", "max"))),
    ),
)

_GOOGLE = ProviderSpec(
    "google",
    "Google",
    "google:gemini-3.8-flash",
    "app.providers.adapters.google:open_model",
    key_variables=("GOOGLE_API_KEY", "GEMINI_API_KEY"),
    batcher="app.providers.batches.google:GoogleBatches",
    url_variable="GOOGLE_GEMINI_BASE_URL",
    default_url="https://generativelanguage.googleapis.com/",
    family=re.compile(r"gemini|gemma"),
    priced_as="google",
    traced_as="gcp.gemini",
    listing=VendorListing(
        "v1beta/models?pageSize=1000",
        "x-goog-api-key",
        items="models",
        named="name",
        abilities="supportedGenerationMethods",
        ability="generateContent",
    ),
    sells_flex=True,
    models=ModelTraits(
        # Of Gemini's, only the 2.0 family gives them.
        no_logprobs=re.compile(r"gemini-(?!2\.0)"),
        # Previews and moving names.
        beta=re.compile(r".*(-preview\b|-latest$|-exp\b)"),
        # ai.google.dev, implicit caching; October 2026. Earlier models have none.
        cached_from=((re.compile(r"gemini-2\.5"), 2048), (re.compile(r"gemini-([3-9]|pro|flash)"), 4096)),
        reasons_unasked=re.compile(r"gemini-(2\.5-(pro|flash(?!-lite))|[3-9]|pro|flash)"),
        efforts=(
            (re.compile(r"gemini-(1|2\.0)|gemma"), ()),
            (re.compile(r"gemini-2\.5"), ("none", "minimal", "low", "medium", "high")),
            (ALL_MODELS, ("minimal", "low", "medium", "high", "xhigh")),
        ),
    ),
    embedder="app.providers.embeddings.google:GoogleEmbedder",
    embeddings=("gemini-embedding-001",),
)

_MISTRAL = ProviderSpec(
    "mistral",
    "Mistral",
    "mistral:mistral-large-4",
    "app.providers.adapters.mistral:open_model",
    key_variables=("MISTRAL_API_KEY",),
    url_variable="MISTRAL_BASE_URL",
    default_url="https://api.mistral.ai/v1",
    family=re.compile(r"(open-|labs-)?(mi(ni)?stral|magistral|codestral|devstral|mixtral|pixtral|voxtral)"),
    priced_as="mistral",
    traced_as="mistral_ai",
    listing=VendorListing(
        "models",
        "authorization",
        "Bearer ",
        dated="created",
        ends="deprecation",
        abilities="capabilities",
        ability="completion_chat",
    ),
    gives_logprobs=False,
    json_forms=("json_schema", "json_object", "prompt"),
    models=ModelTraits(
        cached_from=((ALL_MODELS, 64),),  # docs.mistral.ai, prompt caching; August 2026
        reasons_unasked=re.compile(r"magistral|mistral-large-4"),
        # docs.mistral.ai, reasoning; August 2026. Of what came before 2026 only Magistral reasons.
        efforts=(
            (re.compile(r"open-|(?!magistral).*-2[3-5]\d\d$"), ()),
            (re.compile(r"mistral-(small-2603|medium-(3[.-]5|2604))$"), ("none", "high")),
        ),
    ),
    embedder="app.providers.embeddings.openai:CompatibleEmbedder",
    embeddings=("mistral-embed",),
)

_LLAMA = ProviderSpec(
    OWN,
    "The Llama endpoint",
    "llama:llama3.1",
    "app.providers.adapters.compatible:open_model",
    needs_key=False,
    key_variables=("LLAMA_API_KEY",),
    url_variable="LLAMA_BASE_URL",
    example_url="http://localhost:11434/v1 for Ollama",
    api_path="/v1",  # vLLM, Ollama and llama.cpp all serve the API below it; people give the server's bare address
    unknown_model_hint="Check which models the server offers (ollama list) and the address in LLAMA_BASE_URL.",
    note="Any model your endpoint serves.",
    family=re.compile(r"llama|qwen|mistral|mixtral|deepseek|phi"),
    colon_in_names=True,  # Ollama's: llama3.1:8b
    tags=re.compile(r"latest$|\d+(\.\d+)?(x\d+)?[bm](-|$)|v\d|(instruct|text|chat)(-|$)"),
    rates_given=True,
    json_forms=("json_schema", "json_object_schema", "json_object", "prompt"),
    lister="app.providers.adapters.compatible:list_models",
)

_RULES = ProviderSpec(
    "rules",
    "Rules",
    "rules",
    "app.rules:open_model",
    speaks_http=False,
    needs_key=False,
    placeholder="",
    note="Text rules, not an LLM; needs no key.",
    gives_logprobs=False,
    charges=False,
    models=ModelTraits(efforts=((ALL_MODELS, ()),)),
)

_REPLAY = ProviderSpec(
    "replay",
    "Replay",
    "replay:calls.jsonl",
    "app.providers.adapters.replay:open_model",
    speaks_http=False,
    needs_key=False,
    placeholder="FILE",
    note="Answers from recorded calls in a file; needs no key.",
    by_path="recording",
    rates_given=True,
    charges=False,
)

_LOCAL = ProviderSpec(
    "local",
    "A model on this computer",
    "local:gpt2",
    "app.providers.adapters.local:open_model",
    speaks_http=False,
    needs_key=False,
    note="A folder or downloaded model on this computer (extra “local”); for gptscore only.",
    by_path="model",
    gives_logprobs=False,
    rates_given=True,
    answers=False,
    models=ModelTraits(efforts=((ALL_MODELS, ()),)),
)

_FILE = ProviderSpec(
    "file",
    "Answers from a file",
    "file:another-tool",
    "app.providers.adapters.reply_text:open_model",
    speaks_http=False,
    needs_key=False,
    note="Who gave answers that came in as a file; it can't be asked.",
    asked=False,
    gives_logprobs=False,
    charges=False,
    models=ModelTraits(efforts=((ALL_MODELS, ()),)),
)

# By prefix, in the order of lists.
KNOWN_PROVIDERS: Mapping[str, ProviderSpec] = {
    spec.prefix: spec for spec in (_OPENAI, _ANTHROPIC, _GOOGLE, _MISTRAL, _LLAMA, _RULES, _REPLAY, _LOCAL, _FILE)
}


def spec_of(prefix: str) -> ProviderSpec:
    """Return the provider's spec. Raises UnknownModelError for an unknown prefix."""
    spec = KNOWN_PROVIDERS.get(prefix)
    if spec is None:
        raise UnknownModelError(f"'{prefix}' is not a provider.", provider_names())
    return spec


def traced_names(model: str) -> tuple[str, str]:
    """Return provider and model of provider:name, as the GenAI conventions name them."""
    prefix, _, name = model.partition(":")
    spec = KNOWN_PROVIDERS.get(prefix)
    return (spec.traced_as if spec and spec.traced_as else prefix), name or prefix


def network_providers() -> list[ProviderSpec]:
    """Return the providers that are reached over a network."""
    return [spec for spec in KNOWN_PROVIDERS.values() if spec.speaks_http]


def provider_names() -> str:
    """Return a hint that lists the providers."""
    names = (spec.prefix for spec in KNOWN_PROVIDERS.values() if spec.asked)
    return f"Models are written provider:name; the providers are {', '.join(names)}."
