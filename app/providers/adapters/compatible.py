"""Llama and its like behind any OpenAI-compatible endpoint: vLLM, Ollama, llama.cpp."""

import time
from typing import Any

from openai import AsyncOpenAI, DefaultAsyncHttpxClient, Timeout
from openai.types import Completion

from app.errors import ProviderError
from app.providers.adapters.calling import CONNECT_TIMEOUT, DEFAULT_TIMEOUT, call
from app.providers.adapters.connections import at_home, spread_connections, trusted
from app.providers.adapters.openai import OpenAIModel, idempotency_header
from app.providers.adapters.rejection import billed, no_echo, unreadable
from app.providers.adapters.request_style import RequestStyle
from app.providers.base import ChatReply, ChatRequest, TokenLogprob, counted_usage
from app.providers.credentials import Endpoint
from app.providers.model_name import ModelName

# The SDK demands a key; servers without one ignore it.
_NO_KEY = "none"


class CompatibleModel(OpenAIModel):
    """Also rates given texts, through the completions endpoint with echo: it returns the prompt with the
    log-probability of each of its tokens."""

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
        """The tokens at the end of the echoed prompt that hold a character of the text, the first of them perhaps with
        the end of what stands before. Some servers echo nothing, or only what they generated, without a word."""
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
    """A client is opened here and kept until `aclose`."""
    return CompatibleModel(name, open_client(endpoint, timeout), timeout, most_output, for_openai=False)


def open_client(endpoint: Endpoint, timeout: float) -> AsyncOpenAI:
    """Whoever opens it closes it."""
    client = AsyncOpenAI(
        api_key=endpoint.key.get_secret_value() or _NO_KEY,
        base_url=endpoint.base_url,
        max_retries=0,
        timeout=Timeout(timeout, connect=min(timeout, CONNECT_TIMEOUT)),
        http_client=DefaultAsyncHttpxClient(
            verify=trusted(), mounts=spread_connections(), event_hooks=at_home(endpoint.base_url)
        ),
    )
    # The SDK takes these from the environment; they are between the person and OpenAI, not for another server.
    client.organization = None
    client.project = None
    client._custom_headers = {}
    return client
