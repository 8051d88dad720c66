"""Worker of a study of conditions: builds missing checklists, then scores missing conditions, one after another."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from app.domain.build import Stage
from app.domain.project import Project
from app.domain.roles_and_rights import Right
from app.domain.run import RunStatus
from app.errors import BudgetError, ConflictError, InputError, WorkbenchError
from app.evaluators.checklist import PLAIN
from app.limits import CONCURRENCY
from app.prompting import load_prompt
from app.providers.base import Usage
from app.providers.known_prices import known_prices, today
from app.providers.model_options import check_effort, takes_options
from app.providers.pricing import estimate_tokens
from app.services.background.jobs import job_state, start_job, stop_job
from app.services.background.progress import Progress, Stop, job_kind
from app.services.building.build import make_checklist, run_stages, start_build
from app.services.conditions.study import Cell, StudyOptions, StudyPlan, plan_study, plan_trials, run_params, run_plan
from app.services.runtime.judges import (
    JudgeAbility,
    Reasoning,
    check_wishes,
    judge_named,
    reasoning_of,
    save_model_options,
)
from app.services.runtime.prompts import own_wordings
from app.services.runtime.spending import project_spending, run_spending, total_cost, unpriced_calls
from app.services.runtime.workbench import Workbench, use_case
from app.services.scoring.evaluators import CHECKLIST
from app.services.scoring.forecast import TOKENS_PER_ANSWER
from app.services.scoring.runs import set_budget, stop_run, work_on
from app.services.scoring.scoring_jobs import is_scoring, job_key, running_run

# What stages wrote about the attributes of the paper's authors: about so many tokens for each attribute, five stages
# together, and up to so many questions for each component. A guess within a third or so.
READ_PER_STAGE, WRITTEN_PER_ATTRIBUTE, QUESTIONS_PER_COMPONENT = 1.5, 60, 4
TOKENS_PER_QUESTION = 28  # its words, and its place in the schema


@dataclass(frozen=True, slots=True)
class StudyEstimate:
    """The estimated work: checklists to build and texts to score, with calls and tokens; existing results aren't
    counted.

    `cost_usd` is None if the price of either model is unknown. The output tokens include reasoning for each call, a
    guess unless measured.
    """

    checklists: int
    build_calls: int
    texts_scored: int
    judge_calls: int
    input_tokens: int
    output_tokens: int
    cost_usd: float | None
    build_reasoning_per_call: int = 0
    build_reasoning_measured: bool = False
    judge_reasoning_per_call: int = 0
    judge_reasoning_measured: bool = False

    @property
    def reasoning(self) -> str:
        """Return a phrase on how many of the output tokens are reasoning; "" for none."""
        parts = (
            ("to build", self.build_calls, Reasoning(self.build_reasoning_per_call, self.build_reasoning_measured)),
            ("to judge", self.judge_calls, Reasoning(self.judge_reasoning_per_call, self.judge_reasoning_measured)),
        )
        said = [f"{what} {each}" for what, calls, each in parts if calls and each.per_call]
        return f"of the tokens out {'; '.join(said)}" if said else ""

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    def __str__(self) -> str:
        cost = "an unknown price" if self.cost_usd is None else f"about ${self.cost_usd:.2f}"
        said = (
            f"{self.checklists} checklists to build ({self.build_calls} calls), {self.judge_calls:,} "
            f"calls to the judge; about {self.input_tokens:,} tokens in and {self.output_tokens:,} out; {cost}"
        )
        return f"{said}\n{self.reasoning}" if self.reasoning else said


@use_case(Right.READ)
def estimate_study(workbench: Workbench, options: StudyOptions, plans: Sequence[StudyPlan]) -> StudyEstimate:
    """Return the estimate. plans: one for each trial. Raises an error if a model can't be used."""
    builder, judge = judge_named(workbench, options.model), judge_named(workbench, options.judge)
    _check_effort(options)
    missing = [cell for _, cell in _to_build(plans)]
    calls = sum(_judge_calls(plan) for plan in plans)
    with workbench.database.read() as work:
        project = work.projects.project_of(options.dimensions[0].id)
    with own_wordings(workbench, project.id):
        building = sum((_build_usage(cell) for cell in missing), Usage()) if builder.is_llm else Usage()
        judging = sum((_judge_usage(workbench, plan) for plan in plans), Usage()) if judge.is_llm else Usage()
    to_build, to_judge = _reasoning(workbench, builder, options), _reasoning(workbench, judge, options)
    building += Usage(0, 0, len(missing) * len(Stage) * to_build.per_call)
    judging += Usage(0, 0, calls * to_judge.per_call)
    prices, day = known_prices(), today()
    costs = [
        0.0 if usage == Usage() else prices.cost(model.name, usage, day, calls=asked)
        for model, usage, asked in ((builder, building, len(missing) * len(Stage)), (judge, judging, calls))
    ]
    return StudyEstimate(
        checklists=len(missing),
        build_calls=len(missing) * len(Stage),
        texts_scored=len({text for plan in plans for cell in plan.to_score for text in plan.texts[cell.dimension.id]}),
        judge_calls=calls,
        input_tokens=building.input_tokens + judging.input_tokens,
        output_tokens=building.output_tokens + judging.output_tokens,
        cost_usd=None if None in costs else sum(cost or 0.0 for cost in costs),
        build_reasoning_per_call=to_build.per_call,
        build_reasoning_measured=to_build.measured,
        judge_reasoning_per_call=to_judge.per_call,
        judge_reasoning_measured=to_judge.measured,
    )


