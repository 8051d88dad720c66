"""Scoring of a run by the workers of a Dask scheduler.

Each block is a task for one worker (`score_block`). Workers have their own keys and write to the database themselves.
Each has a share of the requests in flight and of the budget. Unsaved texts of a lost worker go to the others; without
workers the process that has the run does the rest.
"""

import asyncio
import socket
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import ExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from app.cluster import Scheduler, Submitted, cluster_address, local_cluster, scheduler_at
from app.domain.run import Outcome, PlannedScore, RunSummary
from app.errors import BudgetError, ClusterError, NotFoundError, ProviderError, RunLostError, WorkbenchError
from app.evaluators.method import JudgeLogprobs
from app.neural.loading import load_language_model
from app.providers.credentials import Credentials
from app.providers.model_name import parse_model_name
from app.providers.recorded import Tally
from app.scoring.engine import DRAIN_SECONDS, LISTEN_SECONDS
from app.services.runtime.models import unjudged
from app.services.runtime.workbench import Workbench, open_workbench
from app.services.scoring.block_scoring import BLOCK_TEXTS, Block, BlockReport, acting_for, score_block
from app.services.scoring.evaluators import NO_JUDGE, check_evaluator
from app.services.scoring.run_writer import DatabaseStages, RunScorer, TextCache
from app.settings import settings

LOOK_SECONDS = 1.0
RESULT_SECONDS = 20.0
AHEAD = 2 * BLOCK_TEXTS  # scores that a worker has beyond those it scores at a time
Beat = Callable[[], bool]
Result = TypeVar("Result")
_OTHER_DATABASE = "Its INTERACTEVAL_DATABASE_URL has to be the one that is used here."


@dataclass(frozen=True, slots=True)
class Workers:
    """The Dask workers that score a run: the workers of the scheduler at `address`, or `local` new ones."""

    address: str = ""
    local: int = 0

    def __bool__(self) -> bool:
        return bool(self.address or self.local)


@asynccontextmanager
async def dask_workers(
    workers: Workers, workbench: Workbench, block: Block, beat: Callable[[], object]
) -> AsyncIterator[Scheduler]:
    """Yield the scheduler, after checking that each worker can score the run of `block`. Raises ClusterError if one
    can't, and as `scheduler_at`. beat: renews the run's lease meanwhile, because loading a worker takes time."""
    with ExitStack() as there:
        address = workers.address or await _alive(
            lambda: there.enter_context(local_cluster(workers.local, __name__)), beat
        )
        scheduler = await _alive(lambda: there.enter_context(scheduler_at(address)), beat)
        database = workbench.database.address if workbench.database.file is not None else ""
        asked = partial(scheduler.ask_each, worker_problem, block, socket.gethostname(), database)
        for worker, obstacle in (await _alive(asked, beat)).items():
            if obstacle:
                raise ClusterError(f"The worker {worker} can't score this run. {obstacle}")
        try:
            yield scheduler
        finally:
            await asyncio.to_thread(there.pop_all().close)


async def _alive(work: Callable[[], Result], beat: Callable[[], object]) -> Result:
    task = asyncio.create_task(asyncio.to_thread(work))
    while not task.done():
        await asyncio.wait({task}, timeout=LOOK_SECONDS)
        await asyncio.to_thread(beat)
    return task.result()


