"""Models on a server of the person's own. It is asked, because nobody else knows their names.

Servers that speak OpenAI's format list them at /v1/models as {"data": [{"id": NAME}, ...]}: vLLM its model and then the
adapters of it, llama.cpp the one it serves (or the path of its file), Ollama and LM Studio all that were downloaded,
embeddings among them. Ollama says null where it has none, and some gateways leave out the object around the list.
"""

import asyncio
import json
from collections.abc import Iterator

from openai import APIConnectionError, APIStatusError, APITimeoutError

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
from app.providers.adapters.body_limits import OversizedBodyError
from app.providers.adapters.compatible import open_client
from app.providers.adapters.connections import ElsewhereError
from app.providers.credentials import Endpoint
from app.providers.specs import ProviderSpec

LONGEST_NAME = 200


async def list_models(provider: ProviderSpec, endpoint: Endpoint, timeout: float) -> list[str]:
    """The names, each once, in the server's order; none where it has no model.

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
    """The names in what a server says, each once; None for what is no list of models."""
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
    """What an exception of the SDK says; None for anything that isn't the SDK's. key_place: "" without a key."""
    match error:
        case APITimeoutError():
            return list_timed_out(provider, timeout)
        case APIConnectionError() if isinstance(error.__cause__, ElsewhereError):
            return list_elsewhere(provider)
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


def list_elsewhere(provider: ProviderSpec) -> ProviderError:
    return WrongAddressError(
        f"{provider.title} leads to another server, which wasn't asked.",
        f"If that one is meant, put its address into {provider.url_variable}.",
    )


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
    """Within a sentence."""
    return provider.title.replace("The ", "the ", 1)
