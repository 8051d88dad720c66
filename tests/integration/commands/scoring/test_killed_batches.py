"""`score --batch` as a process of its own, killed at four points: every text is scored, and none is paid for twice.

A tenth of each batch expires, another tenth fails, and answers come in another order than they were asked in.
"""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from app.domain.model_call import BatchStatus
from app.providers.base import Usage
from app.providers.known_prices import known_prices, today
from app.services.runtime.workbench import Workbench
from db.unit_of_work import Database
from tests.support.batch_relay import FILES, HANDED_IN, LOOKED_AT, READ, BatchRelay, batch_relay
from tests.support.modern_vendors import ModernVendors, modern_vendors
from tests.support.projects import ready_to_score

pytestmark = pytest.mark.long

JUDGES = {
    "openai": "openai:gpt-4o",
    "anthropic": "anthropic:claude-haiku-4-5",
    "google": "google:gemini-2.5-flash",
}
KEYS = {"openai": "OPENAI", "anthropic": "ANTHROPIC", "google": "GOOGLE"}
ADDRESSES = {"openai": "OPENAI_BASE_URL", "anthropic": "ANTHROPIC_BASE_URL", "google": "GOOGLE_GEMINI_BASE_URL"}
TEXTS = 60
PATIENCE = 300.0  # seconds; far beyond what anything takes


@pytest.fixture(scope="module")
def vendors() -> Iterator[ModernVendors]:
    with modern_vendors() as running:
        yield running


@dataclass(frozen=True)
class Figures:
    """done: texts scored. answered, different: replies in the ledger, and of different requests. paid: answers that the
    vendor billed, live and in batches. share: what was paid, of the price of asking live."""

    done: int
    answered: int
    different: int
    live: int
    batched: int
    share: float
    batches: int

    @property
    def paid_twice(self) -> int:
        return self.live + self.batched - self.different


@dataclass
class Killed:
    """A project and a run of it, worked on by one process after another."""

    prefix: str
    vendors: ModernVendors
    relay: BatchRelay
    through: ModernVendors
    folder: Path

    @property
    def options(self) -> str:
        return f"batch=0,bexpire=10,berror=11,mark={self.prefix}-killed"

    def plan(self, texts: int) -> None:
        database = Database(f"sqlite:///{self.folder}/workbench.db")
        ready_to_score(Workbench(database, self.vendors.credentials()), texts=texts)
        database.close()

    def started(self, *words: str) -> "subprocess.Popen[str]":
        variables = {
            "INTERACTEVAL_HOME": str(self.folder / "home"),
            "INTERACTEVAL_DATABASE_URL": f"sqlite:///{self.folder}/workbench.db",
            ADDRESSES[self.prefix]: self.through.address(self.prefix, self.options),
            f"{KEYS[self.prefix]}_API_KEY": "sk-local",
        }
        command = [sys.executable, "-c", "from app.cli import run; run()", *words]
        out = subprocess.PIPE
        return subprocess.Popen(command, env={**os.environ, **variables}, stdout=out, stderr=out, text=True)

    def killed_once(self, process: "subprocess.Popen[str]", seen: Any) -> None:
        """Killed at the moment in which something is seen."""
        give_up = time.monotonic() + PATIENCE
        with process:
            while not seen():
                assert process.poll() is None, process.communicate()
                assert time.monotonic() < give_up
                time.sleep(0.005)
            process.send_signal(signal.SIGKILL)
        assert process.returncode == -signal.SIGKILL
        self.relay.let_through()

    def rows(self, query: str) -> list[Any]:
        with closing(sqlite3.connect(self.folder / "workbench.db")) as database:
            return database.execute(query).fetchall()

    def statuses(self) -> list[tuple[str, bool]]:
        """Of each batch: its status, and whether its handle is known."""
        return [(status, bool(handle)) for status, handle in self.rows("SELECT status, handle FROM provider_batch")]

    def answered(self) -> int:
        return int(self.rows("SELECT count(*) FROM model_call WHERE error_kind = ''")[0][0])

    def figures(self) -> Figures:
        calls = self.rows(
            "SELECT model, input_tokens, cached_tokens, cache_write_tokens, output_tokens, cost_usd, digest"
            " FROM model_call WHERE error_kind = ''"
        )
        usual = paid = 0.0
        for model, read, cached, written, output, cost, _ in calls:
            usage = Usage(read, cached, output, written)
            usual += known_prices().cost(model, usage, today()) or 0.0
            paid += cost
        state = self.vendors.state(self.options)
        bodies = self.vendors.bodies(self.options)
        live = sum("messages" in body or "contents" in body for body in bodies if body)
        done = self.rows("SELECT count(*) FROM score WHERE status = 'done'")[0][0]
        different = len({call[-1] for call in calls})
        return Figures(done, len(calls), different, live, state["batched"], paid / usual, len(self.statuses()))


def killed_at_four_points(prefix: str, vendors: ModernVendors, folder: Path, texts: int) -> Figures:
    with batch_relay(vendors) as (relay, through):
        run = Killed(prefix, vendors, relay, through, folder)
        run.plan(texts)
        relay.before = lambda asked: bool(FILES.match(asked) or HANDED_IN.match(asked))
        begin = ("score", "--project", "Ready", "--judge", JUDGES[prefix], "--batch", "--json")
        run.killed_once(run.started(*begin), relay.held.is_set)
        assert run.statuses() == [(BatchStatus.INTENDED, False)]

        relay.after = lambda asked: bool(HANDED_IN.match(asked))
        run.killed_once(run.started("runs", "wait", "1"), relay.held.is_set)
        assert run.statuses() == [(BatchStatus.NOTHING, False), (BatchStatus.INTENDED, False)]

        relay.before = lambda asked: bool(LOOKED_AT.match(asked))
        run.killed_once(run.started("runs", "wait", "1"), relay.held.is_set)
        assert run.statuses()[1:] == [(BatchStatus.OUT, True)]

        read: list[str] = []

        def second_file(asked: str) -> bool:
            read.extend([asked] if READ.match(asked) else [])
            return len(read) > 1

        relay.before = second_file  # of OpenAI's two; the others have one, whose lines are written in several goes
        before = run.answered()
        run.killed_once(run.started("runs", "wait", "1"), lambda: run.answered() > before)

        with run.started("runs", "wait", "1", "--json") as process:
            out, err = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0, err
        assert json.loads(out)["status"] == "done"
        return run.figures()


@pytest.mark.parametrize("prefix", sorted(JUDGES))
def test_killed_at_four_points_all_is_scored_at_half_the_price_and_nothing_paid_twice(
    prefix: str, vendors: ModernVendors, tmp_path: Path
) -> None:
    found = killed_at_four_points(prefix, vendors, tmp_path, TEXTS)
    assert (found.done, found.answered, found.different) == (TEXTS, TEXTS, TEXTS)
    assert found.paid_twice == 0
    assert found.share == pytest.approx(0.5, abs=0.05)
    assert found.batches >= 3
