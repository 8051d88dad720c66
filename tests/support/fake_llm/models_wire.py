"""The list of models that servers in OpenAI's format give."""

from collections.abc import Mapping
from typing import Any

from tests.support.fake_llm import openai_wire
from tests.support.fake_llm.behaviour import Answer, Trouble

Body = dict[str, Any]

PATH = "/v1/models"


def schema_of(request: Body) -> Mapping[str, Any] | None:
    return None


def answer(answer: Answer, text: str, request: Body) -> Body:
    who = request["owner"]
    models = [{"id": name, "object": "model", "created": 1, "owned_by": who} for name in request["models"]]
    return {"object": "list", "data": models}


def failure(trouble: Trouble, key: str, request: Body) -> tuple[int, Body]:
    return openai_wire.failure(trouble, key, {"model": "any", "messages": [{"content": "no text"}]})
