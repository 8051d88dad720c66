"""A run shared with the workers of a Dask scheduler: as without them, and nothing lost with one that is killed."""

import asyncio
import json
import os
import socket
import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import text as sql
from typer.testing import CliRunner

pytest.importorskip("distributed")

from app.cli import build
from app.cluster import cluster_address, use_scheduler
from app.domain.project import Text
from app.domain.run import RunStatus
from app.errors import ClusterError
from app.evaluators import reference_metrics
from app.evaluators.reference_metrics import MetricCalls, compute_in_this_process
from app.limits import texts_at_once
from app.providers.credentials import Credentials
from app.services.runtime.workbench import Workbench, open_workbench
from app.services.scoring.block_scoring import Block
from app.services.scoring.dask_workers import Workers, WorkersRun, worker_problem, workers_for
from app.services.scoring.runs import RunOptions, RunReport, failures_of, get_run, start_run, stop_run, work_on
from app.settings import settings
from tests.support.dask_cluster import DaskCluster, dask_cluster
from tests.support.fake_llm.behaviour import Answer, Behaviour, Fail, Held, Status, all_yes
from tests.support.fake_llm.server import FakeLlm, Received, varied_answers
from tests.support.postgres import new_postgres, postgres_server
from tests.support.projects import ready_to_score
from tests.support.repository import ROOT
from tests.support.workers import until

pytestmark = pytest.mark.long

TEXTS, AT_ONCE = 64, 9
JUDGE = "llama:judge"


@pytest.fixture
def address(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[str]:
    """Of the database: a SQLite file, unless a test wants the other too."""
    if getattr(request, "param", "SQLite") == "SQLite":
        yield f"sqlite:///{tmp_path}/workbench.db"
        return
    (tmp_path / "runtime").mkdir(mode=0o700)
    with postgres_server(tmp_path / "runtime") as server:
        yield new_postgres(server)


@pytest.fixture(scope="module")
def two_workers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskCluster]:
    with dask_cluster(tmp_path_factory.mktemp("dask")) as found:
        yield found


@pytest.fixture
def bench(address: str, llm: FakeLlm, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workbench]:
    """That of the environment, which workers share: only so can they have the same database."""
    for name, value in shared_variables(address, llm).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("LLAMA_API_KEY", "here")
    settings.cache_clear()
    made = open_workbench()
    ready_to_score(made, TEXTS)
    yield made
    made.database.close()


def shared_variables(address: str, llm: FakeLlm) -> dict[str, str]:
    return {"INTERACTEVAL_DATABASE_URL": address, "LLAMA_BASE_URL": f"{llm.url}/v1"}


@pytest.fixture
def usual() -> Callable[[Received], Behaviour]:
    return varied_answers


@pytest.fixture
def cluster(bench: Workbench, two_workers: DaskCluster, address: str, llm: FakeLlm) -> DaskCluster:
    """Two workers, each with a key of its own, by which the LLM knows them."""
    two_workers.have("one", "two")
    two_workers.give(shared_variables(address, llm), one={"LLAMA_API_KEY": "one"}, two={"LLAMA_API_KEY": "two"})
    return two_workers


def new_run(bench: Workbench, **options: object) -> int:
    with bench.database.read() as work:
        dimension = work.projects.dimensions(1)[0]
    return start_run(bench, 1, RunOptions((dimension,), JUDGE, **options))  # type: ignore[arg-type]


def shared_run(bench: Workbench, cluster: DaskCluster, run: int) -> RunReport:
    with use_scheduler(cluster.address):
        return work_on(bench, run, AT_ONCE)


def scores_of(bench: Workbench, run: int) -> dict[int, tuple[str, float | None]]:
    with bench.database.read() as work:
        dimension = work.projects.dimensions(1)[0].id
        return {row.text: (row.status.value, row.score) for row in work.results.scored(run, dimension)}


def calls_of(bench: Workbench, run: int) -> tuple[int, int]:
    """Answered calls of the run in the ledger, and different requests among them."""
    query = "SELECT count(*), count(DISTINCT digest) FROM model_call WHERE error_kind = '' AND run_id = :run"
    with bench.database.read() as work:
        calls, different = work.calls._session.execute(sql(query), {"run": run}).one()
        return calls, different


def askers(llm: FakeLlm) -> dict[str, int]:
    keys = [request.key for request in llm.requests]
    return {key: keys.count(key) for key in sorted(set(keys))}


