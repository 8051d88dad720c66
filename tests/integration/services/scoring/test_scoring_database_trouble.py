"""A disk that is full and a database that is locked: a clear state, nothing lost, and the run goes on afterwards."""

import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event, text

from app.domain.run import RunStatus
from app.errors import DatabaseError
from app.services.runtime.workbench import Workbench
from app.services.scoring.runs import RunOptions, get_run, start_run, wait_until_free, work_on
from app.services.scoring.scoring_jobs import running_run
from db import engine
from tests.support.fake_llm.behaviour import Answer, Behaviour, Held, Slow, all_yes
from tests.support.fake_llm.server import FakeLlm, Received, Usual
from tests.support.postgres import new_postgres, postgres_server, restart_postgres
from tests.support.projects import ready_to_score, workbench_at

TEXTS = 60
FILLING = 100  # texts whose scores need more than the pages that are left
PATIENCE = 60  # seconds


@pytest.fixture
def usual() -> Usual:
    return Slow(0.02, Answer(all_yes))


@pytest.fixture
def workbench(llm: FakeLlm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workbench]:
    monkeypatch.setattr(engine, "BUSY_TIMEOUT_MS", 300)
    made = workbench_at(tmp_path, f"{llm.url}/v1")
    yield made
    made.database.close()


def planned(workbench: Workbench, texts: int = TEXTS) -> int:
    dimension = ready_to_score(workbench, texts)
    return start_run(workbench, 1, RunOptions((dimension,), "llama:judge"))


def answer_20_until(llm: FakeLlm) -> threading.Event:
    """From the 21st request on nothing is answered before the event, so that what happens then is in the middle."""
    happened = threading.Event()

    def in_the_middle(_: Received) -> Behaviour:
        return Answer(all_yes) if len(llm.requests) <= 20 else Held(happened, Answer(all_yes))

    llm.usual = in_the_middle
    return happened


def wait_for_20(llm: FakeLlm) -> None:
    while len(llm.requests) < 20:
        time.sleep(0.005)


def limit_pages(workbench: Workbench, spare: int | None) -> None:
    """Leave the database so many pages to grow, as a full disk would; None for as many as it likes."""
    writer = workbench.database._writer
    with writer.connect() as connection:
        used = connection.execute(text("PRAGMA page_count")).scalar_one()
    writer.dispose()  # the limit belongs to a connection

    @event.listens_for(writer, "connect")
    def _limit(connection: Any, _: Any) -> None:
        connection.execute(f"PRAGMA max_page_count={used + spare if spare is not None else 1_000_000}")


def test_a_full_disk_is_said_and_the_run_goes_on_when_there_is_room(workbench: Workbench, llm: FakeLlm) -> None:
    run_id = planned(workbench, FILLING)
    limit_pages(workbench, spare=4)
    with pytest.raises(DatabaseError, match=r"disk is full.*Make room, then resume"):
        work_on(workbench, run_id, concurrency=8)
    after = get_run(workbench, run_id)
    assert after.status in (RunStatus.FAILED, RunStatus.INTERRUPTED)
    assert after.resumable
    assert running_run(workbench, 1) is None
    assert 0 < after.done < FILLING
    paid = len(llm.requests)
    limit_pages(workbench, spare=None)
    report = work_on(workbench, run_id, concurrency=8)
    assert (report.run.status, report.run.done) == (RunStatus.DONE, FILLING)
    assert paid < FILLING
    assert len(llm.requests) <= FILLING + 2 * 8, "what was in flight or not yet written, and no more, is paid again"


