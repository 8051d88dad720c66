"""Adapter for Llama and others behind any OpenAI-compatible endpoint: vLLM, Ollama, llama.cpp."""

import asyncio
import json
import time
from collections.abc import Iterator
from typing import Any, TypeVar

import openai
from openai import APIConnectionError, APIStatusError, APITimeoutError, AsyncOpenAI
from openai.types import Completion

from app.errors import (
    ConnectionFailedError,
    ModelTimeoutError,
    OverloadedError,
    ProviderError,
    TransientError,
    UnsupportedError,
    WrongAddressError,
    WrongKeyError,
)
from app.limits import OversizedBodyError
from app.providers.adapters.calling import DEFAULT_TIMEOUT, call
from app.providers.adapters.connections import RedirectedError, client_options
from app.providers.adapters.openai import OpenAIModel, idempotency_header
from app.providers.adapters.provider_errors import billed, no_echo, unreadable
from app.providers.adapters.request_style import RequestStyle
from app.providers.base import ChatReply, ChatRequest, TokenLogprob, counted_usage
from app.providers.credentials import Endpoint
from app.providers.model_name import ModelName
from app.providers.specs import ProviderSpec

Client = TypeVar("Client", openai.OpenAI, AsyncOpenAI)

# The SDK demands a key; servers without one ignore it.
_NO_KEY = "none"


class CompatibleModel(OpenAIModel):
    """A model at an OpenAI-compatible server. It also rates given texts, through the completions endpoint with echo,
    which returns the prompt with the log-probability of each token."""

    async def complete(self, request: ChatRequest) -> ChatReply:
        if request.given is None:
            return await super().complete(request)
        started, given, whole = time.perf_counter(), request.given, request.before + request.given

        async def send(sized: ChatRequest, _style: RequestStyle) -> Any:
            # Servers refuse to generate nothing at all; the one token is left out again.
            return await self._client.completions.create(
                model=self._name.model,
                prompt=whole,
                echo=True,
                logprobs=1,
                max_tokens=1,
                temperature=0.0,
                extra_headers=idempotency_header(sized),
            )

        answer, _ = await call(self._name, self._memory, request, send, self._read_error, self._timeout)
        if not isinstance(answer, Completion) or not answer.choices:
            raise unreadable(self._name)
        said = answer.usage
        usage = counted_usage(getattr(said, "prompt_tokens", None), getattr(said, "completion_tokens", None))
        try:
            rated = self._of_given(answer, whole, given)
        except ProviderError as error:
            raise billed(error, usage) from None
        return ChatReply("", self.name, usage, "stop", time.perf_counter() - started, rated)

    def _of_given(self, answer: Completion, whole: str, given: str) -> tuple[TokenLogprob, ...]:
        """Return the tokens at the end of the echoed prompt that contain a character of the given text; the first may
        also contain the end of the context. Some servers silently echo nothing, or only what they generated."""
        said = answer.choices[0].logprobs
        tokens, logprobs = (said.tokens or [], said.token_logprobs or []) if said else ([], [])
        spelled = "".join(tokens)
        at = spelled.find(whole)  # behind a mark of the beginning
        if at < 0 or len(tokens) != len(logprobs):
            raise no_echo(self._name)
        found, start = [], 0
        for token, logprob in zip(tokens, logprobs, strict=True):
            end = start + len(token)
            if start < at + len(whole) and end > at + len(whole) - len(given):
                if logprob is None:
                    raise no_echo(self._name)
                found.append(TokenLogprob(token, logprob))
            start = end
        return tuple(found)


def open_model(
    name: ModelName, endpoint: Endpoint, timeout: float = DEFAULT_TIMEOUT, most_output: int | None = None
) -> CompatibleModel:
    """Open the model with a client, which stays open until `aclose`."""
    return CompatibleModel(name, open_client(endpoint, timeout), timeout, most_output, for_openai=False)


def open_client(endpoint: Endpoint, timeout: float) -> AsyncOpenAI:
    """Open the SDK's client. The caller closes it."""
    options = client_options(openai, endpoint, timeout)
    return without_openais(AsyncOpenAI(**options | {"api_key": options["api_key"] or _NO_KEY}))


