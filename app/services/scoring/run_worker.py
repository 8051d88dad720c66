"""Run worker: passes the open scores of a run to the engine, and its outcomes to the database."""

import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from app.domain.run import Outcome, PlannedScore, RunSummary
from app.errors import ProviderError, StoppedError
from app.limits import texts_at_once
from app.providers.batches.batch import BatchedModel
from app.providers.recorded import RecordedModel, Tally
from app.scoring import engine
from app.services.runtime.batch_rounds import BatchRounds
from app.services.runtime.models import budget_left
from app.services.runtime.workbench import Workbench
from app.services.scoring.block_scoring import block_of, cut_blocks, short_turns
from app.services.scoring.dask_workers import Workers, WorkersRun, dask_workers, worker_share
from app.services.scoring.evaluators import NO_JUDGE
from app.services.scoring.run_labels import logprobs_known
from app.services.scoring.run_writer import (
    DatabaseSink,
    DatabaseStages,
    RunScorer,
    RunWriter,
    TextCache,
    collecting,
    has_active_writers,
    judge_session,
)

FEW = 0.2  # a larger share is no chance but what this judge does, and asking everything again would only cost

OnProgress = Callable[[RunSummary], None]
_ENDING = threading.Event()


def stop_all_runs(seconds: float = 0.0) -> None:
    """Ask all runs of this process to end, and wait up to `seconds` for that; replies in flight are stored."""
    _ENDING.set()
    end = time.monotonic() + seconds
    while has_active_writers() and time.monotonic() < end:
        time.sleep(0.05)


def runs_are_ending() -> bool:
    return _ENDING.is_set()


def allow_runs() -> None:
    """Undo `stop_all_runs` in a process that continues."""
    _ENDING.clear()


async def execute_run(
    workbench: Workbench,
    run: RunSummary,
    writer: RunWriter,
    concurrency: int,
    on_progress: OnProgress,
    workers: Workers,
) -> tuple[engine.EngineReport, Tally, int]:
    """Score what is left of the run, with Dask workers if there are any. Returns how it ended, what was asked, and the
    number of retries."""
    planned, chance = _open_scores(workbench, run), dict[int, Outcome]()
    everything, tally, retries = len(planned), Tally(), 0
    if workers:
        async with judge_session(workbench, run, writer, concurrency) as model:
            begun = _RunWork(workbench, run, writer, model, concurrency, on_progress)
            with short_turns():
                report, planned = await begun.with_workers(workers, planned)
        tally, retries, chance = begun.tally, begun.retries, begun.chance
        if report.stopped or report.fatal or not (planned or chance):
            return report, tally, retries
        with workbench.database.read() as work:
            run = work.runs.get(run.id)  # workers may have learned whether the judge gives log-probabilities
    async with judge_session(workbench, run, writer, concurrency) as model:
        rest = _RunWork(workbench, run, writer, model, concurrency, on_progress)
        with short_turns():
            report = await rest.to_its_end(planned, chance, everything)
    return report, tally + rest.tally, retries + rest.retries


def _open_scores(workbench: Workbench, run: RunSummary) -> list[PlannedScore]:
    with workbench.database.read() as work:
        return work.runs.open_scores(run.id)


