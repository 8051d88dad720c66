"""Scoring runs: planned once, worked on by one process at a time, resumable at any point."""

import asyncio
import os
import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from app.domain.run import Outcome, PlannedScore, RunDimension, RunStatus, RunSummary
from app.domain.task import Dimension
from app.domain.text import Text
from app.errors import InputError, NotReadyError, UnsupportedError, WorkbenchError
from app.evaluators.checklist import PLAIN, JudgeOptions
from app.evaluators.evaluator import Evaluator
from app.prompting import load_prompt
from app.providers.pricing import shipped_prices
from app.providers.recorded import Tally
from app.providers.registry import gives_logprobs
from app.scoring import engine
from app.services.checklists import published_checklist
from app.services.evaluating import CHECKLIST, NO_JUDGE, check_evaluator, check_judge_of, evaluators_of
from app.services.evaluator_stages import DatabaseStages
from app.services.models import opened, unjudged
from app.services.samples import drawn
from app.services.workbench import Workbench
from db.unit_of_work import Database

BEAT_SECONDS = 5.0
CONCURRENCY = 32


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What to score and how.

    sample: the share of the texts to draw, stratified by human score.
    asking: how a checklist is asked. settings: the options of any other method, by name, as written.
    budget: US dollars after which the run stops, None for no limit; needs a judge with a known price.
    use_cache: answer from the ledger what was asked before.
    """

    dimensions: tuple[Dimension, ...]
    judge: str
    evaluator: str = CHECKLIST
    version: int | None = None
    sample: float = 1.0
    seed: int = 1
    asking: JudgeOptions = PLAIN
    budget: float | None = None
    use_cache: bool = True
    settings: tuple[tuple[str, str], ...] = ()

    def params(self) -> dict[str, Any]:
        """As stored with the run."""
        return {
            "sample": self.sample,
            "seed": self.seed,
            "budget": self.budget,
            "use_cache": self.use_cache,
            **asdict(self.method_options()),
        }

    def method_options(self) -> Any:
        """Of the method's own type. Raises InputError for an option it doesn't have."""
        if self.evaluator == CHECKLIST and not self.settings:
            return self.asking
        return check_evaluator(self.evaluator).read_options(dict(self.settings))


@dataclass(frozen=True, slots=True)
class RunReport:
    """How a run ended, and what this sitting of it asked and cost."""

    run: RunSummary
    tally: Tally = field(default_factory=Tally)
    retries: int = 0
    seconds: float = 0.0


def plan_run(workbench: Workbench, project_id: int, options: RunOptions) -> list[RunDimension]:
    """The texts to score on each dimension: all but the documents of its think-aloud samples, or a sample of them.

    Raises InputError for an unknown evaluator, NotReadyError where a checklist isn't published or no text is left.
    """
    check_evaluator(options.evaluator)
    options.method_options()
    return [_plan(workbench, project_id, options, dimension) for dimension in options.dimensions]


def _plan(workbench: Workbench, project_id: int, options: RunOptions, dimension: Dimension) -> RunDimension:
    method, chosen = check_evaluator(options.evaluator), options.method_options()
    checklist = published_checklist(workbench, dimension.id, options.version) if method.checklist(chosen) else None
    texts, excluded = drawn(workbench, project_id, dimension.id, options.sample, options.seed)
    if not texts:
        raise NotReadyError(f"No text is left to score on {dimension.name}.", "Import more texts.")
    if method.references and not any(text.references for text in texts):
        raise NotReadyError(
            f"No text has a reference to compare it with, and {method.name} needs one.",
            "Import the texts with their references.",
        )
    prompt = method.prompt(chosen)
    return RunDimension(
        dimension.id,
        checklist.id if checklist else None,
        excluded,
        tuple(text.id for text in texts),
        dimension.name,
        load_prompt(prompt).digest if prompt else "",
    )


def start_run(workbench: Workbench, project_id: int, options: RunOptions) -> int:
    """Write the plan down as a run that waits to be worked on; returns its number."""
    plan = plan_run(workbench, project_id, options)
    method = check_evaluator(options.evaluator)
    if method.judged:
        _check_judge(workbench, options)
    judge, params = options.judge if method.judged else NO_JUDGE, options.params()
    if method.signature():
        params["signature"] = method.signature()
    with workbench.database.write() as work:
        return work.runs.create(project_id, options.evaluator, judge, params, plan)


def _check_judge(workbench: Workbench, options: RunOptions) -> None:
    """A missing key or an impossible wish is said now, not after the run was planned."""
    name, is_llm = workbench.check_model(options.judge)
    check_judge_of(check_evaluator(options.evaluator), name, is_llm)
    if options.asking.soft and not (is_llm and gives_logprobs(name)):
        raise UnsupportedError(f"{name} gives no log-probabilities.", "Switch P(yes) off, or choose another judge.")
    if options.asking.repeats > 1 and not is_llm:
        raise InputError(f"{name} answers the same each time.", "Ask it once.")
    if options.asking.repeats < 1:
        raise InputError("A judge has to be asked at least once.", "Give 1 or more repeats.")
    if options.budget is not None and shipped_prices().of(name) is None:
        raise InputError(f"The price of {name} is unknown, so a budget can't be kept.", "Start without a budget.")


def work_on(
    workbench: Workbench,
    run_id: int,
    concurrency: int = CONCURRENCY,
    heard: Callable[[RunSummary], None] = lambda _: None,
) -> RunReport:
    """Score what is left of a run, failures included, until it is done, stopped or can't go on.

    heard is told how far the run is, about every second. Raises ConflictError where another process works on it.
    """
    writer = f"{os.getpid()}-{uuid.uuid4().hex[:8]}"
    with workbench.database.write() as work:
        run = work.runs.get(run_id)
        work.runs.claim(run_id, writer)
    started = time.monotonic()
    try:
        report, tally, retries = asyncio.run(_work(workbench, run, concurrency, heard))
    except BaseException as error:
        _finish(workbench.database, run_id, *_ending(error))
        raise
    if report.fatal is not None:
        _finish(workbench.database, run_id, RunStatus.FAILED, str(report.fatal))
    else:
        _finish(workbench.database, run_id, RunStatus.STOPPED if report.stopped else RunStatus.DONE)
    return RunReport(get_run(workbench, run_id), tally, retries, time.monotonic() - started)


def _ending(error: BaseException) -> tuple[RunStatus, str]:
    if isinstance(error, KeyboardInterrupt | SystemExit | asyncio.CancelledError):
        return RunStatus.STOPPED, ""
    if isinstance(error, WorkbenchError):
        return RunStatus.FAILED, str(error)
    return RunStatus.FAILED, f"The run met a bug ({type(error).__name__}). The log says where."


def _finish(database: Database, run_id: int, status: RunStatus, message: str = "") -> None:
    with database.write() as work:
        work.runs.finish(run_id, status, message)


async def _work(
    workbench: Workbench, run: RunSummary, concurrency: int, heard: Callable[[RunSummary], None]
) -> tuple[engine.EngineReport, Tally, int]:
    params = run.params
    judge = (
        unjudged()
        if run.judge == NO_JUDGE
        else opened(workbench, run.judge, run.id, params.get("use_cache", True), concurrency, params.get("budget"))
    )
    async with judge as model:
        stages = DatabaseStages(workbench.database)
        with workbench.database.read() as work:
            first, again = evaluators_of(work, run, model, stages), evaluators_of(work, run, model.afresh(), stages)
            planned = work.runs.open_scores(run.id)
            texts = work.texts.many({score.text for score in planned})
        report = await engine.run(
            planned, _scorer(first, again, texts), _DatabaseSink(workbench, run.id, heard), concurrency
        )
        return report, model.tally, model.retries


def _scorer(first: dict[int, Evaluator], again: dict[int, Evaluator], texts: dict[int, Text]) -> engine.ScoreOne:
    """Where an earlier try failed, its reply is in the ledger: `again` asks afresh."""

    async def score(planned: PlannedScore) -> Outcome:
        evaluators = again if planned.again else first
        found = await evaluators[planned.dimension].score(texts[planned.text])
        return Outcome(planned, found.value, found.coverage, found.judgments, found.soft, details=found.details)

    return score


class _DatabaseSink:
    def __init__(self, workbench: Workbench, run_id: int, heard: Callable[[RunSummary], None]) -> None:
        self._workbench = workbench
        self._run_id = run_id
        self._heard = heard
        self._last_beat = time.monotonic()
        self._last_heard = 0.0

    def save(self, outcomes: Sequence[Outcome]) -> None:
        with self._workbench.database.write() as work:
            work.runs.save(outcomes)

    def beat(self) -> bool:
        now = time.monotonic()
        if now - self._last_beat > BEAT_SECONDS:
            self._last_beat = now
            with self._workbench.database.write() as work:
                work.runs.beat(self._run_id)
        with self._workbench.database.read() as work:
            stop = work.runs.stop_requested(self._run_id)
            if now - self._last_heard > 1.0:
                self._last_heard = now
                self._heard(work.runs.get(self._run_id))
        return stop


def get_run(workbench: Workbench, run_id: int) -> RunSummary:
    with workbench.database.read() as work:
        return work.runs.get(run_id)


def list_runs(workbench: Workbench, project_id: int | None = None) -> list[RunSummary]:
    with workbench.database.read() as work:
        return work.runs.all(project_id)


def stop_run(workbench: Workbench, run_id: int) -> None:
    """Ask the run to stop; what it has is kept."""
    with workbench.database.write() as work:
        work.runs.request_stop(run_id)


def failures_of(workbench: Workbench, run_id: int) -> list[tuple[int, int, str, str]]:
    """(text id, dimension id, kind, message) of every text that could not be scored."""
    with workbench.database.read() as work:
        return work.results.failures(run_id)
