"""What the adapters send."""

import asyncio
import json
from threading import Event

import pytest

from app.providers.adapters.request_style import START
from app.providers.base import Turn
from app.providers.registry import open_model
from app.providers.specs import KNOWN_PROVIDERS
from tests.support.adapter_cases import ADAPTERS, KEY, SCHEMA, SYSTEM, USER, AdapterCase, a_request, ask, schema_sent
from tests.support.background import PATIENCE
from tests.support.fake_llm.behaviour import Answer, Held
from tests.support.fake_llm.server import FakeLlm


def test_every_adapter_that_speaks_http_is_in_the_suite() -> None:
    assert set(ADAPTERS) == {prefix for prefix, provider in KNOWN_PROVIDERS.items() if provider.speaks_http}


def test_the_constant_part_comes_first_and_the_text_last(case: AdapterCase, server: FakeLlm) -> None:
    ask(case, server, a_request(schema=None))
    body = server.requests[0].body
    assert case.system_of(body) == SYSTEM
    assert case.turns_of(body) == [("user", USER)]


def test_earlier_turns_are_sent_in_order(case: AdapterCase, server: FakeLlm) -> None:
    ask(case, server, a_request(turns=(Turn("one", "wrong"), Turn("two", "still wrong"))))
    assert case.turns_of(server.requests[0].body) == [
        ("user", USER),
        ("assistant", "one"),
        ("user", "wrong"),
        ("assistant", "two"),
        ("user", "still wrong"),
    ]


def test_the_schema_goes_by_the_api_and_not_into_the_prompt(case: AdapterCase, server: FakeLlm) -> None:
    ask(case, server, a_request(), a_request(schema=None))
    sent = schema_sent(server.requests[0])
    assert sent is not None
    assert sent["properties"]["answer"]["enum"] == ["yes", "no"]
    assert (sent["required"], sent["additionalProperties"]) == (["answer"], False)
    assert schema_sent(server.requests[1]) is None


def test_the_limit_and_the_temperature_are_sent(case: AdapterCase, server: FakeLlm) -> None:
    ask(case, server, a_request(temperature=0.25), a_request(temperature=None))
    assert case.limit_of(server.requests[0].body) == (300 if case.prefix == "openai" else START), "gpt-4o never reasons"
    assert case.temperature_of(server.requests[0].body) == 0.25
    assert case.temperature_of(server.requests[1].body) is None


def test_reasoning_models_get_no_temperature(case: AdapterCase, server: FakeLlm) -> None:
    if case.reasoner is None:
        pytest.skip(f"no model of {case.prefix} is known to refuse a temperature; it would be learned")
    ask(case, server, a_request(temperature=0.0), model=case.reasoner)
    assert case.temperature_of(server.requests[0].body) is None
    assert len(server.requests) == 1


def test_the_key_is_in_its_header_and_nowhere_else(case: AdapterCase, server: FakeLlm) -> None:
    ask(case, server, a_request())
    received = server.requests[0]
    header, prefix = case.key_header
    assert received.headers[header] == prefix + KEY
    others = {name: value for name, value in received.headers.items() if name != header}
    assert KEY not in json.dumps([received.path, others, received.body])


@pytest.mark.parametrize("prefix", ["llama", "mistral"])
def test_what_openai_puts_into_the_environment_stays_with_openai(
    prefix: str, server: FakeLlm, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_API_KEY", "OPENAI_ADMIN_KEY"):
        monkeypatch.setenv(name, "for-openai-only")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Gateway: for-openai-only")
    ask(ADAPTERS[prefix], server, a_request())
    assert "for-openai-only" not in json.dumps(server.requests[0].headers)


def test_anthropic_is_told_what_to_cache(server: FakeLlm) -> None:
    ask(ADAPTERS["anthropic"], server, a_request())
    body = server.requests[0].body
    assert body["system"][-1]["cache_control"] == {"type": "ephemeral"}
    assert "cache_control" not in json.dumps(body["messages"])


@pytest.mark.parametrize("prefix", ["openai", "mistral"])
def test_the_vendor_is_told_which_requests_share_their_beginning(prefix: str, server: FakeLlm) -> None:
    other = a_request(temperature=0.5)
    ask(ADAPTERS[prefix], server, a_request(), other)
    keys = {received.body["prompt_cache_key"] for received in server.requests}
    assert len(keys) == 1


def test_openai_is_told_where_the_constant_part_ends(server: FakeLlm) -> None:
    ask(ADAPTERS["openai"], server, a_request(), model="gpt-6-luna")
    part = server.requests[-1].body["messages"][0]["content"][-1]
    assert part["prompt_cache_breakpoint"] == {"mode": "explicit"}


def test_openai_is_strict_only_where_the_schema_allows_it(server: FakeLlm) -> None:
    optional = {**SCHEMA, "required": []}
    ask(ADAPTERS["openai"], server, a_request(), a_request(schema=optional))
    strict = [received.body["response_format"]["json_schema"]["strict"] for received in server.requests]
    assert strict == [True, False]


def test_anthropic_gets_an_open_object_in_the_prompt(server: FakeLlm) -> None:
    open_object = {"type": "object", "additionalProperties": {"type": "string"}}
    ask(ADAPTERS["anthropic"], server, a_request(schema=open_object))
    assert schema_sent(server.requests[0]) is None
    assert json.dumps(open_object) in server.requests[0].body["system"][0]["text"]


def test_one_client_is_kept(case: AdapterCase, server: FakeLlm) -> None:
    ask(case, server, *[a_request()] * 5)
    assert (len(server.requests), server.connections) == (5, 1)


def test_requests_are_under_way_together(case: AdapterCase, server: FakeLlm) -> None:
    """None is answered before all have arrived."""
    arrived = Event()
    server.usual = Held(arrived, Answer())

    async def run() -> None:
        model = open_model(case.name, case.credentials(server))
        async with asyncio.timeout(PATIENCE):
            asked = asyncio.gather(*(model.complete(a_request()) for _ in range(32)))
            while len(server.requests) < 32:
                await asyncio.sleep(0.01)
            arrived.set()
            await asked
        await model.aclose()

    asyncio.run(run())
    assert server.connections == 32