def test_a_locked_database_is_said_and_the_run_goes_on_when_it_is_free(
    workbench: Workbench, llm: FakeLlm, tmp_path: Path
) -> None:
    run_id = planned(workbench)
    held, release = answer_20_until(llm), threading.Event()

    def hold() -> None:
        """Another program that writes and doesn't come to an end."""
        wait_for_20(llm)
        other = sqlite3.connect(tmp_path / "workbench.db", isolation_level=None, timeout=PATIENCE)
        other.execute("BEGIN IMMEDIATE")
        held.set()
        release.wait(PATIENCE)
        other.execute("ROLLBACK")
        other.close()

    holder = threading.Thread(target=hold)
    holder.start()
    try:
        with pytest.raises(DatabaseError, match="busy"):
            work_on(workbench, run_id, concurrency=8)
        assert held.is_set()
        assert get_run(workbench, run_id).resumable
        assert running_run(workbench, 1) is None
        # Not even the end could be written: another process sees it all the same, and needn't wait.
        elsewhere, waited = workbench_at(tmp_path, f"{llm.url}/v1"), list[float]()
        assert get_run(elsewhere, run_id).status is RunStatus.INTERRUPTED
        wait_until_free(elsewhere, run_id, waited.append)
        assert waited == []
    finally:
        release.set()
        holder.join()
    seen: list[RunStatus] = []

    def looked_at(_: Received) -> Behaviour:
        seen.append(get_run(workbench, run_id).status)
        return Answer(all_yes)

    llm.usual = looked_at
    report = work_on(elsewhere, run_id, concurrency=8)
    assert (report.run.status, report.run.done) == (RunStatus.DONE, TEXTS)
    assert set(seen) == {RunStatus.RUNNING}, "who left it open sees that another is at work"
    elsewhere.database.close()
    assert len(llm.requests) <= TEXTS + 2 * 8


def test_a_short_lock_is_waited_for(llm: FakeLlm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "BUSY_TIMEOUT_MS", PATIENCE * 1000)
    workbench = workbench_at(tmp_path, f"{llm.url}/v1")
    run_id = planned(workbench)
    held = answer_20_until(llm)

    def hold_for_a_moment() -> None:
        wait_for_20(llm)
        other = sqlite3.connect(tmp_path / "workbench.db", isolation_level=None, timeout=PATIENCE)
        other.execute("BEGIN IMMEDIATE")
        held.set()
        time.sleep(0.1)  # answers come meanwhile and wait to be saved
        other.execute("ROLLBACK")
        other.close()

    holder = threading.Thread(target=hold_for_a_moment)
    holder.start()
    report = work_on(workbench, run_id, concurrency=8)
    holder.join()
    assert (report.run.status, report.run.done, len(llm.requests)) == (RunStatus.DONE, TEXTS, TEXTS)
    workbench.database.close()


@pytest.fixture
def on_server(llm: FakeLlm, tmp_path: Path) -> Iterator[tuple[Workbench, str]]:
    """A workbench whose database is on a PostgreSQL server, and that server's address."""
    (tmp_path / "runtime").mkdir(mode=0o700)
    with postgres_server(tmp_path / "runtime") as server:
        address = new_postgres(server)
        made = workbench_at(tmp_path, f"{llm.url}/v1", address=address)
        yield made, address
        made.database.close()


def different_calls(workbench: Workbench) -> tuple[int, int]:
    """(answered calls in the ledger, different requests among them)."""
    with workbench.database.read() as work:
        counted = text("SELECT count(*), count(DISTINCT digest) FROM model_call WHERE error_kind = ''")
        calls, different = work.calls._session.execute(counted).one()
    return calls, different


@pytest.mark.long
@pytest.mark.parametrize("replies_while_away", [False, True])
def test_run_with_postgresql_restarted_is_resumed_and_calls_are_counted(
    on_server: tuple[Workbench, str], llm: FakeLlm, replies_while_away: bool
) -> None:
    workbench, address = on_server
    run_id = planned(workbench)
    held = answer_20_until(llm)

    def restart() -> None:
        try:
            wait_for_20(llm)
            restart_postgres(address, answer if replies_while_away else lambda: None)
        finally:
            held.set()

    def answer() -> None:
        held.set()
        time.sleep(1)

    restarting = threading.Thread(target=restart)
    restarting.start()
    with suppress(DatabaseError):
        work_on(workbench, run_id, concurrency=8)
    restarting.join()
    ended = get_run(workbench, run_id)
    if ended.status is not RunStatus.DONE:
        assert ended.resumable
        ended = work_on(workbench, run_id, concurrency=8).run
    assert (ended.status, ended.done, ended.failed) == (RunStatus.DONE, TEXTS, 0)
    calls, different = different_calls(workbench)
    assert calls == different == TEXTS
    twice = len(llm.requests) - different
    assert twice <= get_run(workbench, run_id).maybe_paid_twice <= 16, "those in flight, and no fewer than there were"
