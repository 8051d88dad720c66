"""Run worker: what is left of a run goes through the engine, and what comes back into the database."""

import threading
import time
from collections.abc import Callable, Sequence

from app.domain.run import PlannedScore, RunSummary
from app.errors import ProviderError, StoppedError
from app.providers.batches.batched_model import BatchedModel
from app.providers.rate_limit import AdaptiveLimit
from app.providers.recorded import RecordedModel, Tally
from app.scoring import engine
from app.services.runtime.batch_rounds import BatchRounds
from app.services.runtime.models import account_limit
from app.services.runtime.workbench import Workbench
from app.services.scoring.blocks.block import BlockReport, block_of, cut_blocks
from app.services.scoring.blocks.block_scoring import short_turns
from app.services.scoring.blocks.crew import Crew, CrewSink
from app.services.scoring.blocks.dask_workers import DaskWorkers, dask_workers
from app.services.scoring.blocks.database_sink import DatabaseSink
from app.services.scoring.blocks.deck import Deck
from app.services.scoring.blocks.process_count import shares_of, worker_share
from app.services.scoring.blocks.run_scorer import RunScorer, judge_session
from app.services.scoring.evaluator_stages import DatabaseStages
from app.services.scoring.evaluators import NO_JUDGE
from app.services.scoring.judge_logprobs import logprobs_known
from app.services.scoring.run_requests import collecting
from app.services.scoring.run_writer import RunWriter, has_active_writers
from app.services.scoring.text_shelf import TextShelf

FEW = 0.2  # a larger share is no chance but what this judge does, and asking everything again would only cost

OnProgress = Callable[[RunSummary], None]
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
    workbench: Workbench,
    run: RunSummary,
    writer: RunWriter,
    concurrency: int,
    on_progress: OnProgress,
    processes: int = 1,
    cluster: str = "",
) -> tuple[engine.EngineReport, Tally, int]:
    """Score what is left of the run, in so many processes, this one included, or with the workers of the Dask scheduler
    at this address. Returns how it ended, what was asked, and how many attempts were repeated."""
    async with judge_session(workbench, run, writer, concurrency) as model:
        with short_turns():
            work = _RunWork(workbench, run, writer, model, concurrency, on_progress)
            report = await work.to_its_end(processes, cluster)
        tallies = (model.tally, *(other.tally for other in work.others))
        return report, sum(tallies, Tally()), model.retries + sum(other.retries for other in work.others)


class _RunWork:
    """One session of a run. `others`: what the processes beside this one did."""

    def __init__(
        self,
        workbench: Workbench,
        run: RunSummary,
        writer: RunWriter,
        model: RecordedModel,
        concurrency: int,
        on_progress: OnProgress,
    ) -> None:
        self.others: list[BlockReport] = []
        self._workbench = workbench
        self._run = run
        self._writer = writer
        self._model = model
        self._concurrency = concurrency
        self._stages = DatabaseStages(workbench.database, writer)
        self._known = logprobs_known(run)
        self._sink = DatabaseSink(workbench.database, run, writer, model, self._known, runs_are_ending, on_progress)

    async def to_its_end(self, processes: int, cluster: str) -> engine.EngineReport:
        if isinstance(self._model, BatchedModel):
            ended = await self._in_batches(self._model)
            if ended is not None:
                return ended
        scorer, planned = self._open()
        at_once, stop = self._concurrency, self._model.stop
        if cluster:
            block = block_of(self._workbench, self._run.id, self._writer.name)
            async with dask_workers(cluster, self._workbench, block, self._sink.beat) as workers:
                report = await self._with_others(scorer, planned, len(workers.addresses) + 1, workers)
        elif processes > 1:
            report = await self._with_others(scorer, planned, processes)
        else:
            report = await engine.run(planned, scorer.score, self._sink, at_once, stop)
        chance = {each.planned.id: each for other in self.others for each in other.chance} | self._sink.chance
        if not chance or len(chance) > FEW * len(planned) or report.stopped or report.fatal:
            return report
        again = [outcome.planned for outcome in chance.values()]
        return await engine.run(again, scorer.second_try(chance), self._sink, at_once, stop)

    def _open(self) -> tuple[RunScorer, list[PlannedScore]]:
        with self._workbench.database.read() as work:
            shelf = TextShelf(self._workbench.database)
            scorer = RunScorer(work, self._run, self._model, self._stages, self._known, shelf)
            planned = work.runs.open_scores(self._run.id)
        shelf.expect(score.text for score in planned)
        return scorer, planned

    async def _with_others(
        self, scorer: RunScorer, planned: Sequence[PlannedScore], processes: int, workers: DaskWorkers | None = None
    ) -> engine.EngineReport:
        """Where there is a judge, the first text of each dimension is scored here, before others get any: what a method
        asks once for a dimension is on record by then, and what keeps a judge from answering at all is known."""
        judged = self._run.judge != NO_JUDGE
        first = list({each.dimension: each for each in reversed(planned)}.values())[::-1] if judged else []
        ahead = {each.id for each in first}
        with self._workbench.database.read() as work:
            document_of = work.every_text.documents_by_text(work.runs.project_of(self._run.id))
        blocks = cut_blocks([each for each in planned if each.id not in ahead], document_of)
        deck, limit = Deck(first, blocks), self._limit()
        if workers is None or judged:
            processes = min(processes, self._concurrency)
            share, own = shares_of(self._run, self._concurrency, processes)
        else:
            share, own = worker_share(len(planned), self._concurrency, processes - 1), self._concurrency
        crew = Crew(self._workbench, self._run, self._writer.name, deck, self._model, limit)
        crew.tried |= set() if judged else {each.dimension for each in planned}
        sink = CrewSink(self._sink, crew)
        try:
            if workers is None:
                crew.begin([share] * (processes - 1))
            else:
                workers.join(crew, [share] * (processes - 1))
                if not judged:
                    crew.leave_it_to_members()
            report = await engine.run(deck, scorer.score, sink, own, crew.stop)
            self.others = await crew.end(sink.beat)
        finally:
            crew.close()
        await self._model.look_again()
        stopped = (report.stopped and crew.fatal is None) or any(other.stopped for other in self.others)
        return engine.EngineReport(
            report.done + sum(other.done for other in self.others),
            report.failed + sum(other.failed for other in self.others),
            stopped,
            report.fatal or crew.fatal,
        )

    def _limit(self) -> AdaptiveLimit:
        if self._run.judge == NO_JUDGE:
            return AdaptiveLimit(self._concurrency)
        limit = account_limit(self._workbench, self._model.name)
        limit.raise_to(self._concurrency)
        return limit

    async def _in_batches(self, model: BatchedModel) -> engine.EngineReport | None:
        """Have what is open answered in batches. How the run ended where it can't go on, else None.

        One text is scored at once before: it shows how the model wants to be asked, and what answers take.
        """
        scorer, planned = self._open()
        with self._workbench.database.read() as work:
            out = work.provider_batches.open(self._run.id)
        if not out and len(planned) > 1:
            report = await engine.run(planned[:1], scorer.score_as_it_is, self._sink, 1, model.stop)
            if report.stopped or report.fatal:
                return report
        collect, rest = collecting(self._workbench, self._run, self._stages, self._known), self._run.params["batch"]
        rounds = BatchRounds(self._workbench, self._writer, model, collect, self._sink.beat, rest, runs_are_ending)
        try:
            await rounds.until_answered()
        except StoppedError:
            return engine.EngineReport(0, 0, stopped=True)
        except ProviderError as error:
            return engine.EngineReport(0, 0, stopped=False, fatal=error)
        return None
