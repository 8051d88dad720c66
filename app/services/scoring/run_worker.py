"""Run worker: what is left of a run goes through the engine, and what comes back into the database."""

import gc
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager

from app.domain.judgment import Evaluation
from app.domain.run import Outcome, PlannedScore, RunSummary
from app.domain.text import Text
from app.errors import (
    ConnectionFailedError,
    NoAnswerError,
    OverloadedError,
    ProviderError,
    RateLimitError,
    StoppedError,
    WrongSchemaError,
)
from app.evaluators.evaluator import Evaluator
from app.evaluators.judge_logprobs import JudgeLogprobs
from app.providers.batches.batched_model import BatchedModel
from app.providers.model_options import ModelOptions
from app.providers.recorded import RecordedModel, Tally
from app.scoring import engine
from app.services.runtime.batch_rounds import BatchRounds
from app.services.runtime.models import model_session, unjudged
from app.services.runtime.workbench import Workbench
from app.services.scoring.evaluator_stages import DatabaseStages
from app.services.scoring.evaluators import NO_JUDGE, evaluators_of
from app.services.scoring.judge_logprobs import LOGPROBS, logprobs_known, logprobs_param
from app.services.scoring.run_requests import collecting, open_texts
from app.services.scoring.run_writer import RunWriter, has_active_writers
from app.telemetry.judged import report_outcomes
from db.unit_of_work import UnitOfWork

BEAT_SECONDS = 5.0
# Replies are saved in a thread, and no text's next request goes out before. A thread that comes back from the database
# waits up to 5 ms for its turn, several times a transaction; with shorter turns a run is a tenth faster (10 pairs).
HANDOVER, USUAL_HANDOVER = 0.0005, sys.getswitchinterval()
# Failures of chance: with many texts a few run out of attempts, and nothing speaks against asking once more. A request
# that ran out of time and an answer that ran out of room are none: they were paid, and would end in the same way.
CHANCE = (
    ConnectionFailedError,
    NoAnswerError,
    OverloadedError,
    RateLimitError,
    WrongSchemaError,
)
FEW = 0.2  # a larger share is no chance but what this judge does, and asking everything again would only cost

OnProgress = Callable[[RunSummary], None]


_SESSIONS: set[RecordedModel] = set()
"""What this process is at work with."""

_ENDING = threading.Event()


def stop_all_runs(seconds: float = 0.0) -> None:
    """Ask all runs of this process to end, and wait for that for so long; replies under way are kept."""
    _ENDING.set()
    end = time.monotonic() + seconds
    while has_active_writers() and time.monotonic() < end:
        time.sleep(0.05)


def runs_are_ending() -> bool:
    return _ENDING.is_set()


def allow_runs() -> None:
    """After `stop_all_runs`, in a process that goes on."""
    _ENDING.clear()


async def execute_run(
    workbench: Workbench, run: RunSummary, writer: RunWriter, concurrency: int, on_progress: OnProgress
) -> tuple[engine.EngineReport, Tally, int]:
    """Score what is left of the run. Returns how it ended, what was asked, and how many attempts were repeated."""
    async with judge_session(workbench, run, writer, concurrency) as model:
        _SESSIONS.add(model)
        _take_short_turns()
        try:
            report = await _score(workbench, run, writer, model, concurrency, on_progress)
        finally:
            _SESSIONS.discard(model)
            if not _SESSIONS:
                sys.setswitchinterval(USUAL_HANDOVER)
        return report, model.tally, model.retries


def judge_session(
    workbench: Workbench, run: RunSummary, writer: RunWriter, concurrency: int
) -> AbstractAsyncContextManager[RecordedModel]:
    """The judge as the run asks it; a BatchedModel where that is in batches."""
    params = run.params
    if run.judge == NO_JUDGE:
        return unjudged()
    return model_session(
        workbench,
        run.judge,
        run.id,
        params.get("use_cache", True),
        concurrency,
        params.get("budget"),
        _project(workbench, run),
        writer.may_ask,
        ModelOptions.of_run(params),
        in_batches=bool(params.get("batch")),
    )


def _project(workbench: Workbench, run: RunSummary) -> int:
    with workbench.database.read() as work:
        return work.runs.project_of(run.id)


def _take_short_turns() -> None:
    """Short turns for threads, and no search for garbage in what was there before: with the statistics loaded that
    takes two tenths of a second each time, in which no reply is read. A server froze what it loaded before it listened,
    and its screens need it frozen after the run too: so it is never unfrozen, and nothing is added to it."""
    sys.setswitchinterval(HANDOVER)
    if not gc.get_freeze_count():
        gc.freeze()


