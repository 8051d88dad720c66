"""The models that vendors say a key may use: what is offered, in which order, and how asking fails."""

import json
from datetime import date

import pytest
from pydantic import SecretStr

from app.errors import (
    ConnectionFailedError,
    OverloadedError,
    ProviderError,
    TransientError,
    UnsupportedError,
    WrongKeyError,
)
from app.providers.adapters.vendor_models import models_in
from app.providers.credentials import Access, Credentials
from app.providers.known_prices import end_of
from app.providers.registry import sold_names
from app.providers.specs import KNOWN_PROVIDERS
from tests.contract.test_errors import assert_silent
from tests.support.adapter_cases import KEY
from tests.support.fake_llm.behaviour import Raw, Status
from tests.support.fake_llm.server import FakeLlm

OPENAI = [("gpt-4o", 10), ("gpt-6-sol", 50), ("gpt-4o-2024-11-20", 20), ("gpt-5.9-2026-01-01", 40), ("o3", 30),
          ("whisper-1", 90), ("gpt-realtime-2", 91), ("text-embedding-3-small", 92), ("gpt-image-2", 93)]  # fmt: skip


def sold(server: FakeLlm, prefix: str, path: str = "") -> list[str]:
    return sold_names(prefix, Credentials({prefix: Access(SecretStr(KEY), server.url + path)}), 20.0)


def listing(server: FakeLlm, document: object) -> None:
    server.listing = Raw(json.dumps(document).encode())


def test_openais_by_day_without_snapshots_of_what_is_there_and_what_answers_no_questions(server: FakeLlm) -> None:
    listing(server, {"object": "list", "data": [{"id": name, "created": day} for name, day in OPENAI]})
    assert sold(server, "openai", "/v1") == [
        "openai:gpt-6-sol", "openai:gpt-5.9-2026-01-01", "openai:o3", "openai:gpt-4o",
    ]  # fmt: skip
    (asked,) = server.looks
    assert (asked.path, asked.headers["authorization"]) == ("/v1/models", f"Bearer {KEY}")


def test_anthropics_by_day(server: FakeLlm) -> None:
    days = {"claude-haiku-4-5-20251001": "2025-10-15", "claude-opus-5-5": "2026-10-01", "claude-sonnet-5": "2026-06-01"}
    listing(server, {"data": [{"id": name, "created_at": f"{day}T00:00:00Z"} for name, day in days.items()]})
    assert sold(server, "anthropic") == [
        "anthropic:claude-opus-5-5", "anthropic:claude-sonnet-5", "anthropic:claude-haiku-4-5-20251001",
    ]  # fmt: skip
    (asked,) = server.looks
    assert (asked.headers["x-api-key"], asked.headers["anthropic-version"]) == (KEY, "2023-06-01")


def test_googles_by_generation_where_no_day_is_said() -> None:
    google = KNOWN_PROVIDERS["google"].listing
    assert google is not None
    can = {"supportedGenerationMethods": ["generateContent", "countTokens"]}
    models = [{"name": f"models/gemini-{n}", **can} for n in ("2.5-pro", "4-argon", "3.8-flash", "3.8-flash")]
    models += [{"name": "models/text-embedding-004", "supportedGenerationMethods": ["embedContent"]}, {"name": 7}, {}]
    assert models_in(google, {"models": models}) == ["gemini-4-argon", "gemini-3.8-flash", "gemini-2.5-pro"]
    assert models_in(google, {"data": []}) is None


def test_mistrals_that_chat_by_generation_where_all_have_one_day(server: FakeLlm) -> None:
    names = ("mistral-embed", "mistral-ocr-4-1", "mistral-medium-3-5", "mistral-small-2603", "mistral-large-4", "glm-5")
    chats = {"mistral-ocr-4-1": False, "mistral-embed": False}
    models = [{"id": name, "created": 7, "capabilities": {"completion_chat": chats.get(name, True)}} for name in names]
    models[3]["deprecation"] = "2027-05-31T12:00:00Z"
    listing(server, {"object": "list", "data": models})
    assert sold(server, "mistral", "/mistral/v1") == [
        "mistral:mistral-large-4", "mistral:mistral-medium-3-5", "mistral:mistral-small-2603",
    ]  # fmt: skip
    end = end_of("mistral:mistral-small-2603")
    assert end is not None
    assert end.day == date(2027, 5, 31)


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (Status(401), WrongKeyError),
        (Status(503), OverloadedError),
        (Status(404), UnsupportedError),
        (Raw(b"<html>"), TransientError),
        (Raw(b"[1]"), TransientError),
        (Raw(b'{"data": [{"id": "qwen3.6:8b"}, {"id": "text-embedding-3-small"}]}'), UnsupportedError),
    ],
)
def test_how_asking_fails(server: FakeLlm, answer: Raw | Status, error: type[ProviderError]) -> None:
    server.listing = answer
    with pytest.raises(error) as caught:
        sold(server, "openai", "/v1")
    assert_silent(caught.value, "")


def test_nobody_there() -> None:
    nobody = Credentials({"openai": Access(SecretStr(KEY), "http://127.0.0.1:9/v1")})
    with pytest.raises(ConnectionFailedError, match="OPENAI_BASE_URL") as caught:
        sold_names("openai", nobody, 5.0)
    assert_silent(caught.value, "")
