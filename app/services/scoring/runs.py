"""Scoring runs: planned once, executed by one process at a time, resumable at any point."""

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from app.domain.checklist_score import Answer
from app.domain.project import Dimension
from app.domain.roles_and_rights import Right
from app.domain.run import WARN_AFTER, AskingWay, RunDimension, RunStatus, RunSummary
from app.domain.text_filter import EVERY_SYSTEM, EVERY_TEXT, SystemChoice, TextFilter
from app.errors import (
    ConflictError,
    ConnectionLostError,
    DatabaseError,
    InputError,
    NothingNewError,
    NotReadyError,
    ProviderError,
    RunLostError,
    WorkbenchError,
)
from app.evaluators.checklist import PLAIN, JudgeOptions
from app.evaluators.method import Method, as_params
from app.limits import CONCURRENCY
from app.providers.model_options import USUAL, ModelOptions, check_effort, check_tier
from app.providers.recorded import Tally
from app.services.checklists.checklists import published_checklist
from app.services.runtime.backups import has_ended, is_alive
from app.services.runtime.batch_rounds import check_sold_in_batches
from app.services.runtime.judges import check_wishes, judge_named
from app.services.runtime.prompts import own_wordings, own_wordings_of_run, planned_prompts
from app.services.runtime.workbench import Workbench, use_case
from app.services.scoring.dask_workers import workers_for
from app.services.scoring.evaluators import (
    CHECKLIST,
    EVALUATORS,
    NO_JUDGE,
    asks_a_judge,
    check_evaluator,
    check_judge_of,
    check_provider_of,
    chosen_options,
    filtered_texts,
    options_of,
    with_checklist,
)
from app.services.scoring.reuse import reuse_params
from app.services.scoring.run_worker import OnProgress, execute_run
from app.services.scoring.run_writer import RunWriter
from app.services.think_aloud.samples import drawn
from db.unit_of_work import Database, UnitOfWork

FEWEST_QUESTIONS = 3
"""Questions needed for a warning; with fewer, equal answers about ten texts are common."""
SAME_ANSWERS = "same_answers"
_WORDS = {Answer.YES: "yes", Answer.NO: "no", Answer.NOT_APPLICABLE: "does not apply"}


@dataclass(frozen=True, slots=True)
class AnswerWarning:
    """A warning about a run's answers. kind: SAME_ANSWERS. dimension: its name. message: a sentence."""

    kind: str
    dimension: str
    message: str

    def to_json(self) -> dict[str, str]:
        return asdict(self)


@use_case(Right.READ)
def answer_warnings(workbench: Workbench, run_id: int, after: int = WARN_AFTER) -> list[AnswerWarning]:
    """Return the warnings about the answers of a run so far, at most one for each dimension.

    after: number of texts that a dimension needs before a warning.
    """
    with workbench.database.read() as work:
        run = work.runs.get(run_id)
        found = [warning_of(work, run, part, after) for part in work.runs.parts(run_id)]
    return [warning for warning in found if warning is not None]


def warning_of(work: UnitOfWork, run: RunSummary, part: RunDimension, after: int = WARN_AFTER) -> AnswerWarning | None:
    """Return the warning for one dimension of a run; None for most, and for methods without questions."""
    repeats = max(1, int(run.params.get("repeats", 1)))
    pattern = same_answers(work.every_result.answer_counts(run.id, part.dimension), after * repeats)
    if pattern is None:
        return None
    given = " and ".join(f"{_WORDS[answer]} to {count}" for answer, count in pattern.items())
    message = (
        f"{run.judge} gives every text the same answers on {part.name}: {given} questions, whatever the text says."
    )
    return AnswerWarning(SAME_ANSWERS, part.name, message)


def same_answers(counts: Mapping[int, Mapping[Answer, int]], fewest: int) -> dict[Answer, int] | None:
    """Return answer -> number of questions, if each question has a single answer for all texts; else None.

    counts: question -> answer -> number. Unanswered ones are left out. fewest: answers that every question needs.
    """
    given = [{answer: n for answer, n in one.items() if answer in _WORDS} for one in counts.values()]
    if len(given) < FEWEST_QUESTIONS or any(len(one) != 1 or min(one.values()) < fewest for one in given):
        return None
    return dict(Counter(answer for one in given for answer in one).most_common())


