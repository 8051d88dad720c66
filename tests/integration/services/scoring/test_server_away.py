"""A run whose model's server goes away: it pauses and says so, goes on, or ends as interrupted and is resumed."""

import threading
import time
from collections.abc import Callable

import pytest

from app.domain.run import RunStatus
from app.errors import ConnectionLostError, InputError
from app.providers import retry
from app.services.runtime.models import longest_pause
from app.services.runtime.workbench import Workbench
from app.services.scoring.runs import RunOptions, RunReport, get_run, start_run, work_on
from app.settings import settings
from tests.support.background import PATIENCE
from tests.support.fake_llm.behaviour import Answer, Slow, all_yes
from tests.support.fake_llm.server import FakeLlm, Usual
from tests.support.projects import ready_to_score

TEXTS = 36


@pytest.fixture
def usual() -> Usual:
    return Slow(0.02, Answer(all_yes))


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retry, "FIRST_GAP", 0.02)
    monkeypatch.setattr(retry, "LONGEST_GAP", 0.05)


def awaited(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "it never came to that"
        time.sleep(0.01)


class Scoring:
    """A run that is being worked on in a thread, whose server went away after some texts."""

    def __init__(self, workbench: Workbench, llm: FakeLlm) -> None:
        self.id = start_run(workbench, 1, RunOptions((ready_to_score(workbench, TEXTS),), "llama:judge"))
        self.told: list[str] = []
        self.reports: list[RunReport] = []
        self._thread = threading.Thread(target=self._work, args=(workbench,))
        self._thread.start()
        awaited(lambda: len(llm.requests) >= 12)
        llm.go_away()

    def _work(self, workbench: Workbench) -> None:
        self.reports.append(work_on(workbench, self.id, 8, lambda run: self.told.append(run.message)))

    def ended(self) -> RunReport:
        self._thread.join(PATIENCE)
        return self.reports[0]


def test_run_whose_server_comes_back_is_done_without_failures(workbench: Workbench, llm: FakeLlm) -> None:
    scoring = Scoring(workbench, llm)
    awaited(lambda: get_run(workbench, scoring.id).message != "")
    assert get_run(workbench, scoring.id).status is RunStatus.RUNNING
    awaited(lambda: any(scoring.told))
    llm.come_back()
    run = scoring.ended().run
    assert (run.status, run.done, run.failed, run.message) == (RunStatus.DONE, TEXTS, 0, "")


def test_run_whose_server_stays_away_is_interrupted_and_resumed(
    workbench: Workbench, llm: FakeLlm, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INTERACTEVAL_LONGEST_PAUSE", "0.005")
    settings.cache_clear()
    report = Scoring(workbench, llm).ended()
    run = get_run(workbench, report.run.id)
    assert isinstance(report.fatal, ConnectionLostError)
    assert (run.status, run.failed, run.resumable) == (RunStatus.INTERRUPTED, 0, True)
    assert 0 < run.done < TEXTS
    assert run.message
    llm.come_back()
    again = work_on(workbench, run.id)
    assert (again.run.status, again.run.done, again.tally.calls) == (RunStatus.DONE, TEXTS, TEXTS - run.done)


@pytest.mark.parametrize(("written", "seconds"), [("", 900.0), ("0", 0.0), ("1.5", 90.0)])
def test_longest_pause_is_read_in_minutes(monkeypatch: pytest.MonkeyPatch, written: str, seconds: float) -> None:
    monkeypatch.setenv("INTERACTEVAL_LONGEST_PAUSE", written)
    settings.cache_clear()
    assert longest_pause() == seconds


@pytest.mark.parametrize("written", ["soon", "-1", "nan", "inf"])
def test_longest_pause_that_is_no_time_is_refused(monkeypatch: pytest.MonkeyPatch, written: str) -> None:
    monkeypatch.setenv("INTERACTEVAL_LONGEST_PAUSE", written)
    settings.cache_clear()
    with pytest.raises(InputError):
        longest_pause()
