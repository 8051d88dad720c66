"""What a model refuses is left out, once and for all."""

import asyncio
import json
import threading
from collections.abc import Callable
from dataclasses import replace

import pytest

from app.errors import OverloadedError, ProviderError, UnsupportedError
from app.providers.adapters.request_style import forget_styles, learned_at
from app.providers.registry import open_model
from app.settings import settings
from tests.support.adapter_cases import ADAPTERS, KEY, AdapterCase, a_request, ask, schema_sent
from tests.support.fake_llm.behaviour import Answer, Behaviour, Fail, Held, Raw, Status, Trouble
from tests.support.fake_llm.server import FakeLlm, Received


def test_a_refused_temperature_is_left_out_and_remembered(case: AdapterCase, server: FakeLlm) -> None:
    server.script(Fail("no-temperature"))
    ask(case, server, a_request(), a_request())
    assert [case.temperature_of(received.body) for received in server.requests] == [0.0, None, None]


def test_a_refused_schema_mode_puts_the_schema_into_the_prompt(case: AdapterCase, server: FakeLlm) -> None:
    server.script(Fail("no-schema-mode"))
    ask(case, server, a_request(), a_request(), a_request(schema=None))
    by_api = [schema_sent(received) is not None for received in server.requests]
    assert by_api == [True, False, False, False]
    in_prompt = ["JSON Schema" in case.system_of(received.body) for received in server.requests]
    assert in_prompt == [case.prefix == "llama", True, True, False]
    assert '"enum": ["yes", "no"]' in case.system_of(server.requests[1].body)


def _json_form(received: Received) -> str:
    form = received.body.get("response_format", {"type": "prompt"})
    return form["type"] + ("_schema" if "schema" in form else "")


SERVERS: dict[str, tuple[dict[str, Trouble], list[str]]] = {
    "no json_schema": ({"json_schema": "no-json-schema"}, ["json_object_schema"]),
    "json_object alone": (
        {"json_schema": "no-json-schema", "json_object_schema": "no-schema-beside"},
        ["json_object_schema", "json_object"],
    ),
    "no response_format": (
        dict.fromkeys(("json_schema", "json_object_schema", "json_object"), "no-json-mode"),
        ["json_object_schema", "prompt"],
    ),
}


def _takes(refused: dict[str, Trouble]) -> Callable[[Received], Behaviour]:
    def usual(received: Received) -> Behaviour:
        trouble = refused.get(_json_form(received))
        return Fail(trouble) if trouble else Answer('{"answer": "yes"}')

    return usual


@pytest.mark.parametrize("kind", SERVERS)
def test_a_servers_form_of_json_is_learned_once_for_all_clients(kind: str, server: FakeLlm) -> None:
    refused, forms = SERVERS[kind]
    server.usual = _takes(refused)
    llama = ADAPTERS["llama"]
    assert [reply.text for reply in ask(llama, server, a_request(), a_request())] == ['{"answer": "yes"}'] * 2
    ask(llama, server, a_request())
    tried = [_json_form(received) for received in server.requests]
    assert tried == ["json_schema", *forms, forms[-1], forms[-1]]
    assert all("JSON Schema" in llama.system_of(received.body) for received in server.requests)


@pytest.mark.parametrize("kind", SERVERS)
def test_a_later_process_asks_in_the_kept_style_at_once(kind: str, server: FakeLlm) -> None:
    refused, forms = SERVERS[kind]
    server.usual = _takes(refused)
    llama = ADAPTERS["llama"]
    ask(llama, server, a_request())
    asked, learned = len(server.requests), learned_at(f"{server.url}/v1")
    forget_styles()
    ask(llama, server, a_request(), a_request())
    assert [_json_form(received) for received in server.requests[asked:]] == [forms[-1]] * 2
    assert learned_at(f"{server.url}/v1") == learned
    kept = settings().learned_styles.read_text()
    assert not any(secret in kept for secret in (KEY, server.url, llama.model))


def test_a_kept_limit_parameter_holds_until_it_is_refused(server: FakeLlm) -> None:
    llama = ADAPTERS["llama"]
    for name, other in (("max_completion_tokens", "max_tokens"), ("max_tokens", "max_completion_tokens")):
        server.usual = _names_limit(name, other)
        forget_styles()
        asked = len(server.requests)
        ask(llama, server, a_request(schema=None), a_request(schema=None))
        forget_styles()
        ask(llama, server, a_request(schema=None))
        assert [name in received.body for received in server.requests[asked:]] == [False, True, True, True]


def _names_limit(name: str, other: str) -> Callable[[Received], Behaviour]:
    said = {"error": {"message": f"Unsupported parameter: '{other}'. Use '{name}' instead.", "param": other}}
    return lambda received: Answer("yes") if name in received.body else Raw(json.dumps(said).encode(), status=400)


def test_a_kept_form_of_json_is_learned_anew_once_refused(server: FakeLlm) -> None:
    llama = ADAPTERS["llama"]
    server.usual = _takes({"json_schema": "no-json-schema"})
    ask(llama, server, a_request())
    forget_styles()
    server.usual = _takes({"json_object_schema": "no-schema-beside"})
    asked = len(server.requests)
    ask(llama, server, a_request(), a_request())
    forms = ["json_object_schema", "json_schema", "json_schema"]
    assert [_json_form(received) for received in server.requests[asked:]] == forms


