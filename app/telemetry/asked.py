"""A span for each request that reaches a model, live or in a batch: the model, the prompt, the tokens, how it ended."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

from app.telemetry.signals import SCOPE, signals

if TYPE_CHECKING:
    from opentelemetry.trace import Span


class AskedPrompt(Protocol):
    """What a span says of a rendered prompt."""

    @property
    def name(self) -> str: ...
    @property
    def system(self) -> str: ...
    @property
    def user(self) -> str: ...


class CountedTokens(Protocol):
    @property
    def input_tokens(self) -> int: ...
    @property
    def cached_tokens(self) -> int: ...
    @property
    def output_tokens(self) -> int: ...
    @property
    def known(self) -> bool: ...


class AskedSpan:
    """Of one request; without a span it says nothing to nobody."""

    __slots__ = ("_span", "_texts")

    def __init__(self, span: "Span | None" = None, texts: bool = False) -> None:
        self._span, self._texts = span, texts

    def answered(self, text: str, model: str, finish: str, usage: CountedTokens) -> None:
        if self._span is None:
            return
        said: dict[str, Any] = {"gen_ai.response.model": model, "gen_ai.response.finish_reasons": (finish,)}
        if usage.known:
            said |= {
                "gen_ai.usage.input_tokens": usage.input_tokens,
                "gen_ai.usage.output_tokens": usage.output_tokens,
                "gen_ai.usage.cache_read.input_tokens": usage.cached_tokens,
            }
        if self._texts:
            said["gen_ai.output.messages"] = _messages(("assistant", text))
        self._span.set_attributes(said)

    def failed(self, error: Exception) -> None:
        """Named by its kind alone: its message may quote the text."""
        if self._span is None:
            return
        from opentelemetry.trace import Status, StatusCode  # noqa: PLC0415 - an extra

        self._span.set_attribute("error.type", str(getattr(error, "kind", "") or type(error).__name__))
        self._span.set_status(Status(StatusCode.ERROR))


_SILENT = AskedSpan()


@contextmanager
def asked_span(
    provider: str, model: str, prompt: AskedPrompt, run: int | None, batch: bool = False
) -> Iterator[AskedSpan]:
    """Around one request. provider: as the conventions call it. run: the one it is put down to. batch: whether it was
    answered in one; how long that took is then not in the span, which is made when the answer is collected."""
    found = signals()
    if found is None:
        yield _SILENT
        return
    from opentelemetry.trace import SpanKind  # noqa: PLC0415 - an extra

    about: dict[str, Any] = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": provider,
        "gen_ai.request.model": model,
        f"{SCOPE}.prompt": prompt.name,
        **({f"{SCOPE}.run": run} if run is not None else {}),
        **({f"{SCOPE}.batch": True} if batch else {}),
    }
    if found.texts:
        about["gen_ai.input.messages"] = _messages(("system", prompt.system), ("user", prompt.user))
    with found.tracer.start_as_current_span(
        f"chat {model}",
        kind=SpanKind.CLIENT,
        attributes=about,
        record_exception=False,
        set_status_on_exception=False,
    ) as span:
        asked = AskedSpan(span, found.texts)
        try:
            yield asked
        except Exception as error:
            asked.failed(error)
            raise


def _messages(*said: tuple[str, str]) -> str:
    return json.dumps(
        [{"role": role, "parts": [{"type": "text", "content": words}]} for role, words in said if words],
        ensure_ascii=False,
    )
