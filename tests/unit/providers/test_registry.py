import asyncio
import subprocess
import sys

import pytest
from pydantic import SecretStr

from app.errors import MissingKeyError, UnknownModelError
from app.providers.credentials import Access, Credentials
from app.providers.registry import describe_models, expects_logprobs, gives_logprobs, open_model

KEY = "sk-Planted-KEY"


def test_no_sdk_is_imported_before_its_first_model_is_opened() -> None:
    script = (
        "import sys, app.providers.registry\n"
        "print([name for name in ('openai', 'anthropic', 'google.genai', 'httpx2') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("name", ["openai:gpt-4o", "anthropic:claude-opus-5", "google:gemini-3.8-flash"])
def test_a_model_without_a_key_is_not_opened(name: str) -> None:
    with pytest.raises(MissingKeyError):
        open_model(name, Credentials())


def test_a_name_nobody_knows_is_not_opened() -> None:
    with pytest.raises(UnknownModelError):
        open_model("gpt-4o", Credentials())


@pytest.mark.parametrize("name", ["openai:gpt-4o", "anthropic:claude-opus-5", "google:gemini-3.8-flash"])
def test_an_opened_model_shows_no_key(name: str) -> None:
    access = Access(SecretStr(KEY))
    model = open_model(name, Credentials({"openai": access, "anthropic": access, "google": access}))
    assert (model.name, model.is_llm) == (name, True)
    assert KEY not in repr(model) + str(vars(model))
    asyncio.run(model.aclose())


def test_rules_need_nothing() -> None:
    model = open_model("rules", Credentials())
    assert (model.name, model.is_llm) == ("rules", False)
    asyncio.run(model.aclose())


@pytest.mark.parametrize(
    ("name", "gives"),
    [
        ("openai:gpt-4o", True),
        ("google:x", True),
        ("llama:x", True),
        ("anthropic:x", False),
        ("mistral:x", False),
        ("rules", False),
    ],
)
def test_who_gives_log_probabilities(name: str, gives: bool) -> None:
    assert gives_logprobs(name) is gives


def test_the_list_says_what_is_set_and_what_is_missing() -> None:
    openai = Access(SecretStr(KEY), None, "the environment")
    described = {info.name: info for info in describe_models(Credentials({"openai": openai}))}
    usable = described["openai:gpt-4o"]
    assert (usable.key_set, usable.key_source, usable.obstacle) == (True, "the environment", "")
    assert usable.price is not None
    missing = described["anthropic:claude-opus-5"]
    assert (missing.key_set, missing.key_source) == (False, "")
    assert "ANTHROPIC_API_KEY" in missing.obstacle
    assert "not an LLM" in described["rules"].note
    assert described["rules"].price is not None
    assert "LLAMA_BASE_URL" in described["llama:NAME"].obstacle
    assert described["llama:NAME"].price is None
    assert KEY not in repr(described)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("openai:gpt-4o", True),
        ("openai:gpt-5.4", True),
        ("openai:gpt-6-sol", False),
        ("openai:o3", False),
        ("google:gemini-2.0-flash", True),
        ("google:gemini-3-flash", False),
        ("llama:qwen3:8b", True),
        ("anthropic:claude-sonnet-5-5", False),
    ],
)
def test_a_forecast_knows_which_models_refuse_log_probabilities(name: str, expected: bool) -> None:
    assert expects_logprobs(name) is expected
