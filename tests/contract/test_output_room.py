"""Room for reasoning, effort and addresses, against a strict server of today."""

import asyncio

import pytest

from app.domain.model_call import RenderedPrompt
from app.errors import CutOffError, EffortError, ProviderError, UnknownModelError, WrongAddressError
from app.providers.base import ChatReply, ChatRequest
from app.providers.registry import open_model
from app.providers.structured import ask
from tests.support.modern_vendors import ModernVendors

REASONERS = [
    "openai:gpt-6-luna",
    "anthropic:claude-sonnet-5-5",
    "google:gemini-3.8-flash",
    "mistral:mistral-large-4",
    "llama:qwen3.6:8b",
]
SCHEMA = {
    "type": "object",
    "properties": {"q1": {"type": "string", "enum": ["yes", "no"]}},
    "required": ["q1"],
    "additionalProperties": False,
}


def request(text: str = "A text.", system: str = "You judge.", **changes: object) -> ChatRequest:
    prompt = RenderedPrompt("judge", 1, "d", system, text, {})
    return ChatRequest(prompt, SCHEMA, **changes)  # type: ignore[arg-type]


def answers(
    modern: ModernVendors, name: str, options: str, *requests: ChatRequest, most_output: int | None = None
) -> list[ChatReply]:
    """One after another, through one client."""

    async def run() -> list[ChatReply]:
        model = open_model(name, modern.credentials(options), most_output=most_output)
        try:
            return [(await ask(model, each)).reply for each in requests]
        finally:
            await model.aclose()

    return asyncio.run(run())


@pytest.mark.parametrize("name", REASONERS)
def test_twenty_thousand_tokens_of_reasoning_need_one_request(modern: ModernVendors, name: str) -> None:
    options = f"think=20000,a-{name[:6]}"
    answers(modern, name, options, request())
    assert modern.state(options)["ok"] == 1
    assert modern.state(options)["truncated"] == 0


@pytest.mark.parametrize("name", ["openai:gpt-6-luna", "anthropic:claude-sonnet-5-5", "llama:qwen3.6:8b"])
def test_a_text_that_was_cut_off_teaches_the_next(modern: ModernVendors, name: str) -> None:
    options = f"think=50000,b-{name[:6]}"
    answers(modern, name, options, *(request(f"Text {n}.") for n in range(5)))
    state = modern.state(options)
    assert (state["ok"], state["truncated"]) == (6, 1)


@pytest.mark.parametrize("name", REASONERS)
def test_a_persons_own_limit_is_kept_to_and_paid_once(modern: ModernVendors, name: str) -> None:
    options = f"think=6000,c-{name[:6]}"
    with pytest.raises(CutOffError, match=r"limit of 2,000 output tokens.*--max-output-tokens"):
        answers(modern, name, options, request(), most_output=2000)
    assert modern.state(options)["billed"]["output"] == 2000


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("openai:gpt-4o", "think=9000,d"),
        ("anthropic:claude-haiku-4-5", "think=60000,d"),
        ("llama:qwen3.6:8b", "vllm,ctx=8192,d"),
        ("llama:qwen3.6:8b", "vllm,ctx=2048,d"),
    ],
)
def test_a_smaller_limit_of_the_model_is_learned_before_anything_is_paid(
    modern: ModernVendors, name: str, options: str
) -> None:
    answers(modern, name, options, *(request(f"Text {n}. " + "word " * 100 * n) for n in range(8)))
    state = modern.state(options)
    assert sum(state["refused"].values()) <= 3, "learned once, not for each text"
    assert state["truncated"] <= 1


@pytest.mark.parametrize(
    ("name", "effort", "sent"),
    [
        ("openai:gpt-6-luna", "low", {"reasoning_effort": "low"}),
        ("openai:o3", "high", {"reasoning_effort": "high"}),
        ("anthropic:claude-sonnet-5-5", "low", {"effort": "low"}),
        ("google:gemini-3.8-flash", "low", {"thinkingLevel": "LOW"}),
        ("google:gemini-2.5-flash", "none", {"thinkingBudget": 0}),
        ("llama:qwen3.6:8b", "low", {"reasoning_effort": "low"}),
        ("mistral:mistral-large-4", "medium", {"reasoning_effort": "medium"}),
        ("mistral:mistral-medium-3-5", "high", {"reasoning_effort": "high"}),
    ],
)
def test_the_effort_goes_where_each_api_has_it(
    modern: ModernVendors, name: str, effort: str, sent: dict[str, object]
) -> None:
    options = f"plain,e-{name.replace(':', '-')}"
    answers(modern, name, options, request(effort=effort))
    body = modern.bodies(options)[-1]
    places = [body, body.get("output_config", {}), body.get("generationConfig", {}).get("thinkingConfig", {})]
    assert any(sent.items() <= place.items() for place in places)
    assert modern.state(options)["refused"] == {}


@pytest.mark.parametrize(
    ("name", "effort", "said"),
    [
        ("openai:gpt-6.2-astra", "none", "takes low, medium, high, xhigh"),
        ("openai:gpt-4o", "low", "leave it out"),
        ("anthropic:claude-sonnet-5-5", "minimal", "takes low, medium, high, xhigh, max"),
        ("google:gemini-3.8-flash", "minimal", "doesn't take the effort"),
        ("google:gemini-3.8-flash", "max", "takes minimal, low"),
        ("mistral:mistral-small-latest", "medium", "takes none, high"),
        ("mistral:mistral-large-2512", "high", "leave it out"),
    ],
)
def test_a_refused_effort_says_so_and_costs_nothing(modern: ModernVendors, name: str, effort: str, said: str) -> None:
    options = f"plain,f-{name.replace(':', '-')}-{effort}"
    with pytest.raises(EffortError, match=said):
        answers(modern, name, options, request(effort=effort))
    assert modern.state(options).get("billed", {"output": 0})["output"] == 0


@pytest.mark.parametrize(
    "name", ["google:gemini-3-pro-preview", "google:gemini-flash-latest", "google:gemini-3.8-flash"]
)
def test_names_that_exist_only_in_the_beta_version_are_asked_there(modern: ModernVendors, name: str) -> None:
    options = "v1beta,g-" + name[7:]
    answers(modern, name, options, request(), request("Another text."))
    assert modern.state(options)["ok"] == 2
    assert sum(modern.state(options)["refused"].values()) <= 1


def test_a_name_that_exists_nowhere_is_still_unknown(modern: ModernVendors) -> None:
    with pytest.raises(UnknownModelError, match="offers no model gemini-99"):
        answers(modern, "google:gemini-99", "plain,h", request())


@pytest.mark.parametrize("name", REASONERS)
def test_a_wrong_address_is_named(modern: ModernVendors, name: str) -> None:
    # Below a path that the server doesn't have.
    with pytest.raises(WrongAddressError, match=rf"404 at {modern.url}/plain/.*is the address right"):
        answers(modern, name, "plain/elsewhere", request())


@pytest.mark.parametrize("name", REASONERS)
def test_an_address_where_nobody_answers_is_named(name: str) -> None:
    nobody = ModernVendors("http://127.0.0.1:9")
    with pytest.raises(ProviderError, match=r"127\.0\.0\.1:9"):
        answers(nobody, name, "plain", request())
