"""A server that leads to another one: nothing follows it there, neither texts nor the key."""

import asyncio
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from pydantic import SecretStr

from app.errors import ProviderError, WrongAddressError
from app.providers.batches.batch import parts
from app.providers.credentials import Access, Credentials
from app.providers.registry import open_batches, open_model, served_names, sold_names
from tests.contract.test_embeddings import CASES, TEXTS, embed
from tests.support.adapter_cases import KEY, AdapterCase, a_request, ask
from tests.support.fake_llm.behaviour import Status
from tests.support.fake_llm.server import FakeLlm


@pytest.fixture
def elsewhere(server: FakeLlm) -> Iterator[FakeLlm]:
    """Where everything that is asked of `server` is led to, with a redirect that keeps method and body."""
    with FakeLlm() as running:
        led = Status(307, {"Location": f"{running.url}/v1/chat/completions"})
        server.usual = server.listing = led
        yield running


@pytest.fixture
def leading(elsewhere: FakeLlm) -> Iterator[str]:
    """The address of a server that leads everything elsewhere."""

    class Leading(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            self.send_response(307)
            self.send_header("Location", f"{elsewhere.url}{self.path}")
            self.send_header("Content-Length", "0")
            self.end_headers()

        do_GET = do_POST  # noqa: N815 - the library's word

        def log_message(self, *_: object) -> None:
            """Nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Leading) as running:
        Thread(target=running.serve_forever, args=(0.01,), daemon=True).start()
        yield f"http://127.0.0.1:{running.server_port}"
        running.shutdown()


def nothing_came(elsewhere: FakeLlm) -> bool:
    return not elsewhere.requests and not elsewhere.looks


def test_model_redirect_to_another_server_is_refused(case: AdapterCase, server: FakeLlm, elsewhere: FakeLlm) -> None:
    with pytest.raises(WrongAddressError):
        ask(case, server, a_request())
    assert (len(server.requests), nothing_came(elsewhere)) == (1, True)


@pytest.mark.parametrize("prefix", ["openai", "google"])
def test_embedding_redirect_to_another_server_is_refused(prefix: str, server: FakeLlm, elsewhere: FakeLlm) -> None:
    case = CASES[prefix]
    with pytest.raises(WrongAddressError):
        embed(case, server, TEXTS)
    assert (len(server.requests), nothing_came(elsewhere)) == (1, True)


@pytest.mark.parametrize("prefix", ["openai", "anthropic", "llama"])
def test_model_list_redirect_to_another_server_is_refused(prefix: str, server: FakeLlm, elsewhere: FakeLlm) -> None:
    credentials = Credentials({prefix: Access(SecretStr(KEY), server.url + ("" if prefix == "anthropic" else "/v1"))})
    with pytest.raises(ProviderError):
        asyncio.run(served_names(credentials)) if prefix == "llama" else sold_names(prefix, credentials, 20.0)
    assert (len(server.looks), nothing_came(elsewhere)) == (1, True)


@pytest.mark.parametrize("name", ["openai:gpt-5.4-mini", "anthropic:claude-haiku-4-5", "google:gemini-2.5-flash"])
def test_batch_redirect_to_another_server_is_refused(name: str, leading: str, elsewhere: FakeLlm) -> None:
    async def submitted() -> None:
        model = open_model(name, Credentials({name.partition(":")[0]: Access(SecretStr(KEY), leading)}))
        try:
            request = a_request()
            batches = open_batches(model)
            (part,) = parts(batches, {request.digest(name): request})
            await batches.submit(part, "token-1")
        finally:
            await model.aclose()

    with pytest.raises(WrongAddressError):
        asyncio.run(submitted())
    assert nothing_came(elsewhere)
