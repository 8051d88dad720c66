"""One writer a run: who lost it saves nothing and asks nothing more, and a run whose writer died is free."""

import json
import os
import re
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text as sql

from app.domain.run import RunStatus
from app.errors import ConflictError, RunLostError
from app.services.runtime.backups import has_ended
from app.services.runtime.workbench import Workbench
from app.services.scoring import run_writer
from app.services.scoring.run_worker import allow_runs, stop_all_runs
from app.services.scoring.run_writer import RunWriter
from app.services.scoring.runs import RunOptions, get_run, start_run, stop_run, wait_until_free, work_on
from tests.support.background import PATIENCE
from tests.support.fake_llm.behaviour import Answer, Held, Slow, Status, all_yes
from tests.support.fake_llm.server import FakeLlm, Usual
from tests.support.projects import ready_to_score, workbench_at

JUDGE = "llama:judge"


@pytest.fixture
def usual() -> Usual:
    return Answer(all_yes)


def planned(workbench: Workbench, texts: int) -> int:
    return start_run(workbench, 1, RunOptions((ready_to_score(workbench, texts),), JUDGE))


def heartbeat(workbench: Workbench, value: str) -> None:
    with workbench.database.write() as work:
        work.runs._session.execute(sql(f"UPDATE scoring_run SET heartbeat_at = {value}"))


def awaited(condition: Any) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "it never came to that"
        time.sleep(0.01)


