"""Scoring of blocks at a Dask worker.

The first block of a run opens a session in a thread, with the judge, the ledger and the texts. Further blocks of the
run use the same session, so that none opens the judge again or waits for the last answer of the block before.
"""

import asyncio
import gc
import sys
import threading
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import count
from secrets import token_hex

from app.cluster import leave_worker_pool, task_is_wanted
from app.domain.roles_and_rights import LOCAL_OWNER, NOBODY
from app.domain.run import Outcome, PlannedScore, RunSummary
from app.errors import ProviderError, StoppedError
from app.evaluators.reference_metrics import compute_in_this_process
from app.limits import texts_at_once
from app.providers.recorded import RecordedModel, Tally
from app.scoring import engine
from app.services.runtime.prompts import own_wordings_of_run
from app.services.runtime.workbench import Workbench, open_workbench
from app.services.scoring.run_labels import logprobs_known
from app.services.scoring.run_writer import DatabaseSink, DatabaseStages, RunLease, RunScorer, TextCache, judge_session
from db.unit_of_work import Database

BLOCK_TEXTS = 16  # at least so many but at the end: larger blocks would keep the run waiting for one worker


@dataclass(frozen=True, slots=True)
class Block:
    """Planned scores of a run for one worker. writer: the name of the process that has the run. share: texts that the
    worker scores at a time. budget: US dollars that the worker may spend on the run; None for no budget. reassigned:
    another worker had a part of it, and may have asked about its texts. person, any_path: the caller, as in Workbench;
    None for the owner.

    Scoring a block twice is safe: scored texts are left out, answered requests are in the ledger, and nothing is saved
    once another writer has the run.
    """

    run: int
    writer: str
    scores: tuple[PlannedScore, ...]
    share: int
    budget: float | None = None
    reassigned: bool = False
    person: int | None = None
    any_path: bool = True


def block_of(workbench: Workbench, run: int, writer: str) -> Block:
    """Return a block without scores, for the workbench's actor."""
    return Block(run, writer, (), 1, person=workbench.actor.person, any_path=workbench.any_path)


@dataclass(frozen=True, slots=True)
class BlockReport:
    """The result of a block. saved: ids of the stored scores. chance: outcomes that are worth a second try. fatal,
    stopped: as in EngineReport.

    tally, retries: of all blocks of the worker's session so far. session: its name; number: of the session's report,
    from 1.
    """

    session: str
    number: int = 0
    saved: frozenset[int] = frozenset()
    chance: tuple[Outcome, ...] = ()
    stopped: bool = False
    fatal: ProviderError | None = None
    tally: Tally = field(default_factory=Tally)
    retries: int = 0


def cut_blocks(
    planned: Sequence[PlannedScore], document_of: Mapping[int, str], size: int = BLOCK_TEXTS
) -> list[tuple[PlannedScore, ...]]:
    """Cut the plan into blocks of one dimension each, in its order, and never within a document: equal texts are asked
    about only once in a process, and a provider's cache has the document."""
    documents: dict[tuple[int, str], list[PlannedScore]] = {}
    for score in planned:
        documents.setdefault((score.dimension, document_of[score.text]), []).append(score)
    blocks: list[list[PlannedScore]] = []
    for scores in documents.values():
        if blocks and len(blocks[-1]) < size and blocks[-1][0].dimension == scores[0].dimension:
            blocks[-1] += scores
        else:
            blocks.append(list(scores))
    return [tuple(block) for block in blocks]


# Replies are saved in a thread, and no text's next request goes out before. A thread that comes back from the database
# waits up to 5 ms for its turn, several times a transaction; with shorter turns a run is a tenth faster (10 pairs).
HANDOVER, USUAL_HANDOVER = 0.0005, sys.getswitchinterval()
# Objects made before young ones are searched for garbage. A call makes hundreds that live until its reply comes: with
# Python's own 700 each is looked at again and again.
YOUNG, USUAL_THRESHOLDS = 20_000, gc.get_threshold()
IDLE_SECONDS = 5.0  # a session without blocks for so long ends
_AT_WORK: set[object] = set()
"""Marks of the `short_turns` blocks that are active in this process."""
_SESSIONS: dict[tuple[int, str], "WorkerSession"] = {}
_SESSIONS_LOCK = threading.Lock()


def score_block(block: Block) -> BlockReport:
    """Score what is left of the block and save it. This is the task of a Dask worker, which uses its own keys.

    Raises RunLostError if another writer has the run, and DatabaseError.
    """
    wanted = task_is_wanted()
    leave_worker_pool()
    compute_in_this_process()
    while True:
        with _SESSIONS_LOCK:
            name = block.run, block.writer
            session = _SESSIONS.get(name)
            if session is None or session.closed:
                session = _SESSIONS[name] = WorkerSession(block)
            part = session.add(block, wanted)
        if part is not None and (report := part.result()) is not None:
            return report


