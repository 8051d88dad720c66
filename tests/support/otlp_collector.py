"""A collector on this machine that speaks OTLP over HTTP and keeps all it is sent."""

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

Attributes = dict[str, Any]


@dataclass
class Collected:
    """`spans` are (name, attributes), `events` likewise; `raw` is every body as it came.

    `leads_to`: the address of another collector, to which this one redirects.
    """

    url: str = ""
    leads_to: str = ""
    raw: list[bytes] = field(default_factory=list)
    spans: list[tuple[str, Attributes]] = field(default_factory=list)
    events: list[tuple[str, Attributes]] = field(default_factory=list)

    def take(self, path: str, body: bytes) -> None:
        self.raw.append(body)
        if path == "/v1/traces":
            for sent in ExportTraceServiceRequest.FromString(body).resource_spans:
                self.spans += [(s.name, _plain(s.attributes)) for scope in sent.scope_spans for s in scope.spans]
        elif path == "/v1/logs":
            for kept in ExportLogsServiceRequest.FromString(body).resource_logs:
                records = [record for scope in kept.scope_logs for record in scope.log_records]
                self.events += [(record.event_name, _plain(record.attributes)) for record in records]


@contextmanager
def otlp_collector() -> Iterator[Collected]:
    collected = Collected()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            collected.take(self.path, self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(308 if collected.leads_to else 200)
            if collected.leads_to:
                self.send_header("Location", f"{collected.leads_to}{self.path}")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Not into the tests' output."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        collected.url = f"http://127.0.0.1:{server.server_port}"
        yield collected
        server.shutdown()


def _plain(attributes: Sequence[Any]) -> Attributes:
    return {each.key: _value(each.value) for each in attributes}


def _value(value: Any) -> Any:
    kind = value.WhichOneof("value")
    found = getattr(value, kind)
    return [_value(each) for each in found.values] if kind == "array_value" else found
