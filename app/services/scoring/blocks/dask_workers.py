"""Workers of a Dask scheduler that score a run beside the process that has it.

Each gets one task for the length of the run, which is dealt blocks through the scheduler as a process of this machine
is through its pipe: its judge stays open, and it never waits for a block's last answers before it begins the next. So
concurrency and budget stay with the process that has the run, and a worker that dies loses nothing but its calls in
flight. Workers have their own keys, and write to the database themselves.
"""

import asyncio
import socket
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from app.cluster.channel import Switchboard, TaskLine
from app.cluster.scheduler import Scheduler, make_room, scheduler_at
from app.domain.run import RunSummary
from app.errors import ClusterError, NotFoundError, WorkbenchError
from app.evaluators.judge_logprobs import JudgeLogprobs
from app.evaluators.metric_processes import compute_in_this_process
from app.neural.loading import load_language_model
from app.providers.lent.messages import RequestRefused, RequestsPassed, SlotsBack
from app.providers.model_name import parse_model_name
from app.services.runtime.models import unjudged
from app.services.runtime.workbench import Workbench, open_workbench
from app.services.scoring.blocks.block import Block
from app.services.scoring.blocks.block_scoring import acting_for
from app.services.scoring.blocks.crew import Crew
from app.services.scoring.blocks.helper_process import help_at
from app.services.scoring.blocks.run_scorer import RunScorer
from app.services.scoring.evaluator_stages import DatabaseStages
from app.services.scoring.evaluators import NO_JUDGE, check_evaluator
from app.services.scoring.text_shelf import TextShelf
from app.settings import settings

LOOK_SECONDS = 1.0
Result = TypeVar("Result")
_OTHER_DATABASE = "Its INTERACTEVAL_DATABASE_URL has to be the one that is used here."


@asynccontextmanager
async def dask_workers(
    address: str, workbench: Workbench, block: Block, beat: Callable[[], object]
) -> AsyncIterator["DaskWorkers"]:
    """Those of the scheduler at this address, each able to score the run of `block`. Raises ClusterError where one
    isn't, and as `scheduler_at`. beat: says meanwhile that the run is alive, for loading takes a worker its time."""
    connected = scheduler_at(address)
    scheduler = await _alive(connected.__enter__, beat)
    try:
        database = workbench.database.address if workbench.database.file is not None else ""
        asked = partial(scheduler.ask_each, obstacle_at_worker, block, socket.gethostname(), database)
        for worker, obstacle in (await _alive(asked, beat)).items():
            if obstacle:
                raise ClusterError(f"The worker {worker} can't score this run. {obstacle}")
        workers = DaskWorkers(scheduler)
        try:
            yield workers
        finally:
            workers.close()
    finally:
        await asyncio.to_thread(connected.__exit__, None, None, None)


async def _alive(work: Callable[[], Result], beat: Callable[[], object]) -> Result:
    task = asyncio.create_task(asyncio.to_thread(work))
    while not task.done():
        await asyncio.wait({task}, timeout=LOOK_SECONDS)
        await asyncio.to_thread(beat)
    return task.result()


class DaskWorkers:
    """For one run. A worker that goes is replaced by one that comes."""

    def __init__(self, scheduler: Scheduler) -> None:
        self._scheduler = scheduler
        self._switchboard = scheduler.switchboard()
        self._helpers: dict[str, tuple[_DaskHelper, int]] = {}
        self._following: asyncio.Task[None] | None = None
        self.addresses = scheduler.addresses()

    def join(self, crew: Crew, shares: Sequence[int]) -> None:
        """A worker for each of these numbers of texts at a time; there are no more shares than workers."""
        for worker, share in zip(self.addresses, shares, strict=False):
            self._begin(crew, worker, share)
        self._following = asyncio.create_task(self._follow(crew))

    def close(self) -> None:
        if self._following is not None:
            self._following.cancel()
        self._switchboard.close()

    def _begin(self, crew: Crew, worker: str, share: int) -> None:
        def start() -> _DaskHelper:
            helper = _DaskHelper(self._scheduler, self._switchboard, worker)
            self._helpers[worker] = helper, share
            return helper

        crew.begin([share], start)

    async def _follow(self, crew: Crew) -> None:
        free: list[int] = []
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            there = set(await asyncio.to_thread(self._scheduler.addresses))
            for worker in self._helpers.keys() - there:
                helper, share = self._helpers.pop(worker)
                helper.kill()
                free.append(share)
            for worker in sorted(there - self._helpers.keys())[: len(free)]:
                self._begin(crew, worker, free.pop())


class _DaskHelper:
    """A Helper: one worker's task."""

    def __init__(self, scheduler: Scheduler, switchboard: Switchboard, worker: str) -> None:
        self._line = switchboard.line()
        self._task = scheduler.submit(help_from_worker, switchboard.name, self._line.name, at=worker)
        self._gone: Callable[[], None] = lambda: None

    def send(self, message: object) -> None:
        self._line.send(message)

    def listen(self, heard: Callable[[Any], None], gone: Callable[[], None]) -> None:
        self._gone = gone
        self._line.hear = lambda message: heard(_moved(message, time.monotonic()))
        self._task.add_done_callback(lambda _: gone())

    def kill(self) -> None:
        """Nobody can end a task that runs: it hears nothing more, and ends by itself."""
        self._task.cancel()
        self._line.close()
        self._gone()

    def close(self) -> None:
        self._line.close()


def help_from_worker(switchboard: str, line: str) -> None:
    """The task of a worker."""
    compute_in_this_process()
    make_room()
    channel = _TaskChannel(switchboard, line)
    try:
        help_at(channel)
    finally:
        channel.close()


class _TaskChannel(TaskLine):
    """A HelperChannel. Moments go as seconds from now: machines have clocks of their own."""

    def send(self, message: object) -> None:
        super().send(_moved(message, -time.monotonic()))


def _moved(message: object, by: float) -> object:
    if isinstance(message, SlotsBack | RequestsPassed | RequestRefused) and message.started is not None:
        return replace(message, started=message.started + by)
    return message


def obstacle_at_worker(block: Block, host: str, sqlite: str) -> str:
    """What keeps this worker from scoring the run, and what to do; "" for nothing. Whatever takes its time to load is
    loaded then.

    sqlite: the database's address where it is a file, on the machine `host`.
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
    """A network of the method's own stays in memory."""
    async with unjudged() as nobody:
        with workbench.database.read() as work:
            stages = DatabaseStages(workbench.database)
            RunScorer(work, run, nobody, stages, JudgeLogprobs(), TextShelf(workbench.database))
