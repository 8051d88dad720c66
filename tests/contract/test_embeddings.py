"""Every embedding API, met through its real SDK: what is asked, what comes back, and how it fails."""

import traceback
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from pydantic import SecretStr

from app.errors import (
    ConnectionFailedError,
    MissingKeyError,
    OverloadedError,
    ProviderError,
    QuotaError,
    RateLimitError,
    UnknownModelError,
    UnreadableReplyError,
    WrongKeyError,
)
from app.providers.credentials import Access, Credentials
from app.services.attributes import embedding_choice as service
from app.services.attributes.embedding_choice import open_embedding
from tests.support.fake_llm.behaviour import Behaviour, Drop, Fail, Raw, Status
from tests.support.fake_llm.google_embedding_wire import texts_of
from tests.support.fake_llm.meaning import WIDTH, vector_of
from tests.support.fake_llm.server import FakeLlm, Received

KEY = "sk-Planted-KEY-0123456789"
TEXTS = ["It names PLANTEDTEXT.", "It has an end.", "It has an end."]


@dataclass(frozen=True)
class EmbeddingCase:
    name: str
    path: str
    key_header: tuple[str, str]
    batch: int

    @property
    def prefix(self) -> str:
        return self.name.partition(":")[0]

    def credentials(self, server: FakeLlm) -> Credentials:
        return Credentials({self.prefix: Access(SecretStr(KEY), server.url + self.path, "a test")})

    def sent(self, received: Received) -> list[str]:
        said: list[str] = texts_of(received.body) if self.prefix == "google" else received.body["input"]
        return said


CASES: Mapping[str, EmbeddingCase] = {
    "openai": EmbeddingCase("openai:text-embedding-3-small", "/v1", ("authorization", "Bearer "), 256),
    "mistral": EmbeddingCase("mistral:mistral-embed", "/mistral/v1", ("authorization", "Bearer "), 64),
    "google": EmbeddingCase("google:gemini-embedding-001", "", ("x-goog-api-key", ""), 100),
}


@pytest.fixture(params=sorted(CASES))
def case(request: pytest.FixtureRequest) -> EmbeddingCase:
    return CASES[request.param]


@pytest.fixture(autouse=True)
def _nothing_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "_SEEN", {})


def embed(case: EmbeddingCase, server: FakeLlm, texts: list[str]) -> Any:
    return open_embedding(case.name, case.credentials(server)).embedder.embed(texts)


def test_each_text_gets_its_vector_in_order(case: EmbeddingCase, server: FakeLlm) -> None:
    found = embed(case, server, TEXTS)
    assert found.shape == (3, WIDTH)
    np.testing.assert_array_equal(found, [vector_of(text) for text in TEXTS])
    assert open_embedding(case.name, case.credentials(server)).embedder.name == case.name


def test_key_model_and_texts_go_where_they_belong(case: EmbeddingCase, server: FakeLlm) -> None:
    embed(case, server, TEXTS)
    (received,) = server.requests
    header, prefix = case.key_header
    assert received.headers[header] == prefix + KEY
    assert received.body["model"] == case.name.partition(":")[2]
    assert case.sent(received) == TEXTS[:2], "equal texts are sent once"


def test_many_texts_are_sent_in_batches(case: EmbeddingCase, server: FakeLlm) -> None:
    texts = [f"Attribute number {n}." for n in range(case.batch + 5)]
    found = embed(case, server, texts)
    assert [len(case.sent(received)) for received in server.requests] == [case.batch, 5]
    np.testing.assert_array_equal(found[-1], vector_of(texts[-1]))


def test_a_text_is_sent_once_per_process(case: EmbeddingCase, server: FakeLlm) -> None:
    embed(case, server, TEXTS)
    found = embed(case, server, ["It has an end.", "It has a start."])
    assert case.sent(server.requests[1]) == ["It has a start."]
    np.testing.assert_array_equal(found[0], vector_of("It has an end."))


def test_blank_texts_are_not_sent_and_point_nowhere(case: EmbeddingCase, server: FakeLlm) -> None:
    found = embed(case, server, [" ", "It has an end."])
    assert case.sent(server.requests[0]) == ["It has an end."]
    assert not found[0].any()


FAILURES: list[tuple[str, Behaviour, type[ProviderError]]] = [
    ("wrong-key", Fail("wrong-key"), WrongKeyError),
    ("unknown-model", Fail("unknown-model"), UnknownModelError),
    ("quota", Fail("quota"), QuotaError),
    ("rate-limit", Fail("rate-limit"), RateLimitError),
    ("503", Status(503), OverloadedError),
    ("dropped", Drop(), ConnectionFailedError),
    ("html", Raw(b"<html>a proxy's page</html>", "text/html"), UnreadableReplyError),
    ("broken", Raw(b'{"data": ['), UnreadableReplyError),
    ("empty", Raw(b"{}"), UnreadableReplyError),
    ("null", Raw(b"null"), UnreadableReplyError),
    ("odd", Raw(b'{"data": ["x"], "embeddings": [{"values": []}]}'), UnreadableReplyError),
    (
        "too-few",
        Raw(b'{"data": [{"index": 0, "embedding": [1.0]}], "embeddings": [{"values": [1.0]}]}'),
        UnreadableReplyError,
    ),
]


@pytest.mark.parametrize(("behaviour", "error"), [row[1:] for row in FAILURES], ids=[row[0] for row in FAILURES])
def test_failures_are_typed_asked_once_and_silent_about_what_was_sent(
    case: EmbeddingCase, server: FakeLlm, behaviour: Behaviour, error: type[ProviderError]
) -> None:
    server.usual = behaviour
    with pytest.raises(ProviderError) as caught:
        embed(case, server, TEXTS)
    assert type(caught.value) is error
    assert len(server.requests) == 1
    told = [str(caught.value), repr(vars(caught.value)), "".join(traceback.format_exception(caught.value))]
    assert not any(secret in "\n".join(told) for secret in (KEY, "PLANTEDTEXT"))
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None


def test_without_a_key_nothing_is_opened(case: EmbeddingCase) -> None:
    with pytest.raises(MissingKeyError):
        open_embedding(case.name, Credentials())
