import pytest

from app.domain.model_call import RenderedPrompt
from app.providers.adapters.provider_errors import Rejection
from app.providers.adapters.request_style import (
    LearnedRefusal,
    LearnedStyle,
    RequestStyle,
    first_style,
    is_closed,
    lesson_of,
    opening_texts,
    system_text,
)
from app.providers.base import ChatRequest
from app.providers.model_name import parse_model_name

CLOSED = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": False}
REQUEST = ChatRequest(RenderedPrompt("judge", 1, "d", "SYSTEM", "USER", {}), schema=CLOSED)


@pytest.mark.parametrize(
    ("name", "temperature"),
    [
        ("openai:gpt-4o", True),
        ("openai:gpt-4.1-mini", True),
        ("openai:gpt-5-chat-latest", True),
        ("openai:gpt-5", False),
        ("openai:gpt-5-mini-2025-08-07", False),
        ("openai:gpt-5.4", True),  # taken by those that don't reason by default; the others are learned
        ("openai:gpt-5.5", False),
        ("openai:gpt-6-luna", False),
        ("openai:o1-preview", False),
        ("openai:o4-mini", False),
        ("anthropic:claude-sonnet-4-6", True),
        ("anthropic:claude-opus-4-20250514", True),
        ("anthropic:claude-haiku-4-5-20251001", True),
        ("anthropic:claude-opus-4-7", False),
        ("anthropic:claude-opus-4-8-20260601", False),
        ("anthropic:claude-sonnet-5", False),
        ("anthropic:claude-haiku-5-5", False),
        ("anthropic:claude-fable-5-1", False),
        ("google:gemini-3.8-flash", True),
        ("llama:o1-look-alike", True),
    ],
)
def test_who_is_known_to_refuse_a_temperature(name: str, temperature: bool) -> None:
    assert first_style(parse_model_name(name)).temperature is temperature


def test_the_limit_is_named_as_each_kind_of_endpoint_knows_it() -> None:
    assert first_style(parse_model_name("openai:gpt-4o")).limit_parameter == "max_completion_tokens"
    assert first_style(parse_model_name("llama:llama3")).limit_parameter == "max_tokens"


@pytest.mark.parametrize(
    ("name", "mark"), [("openai:gpt-5.5", False), ("openai:gpt-5.6-sol", True), ("openai:gpt-6-luna", True)]
)
def test_who_is_known_to_take_a_cache_mark(name: str, mark: bool) -> None:
    assert first_style(parse_model_name(name)).cache_mark is mark


@pytest.mark.parametrize(
    ("rejection", "lesson"),
    [
        (Rejection(400, parameter="temperature"), LearnedRefusal.TEMPERATURE),
        (Rejection(400, words="`temperature` is deprecated for this model."), LearnedRefusal.TEMPERATURE),
        (Rejection(400, "unsupported_parameter", "max_tokens"), LearnedRefusal.LIMIT_PARAMETER),
        (Rejection(422, words="max_completion_tokens: Extra inputs are not permitted"), LearnedRefusal.LIMIT_PARAMETER),
        (Rejection(400, words="max_tokens is too large: 9999. The model takes at most 4096."), None),
        (Rejection(400, parameter="response_format"), LearnedRefusal.JSON_FORM),
        (Rejection(422, parameter="('body', 'response_format')"), LearnedRefusal.JSON_FORM),
        (Rejection(400, words="output_config.format: not supported"), LearnedRefusal.JSON_FORM),
        (Rejection(400, words='Unknown name "responseJsonSchema"'), LearnedRefusal.JSON_FORM),
        (Rejection(500, words="('body', 'response_format', 'type'): Input should be 'text'"), LearnedRefusal.JSON_FORM),
        (Rejection(500, words="failed to parse grammar"), None),
        (Rejection(500, words="temperature: Extra inputs are not permitted"), LearnedRefusal.TEMPERATURE),
        (Rejection(500, words="max_tokens: Extra inputs are not permitted"), LearnedRefusal.LIMIT_PARAMETER),
        (Rejection(400, words="System role not supported"), LearnedRefusal.SYSTEM_MESSAGE),
        (Rejection(500, words="Conversation roles must alternate user/assistant/user"), LearnedRefusal.SYSTEM_MESSAGE),
        (Rejection(400, words="Developer instruction is not enabled for this model"), LearnedRefusal.SYSTEM_MESSAGE),
        (Rejection(429, parameter="temperature"), None),
        (Rejection(400, words="something else"), None),
    ],
)
def test_what_an_objection_teaches(rejection: Rejection, lesson: LearnedRefusal | None) -> None:
    assert lesson_of(rejection, REQUEST, RequestStyle()) is lesson


