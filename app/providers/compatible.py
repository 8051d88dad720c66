"""Llama and its like behind any OpenAI-compatible endpoint: vLLM, Ollama, llama.cpp."""

from openai import AsyncOpenAI, DefaultAsyncHttpxClient

from app.providers.calling import DEFAULT_TIMEOUT
from app.providers.certificates import trusted
from app.providers.credentials import Endpoint
from app.providers.model_name import ModelName
from app.providers.openai_adapter import OpenAIModel

# The SDK demands a key; servers without one ignore it.
_NO_KEY = "none"


def open_model(name: ModelName, endpoint: Endpoint, timeout: float = DEFAULT_TIMEOUT) -> OpenAIModel:
    """A client is opened here and kept until `aclose`."""
    client = AsyncOpenAI(
        api_key=endpoint.key.get_secret_value() or _NO_KEY,
        base_url=endpoint.base_url,
        max_retries=0,
        timeout=timeout,
        http_client=DefaultAsyncHttpxClient(verify=trusted()),
    )
    # The SDK takes these from the environment; they are between the person and OpenAI, not for another server.
    client.organization = None
    client.project = None
    client._custom_headers = {}
    return OpenAIModel(name, client, timeout, for_openai=False)
