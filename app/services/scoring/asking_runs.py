"""Runs that compare ways of asking: on the same texts a judge answers a checklist's questions together, each alone, and
together in reversed order."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from app.corpora.draws import design_instead, documents_by_systems, stratified_draw
from app.domain.checklist import Checklist
from app.domain.project import Dimension, TextPlace
from app.domain.roles_and_rights import Right
from app.domain.run import AskingWay, RunStatus, RunSummary
from app.errors import BudgetError, InputError, NotReadyError
from app.evaluators.checklist import PLAIN, JudgeOptions
from app.limits import CONCURRENCY
from app.prompting import load_prompt
from app.providers.model_name import parse_model_name
from app.providers.model_options import USUAL, ModelOptions
from app.services.background.jobs import start_job
from app.services.background.progress import Progress, job_kind
from app.services.checklists.checklists import published_checklist
from app.services.runtime.prompts import own_wordings
from app.services.runtime.spending import run_spending
from app.services.runtime.workbench import Workbench, use_case
from app.services.scoring.evaluators import CHECKLIST
from app.services.scoring.forecast import Estimate, forecast
from app.services.scoring.run_worker import OnProgress
from app.services.scoring.runs import RunOptions, RunReport, get_run, list_runs, set_budget, start_runs, work_on
from app.services.scoring.scoring_jobs import job_key, refuse_second
from app.services.think_aloud.samples import evaluation_texts
from db.unit_of_work import UnitOfWork

TEXTS = 40


def asking_draw(
    workbench: Workbench, project_id: int, dimension: Dimension, checklist: Checklist, wanted: int, seed: int
) -> list[int]:
    """Return ids of texts, first those that experts answered on this version, since these tell most; others as a run
    draws them.

    Samples and held-out texts are left out. Raises InputError for no texts, NotReadyError if none is left.
    """
    if wanted < 1:
        raise InputError(f"{wanted} texts can't be compared.", f"Ask for {TEXTS}.")
    with workbench.database.read() as work:
        there, _ = evaluation_texts(work, project_id, dimension.id)
        means = work.texts.mean_scores(dimension.id)
        answered = _answered(work, checklist.id)
    if not there:
        raise NotReadyError(f"No text is left to score on {dimension.name}.", "Import more texts.")
    first = _part([text for text in there if text.id in answered], means, wanted, seed)
    others = [text for text in there if text.id not in answered]
    rated = [text for text in others if text.id in means] or others
    rest = _designed(rated, means, wanted - len(first), seed)
    return sorted(text.id for text in (*first, *rest))


def _designed(texts: Sequence[TextPlace], means: Mapping[int, float], wanted: int, seed: int) -> list[TextPlace]:
    """Draw documents by systems if this gives at least 90 % of the wanted texts, else stratified by human score."""
    if 0 < wanted < len(texts):
        design = design_instead(texts[:wanted], texts)
        if design and wanted >= design[0] * design[1] >= 0.9 * wanted:
            return [texts[index] for index in documents_by_systems(texts, *design, seed)]
    return _part(texts, means, wanted, seed)


def _part(texts: Sequence[TextPlace], means: Mapping[int, float], wanted: int, seed: int) -> list[TextPlace]:
    """Draw texts stratified by human score; if none is rated, at random."""
    if wanted >= len(texts):
        return list(texts)
    if wanted < 1:
        return []
    scores = [means.get(text.id, 0.0) for text in texts]
    return [texts[index] for index in stratified_draw(scores, wanted / len(texts), seed)]


def _answered(work: UnitOfWork, checklist_id: int) -> set[int]:
    """Return the ids of the texts for which an expert answered at least one question of this version."""
    draw = work.expert_answers.draw_of(checklist_id)
    given = work.expert_answers.of(draw.id) if draw else []
    return {one.text for one in given if one.answer is not None}


ASKED: Mapping[AskingWay, JudgeOptions] = {
    AskingWay.TOGETHER: PLAIN,
    AskingWay.ALONE: JudgeOptions(per_question=True),
    AskingWay.REVERSED: JudgeOptions(reversed_order=True),
}


@dataclass(frozen=True, slots=True)
class AskingOptions:
    """Options of a comparison: `texts` texts on one dimension, by default with the newest published version.

    budget: US dollars for the three runs together, None for no limit.
    """

    dimension: Dimension
    judge: str
    version: int | None = None
    texts: int = TEXTS
    seed: int = 1
    budget: float | None = None
    model: ModelOptions = USUAL


@dataclass(frozen=True, slots=True)
class AskingJob:
    """The job that works on the three runs; `budget` in US dollars is for all of them."""

    run_ids: tuple[int, ...]
    budget: float | None


@use_case(Right.FACILITATE)
def asking_forecast(workbench: Workbench, project_id: int, options: AskingOptions) -> dict[AskingWay, Estimate]:
    """Return what each way would ask and cost; cached answers are free. Raises what `start_asking` would raise."""
    wishes = _wishes(workbench, project_id, options)
    return {way: forecast(workbench, project_id, wish).estimate for way, wish in wishes.items()}


@use_case(Right.FACILITATE, act="started a comparison of variants")
def start_asking(workbench: Workbench, project_id: int, options: AskingOptions) -> dict[AskingWay, RunSummary]:
    """Return the three runs of these options, planned now if missing. Raises what planning raises."""
    found = asking_runs(workbench, project_id, options)
    if found:
        return found
    run_ids = start_runs(workbench, project_id, list(_wishes(workbench, project_id, options).values()))
    return {way: get_run(workbench, run_id) for way, run_id in zip(AskingWay, run_ids, strict=True)}


@use_case(Right.READ)
def asking_runs(workbench: Workbench, project_id: int, options: AskingOptions) -> dict[AskingWay, RunSummary]:
    """Return the newest runs with these options; {} if there are none."""
    checklist = published_checklist(workbench, options.dimension.id, options.version)
    sets = asking_sets(workbench, project_id, options.dimension.id, checklist.id, options.judge)
    name = _set_name(workbench, project_id, options)
    return next((runs for runs in sets if runs[AskingWay.TOGETHER].params.get("asking_set") == name), {})


@use_case(Right.READ)
def asking_sets(
    workbench: Workbench, project_id: int, dimension_id: int, checklist_id: int, judge: str
) -> list[dict[AskingWay, RunSummary]]:
    """Return all comparisons of this judge and version that have a run of every way, newest first."""
    name = str(parse_model_name(judge))
    runs = [run for run in list_runs(workbench, project_id) if run.asking_way and not run.locked]
    with workbench.database.read() as work:
        asked = {
            run.id
            for run in runs
            for part in work.runs.parts(run.id)
            if (part.dimension, part.checklist) == (dimension_id, checklist_id)
        }
    sets: dict[str, dict[AskingWay, RunSummary]] = {}
    for run in runs:
        if run.id in asked and str(parse_model_name(run.judge)) == name and run.asking_way:
            sets.setdefault(str(run.params.get("asking_set")), {}).setdefault(run.asking_way, run)
    return [{way: runs[way] for way in AskingWay} for runs in sets.values() if len(runs) == len(AskingWay)]


@use_case(Right.FACILITATE)
def work_on_asking(
    workbench: Workbench,
    runs: Sequence[int],
    budget: float | None = None,
    concurrency: int = CONCURRENCY,
    on_progress: OnProgress = lambda _: None,
    stopped: Callable[[], bool] = lambda: False,
) -> list[RunReport]:
    """Score what is left of the runs, one after the other; complete runs are skipped.

    `budget` is for all of them, including earlier costs; None keeps each run's own. Stops at the first run that can't
    continue. Raises BudgetError if nothing of the budget is left, and what `work_on` raises.
    """
    reports: list[RunReport] = []
    for run_id in runs:
        run = get_run(workbench, run_id)
        if run.done == run.all:
            continue
        if budget is not None:
            others = sum(run_spending(workbench, other).at_least_usd for other in runs if other != run_id)
            if others >= budget:
                raise BudgetError(f"The budget of ${budget:g} for the three runs is used up.")
            set_budget(workbench, run_id, budget - others)
        reports.append(work_on(workbench, run_id, concurrency, on_progress))
        if reports[-1].fatal is not None or reports[-1].run.status is RunStatus.STOPPED or stopped():
            break
    return reports


@use_case(Right.FACILITATE, act="started a comparison of variants")
def begin_asking(workbench: Workbench, project_id: int, options: AskingOptions) -> None:
    """Compare ways of asking in the background, as a scoring job. Raises ConflictError while texts are scored."""
    refuse_second(workbench, project_id)
    runs = [run.id for run in start_asking(workbench, project_id, options).values()]
    title = f"Comparing ways to ask, runs {', '.join(map(str, runs))}"
    start_job(workbench, job_key(project_id), title, AskingJob(tuple(runs), options.budget))


@job_kind(AskingJob)
def _ask(workbench: Workbench, job: AskingJob, progress: Progress) -> str:
    def told(run: RunSummary) -> None:
        progress.report(run.message, run.done, run.all)

    work_on_asking(workbench, job.run_ids, job.budget, on_progress=told)
    left = sum(run.all - run.done for run in (get_run(workbench, run_id) for run_id in job.run_ids))
    if left:
        progress.mark_incomplete()
        return f"The comparison of ways to ask lacks {left:,} scores. Start it again to go on."
    return "The ways to ask have been compared: see One call or one each, below."


def _set_name(workbench: Workbench, project_id: int, options: AskingOptions) -> str:
    """Return a name made of the options that decide what the runs ask, by which equal runs are found and resumed."""
    with own_wordings(workbench, project_id):
        prompt = load_prompt(PLAIN.prompt()).digest[:12]
    return " ".join(filter(None, [f"{options.texts} texts seed {options.seed} prompt {prompt}", options.model.effort]))


def _wishes(workbench: Workbench, project_id: int, options: AskingOptions) -> dict[AskingWay, RunOptions]:
    checklist = published_checklist(workbench, options.dimension.id, options.version)
    found = asking_runs(workbench, project_id, options)
    if found:
        with workbench.database.read() as work:
            texts = sorted(work.runs.texts_of(found[AskingWay.TOGETHER].id, options.dimension.id))
    else:
        texts = asking_draw(workbench, project_id, options.dimension, checklist, options.texts, options.seed)
    usual = RunOptions(
        (options.dimension,),
        options.judge,
        CHECKLIST,
        options.version,
        seed=options.seed,
        budget=options.budget,
        reuse=False,  # an answer given among other questions is no answer of this way
        model=options.model,
        texts=tuple(texts),
        asking_set=_set_name(workbench, project_id, options),
    )
    return {way: replace(usual, asking=asked, asking_way=way) for way, asked in ASKED.items()}
