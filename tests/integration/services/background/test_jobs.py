"""Jobs are done where they can be done, on behalf of whoever began them, and seen from everywhere."""

import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import timedelta

import pytest
from pydantic import SecretStr
from sqlmodel import select

from app.domain.job import JobStatus
from app.domain.roles_and_rights import Role
from app.errors import ConflictError, DatabaseError, InputError
from app.providers.credentials import Access, Credentials
from app.services.background import runner
from app.services.background.jobs import (
    CUT_OFF,
    adopt_job,
    forget_job,
    job_state,
    start_job,
    stop_job,
    workers_there,
)
from app.services.background.progress import Progress, job_kind
from app.services.background.runner import next_job, work_on_jobs
from app.services.data.projects import list_projects
from app.services.runtime.workbench import Workbench
from app.services.scoring.runs import RunOptions, get_run, start_run
from app.services.scoring.scoring_jobs import ScoringJob, begin_scoring, is_scoring, job_key
from db.models.columns import now
from db.models.project import JobRow
from tests.support.background import PATIENCE, wait_for

RELEASED, SECRET = threading.Event(), "sk-planted"


@dataclass(frozen=True, slots=True)
class TrialJob:
    """What a test has done."""

    says: str = "done"
    waits: bool = False


@job_kind(TrialJob)
def _try(workbench: Workbench, job: TrialJob, progress: Progress) -> str:
    progress.report("looking around", 1, 2)
    while job.waits and not RELEASED.wait(0.02) and not progress.is_set():
        pass
    match job.says:
        case "typed":
            return f"with a typed key: {workbench.credentials.typed}"
        case "wrong":
            raise InputError("It is wrong.", "Mend it.")
        case "bug":
            raise ValueError(f"with {SECRET} in it")
        case "stopped" if progress.is_set():
            progress.mark_incomplete()
    return f"{job.says} for {workbench.actor.name or 'the owner'}, {len(list_projects(workbench))} projects"


