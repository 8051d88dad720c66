"""What the adapters make of answers."""

import asyncio
import json
from collections.abc import Mapping
from typing import Any

import pytest

from app.errors import CutOffError, RefusedError, TransientError, UnsupportedError, WrongSchemaError
from app.providers import structured
from app.providers.base import TokenLogprob, Usage
from app.providers.registry import open_model
from tests.support.adapter_cases import AdapterCase, a_request, ask
from tests.support.fake_llm.behaviour import Answer, Blocked, Raw, Tokens
from tests.support.fake_llm.server import FakeLlm


def first_choice(schema: Mapping[str, Any] | None) -> str:
    assert schema is not None
    return json.dumps({name: part["enum"][0] for name, part in schema["properties"].items()})


def test_a_success_is_read_with_its_usage(case: AdapterCase, server: FakeLlm) -> None:
    server.script(Answer(first_choice, tokens=Tokens(input=900, cached=640, output=12, written=200)))
    (reply,) = ask(case, server, a_request())
    assert json.loads(reply.text) == {"answer": "yes"}
    # The own caches of Google and Mistral ask nothing for writing and say nothing.
    written = 0 if case.prefix in ("google", "mistral") else 200
    assert reply.usage == Usage(input_tokens=900, cached_tokens=640, output_tokens=12, cache_write_tokens=written)
    assert reply.finish == "stop"
    assert reply.model == case.reported
    assert reply.seconds > 0


@pytest.mark.parametrize("finish", ["length", "refused"])
def test_an_answer_that_is_none_says_so(case: AdapterCase, server: FakeLlm, finish: Any) -> None:
    server.script(Answer('{"answer": "y', finish=finish))
    (reply,) = ask(case, server, a_request())
    assert reply.finish == finish
    assert reply.usage.output_tokens == 7


def test_an_answer_withheld_by_the_provider_is_a_refusal(case: AdapterCase, server: FakeLlm) -> None:
    server.script(Blocked())
    (reply,) = ask(case, server, a_request())
    assert reply.finish == "refused"


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"<html>a proxy's page</html>", "text/html"),
        (b'{"choices": [', "application/json"),
        (b"{}", "application/json"),
        (b"[]", "application/json"),
        (b"null", "application/json"),
        (b'{"choices": ["x"], "content": "x", "candidates": ["x"]}', "application/json"),
        (b'{"choices": [{"message": "x"}], "content": 5, "candidates": [{"content": 5}]}', "application/json"),
    ],
    ids=["html", "broken", "empty-object", "list", "null", "odd-choices", "odd-message"],
)
def test_a_success_that_is_no_answer_can_be_tried_again(
    case: AdapterCase, server: FakeLlm, content: bytes, kind: str
) -> None:
    server.script(Raw(content, kind))
    with pytest.raises(TransientError, match="is not an answer"):
        ask(case, server, a_request())


def test_log_probabilities_come_where_the_api_gives_them(case: AdapterCase, server: FakeLlm) -> None:
    server.usual = Answer("yes", logprobs=(("yes", -0.1, {"yes": -0.1, "no": -2.5}),))
    request = a_request(schema=None, top_logprobs=2)
    if not case.logprobs:
        with pytest.raises(UnsupportedError, match="no log-probabilities"):
            ask(case, server, request)
        assert server.requests == []
        return
    (reply,) = ask(case, server, request)
    assert reply.logprobs == (TokenLogprob("yes", -0.1, {"yes": -0.1, "no": -2.5}),)


def test_missing_log_probabilities_are_an_error_not_an_empty_list(case: AdapterCase, server: FakeLlm) -> None:
    server.usual = Answer("yes")
    with pytest.raises(UnsupportedError, match="no log-probabilities"):
        ask(case, server, a_request(schema=None, top_logprobs=2))


def structured_answer(case: AdapterCase, server: FakeLlm) -> structured.Structured:
    async def run() -> structured.Structured:
        model = open_model(case.name, case.credentials(server))
        try:
            return await structured.ask(model, a_request())
        finally:
            await model.aclose()

    return asyncio.run(run())


def test_an_answer_against_the_schema_is_asked_for_again_with_the_reason(case: AdapterCase, server: FakeLlm) -> None:
    server.script(Answer('{"answer": "maybe"}'), Answer('{"answer": "no"}'))
    assert structured_answer(case, server).value == {"answer": "no"}
    turns = case.turns_of(server.requests[1].body)
    assert [role for role, _ in turns] == ["user", "assistant", "user"]
    assert turns[1] == ("assistant", '{"answer": "maybe"}')
    assert "answer must be one of yes, no" in turns[2][1]


@pytest.mark.parametrize(
    ("behaviour", "error"),
    [
        (Answer('{"answer": 1}'), WrongSchemaError),
        (Answer("{", finish="length"), CutOffError),
        (Answer("I won't.", finish="refused"), RefusedError),
        (Blocked(), RefusedError),
    ],
    ids=["wrong-schema", "cut-off", "refused", "blocked"],
)
def test_useless_answers_end_in_a_typed_failure(
    case: AdapterCase, server: FakeLlm, behaviour: Any, error: type[Exception]
) -> None:
    server.usual = behaviour
    with pytest.raises(error):
        structured_answer(case, server)
    assert len(server.requests) == (1 if error is RefusedError else 3)