__all__ = ["JudgeOptions"]


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What to score and how.

    share: how much of the texts to draw, stratified by human score. draw: (documents, systems of each) instead.
    trials: number of runs, each with its own draw. systems: whose texts are scored. filter: which of them.
    texts: these (ids) instead of a draw, except those held back; () for all. locked: score only the held-out split.
    asking: how a checklist is asked. settings: options of the method by name, as written, including a checklist's.
    model: time limit of a request, tokens of an answer, and the judge's reasoning effort.
    budget: US dollars after which the run stops, None for no limit; needs a judge with a known price.
    use_cache: reuse replies in the ledger. reuse: reuse answers to unchanged questions from runs of earlier versions
    (`reuse_params`). batch: use batches, with AGAIN or LIVE (batch_rounds) for unanswered requests; "" for no batches.
    asking_way, asking_set: the way of asking and the comparison it belongs to (asking_runs). anchors: the id of the
    anchor set that the texts are; such a run stays out of results.
    """

    dimensions: tuple[Dimension, ...]
    judge: str
    evaluator: str = CHECKLIST
    version: int | None = None
    share: float = 1.0
    seed: int = 1
    asking: JudgeOptions = PLAIN
    budget: float | None = None
    use_cache: bool = True
    settings: tuple[tuple[str, str], ...] = ()
    locked: bool = False
    reuse: bool = True
    draw: tuple[int, int] | None = None
    trials: int = 1
    model: ModelOptions = USUAL
    texts: tuple[int, ...] = ()
    asking_way: AskingWay | None = None
    asking_set: str = ""
    anchors: int = 0
    batch: str = ""
    systems: SystemChoice = EVERY_SYSTEM
    filter: TextFilter = EVERY_TEXT

    @property
    def drawn(self) -> bool:
        """Return whether only some of the texts are scored."""
        return self.share != 1 or self.draw is not None

    def each_trial(self) -> "list[RunOptions]":
        """Return the options of each trial; trial t draws with seed + t. Raises InputError if there is nothing to
        draw."""
        if self.trials > 1 and not self.drawn:
            raise InputError("Trials of all texts would be the same each time.", "Draw a share of the texts.")
        return [replace(self, seed=self.seed + trial, trials=1) for trial in range(self.trials)]

    def params(self) -> dict[str, Any]:
        """Return the parameters stored with the run."""
        return {
            "sample": self.share,
            "seed": self.seed,
            "budget": self.budget,
            "use_cache": self.use_cache,
            "locked": self.locked,
            **({"draw": list(self.draw)} if self.draw else {}),
            **self.systems.params(),
            **self.filter.params(),
            **({"texts_chosen": len(self.texts)} if self.texts else {}),
            **({"asking_way": self.asking_way.value, "asking_set": self.asking_set} if self.asking_way else {}),
            **({"anchors": self.anchors} if self.anchors else {}),
            **({"batch": self.batch} if self.batch else {}),
            **self.model.params(),
            **as_params(self.method_options()),
        }

    def method_options(self) -> Any:
        """Return the method's own options. Raises InputError for an unknown one or one without effect."""
        plain = asdict(PLAIN)
        changed = [(name, value) for name, value in asdict(self.asking).items() if value != plain[name]]
        return chosen_options(self.evaluator, [*changed, *self.settings])

    def judge_options(self) -> JudgeOptions:
        """Return how a checklist is asked, with all chosen options; the defaults for other methods."""
        chosen = self.method_options()
        return chosen if isinstance(chosen, JudgeOptions) else PLAIN


BLOCK = 500  # texts that are looked at together


@dataclass(frozen=True, slots=True)
class RunReport:
    """The end of a run's session, with what it asked and cost. `fatal`: the error after which the session gave up."""

    run: RunSummary
    tally: Tally = field(default_factory=Tally)
    retries: int = 0
    seconds: float = 0.0
    fatal: ProviderError | None = None


