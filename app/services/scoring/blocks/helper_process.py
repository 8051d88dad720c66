"""Process that scores beside the one that has the run: started by it (crew), it borrows from it and ends with it.

Run as `python -m app.services.scoring.blocks.helper_process`; what it is told comes in at its standard input. Keys
come from its environment, which is the other's. Signals are for the other: it says when to end, or is gone.
"""

import asyncio
import os
import signal
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial

from app.domain.run import Outcome
from app.errors import WorkbenchError
from app.providers.lent.borrower import BorrowedBudget, BorrowedSlots
from app.providers.lent.messages import FromKeeper
from app.scoring import engine
from app.services.runtime.models import BorrowedLimits
from app.services.runtime.prompts import own_wordings_of_run
from app.services.runtime.workbench import Workbench, open_workbench
from app.services.scoring.blocks.block_scoring import BlockSession, acting_for, block_session
from app.services.scoring.blocks.channel import Channel, HelperChannel, run_in_loop
from app.services.scoring.blocks.deck import DealtFeed
from app.services.scoring.blocks.messages import Begin, Dealt, Ended, NothingMore, Ready, ScoresSaved, StopAsking


def main() -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    channel = _own_channel()
    help_at(channel)


def help_at(channel: HelperChannel) -> None:
    """Score what is dealt to whoever has this end of the channel, until nothing more comes."""
    with suppress(EOFError, WorkbenchError):  # whoever has the run goes on with what is left, and meets it too
        begin: Begin = channel.receive()
        workbench = acting_for(open_workbench(), begin.block)
        with workbench.database.read() as work:
            project, run = work.runs.project_of(begin.block.run), work.runs.get(begin.block.run)
        with own_wordings_of_run(workbench, project, run):
            asyncio.run(_Helper(channel, begin).score(workbench))


def _own_channel() -> Channel:
    """What anybody prints must not get between the messages."""
    incoming, outgoing = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    return Channel(incoming, outgoing)


class _Helper:
    def __init__(self, channel: HelperChannel, begin: Begin) -> None:
        self._channel = channel
        self._begin = begin

    async def score(self, workbench: Workbench) -> None:
        loop = asyncio.get_running_loop()
        self._feed = DealtFeed()
        self._slots = BorrowedSlots(self._channel.send)
        self._budget = BorrowedBudget(self._channel.send)
        borrowed = BorrowedLimits(self._slots, self._budget if self._begin.budgeted else None)
        async with block_session(workbench, self._begin.block, borrowed) as session:
            self._session = session
            self._sink = _ReportingSink(self._channel, session, partial(run_in_loop, loop, self._slots.report))
            self._channel.listen(partial(run_in_loop, loop, self._hear), partial(run_in_loop, loop, self._stop))
            self._channel.send(Ready())
            score, share = session.scorer.score, self._begin.block.share
            report = await engine.run(self._feed, score, self._sink, share, session.model.stop)
            self._channel.send(Ended(session.report(report)))

    def _hear(self, message: object) -> None:
        match message:
            case Dealt(scores):
                found = self._session.load(scores)
                self._feed.add(found)
                if scored := {each.id for each in scores} - {each.id for each in found}:
                    self._sink.say(tuple(scored))
            case NothingMore():
                self._feed.end()
            case StopAsking():
                self._stop()
            case FromKeeper():
                self._slots.hear(message)
                self._budget.hear(message)

    def _stop(self) -> None:
        """Also where the other process is gone: what is under way is paid, and kept."""
        self._session.model.stop()
        self._feed.close()


class _ReportingSink:
    """A Sink that tells the process that has the run what is kept."""

    def __init__(self, channel: HelperChannel, session: BlockSession, report_passed: Callable[[], object]) -> None:
        self._channel = channel
        self._session = session
        self._report_passed = report_passed

    def save(self, outcomes: Sequence[Outcome]) -> None:
        self._session.sink.save(outcomes)
        self.say(tuple(each.planned.id for each in outcomes), outcomes)

    def beat(self) -> bool:
        self._report_passed()
        self.say(())
        return self._session.sink.beat()

    def say(self, scores: tuple[int, ...], outcomes: Sequence[Outcome] = ()) -> None:
        chance, model = self._session.sink.chance, self._session.model
        doubtful = tuple(chance[each.planned.id] for each in outcomes if each.planned.id in chance)
        failed = sum(bool(each.error_kind) for each in outcomes)
        self._channel.send(ScoresSaved(scores, failed, doubtful, model.tally, model.retries))


if __name__ == "__main__":
    main()
