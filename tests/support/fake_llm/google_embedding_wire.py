"""Google's batchEmbedContents as it looks on the wire."""

from collections.abc import Mapping
from typing import Any

from tests.support.fake_llm import google_wire
from tests.support.fake_llm.behaviour import Answer, Trouble
from tests.support.fake_llm.meaning import vector_of

Body = dict[str, Any]

PATH = ":batchEmbedContents"


def schema_of(request: Body) -> Mapping[str, Any] | None:
    return None


def texts_of(request: Body) -> list[str]:
    return ["".join(part["text"] for part in asked["content"]["parts"]) for asked in request["requests"]]


def answer(answer: Answer, text: str, request: Body) -> Body:
    return {"embeddings": [{"values": vector_of(said)} for said in texts_of(request)]}


def failure(trouble: Trouble, key: str, request: Body) -> tuple[int, Body]:
    return google_wire.failure(trouble, key, request | {"contents": [{"parts": [{"text": str(texts_of(request))}]}]})