class WorkersRun:
    """One run at the workers. Afterwards `left` is what they haven't scored, `chance` the outcomes worth a second try,
    and `stopped` and `fatal` are as in EngineReport."""

    def __init__(
        self, workbench: Workbench, scheduler: Scheduler, block: Block, blocks: Sequence[Sequence[PlannedScore]]
    ) -> None:
        """block: the fields common to all blocks, without scores."""
        self.left: list[PlannedScore] = []
        self.chance: dict[int, Outcome] = {}
        self.stopped = False
        self.fatal: ProviderError | None = None
        self._workbench = workbench
        self._scheduler = scheduler
        self._block = block
        self._blocks = deque((tuple(scores), False) for scores in blocks)
        self._out: dict[Submitted, tuple[str, tuple[PlannedScore, ...]]] = {}
        self._workers: set[str] = set()
        self._useless: set[str] = set()
        self._sessions: dict[str, BlockReport] = {}
        self._closed = False  # no further block goes out
        self._until = float("inf")
        self._news = asyncio.Event()

    @property
    def tally(self) -> Tally:
        return sum((each.tally for each in self._sessions.values()), Tally())

    @property
    def retries(self) -> int:
        return sum(each.retries for each in self._sessions.values())

    async def to_its_end(self, addresses: Sequence[str], beat: Beat) -> None:
        """Score all blocks. Raises RunLostError, and DatabaseError if `beat` does."""
        self._workers, places = set(addresses), len(addresses)
        looked = beaten = time.monotonic()
        try:
            while (self._hand_out() or self._out) and time.monotonic() < self._until:
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._news.wait(), LISTEN_SECONDS)
                self._news.clear()
                for future in [each for each in self._out if each.status != "pending"]:
                    await self._take(future)
                if time.monotonic() - looked > LOOK_SECONDS:
                    looked = time.monotonic()
                    self._follow(set(await asyncio.to_thread(self._scheduler.addresses)), places)
                if time.monotonic() - beaten >= LISTEN_SECONDS:
                    beaten = time.monotonic()
                    if await asyncio.to_thread(beat):
                        self.stopped = True
                        self._stop()
        finally:
            if self._out:
                self._stop()
            for future, (_, scores) in self._out.items():
                future.cancel()
                self.left += scores
            for scores, _ in self._blocks:
                self.left += scores

    def _hand_out(self) -> bool:
        """Give each worker a little more than it scores at a time. Returns whether any block was given."""
        given = False
        while self._blocks and self._workers and not self._closed:
            has = dict.fromkeys(self._workers, 0)
            for worker, scores in self._out.values():
                if worker in has:
                    has[worker] += len(scores)
            worker = min(has, key=has.__getitem__)
            if has[worker] >= self._block.share + AHEAD:
                break
            scores, reassigned = self._blocks.popleft()
            block = replace(self._block, scores=scores, reassigned=reassigned)
            future = self._scheduler.submit(score_block, block, at=worker)
            self._out[future] = worker, scores
            future.add_done_callback(partial(_set_in_loop, asyncio.get_running_loop(), self._news))
            given = True
        return given

    async def _take(self, future: Submitted) -> None:
        worker, scores = self._out.pop(future)
        report = await asyncio.to_thread(_result, future)
        if isinstance(report, RunLostError):
            raise report
        if not isinstance(report, BlockReport):  # whatever it met, this process meets it too once no worker is left
            self._do_without(worker)
            self._blocks.append((scores, True))
            return
        before = self._sessions.get(report.session, report)
        self._sessions[report.session] = max(before, report, key=lambda each: each.number)
        self.chance |= {each.planned.id: each for each in report.chance}
        if left := tuple(each for each in scores if each.id not in report.saved):
            self._blocks.append((left, True))
        if report.fatal is not None:
            self._closed = True  # its share of the budget is used up: this process knows what is left of all
            if not isinstance(report.fatal, BudgetError):
                self.fatal = self.fatal or report.fatal
                self._stop()
        elif report.stopped:  # the worker ends; whether the run does too, `beat` says
            self._do_without(worker)

    def _do_without(self, worker: str) -> None:
        self._workers.discard(worker)
        self._useless.add(worker)

    def _follow(self, there: set[str], places: int) -> None:
        """Queue the blocks of lost workers again, and use new workers instead."""
        for future, (worker, scores) in list(self._out.items()):
            if worker not in there:
                del self._out[future]
                future.cancel()
                self._blocks.append((scores, True))
        self._workers &= there
        new = sorted(there - self._workers - self._useless)
        self._workers |= set(new[: places - len(self._workers)])

    def _stop(self) -> None:
        """Make the workers stop asking, by a stop request in the database."""
        self._closed = True
        if self._until == float("inf"):
            self._until = time.monotonic() + DRAIN_SECONDS
            with suppress(WorkbenchError), self._workbench.database.write() as work:
                work.runs.request_stop(self._block.run)


