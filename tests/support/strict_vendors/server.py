"""A strict stand-in of the vendors' APIs as they are in November 2026, for the real SDKs, on this machine.

It refuses what the real APIs refuse, with their statuses and codes, bills as they do, and answers the project's
prompts sensibly. An address is SERVER/OPTIONS/v1 (OpenAI), SERVER/OPTIONS (Anthropic, Google),
SERVER/OPTIONS/mistral/v1 or SERVER/OPTIONS/open/v1 (vLLM, Ollama, llama.cpp). OPTIONS are separated by commas;
"plain" and any other word that nobody knows only keeps the counts of one test apart from those of another. Any key is
taken but one that begins with "bad".

  think=N              reasoning tokens before each answer, which count against its limit; heavy=K:N every K-th text
  slow=S               seconds before each reply
  refuse=K, filter=K   every K-th text is declined by the model, or blocked; flaky=K: every K-th request
  dup=K                every K-th text gets a reply without a choice
  over, e500, limit    see troubles.py
  cut=N, html=N, err200=N   the first N replies break off, are a proxy's page, or an error with status 200
  newblock             Anthropic: a block of a kind that nobody knows stands before the text
  score=..., tokens=STYLE   see score_tokens.py
  top=N                numbers that a schema asks for go from 1 to N, not to 5
  batch=S, bexpire=K, berror=K   see call.py; bfail: OpenAI refuses the whole batch when it looks at it
  v1beta, thoughts, finish=REASON   see google.py; those of /open see open_servers.py

GET /_state tells what each set of options counted, GET /_calls?OPTIONS what was asked under one.
"""

import json
import re
import threading
import time
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import ModuleType
from urllib.parse import unquote, urlsplit

from tests.support.strict_vendors import anthropic, google, mistral, open_servers, openai, troubles
from tests.support.strict_vendors.account import Account, Body, Options, RefusedRequest
from tests.support.strict_vendors.call import Answered, Call

_NOT_HERE = "<!doctype html><title>404</title><p>There is nothing here.</p>"
_SIGN_IN = "<!doctype html><title>Sign in</title><p>Sign in to this network first.</p>"


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def __init__(self, *given: object) -> None:
        super().__init__(*given)  # type: ignore[arg-type]
        self.accounts: dict[str, Account] = {}
        self.lock = threading.Lock()

    def account(self, written: str) -> Account:
        with self.lock:
            return self.accounts.setdefault(written, Account(Options(written)))


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def log_message(self, *_: object) -> None:
        """Quiet."""

    def do_GET(self) -> None:
        self._serve()

    def do_POST(self) -> None:
        self._serve()

    def _serve(self) -> None:
        sent = self.rfile.read(int(self.headers.get("content-length") or 0))
        try:
            self._answer(sent)
        except ConnectionError:  # the client went away
            self.close_connection = True

    def _answer(self, sent: bytes) -> None:
        parts = urlsplit(self.path)
        if parts.path == "/_state":
            return self._send(200, {name: each.state() for name, each in list(self.server.accounts.items())})
        if parts.path == "/_calls":
            return self._send(200, {"calls": self.server.account(unquote(parts.query)).calls})
        written, _, path = parts.path.removeprefix("/").partition("/")
        account = self.server.account(unquote(written))
        body: Body = json.loads(sent) if sent.startswith(b"{") else {}
        if self.command == "POST":
            with account.lock:
                account.requests += 1
                account.calls.append({"path": self.path, "body": body})
        headers = {name.lower(): value for name, value in self.headers.items()}
        base = f"http://{headers['host']}/{written}"
        path = "/" + path.lstrip("/").replace("//", "/")
        try:
            reply = _reply(Call(account, self.command, path, base, headers, sent, body))
        except RefusedRequest as refused:
            with account.lock:
                account.refused[f"{refused.status} {refused.name}"] += 1
            return self._send(refused.status, refused.body, refused.headers)
        return self._succeed(account, reply)

    def _succeed(self, account: Account, reply: Answered) -> None:
        """Send the reply, or what the options make of a reply that was billed all the same."""
        if self.command != "POST":
            return self._send(200, reply)
        with account.lock:
            account.ok += 1
        if account.is_due("html"):
            return self._send(200, _SIGN_IN)
        if account.is_due("err200"):
            return self._send(200, {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}})
        return self._send(200, reply, cut=account.is_due("cut"))

    def _send(
        self, status: int, content: Body | bytes | str, headers: Mapping[str, str] | None = None, cut: bool = False
    ) -> None:
        match content:
            case dict():
                kind, data = "application/json", json.dumps(content).encode()
            case bytes():
                kind, data = "application/x-jsonl", content
            case _:
                kind, data = "text/html", content.encode()
        self.send_response(status)
        for name, value in {"content-type": kind, "content-length": str(len(data)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data[: len(data) // 2] if cut else data)
        self.close_connection |= cut


def _reply(call: Call) -> Answered:
    vendor = _vendor_of(call)
    path = re.sub("^/(open|mistral)/", "/", call.path)
    key = call.headers.get("authorization", "").removeprefix("Bearer ")
    key = call.headers.get("x-api-key") or call.headers.get("x-goog-api-key") or key
    if not key or key.startswith("bad"):
        raise vendor.wrong_key()
    if call.method == "POST":
        time.sleep(call.account.options.number("slow"))
        troubles.meet(call.account, vendor)
    reply: Answered | None = vendor.answer(
        Call(call.account, call.method, path, call.base, call.headers, call.sent, call.body)
    )
    if reply is None:
        raise RefusedRequest(404, _NOT_HERE, "path")
    return reply


def _vendor_of(call: Call) -> ModuleType:
    if call.path.startswith("/open/"):
        return open_servers
    if call.path.startswith("/mistral/"):
        return mistral
    if "x-goog-api-key" in call.headers:
        return google
    return anthropic if "x-api-key" in call.headers or "anthropic-version" in call.headers else openai