@use_case(Right.FACILITATE)
def plan_run(workbench: Workbench, project_id: int, options: RunOptions) -> list[RunDimension]:
    """Return the texts to score on each dimension: those that the options' systems, filter and ids leave and that
    samples don't keep out, or a draw from them. A dimension without new texts is left out where only those are wanted.

    Raises InputError for an unknown evaluator, NotReadyError without a published checklist, texts, a text that fits or
    the references needed, NothingNewError if only new texts are wanted and no dimension has any.
    """
    method, chosen = check_evaluator(options.evaluator), options.method_options()
    _check_of_use(options, method, chosen)
    _check_network(workbench, method, chosen)
    method.ready(chosen)
    with own_wordings(workbench, project_id):
        plan = [_plan(workbench, project_id, options, dimension) for dimension in options.dimensions]
    if not any(part.texts for part in plan):
        raise NothingNewError("No text is new: all that were asked for have a score, or came in before.")
    return [part for part in plan if part.texts]


def _check_network(workbench: Workbench, method: Method, chosen: Any) -> None:
    """Raise InputError if the method's neural network may not be opened."""
    if hasattr(chosen, "model"):
        workbench.check_network(chosen.model, method.options().model)


def _check_of_use(options: RunOptions, method: Method, chosen: Any) -> None:
    """Raise InputError for options without effect."""
    if options.version is not None and not method.checklist(chosen):
        raise InputError(
            f"{method.name} uses no checklist, so no version of one can be chosen.",
            f"Leave it out. Methods with a checklist: {', '.join(with_checklist())}.",
        )
    if not options.reuse and method.name != CHECKLIST:
        raise InputError(f"{method.name} takes no answers over from earlier versions.", f"Only {CHECKLIST} does.")
    if not method.judged and options.batch:
        raise InputError(f"{method.name} asks no model, so nothing can be answered in batches.", "Leave that out.")
    if not method.judged and (options.budget is not None or not options.use_cache or options.model != USUAL):
        what = "a budget" if options.budget is not None else "how it is asked" if options.use_cache else "asking again"
        raise InputError(
            f"{method.name} asks no model, so {what} means nothing.",
            f"Leave it out. Methods that ask one: {', '.join(name for name in EVALUATORS if asks_a_judge(name))}.",
        )


def _plan(workbench: Workbench, project_id: int, options: RunOptions, dimension: Dimension) -> RunDimension:
    method, chosen = check_evaluator(options.evaluator), options.method_options()
    checklist = published_checklist(workbench, dimension.id, options.version) if method.checklist(chosen) else None
    texts, out = drawn(
        workbench,
        project_id,
        dimension.id,
        options.share,
        options.seed,
        options.locked,
        options.draw,
        options.systems,
        lambda work, texts: filtered_texts(
            work,
            project_id,
            options.filter,
            texts,
            (options.evaluator, _judge_of(options), chosen),
            (dimension.id, checklist.id if checklist else None),
        ),
    )
    if options.texts:
        among = set(options.texts)
        left = [text for text in texts if text.id in among]
        if not left:
            raise NotReadyError(
                f"None of the chosen texts can be scored on {dimension.name} any more.",
                "They became samples, or were locked or deleted. Choose others.",
            )
        texts = left
    if texts and method.references(chosen) and not _any_reference(workbench, [text.id for text in texts]):
        raise NotReadyError(
            f"No text has a reference to compare it with, and {method.name} needs one.",
            "Import the texts again with references: a column of their own, the source, or the texts of one system.",
        )
    return RunDimension(
        dimension.id,
        checklist.id if checklist else None,
        out.documents,
        tuple(text.id for text in texts),
        dimension.name,
        method.prompt_digest(chosen),
        out.texts,
    )


def _any_reference(workbench: Workbench, texts: Sequence[int]) -> bool:
    with workbench.database.read() as work:
        blocks = (texts[start : start + BLOCK] for start in range(0, len(texts), BLOCK))
        return any(text.references for block in blocks for text in work.every_text.many(block).values())


def start_run(workbench: Workbench, project_id: int, options: RunOptions) -> int:
    """Store a planned run that waits for a worker; returns its id."""
    return start_runs(workbench, project_id, (options,))[0]