def _check_effort(options: StudyOptions) -> None:
    """Raise EffortError if a model is known not to take the effort, or neither of them is an LLM."""
    models = (options.model, options.judge)
    for model in [m for m in models if takes_options(m)] or models:
        check_effort(model, options.asking.effort)


def check_study(workbench: Workbench, options: StudyOptions, plans: Sequence[StudyPlan]) -> None:
    """Raise an error if a model can't be used, or the budget can't be enforced."""
    builder, judge = judge_named(workbench, options.model), judge_named(workbench, options.judge)
    _check_effort(options)
    check_wishes(judge, PLAIN, options.budget)
    if options.budget is not None and builder.is_llm and not builder.priced and any(plan.to_build for plan in plans):
        raise InputError(
            f"The price of {builder.name} is unknown, so a budget can't be kept.", "Start without a budget."
        )


def _reasoning(workbench: Workbench, model: JudgeAbility, options: StudyOptions) -> Reasoning:
    if not model.is_llm:
        return Reasoning(0)
    with workbench.database.read() as work:
        return reasoning_of(work, model.name, options.asking_of(model.name).effort)


def _build_usage(cell: Cell) -> Usage:
    said = sum(estimate_tokens(text) for _, text in cell.attributes)
    constant = sum(estimate_tokens(load_prompt(stage.value).source) for stage in Stage)
    return Usage(constant + round(READ_PER_STAGE * said * len(Stage)), 0, WRITTEN_PER_ATTRIBUTE * len(cell.attributes))


def _judge_calls(plan: StudyPlan) -> int:
    return sum(len(plan.texts[cell.dimension.id]) for cell in plan.to_score)


def _judge_usage(workbench: Workbench, plan: StudyPlan) -> Usage:
    """Return the usage of one call for each text and checklist; cached answers are unknown before the checklist
    exists."""
    constant = estimate_tokens(load_prompt(PLAIN.prompt()).source)
    wanted = {text for cell in plan.to_score for text in plan.texts[cell.dimension.id]}
    with workbench.database.read() as work:
        size = {i: estimate_tokens(t.text) + estimate_tokens(t.source) for i, t in work.texts.many(wanted).items()}
    total = Usage()
    for cell in plan.to_score:
        texts = plan.texts[cell.dimension.id]
        asked = (
            len(cell.checklist.asked)
            if cell.checklist
            else min(len(cell.attributes), QUESTIONS_PER_COMPONENT * plan.options.components)
        )
        read = sum(size[text] for text in texts) + len(texts) * (constant + asked * TOKENS_PER_QUESTION)
        total += Usage(read, 0, len(texts) * asked * TOKENS_PER_ANSWER)
    return total


OnStep = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class StudyJob:
    """The job that does what is missing of a study."""

    project: Project
    options: StudyOptions


