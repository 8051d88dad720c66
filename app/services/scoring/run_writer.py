"""What a run reads and writes: texts, stages, requests and scores."""

import asyncio
import time
from array import array
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager

from app.domain.checklist_score import Evaluation
from app.domain.job import HEARTBEAT_SECONDS
from app.domain.model_call import ProviderBatch
from app.domain.project import Text
from app.domain.run import Outcome, PlannedScore, RunSummary, StageRun
from app.errors import ConnectionFailedError, NoAnswerError, OverloadedError, RateLimitError, WrongSchemaError
from app.evaluators.method import Evaluator, JudgeLogprobs, Stages
from app.providers.batches.batch import BatchedModel
from app.providers.model_options import ModelOptions
from app.providers.recorded import RecordedModel
from app.providers.specs import traced_names
from app.scoring.engine import ScoreOne
from app.services.runtime.backups import WriterLock, forget_writer
from app.services.runtime.batch_rounds import Collect, gather_settled
from app.services.runtime.models import model_session, unjudged
from app.services.runtime.workbench import Workbench
from app.services.scoring.evaluators import NO_JUDGE, evaluators_of
from app.services.scoring.run_labels import LOGPROBS, REFUSED, logprobs_param
from app.telemetry import report_outcomes
from db.unit_of_work import Database, UnitOfWork

# A request leaves only where the lease was renewed so recently that nobody can have taken the run over since.
FRESH_SECONDS = 12.0
_AT_WORK: set[str] = set()


class RunLease:
    """The check, in every process that works on a run, that the run still belongs to its writer."""

    def __init__(self, database: Database, run_id: int, name: str) -> None:
        self.run_id = run_id
        self.name = name
        self._database = database
        self._renewed = 0.0
        self._renewing = asyncio.Lock()

    def renew_lease(self, work: UnitOfWork) -> None:
        """Renew the lease first in each transaction of the run. Raises RunLostError where another writer holds it."""
        work.runs.renew_lease(self.run_id, self.name)
        self._renewed = time.time()

    async def may_ask(self) -> None:
        """Check the lease before each request, because a process or machine may have slept. Raises RunLostError."""
        if self._fresh():
            return
        async with self._renewing:
            if not self._fresh():
                await asyncio.to_thread(self.renew)

    def renew(self) -> None:
        with self._database.write() as work:
            self.renew_lease(work)

    def _fresh(self) -> bool:
        # Clocks that stand still while the machine sleeps would not do.
        return abs(time.time() - self._renewed) < FRESH_SECONDS


class RunWriter(RunLease):
    """The writer of one run; `name` is unique for ever."""

    def __init__(self, database: Database, run_id: int) -> None:
        self._lock = WriterLock()
        super().__init__(database, run_id, self._lock.name)
        self._left_open = False

    def claim(self, gone: str = "") -> None:
        """Become the run's writer. `gone`: the name of a writer known to have ended. Raises ConflictError."""
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

    def release_lock(self) -> None:
        """Let every process of this machine see that nobody works on the run, if even its end could not be stored."""
        self._left_open = True
        self._lock.release_lock()


def has_active_writers() -> bool:
    """Return whether this process works on a run, or hasn't stored the end of one yet."""
    return bool(_AT_WORK)


HELD = 4_000  # texts; the least lately used go
READ_TOGETHER = 500


class TextCache:
    """A cache of texts; a missing text is read together with the next ones of the run."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._held: OrderedDict[int, Text] = OrderedDict()
        self._order = array("q")

    def expect(self, texts: Iterable[int]) -> None:
        """Set the ids of the run's texts."""
        self._order = array("q", sorted(set(texts)))

    def hold(self, texts: Mapping[int, Text]) -> None:
        self._held.update(texts)
        while len(self._held) > HELD:
            self._held.popitem(last=False)

    def __getitem__(self, text: int) -> Text:
        """Return the text. Raises KeyError for a deleted one."""
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
    """Stages stored with their dimension; the newest one with the same request counts.

    writer: of the run that asks; nothing is stored once it lost the run.
    """

    def __init__(self, database: Database, writer: RunLease | None = None) -> None:
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
                self._writer.renew_lease(work)
            work.stages.add(dimension, stage)


COLLECTED = 200  # texts whose requests are collected at a time


def collecting(workbench: Workbench, run: RunSummary, stages: DatabaseStages, known: JudgeLogprobs) -> Collect:
    """Return a function that scores every open text with the given model, which collects the requests."""

    async def collect(awaiting: BatchedModel) -> None:
        with workbench.database.read() as work:
            (evaluators,) = evaluators_of(work, run, (awaiting,), stages, known)
            planned = work.runs.open_scores(run.id)
        texts = TextCache(workbench.database)
        texts.expect(score.text for score in planned)
        for start in range(0, len(planned), COLLECTED):
            some = planned[start : start + COLLECTED]
            await gather_settled(evaluators[each.dimension].score(texts[each.text]) for each in some)

    return collect


# Failures of chance: with many texts a few run out of attempts, and nothing speaks against asking once more. A request
# that ran out of time and an answer that ran out of room are none: they were paid, and would end in the same way.
CHANCE = (ConnectionFailedError, NoAnswerError, OverloadedError, RateLimitError, WrongSchemaError)