def _result(future: Submitted) -> BlockReport | BaseException:
    """Return a task's report, or its error. Dask's CancelledError is returned too; raised, it would cancel the run."""
    try:
        found: BlockReport = future.result(RESULT_SECONDS)
    except BaseException as error:
        return error
    return found


def _set_in_loop(loop: asyncio.AbstractEventLoop, event: asyncio.Event, _: object) -> None:
    """Set the event from another thread, unless the loop has ended."""
    with suppress(RuntimeError):
        loop.call_soon_threadsafe(event.set)


def worker_problem(block: Block, host: str, sqlite: str) -> str:
    """Return why this worker can't score the run, and what to do; "" if it can. This also loads what takes time.

    sqlite: the database's address if it is a file, which is on the machine `host`.
    """
    own = settings().url
    if sqlite and socket.gethostname() != host:
        return (
            f"The database is a SQLite file on {host}, which no other machine may write to. "
            "Use PostgreSQL (INTERACTEVAL_DATABASE_URL), or workers on that machine alone."
        )
    if sqlite != (own if own.startswith("sqlite:") else ""):
        return f"It has another database. {_OTHER_DATABASE}"
    try:
        return _obstacle(acting_for(open_workbench(), block), block)
    except WorkbenchError as error:
        return str(error)


def _obstacle(workbench: Workbench, block: Block) -> str:
    with workbench.database.read() as work:
        try:
            lease = work.runs.lease(block.run)
        except NotFoundError:
            lease = None
        if lease is None or lease.writer != block.writer:
            return f"It has another database. {_OTHER_DATABASE}"
        run = work.runs.get(block.run)
    check_evaluator(run.evaluator)
    if run.judge == NO_JUDGE:
        asyncio.run(_load(workbench, run))
    else:
        workbench.check_model(run.judge)
        judge = parse_model_name(run.judge)
        if judge.provider == "local":
            load_language_model(judge.model)
    return ""


async def _load(workbench: Workbench, run: RunSummary) -> None:
    """Load a method's own network, which stays in memory."""
    async with unjudged() as nobody:
        with workbench.database.read() as work:
            stages = DatabaseStages(workbench.database)
            RunScorer(work, run, nobody, stages, JudgeLogprobs(), TextCache(workbench.database))


FEWEST_TEXTS_FOR_A_CLUSTER = 400
"""Least texts of a run that the settings' Dask workers share, because loading them takes time."""


def workers_for(workbench: Workbench, run: RunSummary, processes: int = 1) -> Workers:
    """Return the Dask workers that score a run: those of the scheduler, else `processes` on this machine if more than
    one; none if they could not ask as this process does.

    A scheduler of the settings is used for large runs only; one named for this run for any.
    """
    if run.params.get("batch") or not others_can_score(workbench):
        return Workers()
    address = cluster_address(worth_it=run.all - run.done >= FEWEST_TEXTS_FOR_A_CLUSTER and processes < 2)
    return Workers(address, 0 if address or processes < 2 else processes)


def worker_share(run: RunSummary, texts: int, concurrency: int, workers: int) -> int:
    """Return how many texts each worker scores at a time.

    With a judge it is an equal share of the requests in flight. Without one a worker computes as many texts at a time
    as a single process, but few texts are divided so that each worker gets some several times.
    """
    if run.judge != NO_JUDGE:
        return max(1, concurrency // workers)
    return max(1, min(concurrency, texts // (4 * workers)))


def others_can_score(workbench: Workbench) -> bool:
    """Return whether a process with the same environment has the same database and keys."""
    here = settings()
    return workbench.database.address == here.url and workbench.credentials == Credentials.from_settings(here)