def acting_for(workbench: Workbench, block: Block) -> Workbench:
    """Return the workbench for the person who started the run."""
    if block.person is None:
        return replace(workbench, actor=LOCAL_OWNER, any_path=block.any_path)
    with workbench.database.read() as work:
        actor = work.people.find_actor(block.person) or NOBODY
    return replace(workbench, actor=actor, any_path=block.any_path)


@contextmanager
def short_turns() -> Iterator[None]:
    """Within the block, switch threads more often and collect garbage less often, ignoring objects that existed before:
    with the statistics libraries loaded a collection takes 0.2 s, in which no reply is read. Frozen objects are never
    unfrozen, because a server's screens need that too."""
    sys.setswitchinterval(HANDOVER)
    _set_aside()
    mine = object()
    gc.set_threshold(YOUNG, *USUAL_THRESHOLDS[1:])
    _AT_WORK.add(mine)
    try:
        yield
    finally:
        _AT_WORK.discard(mine)
        if not _AT_WORK:
            sys.setswitchinterval(USUAL_HANDOVER)
            gc.set_threshold(*USUAL_THRESHOLDS)


@cache
def _set_aside() -> None:
    """Freeze existing objects once in a process; asking Python for the count takes some 30 ms."""
    if not gc.get_freeze_count():
        gc.freeze()


class WorkerSession:
    """The session of one run at one worker, in a thread. `closed`: it takes no more blocks."""

    def __init__(self, block: Block) -> None:
        self.closed = False
        self._block = replace(block, scores=())
        self._name = token_hex(8)
        self._numbers = count(1)
        self._loop = asyncio.new_event_loop()
        self._feed = _BlockFeed()
        self._parts: list[_Part] = []
        self._open: _OpenSession | None = None
        self._looking: set[asyncio.Task[None]] = set()
        self._idle_since = time.monotonic()
        threading.Thread(target=self._run, name=f"run {block.run}", daemon=True).start()

    def add(self, block: Block, wanted: Callable[[], bool]) -> "Future[BlockReport | None] | None":
        """Add a block and return the future of its report. The return value, or the future's result, is None if the
        session has ended."""
        part = _Part(block.scores, wanted, block.reassigned)
        try:
            self._loop.call_soon_threadsafe(self._take, part)
        except RuntimeError:  # the loop is closed
            return None
        return part.report

    def _run(self) -> None:
        error: BaseException | None = None
        try:
            workbench = acting_for(open_workbench(), self._block)
            with workbench.database.read() as work:
                project, run = work.runs.project_of(self._block.run), work.runs.get(self._block.run)
            with own_wordings_of_run(workbench, project, run):
                ended = self._loop.run_until_complete(self._score(workbench, run))
        except BaseException as found:
            error, ended = found, None
        self.closed = True
        with _SESSIONS_LOCK:  # nothing is added from here on
            if _SESSIONS.get((self._block.run, self._block.writer)) is self:
                del _SESSIONS[self._block.run, self._block.writer]
            self._loop.run_until_complete(asyncio.sleep(0))
            self._loop.close()
        for part in self._parts:
            if error is not None or ended is None:
                part.report.set_exception(error or RuntimeError("no session"))
            elif part.left is None and not (ended.stopped or ended.fatal):
                part.report.set_result(None)
            else:
                part.report.set_result(self._report(part, ended))

    async def _score(self, workbench: Workbench, run: RunSummary) -> engine.EngineReport:
        async with _open_session(workbench, run, self._block, self._wanted) as self._open:
            for part in list(self._parts):
                self._begin(part)
            sink = _SessionSink(self)
            stop = self._open.model.stop
            return await engine.run(self._feed, self._open.scorer.score, sink, texts_at_once(self._block.share), stop)

    def _wanted(self) -> bool:
        """Return, in any thread, whether somebody waits for its blocks."""
        parts = list(self._parts)
        return not parts or any(part.wanted() for part in parts)

    def _take(self, part: "_Part") -> None:
        self._parts.append(part)
        if self._open is None or self.closed:
            return
        if not part.reassigned:
            self._begin(part)
            return
        task = self._loop.create_task(self._look_and_begin(part))
        self._looking.add(task)
        task.add_done_callback(self._looking.discard)

    async def _look_and_begin(self, part: "_Part") -> None:
        """Read the ledger again, because another worker may have asked since, then begin."""
        assert self._open is not None
        await self._open.model.look_again()
        self._begin(part)

    def _begin(self, part: "_Part") -> None:
        """Read the texts of a block. Finished scores are left out."""
        assert self._open is not None
        found = self._open.load(part.scores)
        part.left = {each.id for each in found}
        self._feed.add(found)
        self._end_parts()

    def saved(self, outcomes: Sequence[Outcome]) -> None:
        """Note, from any thread, that these outcomes are stored."""
        self._loop.call_soon_threadsafe(self._note, outcomes)

    def beat(self) -> bool:
        """Renew the lease; returns whether to stop."""
        assert self._open is not None
        if self._parts:
            self._idle_since = time.monotonic()
        elif time.monotonic() - self._idle_since > IDLE_SECONDS:
            self.closed = True
            self._loop.call_soon_threadsafe(self._feed.end)
            return False
        return self._open.sink.beat()

    def save(self, outcomes: Sequence[Outcome]) -> None:
        assert self._open is not None
        self._open.sink.save(outcomes)

    def _note(self, outcomes: Sequence[Outcome]) -> None:
        ids = {each.planned.id for each in outcomes}
        for part in self._parts:
            if part.left is not None:
                part.left -= ids
        self._end_parts()

    def _end_parts(self) -> None:
        for part in [each for each in self._parts if each.left is not None and not each.left]:
            self._parts.remove(part)
            part.report.set_result(self._report(part, engine.EngineReport(0, 0, stopped=False)))

    def _report(self, part: "_Part", ended: engine.EngineReport) -> BlockReport:
        assert self._open is not None
        ids = {each.id for each in part.scores}
        left = ids if part.left is None else part.left
        doubtful = tuple(each for score, each in self._open.sink.chance.items() if score in ids)
        model = self._open.model
        stopped = ended.stopped or (bool(left) and ended.fatal is None)
        return BlockReport(
            self._name,
            next(self._numbers),
            frozenset(ids - left),
            doubtful,
            stopped,
            ended.fatal,
            replace(model.tally),
            model.retries,
        )