class _RunWork:
    """One session of a run in this process. chance: outcomes worth a second try, of this process and its workers."""

    def __init__(
        self,
        workbench: Workbench,
        run: RunSummary,
        writer: RunWriter,
        model: RecordedModel,
        concurrency: int,
        on_progress: OnProgress,
    ) -> None:
        self._workbench = workbench
        self._run = run
        self._writer = writer
        self._model = model
        self._concurrency = concurrency
        self._stages = DatabaseStages(workbench.database, writer)
        self._known = logprobs_known(run)
        self._sink = DatabaseSink(workbench.database, run, writer, model, self._known, runs_are_ending, on_progress)
        self._workers: WorkersRun | None = None

    @property
    def tally(self) -> Tally:
        return self._model.tally + self._workers.tally if self._workers else self._model.tally

    @property
    def retries(self) -> int:
        return self._model.retries + (self._workers.retries if self._workers else 0)

    @property
    def chance(self) -> dict[int, Outcome]:
        return self._sink.chance | (self._workers.chance if self._workers else {})

    async def to_its_end(
        self, planned: Sequence[PlannedScore], chance: Mapping[int, Outcome], everything: int
    ) -> engine.EngineReport:
        """Score these, then try again what failed by chance, including `chance`. everything: number of open scores at
        the start of the session."""
        if isinstance(self._model, BatchedModel):
            ended = await self._in_batches(self._model)
            if ended is not None:
                return ended
            planned = _open_scores(self._workbench, self._run)
            everything = len(planned)
        scorer, at_once, stop = self._scorer(planned, chance), texts_at_once(self._concurrency), self._model.stop
        report = await engine.run(planned, scorer.score, self._sink, at_once, stop)
        chance = {**chance, **self._sink.chance}
        if not chance or len(chance) > FEW * everything or report.stopped or report.fatal:
            return report
        again = [outcome.planned for outcome in chance.values()]
        return await engine.run(again, scorer.second_try(chance), self._sink, at_once, stop)

    def _scorer(self, planned: Iterable[PlannedScore], chance: Mapping[int, Outcome] | None = None) -> RunScorer:
        shelf = TextCache(self._workbench.database)
        with self._workbench.database.read() as work:
            scorer = RunScorer(work, self._run, self._model, self._stages, self._known, shelf)
        shelf.expect([*(each.text for each in planned), *(each.planned.text for each in (chance or {}).values())])
        return scorer

    async def with_workers(
        self, workers: Workers, planned: Sequence[PlannedScore]
    ) -> tuple[engine.EngineReport, list[PlannedScore]]:
        """Score with Dask workers. Returns how that ended, and the scores left for this process.

        With a judge, the first text of each dimension is scored here, so that what a method asks once for a dimension
        is stored, and a useless judge is noticed. A dimension whose first text failed stays here.
        """
        own = block_of(self._workbench, self._run.id, self._writer.name)
        async with dask_workers(workers, self._workbench, own, self._sink.beat) as scheduler:
            addresses = scheduler.addresses()[: self._concurrency]
            judged = self._run.judge != NO_JUDGE
            first = list({each.dimension: each for each in reversed(planned)}.values())[::-1] if judged else []
            scorer, here = self._scorer(first), list[PlannedScore]()
            if first:
                stop = self._model.stop
                report = await engine.run(first, scorer.score, self._sink, self._concurrency, stop)
                if report.stopped or report.fatal:
                    return report, []
                with self._workbench.database.read() as work:
                    failed = work.runs.still_open(self._run.id, [each.id for each in first])
                out = {each.dimension for each in first if each.id in failed}
                ahead = {each.id for each in first}
                here = [each for each in planned if each.id not in ahead and each.dimension in out]
                planned = [each for each in planned if each.id not in ahead and each.dimension not in out]
            if not addresses:
                return engine.EngineReport(0, 0, stopped=False), [*here, *planned]
            with self._workbench.database.read() as work:
                document_of = work.every_text.documents_by_text(work.runs.project_of(self._run.id))
            share = worker_share(self._run, len(planned), self._concurrency, len(addresses))
            budget = budget_left(self._workbench, self._run.id, self._run.params.get("budget"))
            block = replace(own, share=share, budget=None if budget is None else budget / len(addresses))
            self._workers = WorkersRun(self._workbench, scheduler, block, cut_blocks(planned, document_of))
            await self._workers.to_its_end(addresses, self._sink.beat)
        ended = engine.EngineReport(0, 0, self._workers.stopped and not self._workers.fatal, self._workers.fatal)
        return ended, sorted([*here, *self._workers.left], key=lambda each: each.id)

    async def _in_batches(self, model: BatchedModel) -> engine.EngineReport | None:
        """Have open requests answered in batches. Returns how the run ended if it can't continue, else None.

        One text is scored live before, to learn how the model takes requests and how long answers are.
        """
        planned = _open_scores(self._workbench, self._run)
        scorer = self._scorer(planned)
        with self._workbench.database.read() as work:
            out = work.provider_batches.open(self._run.id)
        if not out and len(planned) > 1:
            report = await engine.run(planned[:1], scorer.score_as_it_is, self._sink, 1, model.stop)
            if report.stopped or report.fatal:
                return report
        collect, rest = collecting(self._workbench, self._run, self._stages, self._known), self._run.params["batch"]
        rounds = BatchRounds(self._workbench, self._writer, model, collect, self._sink.beat, rest, runs_are_ending)
        try:
            await rounds.wait_for_answers()
        except StoppedError:
            return engine.EngineReport(0, 0, stopped=True)
        except ProviderError as error:
            return engine.EngineReport(0, 0, stopped=False, fatal=error)
        return None
