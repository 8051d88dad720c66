"""Benchmark of many people at once: sessions save an attribute or an answer every few seconds. It measures lost saves,
the time of a save, and the memory of a session."""

import asyncio
import json
import os
import random
import secrets
import socket
import statistics
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.cookies import SimpleCookie
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlencode, urlsplit

import websockets
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from app.providers.credentials import Credentials
from app.services.attributes.attributes import attributes_of
from app.services.checklists.answer_draws import draw_texts
from app.services.checklists.checklists import published_checklist
from app.services.checklists.expert_answers import answer_sheet
from app.services.data.projects import dimensions_named, get_project
from app.services.demo import run_demo
from app.services.people.sign_ins import PARAMETER
from app.services.runtime.workbench import Workbench
from app.settings import START_TOKEN
from db.unit_of_work import Database

SERVER = Path(__file__).resolve().parents[1] / "server.py"
PATIENCE = 180.0  # seconds; a busy machine starts a server in half a minute
SESSIONS, SECONDS = 30, 300.0
THINKING, ANSWERING = (8.0, 20.0), (2.0, 6.0)
"""Seconds between two attributes of somebody who thinks aloud, and between two answers of somebody who reads a text."""
TEXTS, LIMIT = 24, 1.0
MEASURED = {
    "saves": "attributes and answers that sessions sent, each until the screen was drawn anew",
    "lost": "those of them that the database doesn't hold",
    "p50_seconds": "from sending to the redrawn screen, half of all saves",
    "p95_seconds": "the same, 95 % of them",
    "memory_a_session_mb": "what the server's memory grew by from the first session to the last, a session",
    "processor_share": "of one core, all sessions together",
}


@dataclass
class Saved:
    """What the sessions sent: (name, words) of attributes, (name, text, question) of answers."""

    attributes: list[tuple[str, str]] = field(default_factory=list)
    answers: list[tuple[str, int, int]] = field(default_factory=list)
    thinking: list[float] = field(default_factory=list)
    answering: list[float] = field(default_factory=list)

    @property
    def seconds(self) -> list[float]:
        return self.thinking + self.answering