@pytest.fixture(autouse=True)
def released(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Nothing waits beyond its test, and no worker counts as gone because the machine is slow."""
    monkeypatch.setattr("app.services.background.jobs.WORKER_TIMEOUT", timedelta(days=1))
    RELEASED.clear()
    yield
    RELEASED.set()
    runner.allow_jobs()


@pytest.fixture
def worker(bench: Workbench) -> Iterator[Workbench]:
    """A workbench beside which a worker is at work."""
    here = threading.Thread(target=work_on_jobs, args=(bench, 2, lambda _: None))
    here.start()
    limit = threading.Event()
    while not workers_there(bench):
        assert not limit.wait(0.02)
    yield bench
    RELEASED.set()
    runner.refuse_jobs()
    here.join(PATIENCE)
    assert not here.is_alive()
    runner.drain_jobs(PATIENCE)


def said(bench: Workbench, key: str) -> tuple[JobStatus, str]:
    state = wait_for(key, bench)
    assert state is not None
    return state.status, state.message


def test_without_a_worker_the_process_that_begins_a_job_does_it(bench: Workbench) -> None:
    start_job(bench, "k", "Trying", TrialJob())
    assert said(bench, "k") == (JobStatus.DONE, "done for the owner, 1 projects")
    state = job_state(bench, "k")
    assert state is not None
    assert (state.bound, state.done, state.all) == (True, 1, 2)
    forget_job(bench, state.id)
    assert job_state(bench, "k") is None


def test_a_second_of_the_same_key_is_refused_while_the_first_goes_on(bench: Workbench) -> None:
    start_job(bench, "k", "Trying", TrialJob(waits=True))
    with pytest.raises(ConflictError, match="“Trying” is already running"):
        start_job(bench, "k", "Again", TrialJob())
    RELEASED.set()
    wait_for("k", bench)
    start_job(bench, "k", "Again", TrialJob())
    assert said(bench, "k")[0] is JobStatus.DONE


def test_what_goes_wrong_is_said_and_a_bug_is_logged_without_what_it_quotes(
    bench: Workbench, capfd: pytest.CaptureFixture[str]
) -> None:
    start_job(bench, "wrong", "Trying", TrialJob("wrong"))
    assert said(bench, "wrong") == (JobStatus.FAILED, "It is wrong. Mend it.")
    start_job(bench, "bug", "Trying", TrialJob("bug"))
    assert said(bench, "bug") == (JobStatus.FAILED, "Something went wrong that should not have. See the log.")
    log = "".join(capfd.readouterr())
    assert "ValueError" in log
    assert "test_jobs.py" in log
    assert SECRET not in log


def test_a_worker_does_what_others_begin_on_their_behalf(worker: Workbench) -> None:
    with worker.database.write() as work:
        person = work.people.add("invite", "ana", "Ana")
        work.people.join(person.id, 1, Role.FACILITATOR, "Ana")
        ana = work.people.actor(person.id)
    start_job(replace(worker, actor=ana), "k", "Trying", TrialJob())
    assert said(worker, "k") == (JobStatus.DONE, "done for Ana, 1 projects")
    state = job_state(worker, "k")
    assert state is not None
    assert not state.bound


def test_whoever_lost_their_part_meanwhile_has_nothing_done(worker: Workbench) -> None:
    with worker.database.write() as work:
        person = work.people.add("invite", "ana", "Ana")
        work.people.join(person.id, 1, Role.READER, "Ana")
        reader = work.people.actor(person.id)
    run = planned(worker)
    start_job(replace(worker, actor=reader), job_key(1), "Scoring", scoring_job(run))
    status, message = said(worker, job_key(1))
    assert (status, "facilitators" in message) == (JobStatus.FAILED, True)
    assert get_run(worker, run).done == 0


def test_a_run_begun_in_a_browser_is_scored_by_the_worker(worker: Workbench) -> None:
    (run,) = begin_scoring(worker, 1, rules(worker))
    assert is_scoring(worker, 1)
    assert said(worker, job_key(1)) == (JobStatus.DONE, f"Run {run} is done: 12 of 12 scored.")
    assert get_run(worker, run).done == 12


def test_a_key_that_was_typed_stays_in_its_process(worker: Workbench) -> None:
    typed = Credentials.from_settings(NoSettings(), {"openai": "sk-planted-typed"})  # type: ignore[arg-type]
    assert typed.typed
    assert not Credentials({"openai": Access(SecretStr("x"), None, "the environment")}).typed
    start_job(replace(worker, credentials=typed), "k", "Trying", TrialJob())
    state = wait_for("k", worker)
    assert state is not None
    assert state.bound
    with worker.database.read() as work:
        kept = [str(row.model_dump()) for row in work._session.exec(select(JobRow))]
    assert not [row for row in kept if "sk-planted" in row]


class NoSettings:
    shared = True  # so that no server on this computer can be chosen

    def provider_variable(self, *_: str) -> None:
        return None


def test_a_stop_reaches_who_does_it(worker: Workbench) -> None:
    start_job(worker, "k", "Trying", TrialJob("stopped", waits=True))
    stop_job(worker, "k")
    state = wait_for("k", worker)
    assert state is not None
    assert state.stop_requested


def test_what_a_worker_leaves_unfinished_at_its_end_waits_for_the_next(worker: Workbench) -> None:
    start_job(worker, "k", "Trying", TrialJob("wrong", waits=True))
    limit = threading.Event()
    while (state := job_state(worker, "k")) and state.status is not JobStatus.RUNNING:
        limit.wait(0.02)
    runner.refuse_jobs()
    RELEASED.set()
    runner.drain_jobs(PATIENCE)
    state = job_state(worker, "k")
    assert state is not None
    assert state.status is JobStatus.WAITING


def test_a_worker_outlives_a_database_that_is_away(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    away, heard = [DatabaseError("The server is restarting."), DatabaseError("It still is.")], list[str]()

    def next_when_back(*given: object) -> object:
        if away:
            raise away.pop()
        return next_job(*given)  # type: ignore[arg-type]

    monkeypatch.setattr("app.services.background.runner.next_job", next_when_back)
    monkeypatch.setattr("app.services.background.runner.POLL_SECONDS", 0.01)
    here = threading.Thread(target=work_on_jobs, args=(bench, 1, heard.append))
    here.start()
    limit = threading.Event()
    while not workers_there(bench):
        assert not limit.wait(0.02)
    for key in ("a", "b"):  # one hand: it is free again after each
        start_job(bench, key, f"Trying {key}", TrialJob())
        assert said(bench, key)[0] is JobStatus.DONE
    runner.refuse_jobs()
    here.join(PATIENCE)
    assert [one for one in heard if "Doing" in one] == ["Doing: Trying a", "Doing: Trying b"]
    assert "The database is away (It still is.); trying again" in heard


def test_what_waits_is_done_here_where_no_worker_is_left(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    with bench.database.write() as work:
        work.jobs.worker_seen("elsewhere|1-2")
    start_job(bench, "k", "Trying", TrialJob())
    adopt_job(bench)
    state = job_state(bench, "k")
    assert state is not None
    assert state.status is JobStatus.WAITING
    monkeypatch.setattr("app.services.background.jobs.WORKER_TIMEOUT", timedelta(0))
    adopt_job(bench)
    assert said(bench, "k")[0] is JobStatus.DONE


def test_nobodys_typed_key_pays_for_what_another_began(bench: Workbench) -> None:
    with bench.database.write() as work:
        work.jobs.worker_seen("elsewhere|1-2")
    start_job(bench, "k", "Trying", TrialJob("typed"))
    with bench.database.write() as work:
        work.jobs.worker_ended("elsewhere|1-2")
    typed = Credentials.from_settings(NoSettings(), {"openai": "sk-planted-typed"})  # type: ignore[arg-type]
    adopt_job(replace(bench, credentials=typed))
    assert said(bench, "k") == (JobStatus.DONE, "with a typed key: False")


def test_a_job_whose_process_ended_says_so_and_can_be_begun_again(bench: Workbench) -> None:
    start_job(bench, "k", "Trying", TrialJob(waits=True))
    state = job_state(bench, "k")
    assert state is not None
    with bench.database.write() as work:
        row = work._session.get_one(JobRow, state.id)
        row.writer, row.heartbeat_at = "elsewhere|1-2", now() - timedelta(minutes=1)
    assert said(bench, "k") == (JobStatus.FAILED, CUT_OFF)
    RELEASED.set()
    start_job(bench, "k", "Trying", TrialJob())
    assert said(bench, "k")[0] is JobStatus.DONE


def test_a_kind_that_another_version_has_is_a_sentence(bench: Workbench) -> None:
    with bench.database.write() as work:
        work.jobs.worker_seen("elsewhere|1-2")
    start_job(bench, "k", "Trying", TrialJob())
    with bench.database.write() as work:
        state = work.jobs.newest("k")
        assert state is not None
        work._session.get_one(JobRow, state.id).kind = "LaterJob"
        work.jobs.worker_ended("elsewhere|1-2")
    adopt_job(bench)
    status, message = said(bench, "k")
    assert (status, "LaterJob" in message) == (JobStatus.FAILED, True)


def rules(bench: Workbench) -> RunOptions:
    with bench.database.read() as work:
        return RunOptions(tuple(work.projects.dimensions(1)), "rules")


def planned(bench: Workbench) -> int:
    return start_run(bench, 1, rules(bench))


def scoring_job(run: int) -> object:
    return ScoringJob(1, (run,))
