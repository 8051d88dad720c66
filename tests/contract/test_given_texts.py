"""The probability of a given text: through a completions endpoint with echo, and refused by everything else."""

import json
from typing import Any

import pytest

from app.errors import TransientError, UnsupportedError
from app.providers.base import TokenLogprob
from tests.support.adapter_cases import ADAPTERS, AdapterCase, a_request, ask
from tests.support.fake_llm.behaviour import Fail, Raw
from tests.support.fake_llm.openai_completions_wire import logprob_of, tokens_of
from tests.support.fake_llm.server import FakeLlm

LLAMA = ADAPTERS["llama"]
GIVEN = "The ferry sails “twice” a day — naïvely.\nIt is slow."


def test_the_tokens_of_the_text_and_no_others(server: FakeLlm) -> None:
    request = a_request(schema=None, given=GIVEN)
    (reply,) = ask(LLAMA, server, request)
    assert reply.logprobs == tuple(TokenLogprob(token, logprob_of(token)) for token in tokens_of(GIVEN))
    (sent,) = server.requests
    assert sent.path == "/v1/completions"
    assert sent.body["prompt"] == f"{request.prompt.system}\n\n{request.prompt.user}\n{GIVEN}"
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (len(tokens_of(sent.body["prompt"])) + 1, 1)


def test_a_given_text_is_another_request_and_no_other_digest_changed() -> None:
    plain = a_request()
    assert plain.digest("m") != a_request(given="x").digest("m") != a_request(given="y").digest("m")
    assert "given" not in json.dumps(plain.prompt.variables)


@pytest.mark.parametrize(
    "logprobs",
    [
        None,
        {"tokens": ["!"], "token_logprobs": [-0.1]},
        {"tokens": ["Something", " else"], "token_logprobs": [None, -1.0]},
        {"tokens": ["PROMPT"], "token_logprobs": [None]},
        {"tokens": None, "token_logprobs": None},
    ],
)
def test_a_server_that_echoes_nothing_is_found_out(server: FakeLlm, logprobs: dict[str, Any] | None) -> None:
    request = a_request(schema=None, given=GIVEN)
    if logprobs and logprobs["tokens"] == ["PROMPT"]:
        logprobs["tokens"] = [request.before + GIVEN]
    choice = {"index": 0, "text": "!", "logprobs": logprobs, "finish_reason": "length"}
    body = {"id": "c", "object": "text_completion", "created": 1, "model": "m", "choices": [choice]}
    server.script(Raw(json.dumps(body).encode()))
    with pytest.raises(UnsupportedError, match="log-probability of each of its tokens"):
        ask(LLAMA, server, request)


def test_troubles_are_those_of_the_chat_endpoint(server: FakeLlm) -> None:
    server.script(Fail("rate-limit"))
    with pytest.raises(TransientError):
        ask(LLAMA, server, a_request(schema=None, given=GIVEN))
    server.script(Raw(b"[]"))
    with pytest.raises(TransientError):
        ask(LLAMA, server, a_request(schema=None, given=GIVEN))


def test_chat_models_refuse_and_nothing_is_sent(case: AdapterCase, server: FakeLlm) -> None:
    if case is LLAMA:
        pytest.skip("the one that can")
    with pytest.raises(UnsupportedError, match="can't say how likely each token of a given text is"):
        ask(case, server, a_request(given=GIVEN))
    assert server.requests == []