@use_case(Right.FACILITATE, act="started a run")
def start_runs(workbench: Workbench, project_id: int, wishes: Sequence[RunOptions]) -> list[int]:
    """Store a planned run for each of the options and each trial, all or none; returns their ids.

    Raises what `plan_run` raises, and errors that say that a judge can't be used.
    """
    wishes = [trial for options in wishes for trial in options.each_trial()]
    for options in wishes:
        method, asking = check_evaluator(options.evaluator), options.judge_options()
        if method.judged:
            check_provider_of(method, options.judge)
            workbench.check_model(options.judge)
            judge = judge_named(workbench, options.judge)
            check_judge_of(method, judge.name, judge.is_llm)
            check_wishes(judge, asking, options.budget, options.model.tier)
            check_effort(judge.name, options.model.effort)
            check_tier(judge.name, options.model.tier)
            check_batch(judge.name, options)
    plans = [plan_run(workbench, project_id, options) for options in wishes]
    with workbench.database.write() as work:
        prompts = planned_prompts(work, project_id)
        stored = [_stored(work, project_id, *wish) | prompts for wish in zip(wishes, plans, strict=True)]
        return [
            work.runs.create(project_id, options.evaluator, _judge_of(options), params, plan)
            for options, params, plan in zip(wishes, stored, plans, strict=True)
        ]


def check_batch(judge: str, options: RunOptions) -> None:
    """Raise InputError if the judge can't be asked in batches, or not with these options."""
    if options.batch:
        check_sold_in_batches(judge)
    if options.batch and options.model.tier:
        raise InputError("A batch has a price of its own, so it takes no service tier.", "Leave one of the two out.")


def _judge_of(options: RunOptions) -> str:
    return options.judge if check_evaluator(options.evaluator).judged else NO_JUDGE


def _stored(work: UnitOfWork, project_id: int, options: RunOptions, plan: Sequence[RunDimension]) -> dict[str, Any]:
    signature = check_evaluator(options.evaluator).signature(options.method_options())
    reuse = reuse_of(work, project_id, options, plan)
    return options.params() | reuse | ({"signature": signature} if signature else {})


def reuse_of(work: UnitOfWork, project_id: int, options: RunOptions, plan: Sequence[RunDimension]) -> dict[str, Any]:
    """Return the parameters on reuse to store with a run; {} for methods without a checklist."""
    if options.evaluator != CHECKLIST:
        return {}
    wanted = options.reuse and options.use_cache
    return {"reuse": wanted} | reuse_params(
        work, project_id, plan, options.judge, options.judge_options(), wanted, options.model.effort
    )


@use_case(Right.FACILITATE)
def check_can_resume(workbench: Workbench, project_id: int, run_id: int) -> None:
    """Raise InputError if the run is another project's or was imported, NotFoundError if it doesn't exist."""
    with workbench.database.read() as work:
        run, owner = work.runs.get(run_id), work.runs.project_of(run_id)
    if owner != project_id:
        raise InputError(f"Run {run_id} belongs to the project “{run.project}”.", "Name that project to resume it.")
    _check_not_from_a_file(run)


def _check_not_from_a_file(run: RunSummary) -> None:
    if run.from_file:
        raise InputError(f"Run {run.id} came from a file, so there is nothing to resume.")


@use_case(Right.FACILITATE)
def work_on(
    workbench: Workbench,
    run_id: int,
    concurrency: int = CONCURRENCY,
    on_progress: OnProgress = lambda _: None,
    processes: int = 1,
) -> RunReport:
    """Score what is left of a run, with failed texts, until it is done, stopped or can't continue.

    processes: if above 1, the number of Dask workers on this machine, if they can ask as this process does. on_progress
    gets the run's progress about every second. Raises ConflictError if another process works on it, InputError for an
    imported run.
    """
    found = get_run(workbench, run_id)
    _check_not_from_a_file(found)
    if not workbench.actor.owner:  # its project may have come as a file, with whatever names
        method = check_evaluator(found.evaluator)
        _check_network(workbench, method, options_of(method, found.params))
    writer = RunWriter(workbench.database, run_id)
    writer.claim(ended_writer(workbench, run_id))
    with workbench.database.read() as work:
        run, project_id = work.runs.get(run_id), work.runs.project_of(run_id)
    started = time.monotonic()
    try:
        # Also where it is resumed after they were changed.
        with own_wordings_of_run(workbench, project_id, run):
            workers = workers_for(workbench, run, min(processes, concurrency))
            worked = execute_run(workbench, run, writer, concurrency, on_progress, workers)
            report, tally, retries = asyncio.run(worked)
    except BaseException as error:
        try:
            _finish(workbench.database, writer, *_ending(error))
        except RunLostError:  # how it ended is for its new writer to say
            pass
        except DatabaseError:  # it is the database that failed: why it did is worth more than that it still does
            writer.release_lock()
        raise
    else:
        if report.fatal is not None:
            gone = isinstance(report.fatal, ConnectionLostError)
            _finish(workbench.database, writer, RunStatus.INTERRUPTED if gone else RunStatus.FAILED, str(report.fatal))
        else:
            _finish(workbench.database, writer, RunStatus.STOPPED if report.stopped else RunStatus.DONE)
    finally:
        writer.release()
    return RunReport(get_run(workbench, run_id), tally, retries, time.monotonic() - started, report.fatal)


