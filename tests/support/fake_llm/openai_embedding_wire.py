"""OpenAI's embeddings as they look on the wire."""

from collections.abc import Mapping
from typing import Any

from tests.support.fake_llm import openai_wire
from tests.support.fake_llm.behaviour import Answer, Trouble
from tests.support.fake_llm.meaning import vector_of

Body = dict[str, Any]

PATH = "/v1/embeddings"


def schema_of(request: Body) -> Mapping[str, Any] | None:
    return None


def answer(answer: Answer, text: str, request: Body) -> Body:
    """Last to first, because only the index says which text a vector belongs to."""
    data = [
        {"object": "embedding", "index": place, "embedding": vector_of(said)}
        for place, said in enumerate(request["input"])
    ]
    usage = {"prompt_tokens": answer.tokens.input, "total_tokens": answer.tokens.input}
    return {"object": "list", "data": data[::-1], "model": request["model"], "usage": usage}


def failure(trouble: Trouble, key: str, request: Body) -> tuple[int, Body]:
    return openai_wire.failure(trouble, key, request | {"messages": [{"content": str(request["input"])}]})
