"""Gemini's files and batches of files, as on the wire, for the real SDK."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

from tests.support.fake_llm import google_wire
from tests.support.fake_llm.behaviour import Answer, all_yes

Body = dict[str, Any]


class GoogleBatchFiles:
    """`uploaded`: the lines of each file that arrived. `asked`: what each batch was made of.

    Every third request of a file expires, every fourth fails; answers stand there in reverse."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.uploaded: dict[str, list[Body]] = {}
        self.asked: list[Body] = []
        self.announced = 0

    def reply(self, method: str, path: str, sent: bytes) -> tuple[Body | bytes, dict[str, str]]:
        """What is answered, and with which headers."""
        version, _, rest = path.removeprefix("/upload").lstrip("/").partition("/")
        assert version in ("v1", "v1beta", "put"), path
        if version == "put":
            self.uploaded[f"files/{rest}"] = [json.loads(line) for line in sent.splitlines()]
            return {"file": {"name": f"files/{rest}", "state": "ACTIVE"}}, {"x-goog-upload-status": "final"}
        if rest == "files":
            self.announced += 1
            return {}, {
                "x-goog-upload-url": f"{self.url}/put/in-{self.announced}",
                "x-goog-upload-status": "active",
            }
        if rest.endswith(":batchGenerateContent"):
            self.asked.append(json.loads(sent)["batch"])
            return self._job(len(self.asked)), {}
        if rest.startswith("files/out-") and rest.endswith(":download"):
            return self._answers(self.asked[int(rest[len("files/out-") : -len(":download")]) - 1]), {}
        assert (method, rest.partition("/")[0]) == ("GET", "batches"), path
        return self._job(int(rest.rpartition("-")[2])), {}

    def _job(self, number: int) -> Body:
        asked = self.asked[number - 1]
        metadata = {"displayName": asked["displayName"], "state": "BATCH_STATE_SUCCEEDED"}
        if "fileName" in asked["inputConfig"]:
            metadata["output"] = {"responsesFile": f"files/out-{number}"}
        return {"name": f"batches/b-{number}", "metadata": metadata, "done": True}

    def _answers(self, asked: Body) -> bytes:
        return b"\n".join(
            json.dumps({"key": line["key"]} | _outcome(place, line["request"])).encode()
            for place, line in reversed(list(enumerate(self.uploaded[asked["inputConfig"]["fileName"]], 1)))
        )


def _outcome(place: int, request: Body) -> Body:
    if place % 3 == 0:
        return {"error": {"code": 4, "message": "It expired."}}
    if place % 4 == 0:
        return {"status": {"code": 13, "message": "Internal error."}}
    text = all_yes(google_wire.schema_of(request))
    answered = google_wire.answer(Answer(text), text, request | {"model": "gemini-2.5-flash"})
    return {"response": answered | {"newerThanTheSdk": {"x": 1}}}


@contextmanager
def google_batch_files() -> Iterator[GoogleBatchFiles]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            """Quiet."""

        def do_GET(self) -> None:
            self._serve("GET")

        def do_POST(self) -> None:
            self._serve("POST")

        def _serve(self, method: str) -> None:
            sent = self.rfile.read(int(self.headers.get("content-length") or 0))
            found, headers = served.reply(method, urlsplit(self.path).path, sent)
            content = found if isinstance(found, bytes) else json.dumps(found).encode()
            self.send_response(200)
            for name, value in (
                {"content-type": "application/json", "content-length": str(len(content))} | headers
            ).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        served = GoogleBatchFiles(f"http://127.0.0.1:{server.server_address[1]}")
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), name="google batch files")
        thread.start()
        try:
            yield served
        finally:
            server.shutdown()
            thread.join()