def test_what_was_not_sent_teaches_nothing() -> None:
    bare = ChatRequest(REQUEST.prompt, temperature=None)
    assert lesson_of(Rejection(400, parameter="temperature"), bare, RequestStyle()) is None
    assert lesson_of(Rejection(400, parameter="response_format"), bare, RequestStyle()) is None
    style = RequestStyle(temperature=False, json_form="prompt")
    assert lesson_of(Rejection(400, parameter="temperature"), REQUEST, style) is None
    assert lesson_of(Rejection(400, parameter="response_format"), REQUEST, style) is None


def test_a_lesson_is_learned_once_and_those_behind_catch_up() -> None:
    first = RequestStyle(cache_mark=True)
    memory = LearnedStyle(first)
    assert memory.learn(LearnedRefusal.TEMPERATURE, first)
    assert memory.learn(LearnedRefusal.TEMPERATURE, first), "sent before the lesson: worth asking again"
    assert not memory.learn(LearnedRefusal.TEMPERATURE, memory.style), "sent after it: not worth asking again"
    assert memory.learn(LearnedRefusal.JSON_FORM, memory.style)
    assert memory.learn(LearnedRefusal.CACHE_MARK, memory.style)
    assert memory.learn(LearnedRefusal.LIMIT_PARAMETER, memory.style)
    assert memory.style == RequestStyle(False, "max_completion_tokens", "prompt", False)
    assert not memory.learn(LearnedRefusal.LIMIT_PARAMETER, memory.style), "or it would swing to and fro"


def test_the_schema_stands_in_the_prompt_only_where_the_api_takes_none() -> None:
    assert system_text(REQUEST, RequestStyle()) == "SYSTEM"
    told = system_text(REQUEST, RequestStyle(json_form="prompt"))
    assert told.startswith("SYSTEM\n\n")
    assert told.endswith('"additionalProperties": false}')
    assert system_text(ChatRequest(REQUEST.prompt), RequestStyle(json_form="prompt")) == "SYSTEM"
    assert system_text(REQUEST, RequestStyle(schema_in_prompt=True)) == told, "a server of one's own may not show it"


def test_opening_texts_without_system_message_join_both_parts() -> None:
    assert opening_texts(REQUEST, RequestStyle()) == ("SYSTEM", "USER")
    assert opening_texts(REQUEST, RequestStyle(system_message=False)) == ("", "SYSTEM\n\nUSER")


def test_closed_schemas() -> None:
    assert is_closed(CLOSED, all_required=True)
    assert not is_closed({**CLOSED, "additionalProperties": True})
    assert not is_closed({"type": "object"})
    optional = {**CLOSED, "required": []}
    assert is_closed(optional)
    assert not is_closed(optional, all_required=True)
    for nested in (
        {"type": "array", "items": {"type": "object"}},
        {**CLOSED, "properties": {"a": {"type": "object"}}},
        {"anyOf": [CLOSED, {"type": "object"}]},
        {"$defs": {"x": {"type": "object"}}, "$ref": "#/$defs/x"},
    ):
        assert not is_closed(nested)
