"""Methods compared: quality and cost, several judges, and a judge's liking for its own texts."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from app.domain.people import Right
from app.domain.run import RunSummary
from app.errors import InputError, NotReadyError
from app.evaluators.registry import METHODS
from app.meta_evaluation.evaluation import Figure
from app.meta_evaluation.judges.panel import Panel, PanelJudge, panel
from app.meta_evaluation.judges.words import panel_verdict
from app.meta_evaluation.score_matrix import Coefficient
from app.meta_evaluation.writer_bias import Mean, PairGroup, Preference, WriterBias, writer_bias
from app.providers.registry import answers_questions, gives_logprobs
from app.services.results.question_analysis import expert_side
from app.services.results.results import USUAL, Choices, DimensionResult, kept_result
from app.services.results.run_comparison import RunComparison, ScoreSet, compare_runs, score_sets
from app.services.runtime.spending import run_spending
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench
from app.services.scoring.evaluators import CHECKLIST, NO_JUDGE, options_of
from app.services.scoring.run_writer import gives_probabilities
from app.services.scoring.variants import variant_of

__all__ = [
    "JudgePanel",
    "Mean",
    "PairGroup",
    "Panel",
    "PanelJudge",
    "Preference",
    "WriterBias",
    "bias_of",
    "judge_panel",
    "mark_people",
    "panel_verdict",
    "writers",
]


ALL = 0.999  # of the calls a run needs: rounding aside, nothing was answered before


@dataclass(frozen=True, slots=True)
class Cost:
    """US dollars for 1,000 texts on one dimension; None, for `reason`, where it is unknown. `reason` may also say how
    a known cost came about."""

    per_1000: float | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class QualityCost:
    """One way of scoring by its run with most texts. `against`: less the checklist on the texts both scored; None for
    the checklist itself, or where there is none."""

    scores: ScoreSet
    figure: Figure
    groups: str
    cost: Cost
    against: RunComparison | None = None

    @property
    def run(self) -> RunSummary:
        return self.scores.run


@use_case(Right.READ)
def quality_and_cost(
    workbench: Workbench,
    project_id: int,
    dimension_id: int,
    coefficient: Coefficient = "spearman",
    choices: Choices = USUAL,
    compared: bool = True,
) -> list[QualityCost]:
    """The run with most texts of each evaluator, judge and checklist version on a dimension, best agreement first.

    Studies of conditions compare checklists, not methods: their runs are left out, as are those that compare ways of
    asking.

    compared: with the paired comparison to the default checklist run, which takes about a second a run the first time.
    """
    sets = _defaults([scores for scores in score_sets(workbench, project_id, dimension_id) if not scores.run.apart])
    found = []
    for scores in sets:
        result = kept_result(workbench, scores.run.id, dimension_id, choices)
        if result is not None:
            groups = f"{result.groups_used}/{result.groups_all}"
            cost = cost_of(workbench, scores.run)
            found.append(QualityCost(scores, result.meta.figures[coefficient], groups, cost))
    baseline = next((each.scores for each in found if each.run.evaluator == CHECKLIST), None)
    if compared and baseline is not None:
        found = _against(workbench, dimension_id, baseline, found, choices)
    return sorted(found, key=lambda each: -2 if each.figure.value is None else each.figure.value, reverse=True)


def _defaults(sets: Sequence[ScoreSet]) -> list[ScoreSet]:
    kept: dict[tuple[object, ...], ScoreSet] = {}
    for scores in sorted(sets, key=lambda each: each.run.rank(), reverse=True):
        run = scores.run
        kept.setdefault((run.evaluator, variant_of(run), run.judge, scores.version, scores.condition), scores)
    return list(kept.values())


def _against(
    workbench: Workbench, dimension_id: int, baseline: ScoreSet, found: Sequence[QualityCost], choices: Choices
) -> list[QualityCost]:
    others = [each.scores for each in found if each.scores != baseline]
    try:
        compared = compare_runs(workbench, dimension_id, baseline, others, choices)
    except InputError:  # the level asks for what the data don't have: the figures say so already
        return list(found)
    by_run = {comparison.other.run.id: comparison for comparison in compared}
    return [QualityCost(each.scores, each.figure, each.groups, each.cost, by_run.get(each.run.id)) for each in found]


def cost_of(workbench: Workbench, run: RunSummary) -> Cost:
    """From what the run paid. Calls that were answered before are free now; they are taken to cost what the others do,
    so that the figure is what scoring anew would cost."""
    if run.from_file:
        return Cost(None, "computed elsewhere")
    if run.judge in (NO_JUDGE, "rules"):
        return Cost(0.0, "no model is paid")
    if run.judge.startswith("replay:"):
        return Cost(None, "recorded answers")
    if not answers_questions(run.judge):
        return Cost(0.0, "computed on this computer")
    spent = run_spending(workbench, run.id)
    if spent.cost_usd is None:
        why = "the judge's price is unknown" if not spent.at_least_usd else "not every reply says what it took"
        return Cost(None, why)
    if not (spent.calls and run.done):
        return Cost(None, "all its calls were answered before")
    needed = _calls_per_text(run) * run.done
    share = min(1.0, spent.calls / needed) if needed else 1.0
    if share > ALL:
        return Cost(1000 * spent.cost_usd / run.done)
    return Cost(
        1000 * spent.cost_usd / share / run.done,
        f"{1 - share:.0%} of its calls were answered before; taken to cost what the others do",
    )


def _calls_per_text(run: RunSummary) -> int:
    method = METHODS[run.evaluator]
    logprobs = gives_logprobs(run.judge) and gives_probabilities(run.params)
    return method.calls(options_of(method, run.params), logprobs).per_text


@dataclass(frozen=True, slots=True)
class JudgePanel:
    """`costs` in the order of the panel's judges: what scoring 1,000 texts anew would cost."""

    panel: Panel
    costs: tuple[Cost, ...]


