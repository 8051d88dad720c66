"""Bodies that would fill the memory or that nobody can decode: each fails its request alone."""

import asyncio
import gzip
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from pydantic import SecretStr

from app.errors import OversizedReplyError, ProviderError, UnreadableReplyError
from app.limits import REPLY
from app.providers.credentials import Access, Credentials
from app.providers.registry import open_model, served_names, sold_names
from app.services.attributes.embedding_choice import open_embedding
from tests.contract.test_embeddings import CASES, TEXTS
from tests.support.adapter_cases import KEY, AdapterCase, a_request

PART = 2**20
PARTS_OF_AN_ENDLESS_BODY = 2_000
MOST_SENT = 200  # parts, with what the system's own buffers hold; VECTORS are 64


@cache
def zipped_spaces(megabytes: int) -> bytes:
    packer = zlib.compressobj(1, wbits=31)
    return b"".join([*(packer.compress(b" " * PART) for _ in range(megabytes)), packer.flush()])


class Sender:
    """A server that answers everything with the parts of one body. `sent` counts parts."""

    def __init__(self, body: Callable[[], Iterator[bytes]], encoding: str = "") -> None:
        self.body, self.encoding, self.sent, self.url = body, encoding, 0, ""

    @contextmanager
    def running(self) -> Iterator["Sender"]:
        sender = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                if sender.encoding:
                    self.send_header("Content-Encoding", sender.encoding)
                self.end_headers()
                with suppress(OSError):
                    for part in sender.body():
                        self.wfile.write(part)
                        sender.sent += 1

            do_GET = do_POST  # noqa: N815 - the library's word

            def log_message(self, *_: object) -> None:
                """Nothing."""

        with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
            server.daemon_threads = True
            Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
            self.url = f"http://127.0.0.1:{server.server_port}"
            yield self
            server.shutdown()


BODIES = {
    "endless": lambda: Sender(lambda: (b" " * PART for _ in range(PARTS_OF_AN_ENDLESS_BODY))),
    "zipped": lambda: Sender(lambda: iter([zipped_spaces(300)]), "gzip"),
    "unknown-packing": lambda: Sender(lambda: iter([b"abc"]), "zstd"),
    "twice-zipped": lambda: Sender(lambda: iter([gzip.compress(zipped_spaces(100))]), "gzip, gzip"),
}


@pytest.fixture(params=sorted(BODIES))
def sender(request: pytest.FixtureRequest) -> Iterator[Sender]:
    zipped_spaces(300)  # not while a request waits
    with BODIES[request.param]().running() as running:
        yield running


def complete(case: AdapterCase, sender: Sender) -> None:
    async def run() -> None:
        access = Access(SecretStr(KEY), sender.url + case.path, "a test")
        model = open_model(case.name, Credentials({case.prefix: access}))
        try:
            await model.complete(a_request())
        finally:
            await model.aclose()

    asyncio.run(run())


def test_model_oversized_body_fails_without_being_read(case: AdapterCase, sender: Sender) -> None:
    with pytest.raises(OversizedReplyError):
        complete(case, sender)
    assert sender.sent < MOST_SENT


def test_model_reply_of_20_mb_is_refused(case: AdapterCase) -> None:
    body = b'{"choices": [{"message": {"content": "' + b"a" * 20 * PART + b'"}}]}'
    with Sender(lambda: iter([body])).running() as sender, pytest.raises(OversizedReplyError):
        complete(case, sender)


@pytest.mark.parametrize("body", [b'{"a": "\xff\xfe\x00"}', b"[" * 200_000], ids=["not-utf-8", "deep"])
def test_model_undecodable_body_is_an_unreadable_reply(case: AdapterCase, body: bytes) -> None:
    with Sender(lambda: iter([body])).running() as sender, pytest.raises(UnreadableReplyError):
        complete(case, sender)


def test_model_zipped_reply_within_the_limits_is_read(case: AdapterCase) -> None:
    """It is unpacked, so what is wrong with it is its form."""
    packed = gzip.compress(b"{}" + b" " * (REPLY.size // 2))
    body = Sender(lambda: iter([packed[:100], packed[100:]]), "gzip")
    with body.running() as sender, pytest.raises(UnreadableReplyError):
        complete(case, sender)


@pytest.mark.parametrize("prefix", ["openai", "google"])
def test_embedding_oversized_body_fails_without_being_read(prefix: str, sender: Sender) -> None:
    case = CASES[prefix]
    credentials = Credentials({prefix: Access(SecretStr(KEY), sender.url + case.path, "a test")})
    with pytest.raises(OversizedReplyError):
        open_embedding(case.name, credentials).embedder.embed(TEXTS)
    assert sender.sent < MOST_SENT


@pytest.mark.parametrize("prefix", ["openai", "anthropic", "google", "mistral", "llama"])
def test_model_list_oversized_body_fails_without_being_read(prefix: str, sender: Sender) -> None:
    path = "" if prefix in ("anthropic", "google") else "/v1"
    credentials = Credentials({prefix: Access(SecretStr(KEY), sender.url + path)})
    with pytest.raises(ProviderError) as caught:
        asyncio.run(served_names(credentials)) if prefix == "llama" else sold_names(prefix, credentials, 20.0)
    assert (caught.value.kind, sender.sent < MOST_SENT) == ("transient", True)