@dataclass(frozen=True, slots=True)
class StudyReport:
    """The result of a study. `problems` are sentences about what could not be built or scored; the study can be
    resumed. `cost_usd` is None if not all costs are known."""

    built: int
    scored: int
    missing: int
    stopped: bool
    cost_usd: float | None
    problems: tuple[str, ...] = ()

    def __str__(self) -> str:
        end = "Stopped" if self.stopped else "Done"
        left = f" {self.missing} are missing: start again to go on with them." if self.missing else ""
        return f"{end}: {self.built} checklists built, {self.scored} scored.{left} {' '.join(self.problems)}".strip()


@use_case(Right.FACILITATE, act="ran a study of conditions")
def run_study(
    workbench: Workbench,
    project: Project,
    options: StudyOptions,
    report: OnStep = lambda *_: None,
    stop: Stop | None = None,
    concurrency: int = CONCURRENCY,
) -> StudyReport:
    """Build and score what is missing. A failure is reported and doesn't stop the rest.

    report gets (current step, steps done, all steps). Raises as `plan_trials` and `check_study`.
    """
    plans = plan_trials(workbench, project, options)
    check_study(workbench, options, plans)
    stop = stop or threading.Event()
    before, problems = total_cost(project_spending(workbench, project.id))[0], list[str]()
    unpriced = unpriced_calls(workbench, project.id)
    steps = len(_to_build(plans)) + sum(len({cell.condition for cell in plan.to_score}) for plan in plans)

    def spent() -> float | None:
        if unpriced_calls(workbench, project.id) > unpriced:
            return None
        return total_cost(project_spending(workbench, project.id))[0] - before

    built = done = _build(workbench, plans, problems, report, steps, stop, spent)
    for trial in options.each_trial():
        if not stop.is_set():
            progress = (done, steps)
            done += _score(workbench, project, options, trial, problems, report, progress, stop, spent, concurrency)
    missing = sum(len(plan.to_score) for plan in plan_trials(workbench, project, options))
    scored = sum(len(plan.to_score) for plan in plans) - missing
    return StudyReport(built, scored, missing, stop.is_set(), spent(), tuple(dict.fromkeys(problems)))


@use_case(Right.FACILITATE, act="created a study of conditions")
def begin_study(workbench: Workbench, project: Project, options: StudyOptions) -> None:
    """Run a study in the background, as a scoring job. Raises ConflictError while texts are scored."""
    if running_run(workbench, project.id) is not None or is_scoring(workbench, project.id):
        raise ConflictError("Texts of this project are being scored right now.", "Wait until that ends, or stop it.")
    check_study(workbench, options, plan_trials(workbench, project, options))
    start_job(workbench, job_key(project.id), "Conditions", StudyJob(project, options))


@job_kind(StudyJob)
def _run(workbench: Workbench, job: StudyJob, progress: Progress) -> str:
    report = run_study(workbench, job.project, job.options, progress.report, progress)
    if report.missing:
        progress.mark_incomplete()
    return str(report)


@use_case(Right.FACILITATE, act="stopped a study of conditions")
def stop_study(workbench: Workbench, project_id: int) -> None:
    """Stop the study: the judge within a second, a build after the current checklist."""
    stop_job(workbench, job_key(project_id))
    run = running_run(workbench, project_id)
    if run is not None:
        stop_run(workbench, run.id)


@use_case(Right.READ)
def stopping_study(workbench: Workbench, project_id: int) -> bool:
    state = job_state(workbench, job_key(project_id))
    return state is not None and state.active and state.stop_requested


def _to_build(plans: Sequence[StudyPlan]) -> list[tuple[StudyOptions, Cell]]:
    """Return the missing cells; cells with equal digests are built once."""
    missing = {(cell.dimension.id, cell.digest): (plan.options, cell) for plan in plans for cell in plan.to_build}
    return list(missing.values())


