"""Workers as processes: what was begun in a browser goes on whatever becomes of the one that does it."""

import os
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import pytest

from app.domain.job import JobStatus
from app.limits import CONCURRENCY, texts_at_once
from app.services.background.jobs import workers_there
from app.services.data.imports import store_corpus
from app.services.runtime.workbench import Workbench, open_workbench
from app.services.scoring.runs import RunOptions, get_run
from app.services.scoring.scoring_jobs import begin_scoring, job_key
from db.unit_of_work import Database
from tests.support.background import PATIENCE, wait_for
from tests.support.console import Run
from tests.support.corpora import read_corpus
from tests.support.made_data import made_data
from tests.support.modern_vendors import ModernVendors, modern_vendors
from tests.support.projects import small_checklist
from tests.support.workers import Started, until, worker_processes

SLOW, TEXTS = "slow=0.2", 160


@pytest.fixture
def vendors() -> Iterator[ModernVendors]:
    with modern_vendors() as running:
        yield running


@pytest.fixture
def news(tmp_path: Path, vendors: ModernVendors, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workbench]:
    """SummEval with a checklist of three questions, in a web process of its own; no worker counts as gone because the
    machine is slow."""
    monkeypatch.setattr("app.services.background.jobs.WORKER_TIMEOUT", timedelta(days=1))
    workbench = Workbench(Database(f"sqlite:///{tmp_path}/workbench.db"), vendors.credentials(SLOW))
    store_corpus(workbench, read_corpus(made_data("summeval_model_annotations.aligned.paired.jsonl")), "News")
    with workbench.database.write() as work:
        small_checklist(work, next(d for d in work.projects.dimensions(1) if d.name == "coherence").id)
    yield workbench
    workbench.database.close()


@pytest.fixture
def start(tmp_path: Path, vendors: ModernVendors) -> Iterator[Started]:
    variables = {
        "INTERACTEVAL_DATABASE_URL": f"sqlite:///{tmp_path}/workbench.db",
        "OPENAI_BASE_URL": vendors.address("openai", SLOW),
        "OPENAI_API_KEY": "sk-local",
    }
    with worker_processes(variables) as started:
        yield started


def begin(news: Workbench) -> int:
    until(lambda: workers_there(news), "no worker came")
    with news.database.read() as work:
        coherence = next(d for d in work.projects.dimensions(1) if d.name == "coherence")
    (run,) = begin_scoring(news, 1, RunOptions((coherence,), "openai:gpt-4o", share=TEXTS / 1600))
    return run


def test_a_worker_is_there_until_a_signal_ends_it(run: Run) -> None:
    workbench = open_workbench()

    def end() -> None:
        until(lambda: workers_there(workbench), "no worker came")
        os.kill(os.getpid(), signal.SIGTERM)

    with ThreadPoolExecutor(1) as threads:
        ended = threads.submit(end)
        assert run("worker")[0] == 128 + signal.SIGTERM
        ended.result()
    assert not workers_there(workbench)


@pytest.mark.long
@pytest.mark.parametrize("ends", [signal.SIGKILL, signal.SIGTERM])
def test_another_worker_goes_on_with_what_one_left(
    news: Workbench, start: Started, vendors: ModernVendors, ends: signal.Signals
) -> None:
    def asked() -> int:
        return int(vendors.state(SLOW).get("requests", 0))

    first = start()
    run = begin(news)
    until(lambda: asked() >= 40, "the first worker does nothing")
    second = start()
    first.send_signal(ends)
    assert first.wait(PATIENCE) == (-9 if ends is signal.SIGKILL else 128 + ends)
    job = wait_for(job_key(1), news)
    assert job is not None
    assert (job.status, job.bound) == (JobStatus.DONE, False)
    scored = get_run(news, run)
    assert scored.done == scored.all
    in_flight = texts_at_once(CONCURRENCY) if ends is signal.SIGKILL else 0
    assert scored.all <= asked() <= scored.all + in_flight
    assert second.poll() is None