@dataclass(frozen=True, slots=True)
class ServedApp:
    """A running server; `process` is its id, `cookies` are those of a browser that opened the start link."""

    address: str
    process: int
    cookies: Mapping[str, str]

    def processor_seconds(self) -> float | None:
        """Return the processor time since it started, in steps of 10 ms; None if the system doesn't tell."""
        try:
            fields = Path(f"/proc/{self.process}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return None
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def served_app(database_url: str) -> Iterator[ServedApp]:
    """Within the block, run a server."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    token = secrets.token_urlsafe()
    environment = os.environ | {"INTERACTEVAL_DATABASE_URL": database_url, START_TOKEN: token}
    server = subprocess.Popen(  # noqa: S603 - our own words
        [sys.executable, str(SERVER), "127.0.0.1", str(port)],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        address = f"http://127.0.0.1:{port}"
        deadline = time.monotonic() + PATIENCE
        while not _is_up(f"{address}/_stcore/health"):
            if server.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError("The web server did not start.")
            time.sleep(0.1)
        link = f"{address}/?{PARAMETER}={token}"
        with urllib.request.urlopen(link) as answer:  # noqa: S310 - our own address
            kept = SimpleCookie("\n".join(answer.headers.get_all("Set-Cookie", [])))
        yield ServedApp(address, server.pid, {name: morsel.value for name, morsel in kept.items()})
    finally:
        server.terminate()
        server.wait()


def _is_up(address: str) -> bool:
    try:
        with urllib.request.urlopen(address, timeout=1):  # noqa: S310 - our own address
            return True
    except OSError:
        return False


class ScreenClient:
    """One screen, open in one session. `elements` are its widgets by key, as the server last drew them."""

    def __init__(self, address: str, screen: str, parameters: Mapping[str, str], cookies: Mapping[str, str]) -> None:
        parts = urlsplit(address)
        self._origin, self._stream = address, f"ws://{parts.netloc}/_stcore/stream"
        self._screen, self._query = screen, urlencode(parameters)
        self._cookies = "; ".join(f"{name}={value}" for name, value in cookies.items())
        self.elements: dict[str, Any] = {}

    async def __aenter__(self) -> "ScreenClient":
        self._socket = await websockets.connect(
            self._stream,
            origin=self._origin,  # type: ignore[arg-type]  # a NewType of str
            additional_headers={"Cookie": self._cookies} if self._cookies else None,
            subprotocols=["streamlit"],  # type: ignore[list-item]
            max_size=None,
            open_timeout=PATIENCE,
            ping_interval=None,
        )
        await self.draw()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._socket.close()

    async def draw(self, **states: Any) -> None:
        """Draw the screen, with the widgets of these keys set: text, True for a pressed button, or a component's state.
        Returns once all is drawn."""
        message = BackMsg()
        message.rerun_script.query_string = self._query
        message.rerun_script.page_name = self._screen
        for key, value in states.items():
            state = message.rerun_script.widget_states.widgets.add(id=self.elements[key].id)
            if value is True:
                state.trigger_value = True
            elif isinstance(value, str):
                state.string_value = value
            else:
                state.json_value = json.dumps(value)
        await self._socket.send(message.SerializeToString())
        await asyncio.wait_for(self._drawn(), PATIENCE)

    async def _drawn(self) -> None:
        """Wait until the screen is drawn; after a rerun that the script requests, until the next one is drawn."""
        while True:
            received = ForwardMsg.FromString(await self._socket.recv())
            kind = received.WhichOneof("type")
            if kind == "delta" and received.delta.WhichOneof("type") == "new_element":
                self._note(received.delta.new_element)
            elif kind == "script_finished" and received.script_finished == ForwardMsg.FINISHED_SUCCESSFULLY:
                return

    def _note(self, element: Any) -> None:
        shown = getattr(element, str(element.WhichOneof("type")), None)
        id_ = getattr(shown, "id", "")
        if isinstance(id_, str) and id_.startswith("$$ID-"):
            self.elements[id_.split("-", 2)[2]] = shown


def run(sessions: int = SESSIONS, seconds: float = SECONDS) -> dict[str, Any]:
    with TemporaryDirectory() as folder:
        address = f"sqlite:///{folder}/sessions.db"
        workbench = Workbench(Database(address), Credentials())
        try:
            run_demo(workbench)
            draw_texts(workbench, _checklist(workbench).id, TEXTS, seed=1)
            with served_app(address) as app:
                saved, before, after, processor = asyncio.run(_all(app, sessions, seconds))
            return {
                "measured": MEASURED,
                "sessions": sessions,
                "seconds": seconds,
                "saves": len(saved.seconds),
                "lost": _lost(workbench, saved),
                "p50_seconds": round(statistics.median(saved.seconds), 3),
                "p95_seconds": _p95(saved.seconds),
                "p95_limit_seconds": LIMIT,
                "p95_thinking": _p95(saved.thinking),
                "p95_answering": _p95(saved.answering),
                "memory_a_session_mb": round((after - before) / (sessions - 1) / 1e6, 1),
                "memory_server_mb": round(after / 1e6),
                "processor_share": round(processor / seconds, 2),
            }
        finally:
            workbench.database.close()


async def _all(app: ServedApp, sessions: int, seconds: float) -> tuple[Saved, int, int, float]:
    """Return what was saved, the server's memory with one session and with all, and its processor seconds meanwhile."""
    saved, chance = Saved(), random.Random(0)  # noqa: S311 - benchmark data
    async with _open(app, 0) as first:
        before = _memory(app.process)
        began, end = app.processor_seconds() or 0.0, time.monotonic() + seconds
        others = [_work(app, number, end, saved, random.Random(chance.random())) for number in range(1, sessions)]  # noqa: S311
        await asyncio.gather(_attributes(first, 0, end, saved, chance), *others)
        return saved, before, _memory(app.process), (app.processor_seconds() or 0.0) - began


def _open(app: ServedApp, number: int) -> ScreenClient:
    screen, dimension = ("answer", "fluency") if number % 2 else ("think_aloud", "coherence")
    return ScreenClient(
        app.address, screen, {"project": "Demo", "dimension": dimension, "expert": _name(number)}, app.cookies
    )


async def _work(app: ServedApp, number: int, end: float, saved: Saved, chance: random.Random) -> None:
    async with _open(app, number) as client:
        await (_answers if number % 2 else _attributes)(client, number, end, saved, chance)


async def _attributes(client: ScreenClient, number: int, end: float, saved: Saved, chance: random.Random) -> None:
    key = next(key for key in client.elements if key.startswith("say_") and key[4:].isdigit())
    while True:  # at least once, however slow the machine is
        await asyncio.sleep(chance.uniform(*THINKING))
        words = f"Point {len(saved.attributes)} of {_name(number)}."
        await _timed(client, saved.thinking, **{key: words, "say_add": True})
        saved.attributes.append((_name(number), words))
        if time.monotonic() >= end:
            return


async def _answers(client: ScreenClient, number: int, end: float, saved: Saved, chance: random.Random) -> None:
    """Answer one question after the other, as the component in the browser sends them."""
    entry, page = 0, f"page {number}"
    while True:
        await asyncio.sleep(chance.uniform(*ANSWERING))
        key = next((key for key in client.elements if key.startswith("answer_entries_")), "")
        data = json.loads(client.elements[key].json) if key else {}
        open_ones = [one["id"] for one in data.get("questions", []) if one["answer"] is None]
        if not data:
            return  # every text is answered
        entry += 1
        sent: dict[str, Any] = {"number": entry, "text": data["text"]}
        if open_ones:
            sent |= {"question": open_ones[0], "answer": chance.choice(["yes", "no"])}
        else:
            sent |= {"step": 1}
        await _timed(client, saved.answering, **{key: {"entries": {"page": page, "entries": [sent]}}})
        if open_ones:
            saved.answers.append((_name(number), data["text"], open_ones[0]))
        if time.monotonic() >= end:
            return


async def _timed(client: ScreenClient, taken: list[float], **states: Any) -> None:
    began = time.perf_counter()
    await client.draw(**states)
    taken.append(time.perf_counter() - began)


def _p95(seconds: list[float]) -> float:
    return round(statistics.quantiles(seconds, n=20)[-1], 3)


def _lost(workbench: Workbench, saved: Saved) -> int:
    project = get_project(workbench, "Demo")
    coherence = dimensions_named(workbench, "Demo", "coherence")[0]
    kept = {(one.contributor, one.text) for one in attributes_of(workbench, project.id, coherence.id)}
    checklist = _checklist(workbench)
    names = {name for name, _, _ in saved.answers}
    given = {
        (name, *pair)
        for name in names
        for pair, one in answer_sheet(workbench, checklist.id, name).given.items()
        if one.answer
    }
    return len(set(saved.attributes) - kept) + len(set(saved.answers) - given)


def _checklist(workbench: Workbench) -> Any:
    return published_checklist(workbench, dimensions_named(workbench, "Demo", "fluency")[0].id, None)


def _memory(process: int) -> int:
    """Return the bytes of memory that the process uses."""
    for line in Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    return 0


def _name(number: int) -> str:
    return f"Person {number + 1}"
