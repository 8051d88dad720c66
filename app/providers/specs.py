"""The providers there are: one spec each."""

import re
from collections.abc import Mapping

from app.errors import UnknownModelError
from app.providers.provider_spec import ALL_MODELS, ModelTraits, ProviderSpec, VendorListing

# The one server whose models nobody knows until it is asked.
OWN = "llama"

# OpenAI's that reason unless they are told not to: they refuse a temperature and log-probabilities.
_OPENAI_REASONERS = re.compile(r"o\d|gpt-5(?!\.[1-4](?!\d)|-chat)|gpt-([6-9]|\d\d)")

_OPENAI = ProviderSpec(
    "openai",
    "OpenAI",
    "openai:gpt-4o",
    "app.providers.adapters.openai:open_model",
    key_variables=("OPENAI_API_KEY",),
    batcher="app.providers.batches.openai:OpenAIBatches",
    url_variable="OPENAI_BASE_URL",
    default_url="https://api.openai.com/v1",
    family=re.compile(r"gpt|chatgpt|o\d"),
    priced_as="openai",
    listing=VendorListing("models", "authorization", "Bearer ", dated="created"),
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
    transcribers=("gpt-4o-transcribe", "whisper-1"),
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
        efforts=(
            (re.compile(r"claude-(instant|2|3)"), ()),
            (ALL_MODELS, ("low", "medium", "high", "xhigh", "max")),
        ),
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
    listing=VendorListing("v1beta/models?pageSize=1000", "x-goog-api-key", items="models", named="name"),
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
    rates_given=True,
    json_forms=("json_schema", "json_object_schema", "json_object", "prompt"),
    lister="app.providers.adapters.model_list:list_models",
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
    "app.providers.adapters.answered:open_model",
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
    spec.prefix: spec for spec in (_OPENAI, _ANTHROPIC, _GOOGLE, _LLAMA, _RULES, _REPLAY, _LOCAL, _FILE)
}


def spec_of(prefix: str) -> ProviderSpec:
    """Raises UnknownModelError where there is no such provider."""
    spec = KNOWN_PROVIDERS.get(prefix)
    if spec is None:
        raise UnknownModelError(f"'{prefix}' is not a provider.", provider_names())
    return spec


def traced_names(model: str) -> tuple[str, str]:
    """Provider and model as the GenAI conventions call them, of provider:name."""
    prefix, _, name = model.partition(":")
    spec = KNOWN_PROVIDERS.get(prefix)
    return (spec.traced_as if spec and spec.traced_as else prefix), name or prefix


def network_providers() -> list[ProviderSpec]:
    """Those that are reached over a network."""
    return [spec for spec in KNOWN_PROVIDERS.values() if spec.speaks_http]


def provider_names() -> str:
    """The hint for who named none of them."""
    names = (spec.prefix for spec in KNOWN_PROVIDERS.values() if spec.asked)
    return f"Models are written provider:name; the providers are {', '.join(names)}."
