"""Crew of a run: processes of this machine that score it beside the one that has it.

Each is dealt blocks as it scores them, a little more than it has in flight. A process that ends early, however, leaves
nothing behind: its slots go back, and what it has not saved is done here, from the ledger where that was answered.
"""

import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial

from app.domain.run import Outcome, PlannedScore, RunSummary
from app.errors import ProviderError
from app.providers.budget import Budget
from app.providers.lent.keeper import BudgetLender, SlotLender
from app.providers.lent.messages import FromBorrower
from app.providers.rate_limit import AdaptiveLimit
from app.providers.recorded import RecordedModel
from app.scoring.engine import DRAIN_SECONDS, LISTEN_SECONDS
from app.scoring.sink import Sink
from app.services.runtime.workbench import Workbench
from app.services.scoring.blocks.block import Block, BlockReport, block_of
from app.services.scoring.blocks.channel import Helper, run_in_loop
from app.services.scoring.blocks.deck import Deck
from app.services.scoring.blocks.local_process import LocalProcess
from app.services.scoring.blocks.messages import Begin, Dealt, Ended, NothingMore, Ready, ScoresSaved, StopAsking

# A process that is loading may take its time; one at work says something several times a second.
LOADING_SECONDS, SILENT_SECONDS = 120.0, 30.0
LOOK_SECONDS = 0.02
AHEAD = 8  # scores that a process has beyond those in flight


class Crew:
    """For the event loop it is made in, within `async with`."""

    def __init__(
        self, workbench: Workbench, run: RunSummary, writer: str, deck: Deck, model: RecordedModel, limit: AdaptiveLimit
    ) -> None:
        self.deck = deck
        self.tried: set[int] = set()
        self.fatal: ProviderError | None = None
        self._workbench = workbench
        self._run = run
        self._writer = writer
        self._model = model
        self._limit = limit
        self._members: list[_Member] = []
        self._redoing: set[asyncio.Task[None]] = set()
        self._only_members = False

    def begin(self, shares: Sequence[int], start: Callable[[], Helper] = LocalProcess) -> None:
        """A process for each of these numbers of texts at a time; one that can't be started is done without."""
        for share in shares:
            with suppress(OSError):
                self._members.append(
                    _Member(
                        self,
                        start(),
                        block_of(self._workbench, self._run.id, self._writer, share),
                        self._model.budget,
                        self._limit,
                    )
                )

    def leave_it_to_members(self) -> None:
        """This process scores nothing as long as another one does."""
        self._only_members = True
        self.look_for_members()

    def saved_here(self, outcomes: Sequence[Outcome]) -> None:
        """What a method asks once for a dimension is on record by then: others may score it too."""
        self.tried |= {each.planned.dimension for each in outcomes if not each.error_kind}
        self.deal()

    def deal(self) -> None:
        for member in self._members:
            member.deal()

    def stop(self) -> None:
        """Nobody asks anything more."""
        self._model.stop()
        for member in self._members:
            member.say(StopAsking())

    def give_up(self, error: ProviderError) -> None:
        """What one process met, all would."""
        self.fatal = self.fatal or error
        self.deck.close()
        self.stop()

    def take_back(self, scores: Sequence[PlannedScore]) -> None:
        """What a process had not saved when it ended is done here."""
        task = asyncio.create_task(self._redo(scores))
        self._redoing.add(task)
        task.add_done_callback(self._redoing.discard)

    async def end(self, beat: Callable[[], bool]) -> list[BlockReport]:
        """Wait for what the others have under way; what each did."""
        for member in self._members:
            member.end()
        began = beaten = time.monotonic()
        while any(not member.over for member in self._members) and time.monotonic() - began < DRAIN_SECONDS:
            await asyncio.sleep(LOOK_SECONDS)
            if time.monotonic() - beaten > LISTEN_SECONDS:
                beaten = time.monotonic()
                if await asyncio.to_thread(beat):
                    self.stop()
        return [member.report for member in self._members]

    def close(self) -> None:
        """However the run ends, nobody goes on with it."""
        for member in self._members:
            member.close()
        for task in self._redoing:
            task.cancel()

    def check(self) -> None:
        """End those that say nothing any more."""
        for member in self._members:
            member.check()

    def look_for_members(self) -> None:
        """Whether anybody is left who may be dealt what this process leaves to others."""
        self.deck.keep_for_others(self._only_members and not all(member.over for member in self._members))

    async def _redo(self, scores: Sequence[PlannedScore]) -> None:
        await self._model.look_again()
        left = await asyncio.to_thread(self._still_open, scores)
        self.deck.done(len(scores) - len(left))
        self.deck.back(left)

    def _still_open(self, scores: Sequence[PlannedScore]) -> list[PlannedScore]:
        with self._workbench.database.read() as work:
            left = work.runs.still_open(self._run.id, [each.id for each in scores])
        return [each for each in scores if each.id in left]


