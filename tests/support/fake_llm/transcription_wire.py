"""OpenAI's transcription endpoint as it looks on the wire: a form with a file goes in, a text comes back."""

from email.parser import BytesParser
from email.policy import HTTP
from typing import Any

from tests.support.fake_llm import openai_wire
from tests.support.fake_llm.behaviour import Answer, Trouble

Body = dict[str, Any]

PATH = "/v1/audio/transcriptions"


def read_form(content_type: str, sent: bytes) -> Body:
    """Field -> text; the file as its name and bytes."""
    form = BytesParser(policy=HTTP).parsebytes(b"content-type: " + content_type.encode() + b"\r\n\r\n" + sent)
    fields: Body = {}
    for part in form.iter_parts():
        name = part.get_param("name", header="content-disposition")
        data = part.get_payload(decode=True)
        assert isinstance(data, bytes)
        fields[str(name)] = (part.get_filename(), data) if part.get_filename() else data.decode()
    return fields


def schema_of(_: Body) -> None:
    return None


def answer(_: Answer, text: str, request: Body) -> Body:
    return {"text": text, "model": request["model"]}


def blocked(_: Body) -> Body:
    return {"text": ""}


def failure(trouble: Trouble, key: str, request: Body) -> tuple[int, Body]:
    return openai_wire.failure(trouble, key, {"model": request["model"], "messages": [{"content": "the audio"}]})