@dataclass(eq=False, slots=True)
class _Part:
    """A block of a session. left: ids that aren't saved; None before the session is open."""

    scores: tuple[PlannedScore, ...]
    wanted: Callable[[], bool]
    reassigned: bool = False
    left: set[int] | None = None
    report: "Future[BlockReport | None]" = field(default_factory=Future)


class _SessionSink:
    """A Sink that tells the session which outcomes are saved."""

    def __init__(self, session: WorkerSession) -> None:
        self._session = session

    def save(self, outcomes: Sequence[Outcome]) -> None:
        self._session.save(outcomes)
        self._session.saved(outcomes)

    def beat(self) -> bool:
        return self._session.beat()


class _BlockFeed:
    """A Feed of blocks as they arrive, for use in its event loop."""

    def __init__(self) -> None:
        self._left: deque[PlannedScore] = deque()
        self._ended = False
        self._news = asyncio.Event()

    def add(self, scores: Sequence[PlannedScore]) -> None:
        self._left.extend(scores)
        self._tell()

    def end(self) -> None:
        """Note that no more blocks will come."""
        self._ended = True
        self._tell()

    async def take(self) -> PlannedScore | None:
        while not self._left and not self._ended:
            await self._news.wait()
        return self._left.popleft() if self._left else None

    def close(self) -> None:
        self._left.clear()
        self.end()

    def _tell(self) -> None:
        news, self._news = self._news, asyncio.Event()
        news.set()


class _WorkerLease(RunLease):
    """A RunLease that prevents requests once nobody waits for its blocks, because other workers score these texts
    then."""

    def __init__(self, database: Database, block: Block, wanted: Callable[[], bool]) -> None:
        super().__init__(database, block.run, block.writer)
        self._wanted = wanted

    async def may_ask(self) -> None:
        if not self._wanted():
            raise StoppedError("Nobody waits for this block: nothing more is asked.")
        await super().may_ask()


@asynccontextmanager
async def _open_session(
    workbench: Workbench, run: RunSummary, block: Block, wanted: Callable[[], bool]
) -> AsyncIterator["_OpenSession"]:
    lease = _WorkerLease(workbench.database, block, wanted)
    async with judge_session(workbench, run, lease, block.share, block.budget) as model:
        with short_turns():
            yield _OpenSession(workbench, run, lease, model, lambda: not wanted())


class _OpenSession:
    """The judge, the texts and the database of a session."""

    def __init__(
        self, workbench: Workbench, run: RunSummary, lease: RunLease, model: RecordedModel, ending: Callable[[], bool]
    ) -> None:
        known = logprobs_known(run)
        with workbench.database.read() as work:
            stages = DatabaseStages(workbench.database, lease)
            self.scorer = RunScorer(work, run, model, stages, known, TextCache(workbench.database))
        self.model = model
        self.sink = DatabaseSink(workbench.database, run, lease, model, known, ending)
        self._database = workbench.database
        self._run = run.id

    def load(self, scores: Sequence[PlannedScore]) -> list[PlannedScore]:
        """Read the texts of unfinished scores, and return these scores."""
        with self._database.read() as work:
            left = work.runs.still_open(self._run, [each.id for each in scores])
            found = [each for each in scores if each.id in left]
            self.scorer.texts.hold(work.every_text.many({each.text for each in found}))
        return found
