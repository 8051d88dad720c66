"""A provider on this machine that speaks the wire formats of all providers to the real SDKs and does as it is told."""

import asyncio
import json
import threading
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from http import HTTPStatus
from types import ModuleType
from typing import Any, Self

from tests.support.fake_llm import (
    anthropic_wire,
    google_embedding_wire,
    google_wire,
    mistral_wire,
    models_wire,
    openai_completions_wire,
    openai_embedding_wire,
    openai_wire,
    transcription_wire,
)
from tests.support.fake_llm.behaviour import Answer, Behaviour, Blocked, Drop, Fail, Held, Raw, Slow, Status

WIRES = (
    mistral_wire,
    openai_wire,
    openai_completions_wire,
    openai_embedding_wire,
    anthropic_wire,
    google_wire,
    google_embedding_wire,
    transcription_wire,
    models_wire,
)


@dataclass(frozen=True)
class Received:
    """One request as it came in; `wire` is the module of the format it was in."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    wire: ModuleType

    @property
    def key(self) -> str:
        bearer = self.headers.get("authorization", "").removeprefix("Bearer ")
        return bearer or self.headers.get("x-api-key") or self.headers.get("x-goog-api-key", "")


Usual = Behaviour | Callable[[Received], Behaviour]


def varied_answers(received: Received) -> Behaviour:
    """Yes or no to each question by what the request holds: the same request gets the same, another text another."""
    content = json.dumps(received.body, sort_keys=True)

    def answers(schema: Mapping[str, Any] | None) -> str:
        keys = (schema or {}).get("required", ())
        return json.dumps({key: ("no", "yes")[sha256(f"{key} {content}".encode()).digest()[0] % 2] for key in keys})

    return Answer(answers)


@dataclass
class FakeLlm:
    """Use as a context manager. `script` says what happens to the next requests; then `usual` to all others, which may
    be a function that looks at each.

    Looking up its list of `models` is no such request: `listing` says what happens then, `looks` what was sent.
    `owner`: whom the list names as the models' owner. `beside`: what a server of this kind says at its own paths.
    """

    usual: Usual = field(default_factory=Answer)
    requests: list[Received] = field(default_factory=list)
    connections: int = 0
    models: tuple[str, ...] = ("llama3.1:8b",)
    listing: Behaviour = field(default_factory=Answer)
    looks: list[Received] = field(default_factory=list)
    owner: str = "test"
    beside: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._script: deque[Behaviour] = deque()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="fake-llm", daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def script(self, *behaviours: Behaviour) -> None:
        self._script.extend(behaviours)

    def __enter__(self) -> Self:
        self._thread.start()
        self._port = asyncio.run_coroutine_threadsafe(self._start(), self._loop).result(10)
        return self

    def __exit__(self, *_: object) -> None:
        asyncio.run_coroutine_threadsafe(self._stop(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()

    async def _start(self, port: int = 0) -> int:
        self._conversations: set[asyncio.Task[None]] = set()
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", port)
        port = self._server.sockets[0].getsockname()[1]
        return int(port)

    def go_away(self) -> None:
        """Refuse connections, and drop those that are open, until `come_back`."""
        asyncio.run_coroutine_threadsafe(self._stop(), self._loop).result(10)

    def come_back(self) -> None:
        """At the same address."""
        self._port = asyncio.run_coroutine_threadsafe(self._start(self._port), self._loop).result(10)

    async def _stop(self) -> None:
        self._server.close()
        for conversation in self._conversations:
            conversation.cancel()
        await asyncio.gather(*self._conversations, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._conversations.add(task)
        self.connections += 1
        try:
            while await self._exchange(reader, writer):
                pass
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass  # the client went away, or the test is over
        finally:
            self._conversations.discard(task)
            writer.close()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """One request and what comes of it; False when the connection is to end."""
        received = await _receive(reader)
        behaviour = self._behaviour(received)
        match behaviour:
            case Drop(after_headers=False):
                return False
            case Drop():
                writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 500\r\n\r\n{")
                await writer.drain()
                return False
            case Slow():
                await asyncio.sleep(behaviour.seconds)
                behaviour = behaviour.answer
            case Held():
                while not behaviour.released.is_set():
                    await asyncio.sleep(0.05)
                behaviour = behaviour.answer
        writer.write(_response(behaviour, received))
        await writer.drain()
        return True

    def _behaviour(self, received: Received) -> Behaviour:
        if received.wire is models_wire:
            self.looks.append(received)
            if not received.path.partition("?")[0].endswith(models_wire.PATH) or received.path in self.beside:
                said = self.beside.get(received.path)
                return Status(404) if said is None else Raw(json.dumps(said).encode())
            received.body.update(models=self.models, owner=self.owner)
            return self.listing
        self.requests.append(received)
        behaviour = self._script.popleft() if self._script else self.usual
        return behaviour(received) if callable(behaviour) else behaviour


async def _receive(reader: asyncio.StreamReader) -> Received:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    path = head[0].split(" ")[1]
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:] if line)}
    sent = await reader.readexactly(int(headers.get("content-length", "0")))
    kind = headers.get("content-type", "")
    body = transcription_wire.read_form(kind, sent) if kind.startswith("multipart/") else json.loads(sent or b"{}")
    wires = [wire for wire in WIRES if path.partition("?")[0].endswith(wire.PATH)]
    if not wires and (head[0].startswith("GET ") or path == "/api/show"):
        wires = [models_wire]
    assert wires, f"nothing is served at {path}"
    if wires[0] in (google_wire, google_embedding_wire):
        body["model"] = path.rpartition("/")[2].partition(":")[0]
    return Received(path, headers, body, wires[0])


def _response(behaviour: Behaviour, received: Received) -> bytes:
    wire, headers, kind = received.wire, dict[str, str](), "application/json"
    status, content = 200, b""
    match behaviour:
        case Answer():
            text = behaviour.text if isinstance(behaviour.text, str) else behaviour.text(wire.schema_of(received.body))
            content = json.dumps(wire.answer(behaviour, text, received.body)).encode()
        case Blocked():
            content = json.dumps(wire.blocked(received.body)).encode()
        case Fail():
            status, body = wire.failure(behaviour.trouble, received.key, received.body)
            content, headers = json.dumps(body).encode(), dict(behaviour.headers)
        case Status():
            status, headers, kind = behaviour.status, dict(behaviour.headers), "text/html"
            content = f"<html>{behaviour.status} {received.key}</html>".encode()
        case Raw():
            content, kind, status = behaviour.body, behaviour.content_type, behaviour.status
    reason = HTTPStatus(status).phrase if status in set(HTTPStatus) else "Unnamed"
    lines = [f"HTTP/1.1 {status} {reason}", f"content-type: {kind}", f"content-length: {len(content)}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + content
