import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.storable_text import storable_value
from app.providers.structured import UnreadableAnswerError, parse_object, schema_problem

OBJECT = {"q1": "yes", "q2": "no"}
BARE = json.dumps(OBJECT)


@pytest.mark.parametrize(
    "text",
    [
        BARE,
        f"\n  {BARE}\n",
        f"```json\n{BARE}\n```",
        f"```\n{BARE}```",
        f"Here you are:\n```json\n{BARE}\n```\nI hope {{this}} helps.",
        f"Sure! {BARE} Anything else?",
        f'<think>Perhaps {{"q1": "no"}}?</think>\n{BARE}',
        json.dumps(OBJECT, indent=4),
        f'Perhaps {{"q1": "no"}}?\n</think>\n\n```json\n{BARE}\n```',
        f'<|channel|>analysis<|message|>{{"q1": "no"}}<|end|><|start|>assistant<|channel|>final<|message|>{BARE}',
        f"<answer>{BARE}</answer>",
        "<function=answer>\n<parameter=q1>\nyes\n</parameter>\n<parameter=q2>no</parameter>\n</function>",
        '<invoke name="answer"><parameter name="q1">yes</parameter><parameter name="q2">no</parameter></invoke>',
        "<tool_call>answer\n<arg_key>q1</arg_key>\n<arg_value>yes</arg_value><arg_key>q2</arg_key><arg_value>no</arg_value>",
    ],
)
def test_one_object_is_found_bare_fenced_or_among_prose(text: str) -> None:
    assert parse_object(text) == OBJECT


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "no JSON object"),
        ("yes, yes, no", "no JSON object"),
        ("q1: Yes {maybe}", "no JSON object"),
        ('["yes", "no"]', "not an object"),
        ('```json\n[{"q1": "yes"}]\n```', "not an object"),
        ("null", "not an object"),
        (f"{BARE}\n{BARE}", "2 JSON objects"),
        ('{"q1": "yes", "q1": "no"}', "given twice"),
        ('Well: {"a": {"q1": "yes", "q1": "no"}}', "given twice"),
        ('{"a": {"q1": "yes"}', "isn't valid JSON"),
        ("{'q1': 'yes'}", "no JSON object"),
        ('{"q1": NaN}', "NaN"),
        ('{"q1": -Infinity}', "Infinity"),
        ('{"q1": ' + "1" * 5000 + "}", "number"),
        ('{"a": ' * 100_000, "nested too deeply"),
        ("__import__('os').system('true')", "no JSON object"),
    ],
)
def test_everything_else_is_refused_with_the_reason(text: str, why: str) -> None:
    with pytest.raises(UnreadableAnswerError) as caught:
        parse_object(text)
    assert why in str(caught.value)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ('{"q1": "a\\u0000b"}', {"q1": "a\ufffdb"}),
        ('{"q1": "\\ud83d"}', {"q1": "\ufffd"}),
        ('{"q1": [{"\\udc00": 1}]}', {"q1": [{"\ufffd": 1}]}),
    ],
)
def test_what_no_database_holds_is_replaced_and_not_asked_for_again(text: str, kept: dict[str, object]) -> None:
    assert parse_object(text) == kept


def test_a_tag_in_a_string_is_no_thought() -> None:
    assert parse_object('{"a": "it writes <think> twice", "b": "</think>"}')["a"] == "it writes <think> twice"


def test_line_breaks_and_emoji_in_strings_are_kept() -> None:
    assert parse_object('{"a": "one\ntwo", "b": "\\ud83d\\ude00 مرحبا"}') == {"a": "one\ntwo", "b": "😀 مرحبا"}


@given(st.dictionaries(st.text(max_size=8), st.text(max_size=20), max_size=5))
def test_what_json_writes_is_read_back(value: dict[str, str]) -> None:
    assert parse_object(f"Answer:\n```json\n{json.dumps(value)}\n```") == storable_value(value)


def test_a_hostile_answer_costs_no_time() -> None:
    """Reading that grows with the square of the length would take hours here."""
    for text in ("{" * 200_000, "{ " * 200_000, '{"' * 200_000, "`" * 200_000, "<think>" * 50_000):
        with pytest.raises(UnreadableAnswerError):
            parse_object(text)


SCHEMA = {
    "type": "object",
    "additionalProperties": False,
    "required": ["questions", "n"],
    "properties": {
        "n": {"type": "integer"},
        "answer": {"enum": ["yes", "no"]},
        "questions": {"type": "array", "maxItems": 2, "items": {"type": "object", "required": ["text"]}},
    },
}


def test_a_valid_object_has_no_problem() -> None:
    assert schema_problem({"n": 1, "questions": [{"text": "a"}]}, SCHEMA) is None


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ({"n": 1}, "the object lacks questions"),
        ({}, "the object lacks questions, n"),
        ({"n": True, "questions": []}, "n must be of type integer"),
        ({"n": 1, "questions": [], "answer": "SECRET"}, "answer must be one of yes, no"),
        ({"n": 1, "questions": [], "SECRET": 1}, "the object has properties that weren't asked for"),
        ({"n": 1, "questions": [{"text": "a"}, {}]}, "questions[1] lacks text"),
        ({"n": 1, "questions": [{"text": ""}] * 3}, "questions breaks the rule maxItems (2)"),
    ],
)
def test_problems_name_the_place_and_never_quote_the_answer(value: dict[str, object], problem: str) -> None:
    said = schema_problem(value, SCHEMA)
    assert said is not None
    assert problem in said
    assert "SECRET" not in said


def test_many_problems_are_cut_short() -> None:
    said = schema_problem(
        {"n": 1, "questions": [{}] * 9}, SCHEMA | {"properties": {"questions": {"items": {"required": ["x"]}}}}
    )
    assert said is not None
    assert said.endswith("and 5 more")