def test_another_address_or_model_is_asked_anew(server: FakeLlm) -> None:
    server.usual = _takes({"json_schema": "no-json-schema"})
    llama = ADAPTERS["llama"]
    ask(llama, server, a_request())
    forget_styles()
    asked = len(server.requests)
    ask(replace(llama, model="another"), server, a_request())
    with FakeLlm(usual=server.usual) as elsewhere:
        ask(llama, elsewhere, a_request())
        tried = [_json_form(received) for received in (*server.requests[asked:], *elsewhere.requests)]
    assert tried == ["json_schema", "json_object_schema"] * 2


@pytest.mark.parametrize("written", ["", "[]", '{"x": 1}', "{", "null"])
def test_an_unreadable_file_of_styles_is_asked_anew(written: str, server: FakeLlm) -> None:
    server.usual = Answer('{"answer": "yes"}')
    file = settings().learned_styles
    file.parent.mkdir(parents=True)
    file.write_text(written)
    ask(ADAPTERS["llama"], server, a_request())
    assert _json_form(server.requests[0]) == "json_schema"
    assert len(json.loads(file.read_text())) in (1, 2)


@pytest.mark.parametrize("kind", SERVERS)
def test_requests_in_flight_together_spend_two_on_the_form_of_json(kind: str, server: FakeLlm) -> None:
    refused, _ = SERVERS[kind]
    server.usual = _takes(refused)
    llama = ADAPTERS["llama"]

    async def run() -> int:
        model = open_model(llama.name, llama.credentials(server))
        try:
            return len(await asyncio.gather(*(model.complete(a_request()) for _ in range(32))))
        finally:
            await model.aclose()

    assert asyncio.run(run()) == 32
    assert len(server.requests) <= 32 + 2


def test_requests_wait_no_longer_for_a_form_that_is_being_answered(server: FakeLlm) -> None:
    released, llama = threading.Event(), ADAPTERS["llama"]

    def usual(_: Received) -> Behaviour:
        if len(server.requests) == 8:
            released.set()
        return Held(released)

    server.usual = usual

    async def run() -> int:
        model = open_model(llama.name, llama.credentials(server))
        try:
            return len(await asyncio.gather(*(model.complete(a_request()) for _ in range(8))))
        finally:
            await model.aclose()

    assert asyncio.run(run()) == 8


def test_another_500_is_no_lesson(server: FakeLlm) -> None:
    server.usual = Status(500)
    with pytest.raises(OverloadedError):
        ask(ADAPTERS["llama"], server, a_request())
    assert len(server.requests) == 1


def test_several_lessons_in_a_row(case: AdapterCase, server: FakeLlm) -> None:
    server.script(Fail("no-temperature"), Fail("no-schema-mode"), Answer("{}"))
    (reply,) = ask(case, server, a_request())
    assert reply.text == "{}"
    assert len(server.requests) == 3


def test_the_same_objection_after_the_lesson_is_an_error(case: AdapterCase, server: FakeLlm) -> None:
    server.usual = Fail("no-schema-mode")
    with pytest.raises(ProviderError, match="refused the request"):
        ask(case, server, a_request())
    assert len(server.requests) == (3 if case.prefix in ("llama", "mistral") else 2)  # they have one form more


def test_requests_under_way_together_learn_together(case: AdapterCase, server: FakeLlm) -> None:
    def by_temperature(received: Received) -> Behaviour:
        return Answer("{}") if case.temperature_of(received.body) is None else Fail("no-temperature")

    server.usual = by_temperature

    async def run() -> int:
        model = open_model(case.name, case.credentials(server))
        try:
            replies = await asyncio.gather(*(model.complete(a_request()) for _ in range(8)))
        finally:
            await model.aclose()
        return len(replies)

    assert asyncio.run(run()) == 8
    refused = sum(case.temperature_of(received.body) is not None for received in server.requests)
    assert (refused <= 8, len(server.requests) - refused) == (True, 8)


def test_refused_log_probabilities_are_an_error_not_a_lesson(case: AdapterCase, server: FakeLlm) -> None:
    server.usual = Fail("no-logprobs")
    with pytest.raises(UnsupportedError, match="no log-probabilities"):
        ask(case, server, a_request(schema=None, temperature=None, top_logprobs=5))


@pytest.mark.parametrize("prefix", ["openai", "llama"])
def test_the_limit_goes_by_the_name_the_endpoint_knows(prefix: str, server: FakeLlm) -> None:
    server.script(Fail("no-limit-parameter"))
    ask(ADAPTERS[prefix], server, a_request(), a_request())
    names = [next(name for name in received.body if name.startswith("max_")) for received in server.requests]
    assert names[1:] == [{"openai": "max_tokens", "llama": "max_completion_tokens"}[prefix]] * 2
    assert names[0] != names[1]


def test_without_a_system_part_the_schema_stands_alone(case: AdapterCase, server: FakeLlm) -> None:
    request = a_request()
    bare = a_request(prompt=type(request.prompt)("judge", 1, "d", "", "text", {}))
    server.script(Answer("{}"), Fail("no-schema-mode"))
    ask(case, server, bare, bare)
    assert "You judge" not in json.dumps(server.requests[0].body)
    assert "JSON Schema" in case.system_of(server.requests[2].body)
