"""OpenAI's older completions endpoint, which vLLM and llama-cpp-python still serve, with echo and log-probabilities."""

import re
from collections.abc import Mapping
from typing import Any

from tests.support.fake_llm import openai_wire
from tests.support.fake_llm.behaviour import Answer, Trouble

Body = dict[str, Any]

PATH = "/v1/completions"
BEGINNING = "<s>"


def schema_of(request: Body) -> Mapping[str, Any] | None:
    return None


def tokens_of(text: str) -> list[str]:
    """Line breaks, and words with the space before them."""
    return re.findall(r"\n| ?[^ \n]+| ", text)


def logprob_of(token: str) -> float:
    """Longer words are less likely."""
    return -len(token.strip()) / 10


def answer(answer: Answer, text: str, request: Body) -> Body:
    """The prompt behind a mark of the beginning, which has no probability, and one generated token."""
    assert request["echo"]
    assert request["max_tokens"] == 1
    tokens = [BEGINNING, *tokens_of(request["prompt"]), "!"]
    logprobs = {
        "tokens": tokens,
        "token_logprobs": [None, *map(logprob_of, tokens[1:])],
        "text_offset": [0] * len(tokens),
        "top_logprobs": None,
    }
    counts = {"prompt_tokens": len(tokens) - 1, "completion_tokens": 1, "total_tokens": len(tokens)}
    choice = {"index": 0, "text": "".join(tokens), "logprobs": logprobs, "finish_reason": "length"}
    return {
        "id": "cmpl-1",
        "object": "text_completion",
        "created": 1,
        "model": request["model"],
        "choices": [choice],
        "usage": counts,
    }


def failure(trouble: Trouble, key: str, request: Body) -> tuple[int, Body]:
    return openai_wire.failure(trouble, key, request | {"messages": [{"content": request["prompt"]}]})
