"""Scoring of a block, in whatever process has the run's database."""

import asyncio
import gc
import sys
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from functools import cache

from app.domain.people.actor import LOCAL_OWNER, NOBODY
from app.domain.run import PlannedScore, RunSummary
from app.providers.recorded import RecordedModel
from app.scoring import engine
from app.services.runtime.models import BorrowedLimits
from app.services.runtime.prompts import own_wordings_of_run
from app.services.runtime.workbench import Workbench
from app.services.scoring.blocks.block import Block, BlockReport
from app.services.scoring.blocks.database_sink import DatabaseSink
from app.services.scoring.blocks.run_scorer import RunScorer, judge_session
from app.services.scoring.evaluator_stages import DatabaseStages
from app.services.scoring.judge_logprobs import logprobs_known
from app.services.scoring.run_writer import RunHold
from app.services.scoring.text_shelf import TextShelf

# Replies are saved in a thread, and no text's next request goes out before. A thread that comes back from the database
# waits up to 5 ms for its turn, several times a transaction; with shorter turns a run is a tenth faster (10 pairs).
HANDOVER, USUAL_HANDOVER = 0.0005, sys.getswitchinterval()
_AT_WORK: set[object] = set()
"""What this process is at work with."""


def score_block(workbench: Workbench, block: Block) -> BlockReport:
    """Score what is left of the block, and keep it. `workbench` is that of this process: its own keys ask.

    Raises RunLostError where the run is another writer's by now, and DatabaseError.
    """
    workbench = acting_for(workbench, block)
    with workbench.database.read() as work:
        project, run = work.runs.project_of(block.run), work.runs.get(block.run)
    with own_wordings_of_run(workbench, project, run):
        return asyncio.run(_score(workbench, block))


async def _score(workbench: Workbench, block: Block) -> BlockReport:
    async with block_session(workbench, block) as session:
        scores = session.load(block.scores)
        report = await engine.run(scores, session.scorer.score, session.sink, block.share, session.model.stop)
        return session.report(report)


def acting_for(workbench: Workbench, block: Block) -> Workbench:
    """The workbench on behalf of whoever began the run."""
    if block.person is None:
        return replace(workbench, actor=LOCAL_OWNER, any_path=block.any_path)
    with workbench.database.read() as work:
        actor = work.people.find_actor(block.person) or NOBODY
    return replace(workbench, actor=actor, any_path=block.any_path)


@asynccontextmanager
async def block_session(
    workbench: Workbench, block: Block, borrowed: BorrowedLimits | None = None
) -> AsyncIterator["BlockSession"]:
    """`workbench` acts for whoever began the run, and the run's wordings are in force."""
    hold = RunHold(workbench.database, block.run, block.writer)
    with workbench.database.read() as work:
        run = work.runs.get(block.run)
    async with judge_session(workbench, run, hold, block.share, borrowed) as model:
        with short_turns():
            yield BlockSession(workbench, run, hold, model)


@contextmanager
def short_turns() -> Iterator[None]:
    """Short turns for threads, and no search for garbage in what was there before: with the statistics loaded that
    takes two tenths of a second each time, in which no reply is read. A server froze what it loaded before it listened,
    and its screens need it frozen after the run too: so it is never unfrozen, and nothing is added to it."""
    sys.setswitchinterval(HANDOVER)
    _set_aside()
    mine = object()
    _AT_WORK.add(mine)
    try:
        yield
    finally:
        _AT_WORK.discard(mine)
        if not _AT_WORK:
            sys.setswitchinterval(USUAL_HANDOVER)


@cache
def _set_aside() -> None:
    """Once for each process: to learn whether anything is frozen, Python counts it all, in some 30 ms."""
    if not gc.get_freeze_count():
        gc.freeze()


class BlockSession:
    """What one process scores blocks of a run with, one after the other: the judge stays open."""

    def __init__(self, workbench: Workbench, run: RunSummary, hold: RunHold, model: RecordedModel) -> None:
        known = logprobs_known(run)
        with workbench.database.read() as work:
            stages = DatabaseStages(workbench.database, hold)
            self.scorer = RunScorer(work, run, model, stages, known, TextShelf(workbench.database))
        self.model = model
        self.sink = DatabaseSink(workbench.database, run, hold, model, known)
        self._database = workbench.database
        self._run = run.id

    def load(self, scores: Sequence[PlannedScore]) -> list[PlannedScore]:
        """Read the texts; those that are scored already are left out."""
        with self._database.read() as work:
            left = work.runs.still_open(self._run, [each.id for each in scores])
            found = [each for each in scores if each.id in left]
            self.scorer.texts.hold(work.every_text.many({each.text for each in found}))
        return found

    def report(self, ended: engine.EngineReport) -> BlockReport:
        chance = tuple(self.sink.chance.values())
        return BlockReport(
            ended.done, ended.failed, ended.stopped, ended.fatal, chance, self.model.tally, self.model.retries
        )
