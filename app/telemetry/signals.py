"""Where signals go: made once a process, of OpenTelemetry's SDK, which is imported only where an address is set."""

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from app.errors import InputError, NotReadyError
from app.settings import settings

if TYPE_CHECKING:
    from opentelemetry._logs import Logger
    from opentelemetry.sdk._logs import LoggerProvider
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.trace import Tracer

SCOPE = "interacteval"
ENDPOINT = "INTERACTEVAL_OTEL_ENDPOINT"
_ADDRESS = re.compile(r"https?://[^/\s]+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Signals:
    """`texts`: whether what was asked and answered may be in them."""

    tracer: "Tracer"
    logger: "Logger"
    texts: bool
    providers: "tuple[TracerProvider, LoggerProvider]"

    def flush(self) -> None:
        """Send what waits; at the end of the process that happens by itself."""
        for provider in self.providers:
            provider.force_flush()


def signals() -> Signals | None:
    """None where no address is set. Raises InputError for what is no address, NotReadyError where the extra isn't
    installed."""
    endpoint = settings().otel_endpoint.strip()
    return _signals(endpoint, settings().otel_texts.strip().lower() == "yes") if endpoint else None


@cache
def _signals(endpoint: str, texts: bool) -> Signals:
    """Whatever else the SDK reads from the environment (headers, resource attributes) holds too."""
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
        """Texts go to this address and to no other: no redirect is followed."""

        def get_redirect_target(self, resp: requests.Response) -> None:
            return None

    session = Session()
    base, resource = endpoint.rstrip("/"), Resource.create({"service.name": SCOPE})
    traces, logs = TracerProvider(resource=resource), LoggerProvider(resource=resource)
    traces.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(f"{base}/v1/traces", session=session)))
    logs.add_log_record_processor(BatchLogRecordProcessor(OTLPLogExporter(f"{base}/v1/logs", session=session)))
    return Signals(traces.get_tracer(SCOPE), logs.get_logger(SCOPE), texts, (traces, logs))
