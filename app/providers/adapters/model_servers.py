"""Queries of model servers: which kind a server is, which models it has, and their context lengths.

Only these requests are sent: no key, no text. Ollama, LM Studio, llama.cpp and vLLM all list models at /v1/models;
other answers tell the kind:

- vLLM and llama.cpp name themselves there as the owner of their models. vLLM gives `max_model_len` with each; llama.cpp
  answers /props with the context of a slot.
- LM Studio lists models at /api/v0/models too, with a type and the context they are loaded with.
- Ollama gives its version at /api/version, at /api/ps the context of the models in memory, and at /api/show the
  parameter `num_ctx` of one that isn't.
- llama-cpp-python owns its models as "me". It tells its context length only when it refuses a longer text.
"""

import asyncio
import json
import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import httpx2

from app.errors import ProviderError
from app.limits import Limits, OversizedBodyError, body_limits
from app.providers.adapters.compatible import model_names
from app.providers.adapters.connections import at_home, trusted
from app.providers.credentials import OTHER, ContextWindow, Endpoint, LocalServer, address_at

LISTING = Limits(size=2 * 2**20)
"""Limit of a list of models; hundreds of models take some 100 kB."""
OLLAMA_DEFAULT = 4096
"""Context in tokens if neither /api/ps nor the model's parameters give one (docs.ollama.com, context length)."""
LLAMA_CPP_PYTHON = "llama-cpp-python"
TOO_MANY = 270_000
"""Words of a request that no server's context holds: it refuses them at once, and names its context length."""
_LENGTH = re.compile(r"maximum context length is (\d{1,9}) tokens")
_NUM_CTX = re.compile(r"^num_ctx\s+(\d{1,9})\s*$", re.MULTILINE)


async def find_servers_at_ports(ports: Sequence[int], timeout: float) -> list[LocalServer]:
    """Return the servers at these ports of this computer, all asked at once, without those that don't answer in time or
    list no models. timeout: seconds for each."""
    found = await asyncio.gather(*(_look_at(address_at(port), timeout) for port in ports))
    return [server for server in found if server is not None]


async def _look_at(address: str, timeout: float) -> LocalServer | None:
    async with _client(Endpoint(address), timeout) as client:
        try:
            async with asyncio.timeout(timeout):
                listed = await _json(client, f"{address}/models")
                names = model_names(listed)
                if names is None:
                    return None
                return LocalServer(await _kind(client, address, listed), address, tuple(names))
        except TimeoutError:
            return None


async def context_window(endpoint: Endpoint, model: str, timeout: float) -> ContextWindow | None:
    """Return how much a model of this server reads; None if it doesn't say, or not within `timeout` seconds."""
    async with _client(endpoint, timeout) as client:
        try:
            async with asyncio.timeout(timeout):
                listed = await _json(client, f"{endpoint.base_url}/models")
                kind = await _kind(client, endpoint.base_url, listed)
                tokens = await _tokens(client, endpoint.base_url, kind, listed, model)
        except TimeoutError:
            return None
    return ContextWindow(tokens, kind) if tokens else None


async def _kind(client: httpx2.AsyncClient, address: str, listed: object) -> str:
    match [model.get("owned_by") for model in _items(listed, "data")][:1]:
        case ["vllm"]:
            return "vLLM"
        case ["llamacpp"]:
            return "llama.cpp"
        case ["me"]:
            return LLAMA_CPP_PYTHON
    version, detailed = await asyncio.gather(
        _json(client, _beside(address, "/api/version")), _json(client, _beside(address, "/api/v0/models"))
    )
    if isinstance(version, dict) and isinstance(version.get("version"), str):
        return "Ollama"
    models = _items(detailed, "data")
    return "LM Studio" if models and all("type" in model and "state" in model for model in models) else OTHER


async def _tokens(client: httpx2.AsyncClient, address: str, kind: str, listed: object, model: str) -> int | None:
    entry = next((each for each in _items(listed, "data") if each.get("id") == model), {})
    match kind:
        case "vLLM":
            return _count(entry.get("max_model_len"))
        case "llama.cpp":
            props = await _json(client, _beside(address, "/props"))
            used = props.get("default_generation_settings") if isinstance(props, dict) else None
            return _count(used.get("n_ctx")) if isinstance(used, dict) else None
        case "LM Studio":
            models = _items(await _json(client, _beside(address, "/api/v0/models")), "data")
            loaded = next((each for each in models if each.get("id") == model), {})
            return _count(loaded.get("loaded_context_length"))
        case "Ollama":
            return await _tokens_at_ollama(client, address, model)
        case kind if kind == LLAMA_CPP_PYTHON:
            asked = {"model": model, "prompt": "a " * TOO_MANY, "max_tokens": 1}
            said = await _json(client, f"{address}/completions", asked, refused=True)
            named = _LENGTH.search(json.dumps(said))
            return int(named[1]) if named else None
    meta = entry.get("meta")
    return _count(meta.get("n_ctx")) if isinstance(meta, dict) else None


async def _tokens_at_ollama(client: httpx2.AsyncClient, address: str, model: str) -> int | None:
    running = _items(await _json(client, _beside(address, "/api/ps")), "models")
    for each in running:
        if model in (each.get("name"), each.get("model")) and (tokens := _count(each.get("context_length"))):
            return tokens
    shown = await _json(client, _beside(address, "/api/show"), {"model": model})
    if not isinstance(shown, dict):
        return None
    parameters = shown.get("parameters")
    own = _NUM_CTX.search(parameters) if isinstance(parameters, str) else None
    return _count(int(own.group(1))) if own else OLLAMA_DEFAULT


def _client(endpoint: Endpoint, timeout: float) -> httpx2.AsyncClient:
    """Open a client that ignores the environment's proxies: for a proxy, a local address is its own computer."""
    key = endpoint.key.get_secret_value()
    headers = {"authorization": f"Bearer {key}"} if key else {}
    hooks = at_home(endpoint.base_url)
    return httpx2.AsyncClient(verify=trusted(), timeout=timeout, headers=headers, event_hooks=hooks, trust_env=False)


async def _json(
    client: httpx2.AsyncClient, address: str, body: dict[str, Any] | None = None, refused: bool = False
) -> Any:
    """Return the server's JSON; None for any failure. refused: also return the JSON of a refusal."""
    try:
        with body_limits(LISTING):
            reply = await (client.get(address) if body is None else client.post(address, json=body))
        usable = reply.status_code == httpx2.codes.OK or (refused and reply.status_code == httpx2.codes.BAD_REQUEST)
        return json.loads(reply.content) if usable else None
    except (httpx2.HTTPError, httpx2.InvalidURL, OversizedBodyError, ProviderError, ValueError, RecursionError):
        return None


def _items(answer: object, name: str) -> list[dict[str, Any]]:
    listed = answer.get(name) if isinstance(answer, dict) else None
    return [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value < 10**9 else None


def _beside(address: str, path: str) -> str:
    """Return another path of the same server."""
    parts = urlsplit(address)
    return urlunsplit((parts.scheme, parts.netloc, path, "", ""))