async def _score(
    workbench: Workbench,
    run: RunSummary,
    writer: RunWriter,
    model: RecordedModel,
    concurrency: int,
    on_progress: OnProgress,
) -> engine.EngineReport:
    stages = DatabaseStages(workbench.database, writer)
    known = logprobs_known(run)
    sink = _DatabaseSink(workbench, run, writer, model, known, on_progress)
    if isinstance(model, BatchedModel):
        ended = await _in_batches(workbench, run, writer, model, sink, stages)
        if ended is not None:
            return ended
    with workbench.database.read() as work:
        first = evaluators_of(work, run, model, stages, known)
        again = evaluators_of(work, run, model.second_try(), stages, known)
        planned, texts = open_texts(work, run)
    report = await engine.run(planned, _scorer(first, again, texts), sink, concurrency, model.stop)
    chance = dict(sink.chance)
    if not chance or len(chance) > FEW * len(planned) or report.stopped or report.fatal:
        return report
    planned = [outcome.planned for outcome in chance.values()]
    return await engine.run(planned, _second_try(again, texts, chance), sink, concurrency, model.stop)


async def _in_batches(
    workbench: Workbench,
    run: RunSummary,
    writer: RunWriter,
    model: BatchedModel,
    sink: "_DatabaseSink",
    stages: DatabaseStages,
) -> engine.EngineReport | None:
    """Have what is open answered in batches. How the run ended where it can't go on; None for what is left to score.

    One text is scored at once before: it shows how the model wants to be asked, and what answers take.
    """
    with workbench.database.read() as work:
        evaluators = evaluators_of(work, run, model, stages, sink.known)
        planned, texts = open_texts(work, run)
        out = work.provider_batches.open(run.id)
    if not out and len(planned) > 1:
        report = await engine.run(planned[:1], _scorer(evaluators, evaluators, texts), sink, 1, model.stop)
        if report.stopped or report.fatal:
            return report
    collect = collecting(workbench, run, stages, sink.known)
    rounds = BatchRounds(workbench, writer, model, collect, sink.beat, run.params["batch"], runs_are_ending)
    try:
        await rounds.until_answered()
    except StoppedError:
        return engine.EngineReport(0, 0, stopped=True)
    except ProviderError as error:
        return engine.EngineReport(0, 0, stopped=False, fatal=error)
    return None


def _scorer(
    first: Mapping[int, Evaluator], again: Mapping[int, Evaluator], texts: Mapping[int, Text]
) -> engine.ScoreOne:
    """Where an earlier try failed, its replies are in the ledger: `again` asks anew where nothing could be made of
    them, and takes the others as they are."""

    async def score(planned: PlannedScore) -> Evaluation:
        evaluators = again if planned.again else first
        return await evaluators[planned.dimension].score(texts[planned.text])

    return score


def _second_try(
    again: Mapping[int, Evaluator], texts: Mapping[int, Text], before: Mapping[int, Outcome]
) -> engine.ScoreOne:
    """What was answered in part stays as it is where the second try gives less."""

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


class _DatabaseSink:
    """`chance` holds the outcomes worth a second try, by score: failures of chance and answers with gaps."""

    def __init__(
        self,
        workbench: Workbench,
        run: RunSummary,
        writer: RunWriter,
        model: RecordedModel,
        known: JudgeLogprobs,
        on_progress: OnProgress,
    ) -> None:
        self.chance: dict[int, Outcome] = {}
        self._workbench = workbench
        self._run, self._run_id = run, run.id
        self._writer = writer
        self._before = run.calls_cached, run.retries
        self._counted = self._before
        self._model = model
        self.known = known
        self._stored = run.params.get(LOGPROBS, "")
        self._on_progress = on_progress
        self._last_beat = time.monotonic()
        self._last_told = 0.0

    def save(self, outcomes: Sequence[Outcome]) -> None:
        with self._workbench.database.write() as work:
            self._writer.hold(work)
            work.runs.save(outcomes)
            found = logprobs_param(self.known)
            if found and found != self._stored:
                work.runs.set_param(self._run_id, LOGPROBS, found)
                self._stored = found
            self._count(work)
        report_outcomes(self._run, self._named, outcomes)
        self.chance |= {outcome.planned.id: outcome for outcome in outcomes if _by_chance(outcome)}

    def _named(self) -> Mapping[int, str]:
        """Dimension -> its name."""
        with self._workbench.database.read() as work:
            return {part.dimension: part.name for part in work.runs.parts(self._run_id)}

    def beat(self) -> bool:
        now = time.monotonic()
        if now - self._last_beat > BEAT_SECONDS:
            self._last_beat = now
            with self._workbench.database.write() as work:
                self._writer.hold(work)
                self._count(work)
        with self._workbench.database.read() as work:
            stop = work.runs.stop_requested(self._run_id) or _ENDING.is_set()
            if now - self._last_told > 1.0:
                self._last_told = now
                self._on_progress(work.runs.get(self._run_id))
        return stop

    def _count(self, work: UnitOfWork) -> None:
        """What was asked so far, for every process that watches: written with what is written anyway."""
        cached, retries = self._before
        counts = cached + self._model.tally.cached, retries + self._model.retries
        if counts != self._counted:
            work.runs.count_calls(self._run_id, *counts)
            self._counted = counts


def _by_chance(outcome: Outcome) -> bool:
    if outcome.evaluation is None:
        return any(outcome.error_kind == error.kind for error in CHANCE)
    return not outcome.complete