def _build(
    workbench: Workbench,
    plans: Sequence[StudyPlan],
    problems: list[str],
    report: OnStep,
    steps: int,
    stop: Stop,
    spent: Callable[[], float | None],
) -> int:
    """Build what is missing; returns how many checklists were built."""
    made = 0
    for options, cell in _to_build(plans):
        if stop.is_set():
            break
        report(f"Building the checklist of {cell.condition.words} for {cell.dimension.name}", made, steps)
        try:
            _check_budget(options, spent())
            build = cell.build or start_build(
                workbench, cell.dimension, options.model, cell.code, options.components, study_digest=cell.digest
            )
            run_stages(replace(workbench, asking=options.asking_of(options.model)), build)
            make_checklist(workbench, build, publish=True)
        except BudgetError as error:
            problems.append(str(error))
            stop.set()
        except WorkbenchError as error:
            problems.append(f"Checklist of {cell.condition.words} for {cell.dimension.name}: {error}")
        else:
            made += 1
    return made


def _score(
    workbench: Workbench,
    project: Project,
    options: StudyOptions,
    trial: StudyOptions,
    problems: list[str],
    report: OnStep,
    progress: tuple[int, int],
    stop: Stop,
    spent: Callable[[], float | None],
    concurrency: int,
) -> int:
    """Score each condition in one run over its dimensions, resuming existing runs. Returns how many it tried."""
    done, steps = progress
    plan = plan_study(workbench, project, trial)
    of_trial = f", trial {trial.seed - options.seed + 1} of {options.trials}" if options.trials > 1 else ""
    of_trial += f", at most {trial.components} components" if options.sweep else ""
    conditions = list({cell.condition: None for cell in plan.to_score})
    for number, condition in enumerate(conditions):
        if stop.is_set():
            return number
        cells = [cell for cell in plan.to_score if cell.condition == condition]
        try:
            for run_id in _runs(workbench, project, options, plan, cells, spent()):
                what = f"{condition.key}{of_trial}"
                _work_on(workbench, run_id, what, report, (done + number, steps), stop, concurrency)
        except BudgetError as error:
            problems.append(str(error))
            stop.set()
        except WorkbenchError as error:
            problems.append(f"{condition.key}{of_trial}: {error}")
    return len(conditions)


def _runs(
    workbench: Workbench,
    project: Project,
    study: StudyOptions,
    plan: StudyPlan,
    cells: Sequence[Cell],
    spent: float | None,
) -> list[int]:
    """Return the ids of the runs to work on: existing ones, and a new one for cells without any."""
    left = _check_budget(plan.options, spent)
    begun = list(dict.fromkeys(cell.run.id for cell in cells if cell.run is not None))
    for run_id in begun:
        before = run_spending(workbench, run_id).at_least_usd
        set_budget(workbench, run_id, None if left is None else left + before)
        save_model_options(workbench, run_id, study.asking_of(study.judge))
    parts = run_plan(plan, [cell for cell in cells if cell.run is None])
    if parts:
        with workbench.database.write() as work:
            params = run_params(work, project, study, plan.options, cells[0].condition) | {"budget": left}
            begun.append(work.runs.create(project.id, CHECKLIST, plan.options.judge, params, parts))
    return begun


def _work_on(
    workbench: Workbench,
    run_id: int,
    what: str,
    report: OnStep,
    progress: tuple[int, int],
    stop: Stop,
    concurrency: int,
) -> None:
    """Work on a run. Raises WorkbenchError with the run's message if it failed."""
    ended = work_on(
        workbench,
        run_id,
        concurrency,
        lambda run: report(run.message or f"Scoring {what}: {run.done:,} of {run.all:,}", *progress),
    ).run
    if ended.status is RunStatus.STOPPED:
        stop.set()
    elif ended.status in (RunStatus.FAILED, RunStatus.INTERRUPTED):
        raise WorkbenchError(ended.message)
    elif ended.failed:
        raise WorkbenchError(f"{ended.failed:,} of {ended.all:,} texts could not be scored (run {ended.id}).")


def _check_budget(options: StudyOptions, spent: float | None) -> float | None:
    """Return what is left of the budget. Raises BudgetError if nothing is left, or the spending is unknown."""
    if options.budget is None:
        return None
    if spent is None:
        raise BudgetError(
            "What the study took isn't known: a reply was lost, or doesn't say how many tokens it has. So the budget "
            "can't be kept.",
            "Start again without a budget; what was answered isn't asked again.",
        )
    if spent >= options.budget:
        raise BudgetError(f"The budget of ${options.budget:,.2f} is reached.", "Start again with more to go on.")
    return options.budget - spent
