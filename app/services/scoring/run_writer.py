"""What a run reads and writes: its texts, stages, requests and log-probabilities."""

import asyncio
import time
from array import array
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from typing import Any

from app.domain.project import Text
from app.domain.run import ProviderBatch, RunSummary, StageRun
from app.evaluators.method import JudgeLogprobs
from app.providers.batches.batch import BatchedModel
from app.services.runtime.backups import WriterLock, forget_writer
from app.services.runtime.batch_rounds import Collect, gather_settled
from app.services.runtime.workbench import Workbench
from app.services.scoring.evaluators import evaluators_of
from db.unit_of_work import Database, UnitOfWork

# A request leaves only where the lease was renewed so recently that nobody can have taken the run over since.
FRESH_SECONDS = 12.0
_AT_WORK: set[str] = set()


class RunHold:
    """What every process does that works on a run for its writer: nothing without looking that the run is still
    the writer's."""

    def __init__(self, database: Database, run_id: int, name: str) -> None:
        self.run_id = run_id
        self.name = name
        self._database = database
        self._renewed = 0.0
        self._renewing = asyncio.Lock()

    def hold(self, work: UnitOfWork) -> None:
        """In each transaction of the run, before anything else. Raises RunLostError where it is another writer's."""
        work.runs.hold(self.run_id, self.name)
        self._renewed = time.time()

    async def may_ask(self) -> None:
        """Before each request. A process that was stopped, or a machine that slept, learns here that it lost its run.

        Raises RunLostError.
        """
        if self._fresh():
            return
        async with self._renewing:
            if not self._fresh():
                await asyncio.to_thread(self.renew)

    def renew(self) -> None:
        with self._database.write() as work:
            self.hold(work)

    def _fresh(self) -> bool:
        # Clocks that stand still while the machine sleeps would not do.
        return abs(time.time() - self._renewed) < FRESH_SECONDS


class RunWriter(RunHold):
    """Works on one run; `name` is like no other writer's, ever."""

    def __init__(self, database: Database, run_id: int) -> None:
        self._lock = WriterLock()
        super().__init__(database, run_id, self._lock.name)
        self._left_open = False

    def claim(self, gone: str = "") -> None:
        """Become the run's writer. `gone`: the name of one that is known to have ended. Raises ConflictError."""
        self._lock.acquire()
        try:
            with self._database.write() as work:
                work.runs.claim(self.run_id, self.name, gone)
                work.calls.count_intents_left(self.run_id)
        except BaseException:
            self.release()
            raise
        if gone:
            forget_writer(gone)
        self._renewed = time.time()
        _AT_WORK.add(self.name)

    def intend(self, work: UnitOfWork, token: str, requests: int) -> ProviderBatch:
        return work.provider_batches.intend(self.run_id, token, requests)

    def open(self, work: UnitOfWork) -> list[ProviderBatch]:
        return work.provider_batches.open(self.run_id)

    def stop_wished(self, work: UnitOfWork) -> bool:
        return work.runs.stop_requested(self.run_id)

    def release(self) -> None:
        _AT_WORK.discard(self.name)
        if not self._left_open:
            self._lock.release()

    def leave_open(self) -> None:
        """Where not even the end could be written down: every process of this machine sees that nobody works on it."""
        self._left_open = True
        self._lock.leave_open()


def has_active_writers() -> bool:
    """Whether this process works on a run, or has yet to write down how one ended."""
    return bool(_AT_WORK)


HELD = 4_000  # texts; the least lately used go
READ_TOGETHER = 500


