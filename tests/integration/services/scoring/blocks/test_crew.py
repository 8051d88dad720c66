"""A run scored in several processes: nothing is lost, asked twice or asked too much, whoever of them ends."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.domain.run import RunStatus
from app.services.runtime.workbench import Workbench, open_workbench
from app.services.scoring.blocks import local_process
from app.services.scoring.blocks.crew import Crew
from app.services.scoring.run_worker import allow_runs, stop_all_runs
from app.services.scoring.runs import RunOptions, RunReport, start_run, stop_run, work_on
from app.settings import settings
from tests.support.fake_llm.behaviour import Answer, Fail, Held, Status, all_yes
from tests.support.fake_llm.server import FakeLlm, Received, Usual, varied_answers
from tests.support.projects import ready_to_score
from tests.support.workers import until

JUDGE = "llama:judge"


@pytest.fixture
def usual() -> Usual:
    return varied_answers


@pytest.fixture
def workbench(llm: FakeLlm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workbench]:
    """As the environment has it, which other processes have too."""
    monkeypatch.setenv("LLAMA_BASE_URL", f"{llm.url}/v1")
    monkeypatch.setenv("INTERACTEVAL_DATABASE_URL", f"sqlite:///{tmp_path}/workbench.db")
    settings.cache_clear()
    made = open_workbench()
    yield made
    made.database.close()
    settings.cache_clear()


@pytest.fixture
def helpers(monkeypatch: pytest.MonkeyPatch) -> list[subprocess.Popen[bytes]]:
    """The processes that were started beside this one."""
    started: list[subprocess.Popen[bytes]] = []
    real = subprocess.Popen

    def popen(*arguments: Any, **named: Any) -> subprocess.Popen[bytes]:
        process = real(*arguments, **named)
        if arguments[0] == local_process.COMMAND:
            started.append(process)
        return process

    monkeypatch.setattr(local_process.subprocess, "Popen", popen)
    return started


def planned(workbench: Workbench, texts: int, **options: Any) -> int:
    return start_run(workbench, 1, RunOptions((ready_to_score(workbench, texts),), JUDGE, **options))


class InBackground:
    """A run that goes on while the test does something else."""

    def __init__(self, workbench: Workbench, run_id: int, concurrency: int, processes: int = 2) -> None:
        self.report: RunReport | None = None
        self._thread = threading.Thread(
            target=lambda: setattr(self, "report", work_on(workbench, run_id, concurrency, processes=processes))
        )
        self._thread.start()

    def ended(self) -> RunReport:
        self._thread.join(120)
        assert self.report is not None
        return self.report


class Gate:
    """Answers the first text, and holds all others until it is opened; the first is asked about by the process that
    has the run, before others get any."""

    def __init__(self) -> None:
        self.opened = threading.Event()
        self._first = threading.Event()

    def __call__(self, received: Received) -> Any:
        if not self._first.is_set():
            self._first.set()
            return Answer(all_yes)
        return Held(self.opened, Answer(all_yes))


def test_two_processes_score_each_text_once(
    workbench: Workbench, llm: FakeLlm, helpers: list[subprocess.Popen[bytes]]
) -> None:
    """No more than four are in flight: so many are held, and nothing else comes."""
    gate = Gate()
    llm.usual = gate
    run = InBackground(workbench, planned(workbench, 80), 4)
    until(lambda: len(llm.requests) == 5, "both processes ask")
    gate.opened.set()
    report = run.ended()
    assert (report.run.status, report.run.done, report.tally.calls) == (RunStatus.DONE, 80, 80)
    assert len(llm.requests) == 80
    assert len(helpers) == 1


@pytest.mark.parametrize("texts", [3, 420])
def test_work_on_by_default_starts_no_other_process(
    workbench: Workbench, llm: FakeLlm, helpers: list[subprocess.Popen[bytes]], texts: int
) -> None:
    llm.usual = Answer(all_yes)
    report = work_on(workbench, planned(workbench, texts), 128)
    assert (report.run.status, report.run.done) == (RunStatus.DONE, texts)
    assert not helpers


def test_a_killed_process_loses_nothing(
    workbench: Workbench, llm: FakeLlm, helpers: list[subprocess.Popen[bytes]]
) -> None:
    """It is killed with two requests under way, which alone are asked again."""
    gate = Gate()
    llm.usual = gate
    run = InBackground(workbench, planned(workbench, 60), 4)
    until(lambda: len(llm.requests) == 5, "both processes ask")
    helpers[0].kill()
    helpers[0].wait()
    gate.opened.set()
    report = run.ended()
    assert (report.run.status, report.run.done) == (RunStatus.DONE, 60)
    assert len(llm.requests) <= 60 + 2


def test_the_others_end_when_the_process_that_has_the_run_is_killed(
    workbench: Workbench, llm: FakeLlm, tmp_path: Path
) -> None:
    gate = Gate()
    llm.usual = gate
    run_id = planned(workbench, 60)
    program = f"""
        import subprocess
        from app.services.scoring.blocks import local_process
        from app.services.runtime.workbench import open_workbench
        from app.services.scoring.runs import work_on
        real = subprocess.Popen
        def popen(*arguments, **named):
            started = real(*arguments, **named)
            if arguments[0] == local_process.COMMAND:
                print(started.pid, flush=True)
            return started
        local_process.subprocess.Popen = popen
        work_on(open_workbench(), {run_id}, 4, processes=2)
    """
    command = [sys.executable, "-c", textwrap.dedent(program)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        other = int(process.stdout.readline())
        until(lambda: len(llm.requests) == 5, "both processes ask")
        process.send_signal(signal.SIGKILL)
    gate.opened.set()
    until(lambda: not is_there(other), "the other process ends")
    llm.usual = Answer(all_yes)
    report = work_on(workbench, run_id, processes=1)
    assert (report.run.status, report.run.done) == (RunStatus.DONE, 60)
    assert len(llm.requests) <= 60 + 4


def is_there(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return "Z" not in Path(f"/proc/{pid}/stat").read_text().split(")")[1].split()[0]


@pytest.mark.parametrize("how", ["asked", "ending"])
def test_a_stop_is_heard_by_all(workbench: Workbench, llm: FakeLlm, how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is answered before this process has heard of it and told the other: else all might be scored first."""
    gate, stop = Gate(), Crew.stop

    def hear(crew: Crew) -> None:
        stop(crew)
        gate.opened.set()

    monkeypatch.setattr(Crew, "stop", hear)
    llm.usual = gate
    run_id = planned(workbench, 80)
    run = InBackground(workbench, run_id, 4)
    until(lambda: len(llm.requests) == 5, "both processes ask")
    if how == "asked":
        stop_run(workbench, run_id)
    else:
        stop_all_runs()
    try:
        report = run.ended()
    finally:
        allow_runs()
    assert report.run.status is RunStatus.STOPPED
    assert report.run.done == len(llm.requests)  # what was under way is kept
    assert work_on(workbench, run_id, processes=1).run.done == 80