def test_a_writer_that_lost_its_run_saves_nothing_and_asks_nothing_more(
    workbench: Workbench, llm: FakeLlm, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A falls silent with four requests under way, B takes the run over, A goes on."""
    texts, at_once, released = 16, 4, threading.Event()
    run_id = planned(workbench, texts)
    llm.usual = Held(released, Answer(all_yes))
    ended: list[BaseException] = []

    def a() -> None:
        try:
            work_on(workbench, run_id, at_once)
        except BaseException as error:
            ended.append(error)

    monkeypatch.setattr(run_writer, "FRESH_SECONDS", 0.0)  # as if the silence was long
    first = threading.Thread(target=a)
    first.start()
    awaited(lambda: len(llm.requests) == at_once)
    heartbeat(workbench, "'2020-01-01 00:00:00'")
    llm.usual = Answer(all_yes)
    assert work_on(workbench, run_id, 2 * at_once).run.status is RunStatus.DONE  # A still holds its slots
    asked = len(llm.requests)
    released.set()
    first.join(60)
    assert [type(error) for error in ended] == [RunLostError]
    assert len(llm.requests) == asked == texts + at_once
    assert (get_run(workbench, run_id).status, get_run(workbench, run_id).done) == (RunStatus.DONE, texts)


def test_each_save_of_a_lost_run_is_refused(workbench: Workbench) -> None:
    run_id = planned(workbench, 4)
    a, b = RunWriter(workbench.database, run_id), RunWriter(workbench.database, run_id)
    a.claim()
    with pytest.raises(ConflictError, match="another process"):
        b.claim()
    b.claim(gone=a.name)
    with pytest.raises(RunLostError, match="taken over"):
        a.renew()
    b.renew()
    a.release()
    b.release()


@pytest.mark.parametrize("ago", [-3600, 3600])
def test_a_sign_of_life_far_from_now_holds_nobody_up(workbench: Workbench, ago: int) -> None:
    """Also one from the future: the clock was set back since."""
    run_id = planned(workbench, 4)
    with workbench.database.write() as work:
        work.runs.claim(run_id, "another machine|1-2")
    heartbeat(workbench, f"datetime('now', '{ago} seconds')")
    assert get_run(workbench, run_id).status is RunStatus.INTERRUPTED
    assert work_on(workbench, run_id).run.done == 4


def killed_in_the_middle(workbench: Workbench, llm: FakeLlm, folder: Path, run_id: int, number: int) -> None:
    llm.usual = Slow(0.1, Answer(all_yes))
    program = f"""
        from pathlib import Path
        from tests.support.projects import workbench_at
        from app.services.scoring.runs import work_on
        work_on(workbench_at(Path({str(folder)!r}), {llm.url + "/v1"!r}), {run_id}, concurrency=4)
    """
    before = len(llm.requests)
    with subprocess.Popen([sys.executable, "-c", textwrap.dedent(program)], cwd=Path.cwd()) as process:
        while len(llm.requests) < before + 8 and process.poll() is None:
            time.sleep(0.01)
        process.send_signal(number)


@pytest.mark.long
def test_a_run_killed_on_this_machine_is_free_at_once(workbench: Workbench, llm: FakeLlm, tmp_path: Path) -> None:
    run_id = planned(workbench, 60)
    killed_in_the_middle(workbench, llm, tmp_path, run_id, signal.SIGKILL)
    assert get_run(workbench, run_id).status is RunStatus.INTERRUPTED
    waited: list[float] = []
    wait_until_free(workbench, run_id, waited.append)
    assert waited == []
    llm.usual = Answer(all_yes)
    assert work_on(workbench, run_id).run.done == 60


@pytest.mark.long
def test_a_run_killed_on_this_machine_can_be_stopped_at_once(
    workbench: Workbench, llm: FakeLlm, tmp_path: Path
) -> None:
    run_id = planned(workbench, 60)
    killed_in_the_middle(workbench, llm, tmp_path, run_id, signal.SIGKILL)
    stop_run(workbench, run_id)
    assert get_run(workbench, run_id).status is RunStatus.STOPPED


def test_resuming_waits_for_another_machine_and_says_for_how_long(workbench: Workbench) -> None:
    run_id = planned(workbench, 4)
    with workbench.database.write() as work:
        work.runs.claim(run_id, "another machine|1-2")
    said: list[float] = []

    def a_while_later(_: float) -> None:
        if len(said) == 3:
            heartbeat(workbench, "'2020-01-01 00:00:00'")

    wait_until_free(workbench, run_id, said.append, a_while_later)
    assert len(said) == 3
    assert all(0 < seconds <= 30 for seconds in said)
    assert work_on(workbench, run_id).run.done == 4


def test_resuming_does_not_wait_for_who_is_at_work(workbench: Workbench) -> None:
    run_id = planned(workbench, 4)
    with workbench.database.write() as work:
        work.runs.claim(run_id, "another machine|1-2")
    with pytest.raises(ConflictError, match="another process"):
        wait_until_free(
            workbench, run_id, lambda _: None, lambda _: heartbeat(workbench, "datetime('now', '+1 seconds')")
        )
    here = RunWriter(workbench.database, run_id)
    here.claim(gone="another machine|1-2")
    assert not has_ended(here.name)
    with pytest.raises(ConflictError, match="another process"):
        wait_until_free(workbench, run_id, lambda _: None)
    here.release()


def test_replies_under_way_are_kept_when_a_run_is_stopped(workbench: Workbench, llm: FakeLlm) -> None:
    released, run_id = threading.Event(), planned(workbench, 16)
    llm.usual = Held(released, Answer(all_yes))
    worker = threading.Thread(target=work_on, args=(workbench, run_id, 8))
    worker.start()
    awaited(lambda: len(llm.requests) == 8)
    stop_all_runs()
    time.sleep(1.0)  # the run hears of it, and asks nothing more
    llm.usual = Answer(all_yes)
    released.set()
    worker.join(60)
    allow_runs()
    run = get_run(workbench, run_id)
    assert (run.status, run.done, len(llm.requests)) == (RunStatus.STOPPED, 8, 8)
    assert work_on(workbench, run_id).run.done == 16
    assert len(llm.requests) == 16


@pytest.mark.long
@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_signal_ends_scoring_with_everything_paid_kept(
    workbench: Workbench, llm: FakeLlm, tmp_path: Path, number: int, status: int
) -> None:
    ready_to_score(workbench, 40)
    released = threading.Event()
    llm.usual = Held(released, Answer(all_yes))
    variables = {
        "INTERACTEVAL_DATABASE_URL": f"sqlite:///{tmp_path}/workbench.db",
        "LLAMA_BASE_URL": f"{llm.url}/v1",
        "LLAMA_API_KEY": "planted-key",
    }
    command = [sys.executable, "-c", "from app.cli import run; run()"]
    command += ["score", "--project", "Ready", "--judge", JUDGE, "--concurrency", "8", "--json"]
    with subprocess.Popen(
        command, env={**os.environ, **variables}, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        awaited(lambda: len(llm.requests) == 8 or process.poll() is not None)
        process.send_signal(number)
        assert process.stderr is not None
        while "Stopping" not in process.stderr.readline():
            assert process.poll() is None
        time.sleep(1.0)
        llm.usual = Answer(all_yes)
        released.set()
        out, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == status
    assert re.search("interrupted", said, re.IGNORECASE)
    report = json.loads(out)
    assert (report["status"], report["dimensions"]["coherence"]["scored"], len(llm.requests)) == ("stopped", 8, 8)


@pytest.mark.long
def test_every_process_sees_what_a_run_asked_so_far(
    workbench: Workbench, llm: FakeLlm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also before a first score is saved: with the signs of life."""
    dimension = ready_to_score(workbench, 12)
    work_on(workbench, start_run(workbench, 1, RunOptions((dimension,), JUDGE, share=0.5)))
    run_id = start_run(workbench, 1, RunOptions((dimension,), JUDGE))
    monkeypatch.setattr(run_writer, "HEARTBEAT_SECONDS", 0.0)
    released = threading.Event()
    llm.script(Status(503))
    llm.usual = Held(released, Answer(all_yes))
    worker = threading.Thread(target=work_on, args=(workbench, run_id))
    worker.start()
    elsewhere = workbench_at(tmp_path)
    try:
        awaited(lambda: get_run(elsewhere, run_id).retries == 1)
        awaited(lambda: get_run(elsewhere, run_id).calls_cached == 6)
        assert get_run(elsewhere, run_id).status is RunStatus.RUNNING
    finally:
        released.set()
        worker.join(PATIENCE)
    assert (get_run(elsewhere, run_id).done, get_run(elsewhere, run_id).retries) == (12, 1)
    elsewhere.database.close()