class EverybodyAsks:
    """Answers the first request; the others once this process and both workers have asked, so that none can do it all
    before the others have begun."""

    def __init__(self) -> None:
        self._keys: set[str] = set()
        self._all = threading.Event()

    def __call__(self, received: Received) -> Behaviour:
        first = not self._keys
        self._keys.add(received.key)
        if {"here", "one", "two"} <= self._keys:
            self._all.set()
        answer = varied_answers(received)
        return answer if first else Held(self._all, answer)


def test_the_same_scores_as_without_workers_each_text_asked_once(
    bench: Workbench, cluster: DaskCluster, llm: FakeLlm
) -> None:
    alone = new_run(bench)
    work_on(bench, alone, AT_ONCE)
    llm.requests.clear()
    llm.usual = EverybodyAsks()
    shared = new_run(bench, use_cache=False)
    report = shared_run(bench, cluster, shared)
    assert (report.run.status, report.run.done, report.tally.calls) == (RunStatus.DONE, TEXTS, TEXTS)
    assert scores_of(bench, shared) == scores_of(bench, alone)
    assert len(llm.requests) == TEXTS
    assert set(askers(llm)) == {"here", "one", "two"}
    assert calls_of(bench, shared) == (TEXTS, TEXTS)


def test_what_fails_is_said_as_without(bench: Workbench, cluster: DaskCluster, llm: FakeLlm) -> None:
    def refused(received: Received) -> Behaviour:
        return Fail("too-long") if "Text number 6" in json.dumps(received.body) else varied_answers(received)

    llm.usual = refused
    alone, shared = new_run(bench), new_run(bench, use_cache=False)
    work_on(bench, alone, AT_ONCE)
    report = shared_run(bench, cluster, shared)
    assert (report.run.status, report.run.failed) == (RunStatus.DONE, get_run(bench, alone).failed)
    assert report.run.failed > 1
    assert failures_of(bench, shared) == failures_of(bench, alone)