class TextShelf:
    """A text that isn't held is read together with those that come next to it in the run."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._held: OrderedDict[int, Text] = OrderedDict()
        self._order = array("q")

    def expect(self, texts: Iterable[int]) -> None:
        """The run's texts, by id."""
        self._order = array("q", sorted(set(texts)))

    def hold(self, texts: Mapping[int, Text]) -> None:
        self._held.update(texts)
        while len(self._held) > HELD:
            self._held.popitem(last=False)

    def __getitem__(self, text: int) -> Text:
        """Raises KeyError for a text that is gone."""
        if text not in self._held:
            self._read(text)
        self._held.move_to_end(text)
        return self._held[text]

    def _read(self, text: int) -> None:
        place = bisect_left(self._order, text)
        wanted = {text, *self._order[place : place + READ_TOGETHER]}
        with self._database.read() as work:
            self.hold(work.every_text.many(wanted))


class DatabaseStages:
    """Stages kept with their dimension: the newest one that answers the same request counts.

    writer: of the run that asks; it keeps nothing once it lost the run.
    """

    def __init__(self, database: Database, writer: RunHold | None = None) -> None:
        self._database = database
        self._writer = writer

    async def find(self, dimension: int, stage: str, inputs_digest: str) -> str | None:
        return await asyncio.to_thread(self._find, dimension, stage, inputs_digest)

    async def keep(self, dimension: int, stage: StageRun) -> None:
        await asyncio.to_thread(self._keep, dimension, stage)

    def _find(self, dimension: int, stage: str, inputs_digest: str) -> str | None:
        with self._database.read() as work:
            runs = [r for r in work.stages.of(dimension) if (r.stage, r.inputs_digest) == (stage, inputs_digest)]
        return next((run.output for run in reversed(runs) if not run.error_kind), None)

    def _keep(self, dimension: int, stage: StageRun) -> None:
        with self._database.write() as work:
            if self._writer is not None:
                self._writer.hold(work)
            work.stages.add(dimension, stage)


COLLECTED = 200  # texts whose requests are collected at a time


def collecting(workbench: Workbench, run: RunSummary, stages: DatabaseStages, known: JudgeLogprobs) -> Collect:
    """Scores every open text with the model it is given, which notes what it would be asked."""

    async def collect(awaiting: BatchedModel) -> None:
        with workbench.database.read() as work:
            evaluators = evaluators_of(work, run, awaiting, stages, known)
            planned = work.runs.open_scores(run.id)
        texts = TextShelf(workbench.database)
        texts.expect(score.text for score in planned)
        for start in range(0, len(planned), COLLECTED):
            some = planned[start : start + COLLECTED]
            await gather_settled(evaluators[each.dimension].score(texts[each.text]) for each in some)

    return collect


LOGPROBS = "logprobs"  # among a run's params
REFUSED = "refused"
PARTLY = "partly"  # for some texts they didn't tell how likely each score is

G_EVAL = "g-eval"


def logprobs_known(run: RunSummary) -> JudgeLogprobs:
    """For a session of the run: what earlier ones learned holds."""
    return JudgeLogprobs(False if run.params.get(LOGPROBS) == REFUSED else None)


def logprobs_param(known: JudgeLogprobs) -> str:
    """What is to be stored; "" for nothing."""
    if known.given is False:
        return REFUSED
    return PARTLY if known.untold else ""


def gives_probabilities(params: Mapping[str, Any]) -> bool:
    """Whether the judge wasn't found to refuse them."""
    return params.get(LOGPROBS) != REFUSED


def logprobs_remark(run: RunSummary) -> str:
    """What became of the wish for log-probabilities, in a sentence; "" where there is nothing to say."""
    found = run.params.get(LOGPROBS)
    samples = f"{samples_of(run)} samples at temperature 1"
    if run.evaluator == G_EVAL and found == REFUSED:
        return f"{run.judge} gives no log-probabilities, so each text is scored from {samples}."
    if run.evaluator == G_EVAL and found == PARTLY:
        return f"Where the log-probabilities didn't tell how likely each score is, texts are scored from {samples}."
    if found == REFUSED:
        return f"{run.judge} gives no log-probabilities, so its answers have no probability of yes."
    return ""


def samples_of(run: RunSummary) -> int:
    """Return how many samples stand in for a G-Eval judge's probabilities."""
    return int(run.params.get("samples", 20))