class DatabaseSink:
    """Stores the outcomes of a run. `chance`: score -> outcome worth a second try (a failure by chance, or an answer
    with gaps).

    ending: whether this process ends. on_progress: gets the run's progress about every second.
    """

    def __init__(
        self,
        database: Database,
        run: RunSummary,
        lease: RunLease,
        model: RecordedModel,
        known: JudgeLogprobs,
        ending: Callable[[], bool] = lambda: False,
        on_progress: Callable[[RunSummary], None] | None = None,
    ) -> None:
        self.chance: dict[int, Outcome] = {}
        self.known = known
        self._database = database
        self._run, self._run_id = run, run.id
        self._lease = lease
        self._counted = 0, 0
        self._shown_pause = ""
        self._model = model
        self._stored = run.params.get(LOGPROBS, "")
        self._ending = ending
        self._on_progress = on_progress
        self._last_beat = time.monotonic()
        self._last_shown = 0.0

    def save(self, outcomes: Sequence[Outcome]) -> None:
        with self._database.write() as work:
            self._lease.renew_lease(work)
            work.runs.save(outcomes)
            self._note_logprobs(work)
            self._count(work)
        judge = None if self._run.judge == NO_JUDGE else traced_names(self._run.judge)
        report_outcomes(self._run, judge, self._named, outcomes)
        self.chance |= {outcome.planned.id: outcome for outcome in outcomes if _by_chance(outcome)}

    def beat(self) -> bool:
        now = time.monotonic()
        pause = self._model.pause_message
        if now - self._last_beat > HEARTBEAT_SECONDS or pause != self._shown_pause:
            self._last_beat = now
            with self._database.write() as work:
                self._lease.renew_lease(work)
                self._count(work)
                if pause != self._shown_pause:
                    work.runs.set_message(self._run_id, pause)
            self._shown_pause = pause
        with self._database.read() as work:
            stop = work.runs.stop_requested(self._run_id) or self._ending()
            if self._on_progress is not None and now - self._last_shown > 1.0:
                self._last_shown = now
                self._on_progress(work.runs.get(self._run_id))
        return stop

    def _named(self) -> Mapping[int, str]:
        """Return id -> name of each dimension."""
        with self._database.read() as work:
            return {part.dimension: part.name for part in work.runs.parts(self._run_id)}

    def _note_logprobs(self, work: UnitOfWork) -> None:
        """Store whether the judge gives log-probabilities. A refusal stays, even if another process met none."""
        found = logprobs_param(self.known)
        if found and found != self._stored:
            self._stored = found
            if found == REFUSED or work.runs.get(self._run_id).params.get(LOGPROBS) != REFUSED:
                work.runs.set_param(self._run_id, LOGPROBS, found)

    def _count(self, work: UnitOfWork) -> None:
        """Store the counts of calls together with other writes, for processes that watch the run."""
        counts = self._model.tally.cached, self._model.retries
        if counts != self._counted:
            work.runs.count_calls(self._run_id, counts[0] - self._counted[0], counts[1] - self._counted[1])
            self._counted = counts


def _by_chance(outcome: Outcome) -> bool:
    if outcome.evaluation is None:
        return any(outcome.error_kind == error.kind for error in CHANCE)
    return not outcome.complete


def judge_session(
    workbench: Workbench, run: RunSummary, lease: RunLease, concurrency: int, budget_share: float | None = None
) -> AbstractAsyncContextManager[RecordedModel]:
    """Open the judge as the run asks it; a BatchedModel for a run in batches. budget_share: US dollars that one of
    several processes may spend on the run."""
    params = run.params
    if run.judge == NO_JUDGE:
        return unjudged()
    with workbench.database.read() as work:
        project = work.runs.project_of(run.id)
    return model_session(
        workbench,
        run.judge,
        run.id,
        params.get("use_cache", True),
        concurrency,
        params.get("budget"),
        project,
        lease.may_ask,
        ModelOptions.of_run(params),
        in_batches=bool(params.get("batch")),
        budget_share=budget_share,
    )


class RunScorer:
    """Scores texts of the run, which it reads from `texts`."""

    def __init__(
        self,
        work: UnitOfWork,
        run: RunSummary,
        model: RecordedModel,
        stages: Stages,
        known: JudgeLogprobs,
        texts: TextCache,
    ) -> None:
        self.texts = texts
        self._first, self._again = evaluators_of(work, run, (model, model.second_try()), stages, known)

    async def score(self, planned: PlannedScore) -> Evaluation:
        """Score a text. If an earlier try failed, useless replies in the ledger are asked for again, useful ones
        reused."""
        evaluators = self._again if planned.again else self._first
        return await evaluators[planned.dimension].score(self.texts[planned.text])

    async def score_as_it_is(self, planned: PlannedScore) -> Evaluation:
        """Score a text with the replies in the ledger, even after a failed try."""
        return await self._first[planned.dimension].score(self.texts[planned.text])

    def second_try(self, before: Mapping[int, Outcome]) -> ScoreOne:
        return second_try(self._again, self.texts, before)


def second_try(again: Mapping[int, Evaluator], texts: TextCache, before: Mapping[int, Outcome]) -> ScoreOne:
    """Return a function that scores again and keeps the earlier evaluation if the new one covers less."""

    async def score(planned: PlannedScore) -> Evaluation:
        earlier = before[planned.id].evaluation
        try:
            found = await again[planned.dimension].score(texts[planned.text])
        except CHANCE:
            if earlier is None:
                raise
            return earlier
        return found if earlier is None else max(found, earlier, key=lambda each: each.coverage)  # the later of equals

    return score