def test_what_one_process_can_not_ask_ends_the_run(workbench: Workbench, llm: FakeLlm) -> None:
    first = threading.Event()

    def usual(_: Received) -> Any:
        if not first.is_set():
            first.set()
            return Answer(all_yes)
        return Fail("wrong-key")

    llm.usual = usual
    report = work_on(workbench, planned(workbench, 60), 4, processes=2)
    assert report.run.status is RunStatus.FAILED
    assert report.fatal is not None
    assert report.fatal.kind == "wrong-key"
    assert len(llm.requests) <= 1 + 4


def test_failures_of_chance_get_their_second_try(workbench: Workbench, llm: FakeLlm) -> None:
    """Whichever process met them: a fifth of the texts is answered with nonsense the first three times."""
    asked: dict[str, int] = {}
    lock = threading.Lock()

    def usual(received: Received) -> Any:
        text = next(m["content"] for m in received.body["messages"] if m["role"] == "user")
        with lock:
            asked[text] = asked.get(text, 0) + 1
        odd = sum(text.encode()) % 10 == 0
        return Answer("{}") if odd and asked[text] <= 3 else Answer(all_yes)

    llm.usual = usual
    report = work_on(workbench, planned(workbench, 80), 8, processes=2)
    assert (report.run.status, report.run.done, report.run.failed) == (RunStatus.DONE, 80, 0)


def test_what_a_server_refused_is_asked_again_and_nothing_else(workbench: Workbench, llm: FakeLlm) -> None:
    report = work_on(workbench, planned(workbench, 40), 6, processes=3)
    assert (report.run.status, report.run.done) == (RunStatus.DONE, 40)
    before = len(llm.requests)
    llm.script(*[Status(503)] * 12)
    again = start_run(workbench, 1, RunOptions(_dimensions(workbench), JUDGE, use_cache=False))
    report = work_on(workbench, again, 6, processes=3)
    assert (report.run.status, report.run.done) == (RunStatus.DONE, 40)
    assert len(llm.requests) - before == 40 + 12


def _dimensions(workbench: Workbench) -> tuple[Any, ...]:
    with workbench.database.read() as work:
        return tuple(work.projects.dimensions(1))