class CrewSink:
    """A Sink whose outcomes the crew hears of; it asks the run to stop where one of the crew met what all would."""

    def __init__(self, sink: Sink, crew: Crew) -> None:
        self._sink = sink
        self._crew = crew
        self._loop = asyncio.get_running_loop()

    def save(self, outcomes: Sequence[Outcome]) -> None:
        self._sink.save(outcomes)
        self._loop.call_soon_threadsafe(self._crew.saved_here, outcomes)

    def beat(self) -> bool:
        self._crew.check()
        return self._sink.beat() or self._crew.fatal is not None


class _Member:
    """One process. `over` once it has ended, and all it had is back."""

    def __init__(self, crew: Crew, helper: Helper, block: Block, budget: object, limit: AdaptiveLimit) -> None:
        self.over = False
        self.report = BlockReport()
        self._crew = crew
        self._share = block.share
        self._left: dict[int, PlannedScore] = {}
        self._ready = False
        self._ending = self._ended = False
        self._heard = time.monotonic()
        self._helper = helper
        self._slots: SlotLender | None = None
        self._limit = limit
        self._money = BudgetLender(budget, self.say) if isinstance(budget, Budget) else None
        loop = asyncio.get_running_loop()
        helper.listen(partial(run_in_loop, loop, self._hear), partial(run_in_loop, loop, self._gone))
        self.say(Begin(block, self._money is not None))

    def say(self, message: object) -> None:
        self._helper.send(message)

    def deal(self) -> None:
        """So much that it has a little more than it can have in flight."""
        if not self._ready or self._ending:
            return
        while len(self._left) < self._share + AHEAD:
            scores = self._crew.deck.deal(self._crew.tried)
            if not scores:
                return
            self._left |= {each.id: each for each in scores}
            self.say(Dealt(tuple(scores)))

    def end(self) -> None:
        """One that has only just been started has nothing to end."""
        self._ending = True
        self.say(NothingMore())
        if not self._ready:
            self._helper.kill()

    def check(self) -> None:
        silent = time.monotonic() - self._heard
        if not self.over and silent > (SILENT_SECONDS if self._ready else LOADING_SECONDS):
            self._helper.kill()

    def close(self) -> None:
        if not self._ended:
            self._helper.kill()
        self._helper.close()
        self._return_all()

    def _hear(self, message: object) -> None:
        self._heard = time.monotonic()
        match message:
            case Ready():
                self._ready = True
                self._slots = SlotLender(self._limit, self._share, self.say)
                self.deal()
            case ScoresSaved():
                self._note(message)
            case Ended(report):
                self.report, self.over, self._ended = report, not self._left, True
                if report.fatal is not None:
                    self._crew.give_up(report.fatal)
            case FromBorrower():
                self._borrow(message)

    def _note(self, saved: ScoresSaved) -> None:
        found = [self._left.pop(score) for score in saved.scores if score in self._left]
        before = self.report
        self.report = BlockReport(
            before.done + len(saved.scores) - saved.failed,
            before.failed + saved.failed,
            chance=(*before.chance, *saved.chance),
            tally=saved.tally,
            retries=saved.retries,
        )
        if found:
            self._crew.deck.done(len(found))
            self.deal()

    def _borrow(self, message: FromBorrower) -> None:
        if self._slots is not None:
            self._slots.hear(message)
        if self._money is not None:
            self._money.hear(message)

    def _gone(self) -> None:
        self._ready, self._ending = False, True
        self._return_all()
        scores, self._left = list(self._left.values()), {}
        if scores:
            self._crew.take_back(scores)
        self.over = True
        self._crew.look_for_members()

    def _return_all(self) -> None:
        if self._slots is not None:
            self._slots.close()
        if self._money is not None:
            self._money.close()