def without_openais(client: Client) -> Client:
    """Return the client without what the SDK takes from the environment for OpenAI, which is not for another server."""
    client.organization = None
    client.project = None
    client._custom_headers = {}
    return client


LONGEST_NAME = 200


async def list_models(provider: ProviderSpec, endpoint: Endpoint, timeout: float) -> list[str]:
    """Return the server's model names, each once, in its order; none if it has no model.

    timeout: seconds for everything. Raises a ProviderError, without a trace of the SDK's own exception, which holds the
    request and the key.
    """
    failure: ProviderError | None = None
    answer: object = None
    client = open_client(endpoint, timeout)
    try:
        async with asyncio.timeout(timeout):
            # Not `client.models.list()`: the SDK takes the form of what comes for granted.
            answer = await client.get("/models", cast_to=object)
    except TimeoutError:
        failure = list_timed_out(provider, timeout)
    except Exception as error:
        place = (endpoint.key_place or provider.key_variable) if endpoint.key.get_secret_value() else ""
        failure = _failure(provider, error, timeout, place)
        if failure is None:
            raise
    finally:
        await client.close()
    if failure is not None:
        raise failure
    names = model_names(answer)
    if names is None:
        raise list_unreadable(provider)
    return names


def model_names(answer: object) -> list[str] | None:
    """Return the names in a server's answer, each once; None if it is no list of models."""
    listed = answer.get("data", answer) if isinstance(answer, dict) else answer
    if listed is None and answer is not None:
        return []
    if not isinstance(listed, list):
        return None
    names = list(dict.fromkeys(_usable(listed)))
    return names if names or not listed else None


def _usable(listed: list[object]) -> Iterator[str]:
    for item in listed:
        name = item.get("id") if isinstance(item, dict) else None
        if isinstance(name, str) and name.strip() and name.isprintable() and len(name) <= LONGEST_NAME:
            yield name.strip()


def _failure(provider: ProviderSpec, error: Exception, timeout: float, key_place: str) -> ProviderError | None:
    """Return what an exception of the SDK means; None for other exceptions. key_place: "" without a key."""
    match error:
        case APITimeoutError():
            return list_timed_out(provider, timeout)
        case APIConnectionError() if isinstance(error.__cause__, RedirectedError):
            return WrongAddressError(
                f"{provider.title} leads to another server, which wasn't asked.",
                f"If that one is meant, put its address into {provider.url_variable}.",
            )
        case APIConnectionError():
            return ConnectionFailedError(
                f"The connection to {_named(provider)} failed.",
                f"Check whether the server runs, and its address ({provider.url_variable}).",
            )
        case APIStatusError():
            return list_refused(provider, error.status_code, key_place)
        case json.JSONDecodeError() | UnicodeDecodeError() | RecursionError() | OversizedBodyError():
            return list_unreadable(provider)
    return None


def list_refused(provider: ProviderSpec, status: int, key_place: str) -> ProviderError:
    match status:
        case 401 | 403 if key_place:
            return WrongKeyError(f"{provider.title} refuses the key (status {status}).", f"Check {key_place}.")
        case 401 | 403:
            return WrongKeyError(f"{provider.title} asks for a key (status {status}).", f"Set {provider.key_variable}.")
        case 404 | 405 | 501:
            return UnsupportedError(
                f"{provider.title} has no list of its models (status {status}).",
                f"If its models don't answer either, check the address ({provider.url_variable}).",
            )
        case 503:
            return OverloadedError(
                f"{provider.title} is not ready (status {status}).", "It may still be loading its model."
            )
    return ProviderError(f"{provider.title} did not list its models (status {status}).")


def list_timed_out(provider: ProviderSpec, seconds: float) -> ProviderError:
    return ModelTimeoutError(
        f"{provider.title} did not list its models within {seconds:g} seconds.", "It may be busy or still loading."
    )


def list_unreadable(provider: ProviderSpec) -> ProviderError:
    return TransientError(
        f"What {_named(provider)} sent is no list of models.",
        f"Check the address ({provider.url_variable}): a proxy or another program may be answering.",
    )


def _named(provider: ProviderSpec) -> str:
    """Return the provider's name as used within a sentence."""
    return provider.title.replace("The ", "the ", 1)
