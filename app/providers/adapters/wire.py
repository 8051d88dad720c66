"""What an adapter knows of its provider's wire format, for whatever sends requests in another way than one by one."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from app.providers.adapters.calling import ReadError
from app.providers.adapters.request_style import RequestStyle, StyleMemory
from app.providers.base import ChatReply, ChatRequest
from app.providers.model_name import ModelName


@dataclass(frozen=True, slots=True)
class Wire:
    """`client` is the SDK's.

    body: a request in the SDK's own form. read: raises a ProviderError, which says what was billed. read_error: what an
    exception of the SDK says.
    """

    name: ModelName
    client: Any
    memory: StyleMemory
    timeout: float
    body: Callable[[ChatRequest, RequestStyle], Any]
    read: Callable[[Any, ChatRequest], ChatReply]
    read_error: ReadError

    def sized(self, request: ChatRequest) -> tuple[ChatRequest, RequestStyle]:
        """The request with its room, in the style learned so far. Raises CutOffError where no more room is left."""
        room = self.memory.room.of(request, str(self.name))
        return replace(request, max_output_tokens=room), self.memory.style
