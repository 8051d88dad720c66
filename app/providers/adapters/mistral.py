"""Adapter for Mistral: its chat completions, through OpenAI's SDK, whose wire format it shares.

Source: https://docs.mistral.ai/api and its OpenAPI document, August 2026. Mistral refuses parameters that it doesn't
have, such as `seed`, `logprobs` and `max_completion_tokens`, with status 422.
"""

from dataclasses import replace
from typing import Any

from app.providers.adapters.calling import DEFAULT_TIMEOUT
from app.providers.adapters.compatible import open_client
from app.providers.adapters.openai import OpenAIModel, prompt_cache_key
from app.providers.adapters.request_style import RequestStyle
from app.providers.base import ChatReply, ChatRequest
from app.providers.credentials import Endpoint
from app.providers.model_name import ModelName

_WINDOW_FULL = "model_length"


class MistralModel(OpenAIModel):
    """A Mistral model."""

    def _body(self, request: ChatRequest, style: RequestStyle) -> dict[str, Any]:
        return super()._body(request, style) | prompt_cache_key(request)

    def _reply(self, answer: Any, request: ChatRequest, seconds: float) -> ChatReply:
        reply = super()._reply(answer, request, seconds)
        return replace(reply, finish="length", ending="") if reply.ending == _WINDOW_FULL else reply


def open_model(
    name: ModelName, endpoint: Endpoint, timeout: float = DEFAULT_TIMEOUT, most_output: int | None = None
) -> MistralModel:
    """Open the model with a client, which stays open until `aclose`."""
    return MistralModel(name, open_client(endpoint, timeout), timeout, most_output, for_openai=False)
