"""OpenTelemetry: traces and metrics of model calls, off unless configured."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol

from app.domain.checklist_score import Answer
from app.domain.run import Outcome, RunSummary
from app.errors import InputError, NotReadyError
from app.settings import settings

if TYPE_CHECKING:
    from opentelemetry._logs import Logger
    from opentelemetry.sdk._logs import LoggerProvider
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.trace import Span, Tracer


SCOPE = "interacteval"
ENDPOINT = "INTERACTEVAL_OTEL_ENDPOINT"
_ADDRESS = re.compile(r"https?://[^/\s]+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Signals:
    """The configured exporters. `texts`: whether prompts and replies are exported."""

    tracer: "Tracer"
    logger: "Logger"
    texts: bool
    providers: "tuple[TracerProvider, LoggerProvider]"

    def flush(self) -> None:
        """Send all waiting signals; at the end of the process this happens by itself."""
        for provider in self.providers:
            provider.force_flush()


def signals() -> Signals | None:
    """Return the exporters, None if no address is set. Raises InputError for an invalid address, NotReadyError if the
    extra isn't installed."""
    endpoint = settings().otel_endpoint.strip()
    return _signals(endpoint, settings().otel_texts.strip().lower() == "yes") if endpoint else None


@cache
def _signals(endpoint: str, texts: bool) -> Signals:
    """Return exporters to this endpoint. The SDK's other environment variables (headers, resource attributes) apply
    too."""
    if not _ADDRESS.match(endpoint):
        raise InputError(
            f"{ENDPOINT} is no address of a collector.",
            "Give it whole, with http:// or https://: http://localhost:4318.",
        )
    try:
        import requests  # noqa: PLC0415 - an extra
        from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter  # noqa: PLC0415 - an extra
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: PLC0415
        from opentelemetry.sdk._logs import LoggerProvider  # noqa: PLC0415
        from opentelemetry.sdk._logs.export import BatchLogRecordProcessor  # noqa: PLC0415
        from opentelemetry.sdk.resources import Resource  # noqa: PLC0415
        from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415
        from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415
    except ImportError:
        raise NotReadyError(
            f"{ENDPOINT} is set, but what sends traces isn't installed.",
            "Install it (pip install 'interacteval-workbench[otel]'), or unset the variable.",
        ) from None

    class Session(requests.Session):
        """A session that follows no redirects, so that texts go to this address only."""

        def get_redirect_target(self, resp: requests.Response) -> None:
            return None

    session = Session()
    base, resource = endpoint.rstrip("/"), Resource.create({"service.name": SCOPE})
    traces, logs = TracerProvider(resource=resource), LoggerProvider(resource=resource)
    traces.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(f"{base}/v1/traces", session=session)))
    logs.add_log_record_processor(BatchLogRecordProcessor(OTLPLogExporter(f"{base}/v1/logs", session=session)))
    return Signals(traces.get_tracer(SCOPE), logs.get_logger(SCOPE), texts, (traces, logs))


class AskedPrompt(Protocol):
    """The fields of a rendered prompt that a span records."""

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


class RequestSpan:
    """The span of one request. Without a span its methods do nothing."""

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
        """Record only the kind of the error, because its message may quote the text."""
        if self._span is None:
            return
        from opentelemetry.trace import Status, StatusCode  # noqa: PLC0415 - an extra

        self._span.set_attribute("error.type", str(getattr(error, "kind", "") or type(error).__name__))
        self._span.set_status(Status(StatusCode.ERROR))


_SILENT = RequestSpan()


@contextmanager
def request_span(
    provider: str, model: str, prompt: AskedPrompt, run: int | None, batch: bool = False
) -> Iterator[RequestSpan]:
    """Open the span of one request for the block. provider: its name in OpenTelemetry's conventions. run: the id of the
    run that pays, or None. batch: answered in a batch; the span is then made at collection, and its length isn't the
    time the request took."""
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
        f"chat {model}", kind=SpanKind.CLIENT, attributes=about, record_exception=False, set_status_on_exception=False
    ) as span:
        asked = RequestSpan(span, found.texts)
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


EVENT = "gen_ai.evaluation.result"
_VALUES = {Answer.YES: 1.0, Answer.NO: 0.0}


def report_outcomes(
    run: RunSummary, judge: tuple[str, str] | None, named: Callable[[], Mapping[int, str]], outcomes: Sequence[Outcome]
) -> None:
    """Report each score of a run as a log event, if exporters are configured. judge: provider and model as in the spans
    of its requests, None without a judge. named: returns id -> name of each dimension.

    Answers reused from an earlier run are left out; that run reported them.
    """
    found = signals()
    if found is None:
        return
    names = named()
    for outcome in outcomes:
        about: dict[str, Any] = {
            f"{SCOPE}.run": run.id,
            f"{SCOPE}.text": outcome.planned.text,
            f"{SCOPE}.method": run.evaluator,
            **({"gen_ai.provider.name": judge[0], "gen_ai.request.model": judge[1]} if judge else {}),
        }
        for event in _events(outcome, names.get(outcome.planned.dimension, ""), found.texts):
            found.logger.emit(event_name=EVENT, attributes=about | event)


def _events(outcome: Outcome, dimension: str, texts: bool) -> Iterator[dict[str, Any]]:
    if outcome.evaluation is None:
        yield {"gen_ai.evaluation.name": dimension, "error.type": outcome.error_kind}
        return
    for judgment in outcome.evaluation.judgments:
        if judgment.origin is None:
            event: dict[str, Any] = {
                "gen_ai.evaluation.name": f"{dimension}: question",
                "gen_ai.evaluation.score.label": judgment.answer.value,
                f"{SCOPE}.question": judgment.question,
                f"{SCOPE}.repeat": judgment.repeat,
            }
            if judgment.answer in _VALUES:
                event["gen_ai.evaluation.score.value"] = _VALUES[judgment.answer]
            if texts and judgment.rationale:
                event["gen_ai.evaluation.explanation"] = judgment.rationale
            yield event
    if outcome.evaluation.value is not None:
        yield {"gen_ai.evaluation.name": dimension, "gen_ai.evaluation.score.value": outcome.evaluation.value}
