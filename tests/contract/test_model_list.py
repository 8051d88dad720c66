"""The list of models that a server of one's own gives, through the real SDK: what comes back, and how it fails."""

import asyncio
import json

import pytest
from pydantic import SecretStr

from app.errors import (
    ConnectionFailedError,
    ModelTimeoutError,
    OverloadedError,
    ProviderError,
    TransientError,
    UnsupportedError,
    WrongKeyError,
)
from app.providers.credentials import Access, Credentials
from app.providers.registry import served_names
from app.settings import Settings
from tests.contract.test_errors import assert_silent
from tests.support.adapter_cases import KEY
from tests.support.fake_llm.behaviour import Behaviour, Drop, Fail, Raw, Slow, Status
from tests.support.fake_llm.server import FakeLlm


def listed(server: FakeLlm, key: str = KEY, timeout: float = 20.0) -> list[str]:
    credentials = Credentials({"llama": Access(SecretStr(key), server.url)})
    return asyncio.run(served_names(credentials, timeout))


def test_the_names_come_in_the_servers_order_each_once(server: FakeLlm) -> None:
    server.models = ("llama3.1:8b", "meta-llama/Llama-3.1-8B-Instruct", "/models/a b.gguf", "llama3.1:8b")
    assert listed(server) == ["llama3.1:8b", "meta-llama/Llama-3.1-8B-Instruct", "/models/a b.gguf"]
    (asked,) = server.looks
    assert (asked.path, asked.key) == ("/v1/models", KEY)
    assert server.requests == []


def test_a_server_without_a_key_is_sent_none_of_openais(server: FakeLlm, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-somebody-else")
    monkeypatch.setenv("OPENAI_ORG_ID", "org-of-somebody-else")
    listed(server, key="")
    assert "somebody-else" not in str(server.looks[0].headers)


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ({"object": "list", "data": []}, []),
        ({"object": "list", "data": None}, []),  # Ollama without a model
        ([{"id": "a"}, {"id": "b"}], ["a", "b"]),  # a gateway without the object around the list
        ({"models": [{"name": "a"}], "data": [{"id": "a", "meta": {"n_ctx": 1}}]}, ["a"]),  # llama.cpp
        ({"data": [{"id": 7}, {"id": " "}, {"id": "a\nb"}, {"id": "x" * 201}, "c", None, {"id": " d "}]}, ["d"]),
    ],
)
def test_what_servers_send(server: FakeLlm, body: object, names: list[str]) -> None:
    server.listing = Raw(json.dumps(body).encode())
    assert listed(server) == names


FAILURES: list[tuple[str, Behaviour, type[ProviderError], str]] = [
    ("401", Status(401), WrongKeyError, "refuses the key"),
    ("wrong-key", Fail("wrong-key"), WrongKeyError, "LLAMA_API_KEY"),
    ("403", Status(403), WrongKeyError, "refuses the key"),
    ("404", Status(404), UnsupportedError, "has no list of its models"),
    ("405", Status(405), UnsupportedError, "has no list of its models"),
    ("503", Status(503), OverloadedError, "not ready"),
    ("500", Status(500), ProviderError, "status 500"),
    ("429", Status(429), ProviderError, "status 429"),
    ("slow", Slow(5), ModelTimeoutError, "within 0.5 seconds"),
    ("dropped-at-once", Drop(), ConnectionFailedError, "LLAMA_BASE_URL"),
    ("dropped-in-the-middle", Drop(after_headers=True), ConnectionFailedError, "LLAMA_BASE_URL"),
    ("page", Raw(b"<html>a proxy's page</html>", "text/html"), TransientError, "no list of models"),
    ("broken", Raw(b'{"data": ['), TransientError, "no list of models"),
    ("null", Raw(b"null"), TransientError, "no list of models"),
    ("object", Raw(b'{"hello": "world"}'), TransientError, "no list of models"),
    ("text", Raw(b'{"data": "llama"}'), TransientError, "no list of models"),
    ("nameless", Raw(b'{"data": [{"id": 7}, "llama"]}'), TransientError, "no list of models"),
    ("empty", Raw(b""), TransientError, "no list of models"),
    ("bytes", Raw(b"\xff\xfe"), TransientError, "no list of models"),
]


@pytest.mark.parametrize(
    ("behaviour", "kind", "words"), [row[1:] for row in FAILURES], ids=[row[0] for row in FAILURES]
)
def test_failures_are_typed_asked_once_and_hold_no_key(
    server: FakeLlm, behaviour: Behaviour, kind: type[ProviderError], words: str, caplog: pytest.LogCaptureFixture
) -> None:
    server.listing = behaviour
    with caplog.at_level("DEBUG"), pytest.raises(ProviderError, match=words) as caught:
        listed(server, timeout=0.5 if isinstance(behaviour, Slow) else 20)
    assert type(caught.value) is kind
    assert len(server.looks) == 1, "the SDK must not try again by itself"
    assert_silent(caught.value, caplog.text)


@pytest.mark.parametrize("typed", [{"llama": KEY}, {}], ids=["typed", "in-the-environment"])
def test_a_refused_key_is_named_by_where_it_was_set(
    server: FakeLlm, monkeypatch: pytest.MonkeyPatch, typed: dict[str, str]
) -> None:
    server.listing = Status(401)
    monkeypatch.setenv("LLAMA_BASE_URL", server.url)
    monkeypatch.setenv("LLAMA_API_KEY", KEY)
    with pytest.raises(WrongKeyError) as caught:
        asyncio.run(served_names(Credentials.from_settings(Settings(), typed), 20.0))
    named_by_field, named_by_variable = "Settings" in caught.value.hint, "LLAMA_API_KEY" in caught.value.hint
    assert (named_by_field, named_by_variable) == (bool(typed), not typed)


def test_a_server_that_wants_a_key_and_got_none_asks_for_one(server: FakeLlm) -> None:
    server.listing = Status(401)
    with pytest.raises(WrongKeyError, match="asks for a key"):
        listed(server, key="")


def test_nobody_listening_is_a_failed_connection() -> None:
    with FakeLlm() as gone:
        pass
    with pytest.raises(ConnectionFailedError, match="LLAMA_BASE_URL"):
        listed(gone)
