"""Looks at model servers: kind, models and context window, against stand-ins that speak as each does."""

import asyncio
import socket
from collections.abc import Callable, Iterator

import pytest

from app.errors import InputError
from app.providers.credentials import Access, ContextWindow, Credentials, ports_in
from app.providers.registry import local_servers_at, served_context
from tests.support.fake_llm.behaviour import Raw, Slow, Status
from tests.support.fake_llm.local_servers import MODEL, llama_cpp, llama_cpp_python, lm_studio, ollama, port_of, vllm
from tests.support.fake_llm.server import FakeLlm

KINDS = [("Ollama", ollama), ("LM Studio", lm_studio), ("llama.cpp", llama_cpp), ("vLLM", vllm)]


@pytest.fixture
def free_port() -> Iterator[int]:
    """Taken by a socket that doesn't listen, so that nobody answers there."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield taken.getsockname()[1]


def window_of(server: FakeLlm, model: str) -> ContextWindow | None:
    credentials = Credentials({"llama": Access(base_url=server.url)})
    return asyncio.run(served_context(f"llama:{model}", credentials, 20))


@pytest.mark.parametrize(("kind", "made"), KINDS, ids=[kind for kind, _ in KINDS])
def test_the_kind_of_a_server_is_told_from_its_replies(kind: str, made: Callable[[], FakeLlm], free_port: int) -> None:
    with made() as server:
        (found,) = asyncio.run(local_servers_at([free_port, port_of(server)], 20))
        assert (found.kind, found.address) == (kind, f"{server.url}/v1")
        assert found.models
        assert server.requests == [], "nothing is asked of a model"
        assert {look.headers.get("authorization") for look in server.looks} == {None}


@pytest.mark.parametrize(
    "listing", [Status(404), Status(401), Raw(b"<html>", "text/html"), Raw(b"{}"), Raw(b"[" * 5_000_000), Slow(30)]
)
def test_what_lists_no_models_is_left_out(listing: Raw | Status | Slow) -> None:
    with FakeLlm(listing=listing) as server:
        seconds = 0.3 if isinstance(listing, Slow) else 20
        assert asyncio.run(local_servers_at([port_of(server)], seconds)) == []


def test_a_server_that_says_no_more_than_its_models_is_found() -> None:
    with FakeLlm(owner="somebody") as server:
        (found,) = asyncio.run(local_servers_at([port_of(server)], 20))
        assert found.kind == "A model server"
        assert window_of(server, MODEL) is None


@pytest.mark.parametrize(
    ("made", "model", "tokens"),
    [
        (lambda: ollama(8192), MODEL, 8192),
        (ollama, MODEL, 4096),
        (lambda: ollama(None, 'stop "<|eot|>"\nnum_ctx                        32768'), MODEL, 32_768),
        (lambda: lm_studio(6000), "qwen3-8b", 6000),
        (lambda: llama_cpp(2048), "SmolLM2-135M.gguf", 2048),
        (llama_cpp_python, "smollm2", 4096),
        (lambda: vllm(16_384), "meta-llama/Llama-3.1-8B-Instruct", 16_384),
    ],
    ids=[
        "ollama-in-memory",
        "ollama-default",
        "ollama-own-parameter",
        "lm-studio",
        "llama.cpp",
        "llama-cpp-python",
        "vllm",
    ],
)
def test_a_server_says_how_much_its_model_takes(made: Callable[[], FakeLlm], model: str, tokens: int) -> None:
    with made() as server:
        window = window_of(server, model)
        assert window is not None
        assert window.tokens == tokens
        assert not window.shortfall(tokens)
        assert f"{tokens + 1:,}" in window.shortfall(tokens + 1)


def test_no_vendors_model_has_a_window_looked_up() -> None:
    with ollama() as server:
        credentials = Credentials({"llama": Access(base_url=server.url)})
        assert asyncio.run(served_context("openai:gpt-6-luna", credentials)) is None
        assert server.looks == []


@pytest.mark.parametrize(("written", "ports"), [("none", ()), ("11434, 1234,11434", (11434, 1234))])
def test_ports_are_read_as_written(written: str, ports: tuple[int, ...]) -> None:
    assert ports_in(written) == ports


@pytest.mark.parametrize("written", ["ollama", "0", "65536", "1,,2", ",".join(map(str, range(1, 30)))])
def test_ports_that_are_none_are_refused(written: str) -> None:
    with pytest.raises(InputError):
        ports_in(written)
