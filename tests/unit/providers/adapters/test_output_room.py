from dataclasses import replace

import pytest

from app.domain.model_call import RenderedPrompt
from app.errors import CutOffError
from app.providers.adapters.provider_errors import Rejection
from app.providers.adapters.request_style import MOST, START, OutputAllowance
from app.providers.base import ChatReply, ChatRequest, Usage

REQUEST = ChatRequest(RenderedPrompt("judge", 1, "d", "SYSTEM", "word " * 400, {}))
CUT_OFF = ChatReply("", "m", finish="length")
NAME = "openai:gpt-6-luna"


def refused(words: str, status: int = 400) -> Rejection:
    return Rejection(status, words=words)


def test_an_answer_has_room_to_reason() -> None:
    assert OutputAllowance().of(REQUEST, NAME) == START
    assert OutputAllowance().of(replace(REQUEST, max_output_tokens=50_000), NAME) == 50_000


def test_a_model_that_does_not_reason_starts_with_what_the_answer_needs() -> None:
    room = OutputAllowance(reasons=False)
    assert room.of(REQUEST, NAME) == REQUEST.max_output_tokens
    assert room.of(replace(REQUEST, cut_off=(4096,)), NAME) == START


def test_one_that_was_cut_off_is_asked_with_twice_the_room_and_so_are_the_later_ones() -> None:
    room = OutputAllowance()
    room.noted(CUT_OFF, REQUEST, START)
    assert room.of(replace(REQUEST, cut_off=(START,)), NAME) == 2 * START
    assert room.of(REQUEST, NAME) == 2 * START
    room.noted(CUT_OFF, REQUEST, 2 * START)
    assert room.of(REQUEST, NAME) == MOST


def test_the_last_room_is_known_as_such_and_not_tried_twice() -> None:
    room = OutputAllowance(most=2000)
    assert room.of(REQUEST, NAME) == 2000
    assert room.noted(CUT_OFF, REQUEST, 2000).last_room
    assert not OutputAllowance().noted(CUT_OFF, REQUEST, START).last_room
    with pytest.raises(CutOffError, match="limit of 2,000 output tokens"):
        room.of(replace(REQUEST, cut_off=(2000,)), NAME)


def test_an_answer_that_ended_long_before_its_room_teaches_nothing() -> None:
    room = OutputAllowance()
    odd = room.noted(replace(CUT_OFF, usage=Usage(output_tokens=900)), REQUEST, START)
    assert (odd.room, odd.last_room) == (0, False)
    assert room.of(REQUEST, NAME) == START


@pytest.mark.parametrize(
    ("words", "limit"),
    [
        ("max_tokens is too large: 32768. This model supports at most 16384 completion tokens.", 16_384),
        ("max_tokens: 32768 > 8192, which is the maximum allowed number of output tokens for claude-3", 8192),
        ("`max_tokens` must be less than or equal to `8192`, the maximum value for `max_tokens`", 8192),
        ("Invalid max_tokens value, the valid range of max_tokens is [1, 8192]", 8192),
        ("a maxOutputTokens value of 32768 but the supported range is from 1 (inclusive) to 8193 (exclusive).", 8192),
        ("max_tokens is too large: 32,768. This model supports at most 16,384 completion tokens", 16_384),
        ("max_tokens is too large.", START // 2),
    ],
)
def test_a_limit_that_is_refused_is_learned(words: str, limit: int) -> None:
    room = OutputAllowance()
    assert room.smaller(refused(words), REQUEST, START) == limit
    assert room.of(REQUEST, NAME) == limit
    assert room.noted(CUT_OFF, REQUEST, limit).last_room


@pytest.mark.parametrize(
    ("words", "left"),
    [
        (
            "'max_tokens' or 'max_completion_tokens' is too large: 32768. This model's maximum context length is 8192 "
            "tokens and your request has 600 input tokens (32768 > 8192 - 600).",
            7592,
        ),
        (
            "This model's maximum context length is 8192 tokens. However, you requested 33368 tokens (600 in the "
            "messages, 32768 in the completion). Please reduce the length.",
            7592,
        ),
        (
            "You passed 600 input tokens and requested 32768 output tokens. However, the model's context length is "
            "only 8192 tokens",
            7592,
        ),
        ("input length and `max_tokens` exceed context limit: 190000 + 32768 > 200000, decrease input length", 10_000),
        ("`inputs` tokens + `max_new_tokens` must be <= 8192. Given: 600 `inputs` tokens and 32768", 7592),
    ],
)
def test_a_window_that_input_and_output_share_is_learned(words: str, left: int) -> None:
    room = OutputAllowance()
    assert room.smaller(refused(words), REQUEST, START) == left
    assert left - 100 < room.of(REQUEST, NAME) <= left, "later requests fit at once"
    longer = replace(REQUEST, prompt=replace(REQUEST.prompt, user="word " * 800))
    assert room.of(longer, NAME) < room.of(REQUEST, NAME)


@pytest.mark.parametrize(
    "rejection",
    [
        refused("prompt is too long: 210000 tokens > 200000 maximum."),
        refused("This model's maximum context length is 8192 tokens, your prompt has 9000"),
        refused("max_tokens: Extra inputs are not permitted"),
        refused("max_tokens is too large", status=429),
        refused("your request has 8190 input tokens; max_tokens too large; maximum context length is 8192 tokens"),
    ],
)
def test_what_less_room_would_not_mend_is_left_alone(rejection: Rejection) -> None:
    assert OutputAllowance().smaller(rejection, REQUEST, START) is None