@pytest.mark.parametrize("address", ["SQLite", "PostgreSQL"], indirect=True)
def test_a_worker_that_is_killed_loses_nothing_but_what_was_in_flight(
    bench: Workbench, cluster: DaskCluster, llm: FakeLlm
) -> None:
    """Worker one is answered three times; then nothing, until it is dead. The others wait until it asks once more."""
    dead, asked = threading.Event(), threading.Event()

    def usual(received: Received) -> Behaviour:
        if askers(llm).get("one", 0) > 3:
            asked.set()
            return Held(dead, Answer(all_yes)) if received.key == "one" else Answer(all_yes)
        first = len(llm.requests) <= 1
        return Answer(all_yes) if first or received.key == "one" else Held(asked, Answer(all_yes))

    llm.usual = usual
    run = new_run(bench)
    with ThreadPoolExecutor(1) as pool:
        ending = pool.submit(shared_run, bench, cluster, run)
        until(asked.is_set, "worker one was not asked")
        cluster.workers["one"].kill()
        cluster.workers["one"].wait()
        dead.set()
        report = ending.result()
    assert (report.run.status, report.run.done) == (RunStatus.DONE, TEXTS)
    assert calls_of(bench, run) == (TEXTS, TEXTS)
    assert TEXTS < len(llm.requests) <= TEXTS + texts_at_once(AT_ONCE // 2)


def test_a_worker_that_comes_in_its_place_helps(bench: Workbench, cluster: DaskCluster, llm: FakeLlm) -> None:
    """Nobody else is answered before it has asked."""
    come = threading.Event()
    first = f"Text number {0}."
    llm.usual = lambda received: (
        Answer(all_yes)
        if received.key == "three" or first in json.dumps(received.body)
        else Held(come, Answer(all_yes))
    )
    run = new_run(bench)
    with ThreadPoolExecutor(1) as pool:
        ending = pool.submit(shared_run, bench, cluster, run)
        until(lambda: askers(llm).get("one", 0) > 0, "worker one was not asked")
        cluster.workers["one"].kill()
        cluster.start_worker("three", {"LLAMA_API_KEY": "three"})
        until(lambda: askers(llm).get("three", 0) > 0, "worker three was not asked")
        come.set()
        report = ending.result()
    assert (report.run.status, report.run.done) == (RunStatus.DONE, TEXTS)


def test_without_its_scheduler_the_run_goes_on_here(bench: Workbench, llm: FakeLlm, tmp_path: Path) -> None:
    """The worker is not answered before it is dead."""
    dead = threading.Event()
    llm.usual = lambda received: Answer(all_yes) if received.key == "here" else Held(dead, Answer(all_yes))
    run = new_run(bench)
    with dask_cluster(tmp_path) as cluster, ThreadPoolExecutor(1) as pool:
        cluster.start_worker("one", {"LLAMA_API_KEY": "one"})
        cluster.wait_for("one")
        ending = pool.submit(shared_run, bench, cluster, run)
        until(lambda: "one" in askers(llm), "the worker was not asked")
        cluster.scheduler.kill()
        cluster.scheduler.wait()
        dead.set()
        report = ending.result()
    assert (report.run.status, report.run.done) == (RunStatus.DONE, TEXTS)
    assert len(llm.requests) <= TEXTS + texts_at_once(AT_ONCE)


def test_a_stop_reaches_the_workers_and_the_rest_goes_on_later(
    bench: Workbench, cluster: DaskCluster, llm: FakeLlm, monkeypatch: pytest.MonkeyPatch
) -> None:
    stopped = threading.Event()
    stop = WorkersRun._stop

    def heard(run: WorkersRun) -> None:
        stop(run)
        stopped.set()

    monkeypatch.setattr(WorkersRun, "_stop", heard)
    llm.usual = lambda received: Answer(all_yes) if len(llm.requests) <= AT_ONCE else Held(stopped, Answer(all_yes))
    run = new_run(bench)
    with ThreadPoolExecutor(1) as pool:
        ending = pool.submit(shared_run, bench, cluster, run)
        until(lambda: set(askers(llm)) == {"here", "one", "two"}, "not everybody asked")
        stop_run(bench, run)
        report = ending.result()
    assert report.run.status is RunStatus.STOPPED
    llm.usual = Answer(all_yes)
    rest = shared_run(bench, cluster, run)
    assert (rest.run.status, rest.run.done) == (RunStatus.DONE, TEXTS)
    assert calls_of(bench, run) == (TEXTS, TEXTS)


def test_a_killed_process_leaves_a_run_that_can_be_resumed(
    bench: Workbench, cluster: DaskCluster, llm: FakeLlm
) -> None:
    """Its workers end what they have, and the process that resumes it pays only for what was under way."""
    opened = threading.Event()
    llm.usual = lambda received: Answer(all_yes) if received.key == "here" else Held(opened, Answer(all_yes))
    run = new_run(bench)
    program = f"""
        from app.cluster import use_scheduler
        from app.services.runtime.workbench import open_workbench
        from app.services.scoring.runs import work_on
        with use_scheduler("{cluster.address}"):
            work_on(open_workbench(), {run}, {AT_ONCE})
    """
    with subprocess.Popen([sys.executable, "-c", textwrap.dedent(program)], cwd=ROOT) as process:
        until(lambda: {"one", "two"} <= askers(llm).keys(), "the workers did not ask")
        process.kill()
    llm.usual = Answer(all_yes)
    opened.set()
    report = work_on(bench, run, AT_ONCE)
    assert (report.run.status, report.run.done) == (RunStatus.DONE, TEXTS)
    assert len(llm.requests) <= TEXTS + texts_at_once(AT_ONCE)


def test_an_error_that_every_request_would_meet_ends_the_run(
    bench: Workbench, cluster: DaskCluster, llm: FakeLlm
) -> None:
    llm.usual = lambda received: Answer(all_yes) if received.key == "here" else Fail("wrong-key")
    report = shared_run(bench, cluster, new_run(bench))
    assert report.run.status is RunStatus.FAILED
    assert report.fatal is not None
    assert report.fatal.kind == "wrong-key"
    assert len(llm.requests) <= 1 + texts_at_once(AT_ONCE)


def test_refusals_of_each_worker_are_asked_again_and_nothing_else(
    bench: Workbench, cluster: DaskCluster, llm: FakeLlm
) -> None:
    llm.script(Answer(all_yes), *[Status(429)] * 6, *[Status(503)] * 6)
    report = shared_run(bench, cluster, new_run(bench))
    assert (report.run.status, report.run.done) == (RunStatus.DONE, TEXTS)
    assert len(llm.requests) == TEXTS + 12
    assert report.retries == 12


def test_failures_of_chance_at_workers_get_a_second_try(bench: Workbench, cluster: DaskCluster, llm: FakeLlm) -> None:
    """A few texts are answered with nonsense the first three times."""
    asked: dict[str, int] = {}
    lock = threading.Lock()

    def usual(received: Received) -> Behaviour:
        text = next(each["content"] for each in received.body["messages"] if each["role"] == "user")
        with lock:
            asked[text] = asked.get(text, 0) + 1
        odd = "Text number 2" in text
        return Answer("{}") if odd and asked[text] <= 3 else Answer(all_yes)

    llm.usual = usual
    report = shared_run(bench, cluster, new_run(bench))
    assert (report.run.status, report.run.done, report.run.failed) == (RunStatus.DONE, TEXTS, 0)
    assert max(asked.values()) > 3


PRICED = "openai:gpt-4o"
COST = 100 * 2.5e-6 + 7 * 1e-5
"""Of an answer of the server to this judge, US dollars."""
SPARE = 8


@pytest.mark.parametrize("texts", [20, TEXTS])
def test_a_budget_binds_all_workers_together_and_is_spent(
    bench: Workbench, cluster: DaskCluster, llm: FakeLlm, texts: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The budget suffices for so many of the texts, and for what a few more answers may cost at most."""
    there = {"OPENAI_BASE_URL": f"{llm.url}/v1"}
    for name, value in {**there, "OPENAI_API_KEY": "here"}.items():
        monkeypatch.setenv(name, value)
    settings.cache_clear()
    cluster.give(there, one={"OPENAI_API_KEY": "one"}, two={"OPENAI_API_KEY": "two"})
    priced = open_workbench()
    with priced.database.read() as work:
        dimension = work.projects.dimensions(1)[0]
    run = start_run(priced, 1, RunOptions((dimension,), PRICED, budget=(texts + SPARE) * COST))
    report = shared_run(priced, cluster, run)
    with priced.database.read() as work:
        spent = work.calls.totals([run])[run].cost_usd
    priced.database.close()
    assert {"one", "two"} <= askers(llm).keys()
    assert spent <= (texts + SPARE) * COST
    assert report.run.done == len(llm.requests)
    if texts == TEXTS:
        assert (report.run.status, report.run.done) == (RunStatus.DONE, TEXTS)
    else:
        assert report.run.status is RunStatus.FAILED
        assert report.fatal is not None
        assert (report.fatal.kind, texts <= report.run.done <= texts + SPARE) == ("budget", True)


def test_processes_are_dask_workers_of_this_machine(
    bench: Workbench, llm: FakeLlm, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    opened = threading.Event()
    llm.usual = lambda _: Answer(all_yes) if len(llm.requests) <= 1 else Held(opened, Answer(all_yes))
    run = new_run(bench)
    with ThreadPoolExecutor(1) as pool:
        ending = pool.submit(work_on, bench, run, 4, processes=2)
        until(lambda: len(llm.requests) == 1 + 4 or ending.done(), "both workers ask")
        opened.set()
        report = ending.result()
    assert (report.run.status, report.run.done, report.tally.calls) == (RunStatus.DONE, TEXTS, TEXTS)
    assert len(llm.requests) == TEXTS


def test_a_run_has_no_workers_unless_they_are_asked_for(bench: Workbench) -> None:
    run = get_run(bench, new_run(bench))
    assert not workers_for(bench, run)
    assert workers_for(bench, run, 3) == Workers(local=3)
    assert not workers_for(replace(bench, credentials=Credentials()), run, 3), "a key that was typed is nowhere else"


def test_a_worker_with_another_database_is_refused_and_the_run_can_go_on(
    bench: Workbench, cluster: DaskCluster, tmp_path: Path
) -> None:
    run = new_run(bench)
    cluster.give({}, two={"INTERACTEVAL_DATABASE_URL": f"sqlite:///{tmp_path}/other.db"})
    with pytest.raises(ClusterError, match=r"The worker tcp://.* another database.*INTERACTEVAL_DATABASE_URL"):
        shared_run(bench, cluster, run)
    assert not (tmp_path / "other.db").exists()
    assert get_run(bench, run).status is RunStatus.FAILED
    assert "another database" in get_run(bench, run).message
    assert work_on(bench, run).run.status is RunStatus.DONE


def test_a_worker_without_the_key_is_refused(bench: Workbench, cluster: DaskCluster) -> None:
    run = new_run(bench)
    cluster.give({}, two={"LLAMA_BASE_URL": ""})
    with pytest.raises(ClusterError, match=r"The worker tcp://.* can't score this run\..*LLAMA_BASE_URL"):
        shared_run(bench, cluster, run)


def test_a_sqlite_file_is_for_workers_of_its_machine(bench: Workbench) -> None:
    block = Block(1, "somebody", (), 1)
    said = worker_problem(block, "another-machine", bench.database.address)
    assert said.startswith("The database is a SQLite file on another-machine, which no other machine may write to.")
    assert "another database" in worker_problem(block, socket.gethostname(), "")


@pytest.fixture
def computed_here(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that this process has metrics of. Beside texts without a reference there are forty with two."""
    with bench.database.write() as work:
        texts = [Text(f"r{n}", f"one two {n}", "s", references=("one three", f"two {n} one")) for n in range(40)]
        work.texts.add_many(1, texts)
    asked: list[str] = []
    get = MetricCalls.get

    def noted(calls: MetricCalls, text: str, references: Sequence[str]) -> asyncio.Future[float]:
        asked.append(text)
        return get(calls, text, references)

    monkeypatch.setattr(MetricCalls, "get", noted)
    monkeypatch.setattr(reference_metrics, "_HERE", [])
    compute_in_this_process()  # which needs no other to be started
    return asked


def test_metrics_are_computed_by_workers_alone(
    bench: Workbench, cluster: DaskCluster, computed_here: list[str]
) -> None:
    alone, shared = new_run(bench, evaluator="rouge-l"), new_run(bench, evaluator="rouge-l")
    work_on(bench, alone, AT_ONCE)
    assert len(computed_here) == 40
    report = shared_run(bench, cluster, shared)
    assert (report.run.done, report.run.failed) == (40, TEXTS)  # the others have no reference
    assert scores_of(bench, shared) == scores_of(bench, alone)
    assert len(computed_here) == 40


def test_metrics_are_computed_here_once_no_worker_is_left(
    bench: Workbench, cluster: DaskCluster, computed_here: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """All are killed as soon as they were given their first blocks."""
    copy_to_workers = WorkersRun._hand_out

    def handed_out(run: WorkersRun) -> bool:
        given = copy_to_workers(run)
        for worker in cluster.workers.values():
            worker.kill()
        return given

    monkeypatch.setattr(WorkersRun, "_hand_out", handed_out)
    run = new_run(bench, evaluator="rouge-l")
    report = shared_run(bench, cluster, run)
    assert (report.run.status, report.run.done, report.run.failed) == (RunStatus.DONE, 40, TEXTS)
    assert computed_here


def test_the_command_reports_as_ever(bench: Workbench, cluster: DaskCluster) -> None:
    command = ["score", "--project", "Ready", "--judge", JUDGE, "--json", "--dask", cluster.address]
    ended = CliRunner().invoke(build(), command)
    assert ended.exit_code == 0, ended.stderr
    report = json.loads(ended.stdout)
    assert (report["status"], report["calls"], report["dimensions"]["coherence"]["scored"]) == ("done", TEXTS, TEXTS)


def test_the_scheduler_of_the_settings_serves_runs_that_are_worth_it(
    bench: Workbench, cluster: DaskCluster, llm: FakeLlm, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INTERACTEVAL_DASK", cluster.address)
    settings.cache_clear()
    assert work_on(bench, new_run(bench), AT_ONCE).run.done == TEXTS
    assert set(askers(llm)) == {"here"}
    monkeypatch.setattr("app.services.scoring.dask_workers.FEWEST_TEXTS_FOR_A_CLUSTER", TEXTS)
    llm.usual = EverybodyAsks()
    assert work_on(bench, new_run(bench, use_cache=False), AT_ONCE).run.done == TEXTS
    assert set(askers(llm)) == {"here", "one", "two"}


@pytest.mark.parametrize("address_of_none", ["somewhere", "127.0.0.1:1"])
def test_a_scheduler_that_is_not_there_is_said_before_anything_is_planned(
    bench: Workbench, address_of_none: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.cluster.SECONDS", 0.2)
    ended = CliRunner().invoke(build(), ["score", "--project", "Ready", "--judge", JUDGE, "--dask", address_of_none])
    assert ended.exit_code != 0
    with bench.database.read() as work:
        assert not work.runs.all(1)
    assert not cluster_address()  # what comes next in this process is not sent there
    assert os.environ.get("INTERACTEVAL_DASK") is None