def _ending(error: BaseException) -> tuple[RunStatus, str]:
    if isinstance(error, KeyboardInterrupt | SystemExit | asyncio.CancelledError):
        return RunStatus.STOPPED, ""
    if isinstance(error, WorkbenchError):
        return RunStatus.FAILED, str(error)
    return RunStatus.FAILED, f"The run met a bug ({type(error).__name__}). The log says where."


def _finish(database: Database, writer: RunWriter, status: RunStatus, message: str = "") -> None:
    with database.write() as work:
        writer.renew_lease(work)
        work.runs.finish(writer.run_id, status, message)
        if status is RunStatus.DONE:  # a process beside this one may have ended, and its requests were sent again
            work.calls.count_intents_left(writer.run_id)


def ended_writer(workbench: Workbench, run_id: int) -> str:
    """Return the run's writer if it is known to have ended; else ""."""
    with workbench.database.read() as work:
        lease = work.runs.lease(run_id)
    return lease.writer if lease is not None and has_ended(lease.writer) else ""


@use_case(Right.FACILITATE)
def wait_until_free(
    workbench: Workbench, run_id: int, on_wait: Callable[[float], None], sleep: Callable[[float], None] = time.sleep
) -> None:
    """Wait while a writer without heartbeat may still be alive on another machine.

    on_wait gets, every second, the maximal number of seconds left. Raises ConflictError if a process does work on the
    run: one on this machine, or one that renewed its lease meanwhile.
    """
    first = None
    while not ended_writer(workbench, run_id):
        with workbench.database.read() as work:
            lease = work.runs.lease(run_id)
        if lease is None:
            return
        first = first or lease
        if is_alive(lease.writer) or lease.renewed != first.renewed:
            raise ConflictError(
                f"Run {run_id} is being worked on by another process.", "Stop it there, or wait until it ends."
            )
        on_wait(max(lease.left, 0.0))
        sleep(min(1.0, max(lease.left, 0.05)))


@use_case(Right.READ)
def get_run(workbench: Workbench, run_id: int) -> RunSummary:
    with workbench.database.read() as work:
        return _as_left(workbench, work.runs.get(run_id))


@use_case(Right.READ)
def list_runs(workbench: Workbench, project_id: int | None = None, *, anchors: bool = False) -> list[RunSummary]:
    """Return the runs, newest first. anchors: include those that asked about anchors."""
    with workbench.database.read() as work:
        return [_as_left(workbench, run) for run in work.runs.all(project_id, anchors=anchors)]


def _as_left(workbench: Workbench, run: RunSummary) -> RunSummary:
    """Return the run as interrupted if its process ended without storing the end."""
    left = run.status is RunStatus.RUNNING and bool(ended_writer(workbench, run.id))
    return replace(run, status=RunStatus.INTERRUPTED) if left else run


@use_case(Right.FACILITATE, act="stopped a run", about="run_id")
def stop_run(workbench: Workbench, run_id: int) -> None:
    """Ask the run to stop; its scores are kept."""
    gone = ended_writer(workbench, run_id)
    with workbench.database.write() as work:
        work.runs.request_stop(run_id, gone)


@use_case(Right.FACILITATE, act="changed a run's budget", about="budget")
def set_budget(workbench: Workbench, run_id: int, budget: float | None) -> None:
    """Set what a run may cost in US dollars, including earlier sessions, None for no limit. Raises InputError."""
    run = get_run(workbench, run_id)
    check_wishes(judge_named(workbench, run.judge), PLAIN, budget)
    with workbench.database.write() as work:
        work.runs.set_param(run_id, "budget", budget)


@use_case(Right.READ)
def failures_of(workbench: Workbench, run_id: int) -> list[tuple[int, int, str, str]]:
    """Return (text id, dimension id, kind, message) of every failed text."""
    with workbench.database.read() as work:
        return work.results.failures(run_id)