@use_case(Right.READ)
def judge_panel(workbench: Workbench, project_id: int, result: DimensionResult) -> JudgePanel | None:
    """The run with most texts of each judge with the same method and version of the checklist as the result's.

    Over the questions about the drawn texts that all of them answered and that have a reference; answers about one
    text go together. None where there is one judge, or too few such answers.
    """
    best: dict[str, RunSummary] = {}
    for scores in score_sets(workbench, project_id, result.dimension.id):
        if _kind(scores.run, scores.version) == _kind(result.run, result.version):
            best[scores.run.judge] = max(best.get(scores.run.judge, scores.run), scores.run, key=RunSummary.rank)
    if len(best) < 2:
        return None
    answers, people, texts = [], None, 0
    for run in best.values():
        other = kept_result(workbench, run.id, result.dimension.id, result.choices)
        side = expert_side(workbench, other) if other else None
        if side is None:
            return None
        answers.append(side.judge[side.drawn].ravel())
        people, texts = side.reference[side.drawn], int(side.drawn.sum())
    assert people is not None  # of at least two judges
    of_text = list(chain.from_iterable([text] * people.shape[1] for text in range(texts)))
    choices = result.choices
    try:
        found = panel(
            np.stack(answers),
            people.ravel(),
            list(best),
            group=of_text,
            resamples=choices.resamples,
            seed=choices.seed,
        )
    except InputError:  # not two answers that all of them gave
        return None
    return JudgePanel(found, tuple(cost_of(workbench, run) for run in best.values()))


def _kind(run: RunSummary, version: int | None) -> tuple[object, ...]:
    """Runs that differ in nothing else can be compared as judges."""
    return run.evaluator, variant_of(run), version, run.study, run.asking_way


@use_case(Right.READ)
def writers(workbench: Workbench, project_id: int) -> tuple[list[str], tuple[str, ...]]:
    """The project's systems by name, and those of them that are people."""
    with workbench.database.read() as work:
        people = work.projects.human_systems(project_id)
        return work.texts.systems(project_id), people


@use_case(Right.FACILITATE, act="said which writers are people")
def mark_people(workbench: Workbench, project_id: int, systems: Collection[str]) -> None:
    """Say which systems are people; all others are LLMs. Raises InputError for a system that isn't there."""
    with workbench.database.write() as work:
        known = work.texts.systems(project_id)
        unknown = sorted(set(systems) - set(known))
        if unknown:
            raise InputError(f"No text is by “{unknown[0]}”.", f"The systems are: {', '.join(known) or 'none'}.")
        work.projects.set_human_systems(project_id, [system for system in known if system in systems])


@use_case(Right.READ)
def bias_of(workbench: Workbench, run_id: int, dimension_id: int, choices: Choices = USUAL) -> WriterBias:
    """Of a run's scores on a dimension, over texts that count by these choices and whose writer and ratings are known.

    Of the choices, those about partial texts, resamples and seed mean something here.
    Raises NotReadyError where nobody said who is a person, or no source has texts of both.
    """
    with workbench.database.read() as work:
        people = set(work.projects.human_systems(work.runs.project_of(run_id)))
        rows = [
            (row.score, row.human, row.doc_id, row.system_id in people)
            for row in work.results.scored(run_id, dimension_id)
            if row.counts(choices.include_partial) and row.human is not None and row.system_id
        ]
    if not people:
        raise NotReadyError(
            "Nobody said yet which systems are people.", "Mark them (--people NAME); everything else is then an LLM."
        )
    scores, ratings, sources, by_person = zip(*rows, strict=True) if rows else ((), (), (), ())
    found = writer_bias(scores, ratings, sources, by_person, choices.resamples, choices.seed)
    if not found.pairs:
        raise NotReadyError(
            "No source has rated texts of both a person and an LLM.", "Check which systems are marked as people."
        )
    return found
