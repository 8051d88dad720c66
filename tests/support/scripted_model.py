"""A model that says what it is told to, in order, and remembers what it was asked."""

from collections.abc import Iterable

from app.providers.base import ChatReply, ChatRequest, Usage

Scripted = str | ChatReply | Exception


class ScriptedModel:
    """Each call takes the next of `replies`: text becomes a reply of 10 tokens in and 5 out, an exception is raised.

    A call beyond the script fails the test.
    """

    def __init__(self, replies: Iterable[Scripted], name: str = "scripted:model", is_llm: bool = True) -> None:
        self._replies = list(replies)
        self.name = name
        self.is_llm = is_llm
        self.requests: list[ChatRequest] = []
        self.closed = False

    async def complete(self, request: ChatRequest) -> ChatReply:
        assert self._replies, f"call {len(self.requests) + 1} of {request.prompt.label} is not in the script"
        self.requests.append(request)
        reply = self._replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        if isinstance(reply, ChatReply):
            return reply
        return ChatReply(reply, self.name, Usage(input_tokens=10, output_tokens=5), seconds=0.5)

    async def aclose(self) -> None:
        self.closed = True
