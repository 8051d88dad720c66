"""Methods, judges and ways of asking compared by quality and cost; and a judge's bias for LLMs' texts."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from itertools import chain
from typing import Any

import numpy as np

from app.domain.checklist import Checklist, Question
from app.domain.preference import Preference as PreferencePair
from app.domain.preference import Winner
from app.domain.roles_and_rights import Right
from app.domain.run import AskingWay, RunSummary
from app.errors import InputError, NotReadyError
from app.evaluators.registry import METHODS
from app.meta_evaluation.agreement_verdict import FEWEST_UNITS
from app.meta_evaluation.evaluation import Figure
from app.meta_evaluation.judges.asking_ways import (
    AskingComparison,
    AskingVerdict,
    AskingWayAnswers,
    asking_cautions,
    asking_verdict,
    compare_asking,
    position_verdict,
    repeat_inconsistency,
    repeat_inconsistency_words,
)
from app.meta_evaluation.judges.figures import EstimatedFigure
from app.meta_evaluation.judges.panel import Panel, panel, panel_verdict
from app.meta_evaluation.score_matrix import Coefficient, Floats, Level
from app.meta_evaluation.writer_bias import By, Mean, Preference, WriterBias, WritersPair, bias_of_pairs, writer_bias
from app.providers.registry import answers_questions, gives_logprobs
from app.services.results.question_analysis import VALUES, expert_side, repeated_answers
from app.services.results.results import USUAL, Choices, DimensionResult, cached_result
from app.services.results.run_comparison import RunComparison, ScoreSet, compare_runs, score_sets
from app.services.runtime.spending import run_spending
from app.services.runtime.workbench import Workbench, use_case
from app.services.scoring.evaluators import CHECKLIST, NO_JUDGE, options_of
from app.services.scoring.recordings import recorded_calls
from app.services.scoring.run_labels import gives_probabilities, variant_of

__all__ = ["Mean", "WriterBias", "panel_verdict"]


PER = 1000


@dataclass(frozen=True, slots=True)
class AskingCost:
    """The cost of 1,000 texts on one dimension, including cached replies. None if unknown or no model is asked;
    `cost_usd` also if a price is unknown."""

    calls: float | None = None
    input_tokens: float | None = None
    output_tokens: float | None = None
    cost_usd: float | None = None

    def to_json(self) -> dict[str, Any]:
        return {f"{name}_per_1000_texts": value for name, value in asdict(self).items()}


def asking_cost(workbench: Workbench, run: RunSummary) -> AskingCost:
    """Return the cost of a run. Cached replies count with their original cost."""
    if run.judge in (NO_JUDGE, "rules") or not run.done:
        return AskingCost()
    try:
        calls = [call for call in recorded_calls(workbench, run.id) if not call.error_kind]
    except NotReadyError:  # a judge that calls no provider
        return AskingCost()
    texts = run.done / PER
    costs = [call.cost_usd for call in calls]
    return AskingCost(
        len(calls) / texts,
        sum(call.input_tokens for call in calls) / texts,
        sum(call.output_tokens for call in calls) / texts,
        None if None in costs else sum(cost or 0.0 for cost in costs) / texts,
    )


def times_as_much(one: AskingCost, other: AskingCost) -> float | None:
    """Return the cost of `one` divided by that of `other`: in dollars, or in tokens if a price is unknown."""
    if one.cost_usd is not None and other.cost_usd:
        return one.cost_usd / other.cost_usd
    if one.input_tokens is None or one.output_tokens is None or other.input_tokens is None:
        return None
    of_other = other.input_tokens + (other.output_tokens or 0.0)
    return (one.input_tokens + one.output_tokens) / of_other if of_other else None


@dataclass(frozen=True, slots=True)
class AskingResult:
    """Three runs of one checklist, one for each way of asking. `comparison` is None, with a `problem`, until a question
    was answered in all three.

    `own` is how often this judge changes its answer to the same request, from the repeats of `own_run`; None if it was
    asked only once. `whole`: nothing is left to score.
    """

    checklist: Checklist
    runs: Mapping[AskingWay, RunSummary]
    comparison: AskingComparison | None
    problem: str
    costs: Mapping[AskingWay, AskingCost]
    own: EstimatedFigure | None = None
    own_run: int | None = None

    @property
    def whole(self) -> bool:
        return all(run.done == run.all for run in self.runs.values())

    @property
    def questions(self) -> tuple[Question, ...]:
        return self.checklist.asked

    @property
    def times(self) -> float | None:
        """Return how many times as much one call for each question costs as one call for all."""
        return times_as_much(self.costs[AskingWay.ALONE], self.costs[AskingWay.TOGETHER])

    @property
    def verdict(self) -> AskingVerdict | None:
        return asking_verdict(self.comparison, self.times) if self.comparison else None

    @property
    def beside(self) -> list[str]:
        """Return sentences on the effect of position and on the judge's own inconsistency."""
        if self.comparison is None:
            return []
        return [position_verdict(self.comparison), repeat_inconsistency_words(self.own, self.own_run)]

    @property
    def cautions(self) -> list[str]:
        return asking_cautions(self.comparison) if self.comparison else []

    def to_json(self) -> dict[str, Any]:
        verdict, found = self.verdict, self.comparison
        return {
            "runs": {way.value: run.id for way, run in self.runs.items()},
            "judge": self.runs[AskingWay.TOGETHER].judge,
            "version": self.checklist.version,
            "whole": self.whole,
            "verdict": verdict.sentence if verdict else self.problem,
            "kind": verdict.kind if verdict else None,
            "choice": verdict.choice if verdict else None,
            **(found.to_json() if found else {}),
            "own_wavering": {"run": self.own_run, **asdict(self.own)} if self.own else None,
            "costs": {way.value: cost.to_json() for way, cost in self.costs.items()},
            "times_as_much": self.times,
            "by_question": self._changes(),
            "beside": self.beside,
            "cautions": self.cautions,
        }

    def _changes(self) -> list[dict[str, Any]]:
        if self.comparison is None:
            return []
        pairs = zip(self.questions, self.comparison.by_question, strict=True)
        return [{"id": question.id, "text": question.text, **change.to_json()} for question, change in pairs]


@use_case(Right.READ)
def asking_result(
    workbench: Workbench, project_id: int, dimension_id: int, runs: Mapping[AskingWay, RunSummary], seed: int = 0
) -> AskingResult:
    """Return the comparison. Agreement is computed within sources if enough of them have a coefficient, else over all
    texts, because with few texts in a document many coefficients are undefined."""
    results = [_result(workbench, run, dimension_id, seed) for run in runs.values()]
    with workbench.database.read() as work:
        part = next(p for p in work.runs.parts(runs[AskingWay.TOGETHER].id) if p.dimension == dimension_id)
        checklist = work.checklists.get(part.checklist or 0)
    costs = {way: asking_cost(workbench, run) for way, run in runs.items()}
    asked = _asked(workbench, results, [question.id for question in checklist.asked])
    try:
        found = _cached_comparison(asked, "per-source", seed)
        if found.rated_documents < FEWEST_UNITS and not np.isnan(asked.human).all():
            pooled = _cached_comparison(asked, "dataset", seed)
            found = pooled if pooled.spearman is not None else found
    except InputError as error:
        return AskingResult(checklist, runs, None, error.message, costs)
    own, own_run = _repeat_inconsistency(workbench, project_id, results[0], seed)
    return AskingResult(checklist, runs, found, "", costs, own, own_run)


@lru_cache(maxsize=16)
def _cached_comparison(asked: AskingWayAnswers, level: Level, seed: int) -> AskingComparison:
    """Return the comparison, cached because a screen redraws it at each click and resampling takes most of a second."""
    return compare_asking(asked, level=level, seed=seed)


def _result(workbench: Workbench, run: RunSummary, dimension_id: int, seed: int) -> DimensionResult:
    found = cached_result(workbench, run.id, dimension_id, Choices(seed=seed))
    assert found is not None  # the run was planned on this dimension
    return found


def _asked(workbench: Workbench, results: Sequence[DimensionResult], questions: Sequence[int]) -> AskingWayAnswers:
    rows = list(results[0].rows)
    texts = [row.text for row in rows]
    scored = [{row.text: row.score for row in result.rows if row.counts()} for result in results]
    scores = np.array([[of_way.get(text) for text in texts] for of_way in scored], dtype=np.float64)
    return AskingWayAnswers(
        np.stack([_answers(workbench, result, texts, questions) for result in results]),
        scores,
        np.array([row.human for row in rows], dtype=np.float64),
        _people(workbench, results[0], texts, len(questions)),
        [row.doc_id or f"text {row.text}" for row in rows],
        [row.system_id for row in rows] if any(row.system_id for row in rows) else (),
        [row.item_id for row in rows],
    )


def _answers(workbench: Workbench, result: DimensionResult, texts: Sequence[int], questions: Sequence[int]) -> Floats:
    """Return (texts, questions) answers, by the question's id whatever its position in the call."""
    with workbench.database.read() as work:
        given = work.results.answers(result.run.id, result.dimension.id)
    place = {question: number for number, question in enumerate(questions)}
    found = np.full((len(texts), len(questions)), np.nan)
    for row, text in enumerate(texts):
        for _, question, answer in given.get(text, []):
            if question in place:
                found[row, place[question]] = VALUES[answer]
    return found


def _people(workbench: Workbench, result: DimensionResult, texts: Sequence[int], questions: int) -> Floats:
    """Return (texts, questions): the decided answers, else those of most experts."""
    found = np.full((len(texts), questions), np.nan)
    side = expert_side(workbench, result)
    if side is not None:
        said, row = side.reference, {text: number for number, text in enumerate(side.texts)}
        for number, text in enumerate(texts):
            if text in row:
                found[number] = said[row[text]]
    return found


def _repeat_inconsistency(
    workbench: Workbench, project_id: int, result: DimensionResult, seed: int
) -> tuple[EstimatedFigure | None, int | None]:
    """Return how often the judge contradicts itself, from the newest run with repeats of this version in one call, and
    that run."""
    for scores in score_sets(workbench, project_id, result.dimension.id):
        run = scores.run
        alike = (run.evaluator, run.judge, scores.version) == (result.run.evaluator, result.run.judge, result.version)
        if not alike or int(run.params.get("repeats", 1)) < 2 or run.params.get("per_question"):
            continue
        texts, questions, answers = repeated_answers(workbench, run.id, result.dimension.id)
        if questions:
            rows = cached_result(workbench, run.id, result.dimension.id, result.choices)
            documents = {row.text: row.doc_id or f"text {row.text}" for row in rows.rows} if rows else {}
            return repeat_inconsistency(
                answers, [documents.get(text, f"text {text}") for text in texts], seed=seed
            ), run.id
    return None, None


ALL = 0.999  # of the calls a run needs: rounding aside, nothing was answered before


@dataclass(frozen=True, slots=True)
class Cost:
    """US dollars for 1,000 texts on one dimension; None, with a `reason`, if unknown. `reason` may also explain a known
    cost."""

    per_1000: float | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class QualityCost:
    """One way of scoring, by its run with most texts. `against`: compared with the checklist on the texts both scored;
    None for the checklist itself, or without one."""

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
    """Return the run with most texts of each evaluator, judge and checklist version on a dimension, best agreement
    first.

    Runs of studies of conditions and of comparisons of ways of asking are left out. compared: with the paired
    comparison to the default checklist run, which takes about a second for each run and is then cached.
    """
    sets = _defaults([scores for scores in score_sets(workbench, project_id, dimension_id) if not scores.run.apart])
    found = []
    for scores in sets:
        result = cached_result(workbench, scores.run.id, dimension_id, choices)
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
    """Return what scoring anew would cost: free cached calls count as much as the paid ones on average."""
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
    method = METHODS[run.evaluator]
    logprobs = gives_logprobs(run.judge) and gives_probabilities(run.params)
    needed = method.calls(options_of(method, run.params), logprobs).per_text * run.done
    share = min(1.0, spent.calls / needed) if needed else 1.0
    if share > ALL:
        return Cost(1000 * spent.cost_usd / run.done)
    return Cost(
        1000 * spent.cost_usd / share / run.done,
        f"{1 - share:.0%} of its calls were answered before; taken to cost what the others do",
    )


@dataclass(frozen=True, slots=True)
class JudgePanel:
    """A panel of judges; `costs` in their order: what scoring 1,000 texts anew would cost."""

    panel: Panel
    costs: tuple[Cost, ...]


@use_case(Right.READ)
def judge_panel(workbench: Workbench, project_id: int, result: DimensionResult) -> JudgePanel | None:
    """Return the panel: the run with most texts of each judge with the result's method and checklist version.

    It uses the questions about drawn texts that all judges answered and that have a reference; answers about one text
    are resampled together. None with one judge, or too few such answers.
    """
    best: dict[str, RunSummary] = {}
    for scores in score_sets(workbench, project_id, result.dimension.id):
        if _kind(scores.run, scores.version) == _kind(result.run, result.version):
            best[scores.run.judge] = max(best.get(scores.run.judge, scores.run), scores.run, key=RunSummary.rank)
    if len(best) < 2:
        return None
    answers, people, texts = [], None, 0
    for run in best.values():
        other = cached_result(workbench, run.id, result.dimension.id, result.choices)
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
            np.stack(answers), people.ravel(), list(best), group=of_text, resamples=choices.resamples, seed=choices.seed
        )
    except InputError:  # not two answers that all of them gave
        return None
    return JudgePanel(found, tuple(cost_of(workbench, run) for run in best.values()))


def _kind(run: RunSummary, version: int | None) -> tuple[object, ...]:
    """Return everything that runs must share to be compared as judges."""
    return run.evaluator, variant_of(run), version, run.study, run.asking_way


@use_case(Right.READ)
def writers(workbench: Workbench, project_id: int) -> tuple[list[str], tuple[str, ...]]:
    """Return the project's systems by name, and those of them that are people."""
    with workbench.database.read() as work:
        people = work.projects.human_systems(project_id)
        return work.texts.systems(project_id), people


@use_case(Right.FACILITATE, act="marked which systems are people")
def mark_people(workbench: Workbench, project_id: int, systems: Collection[str]) -> None:
    """Store which systems are people; all others are LLMs. Raises InputError for an unknown system."""
    with workbench.database.write() as work:
        known = work.texts.systems(project_id)
        unknown = sorted(set(systems) - set(known))
        if unknown:
            raise InputError(f"No text is by “{unknown[0]}”.", f"The systems are: {', '.join(known) or 'none'}.")
        work.projects.set_human_systems(project_id, [system for system in known if system in systems])


@use_case(Right.READ)
def bias_of(
    workbench: Workbench, run_id: int, dimension_id: int, choices: Choices = USUAL, by: By | None = None
) -> WriterBias:
    """Return a judge's bias for texts by people or LLMs, over texts that count by these choices and name their writer.
    It is measured by people's ratings of both texts of a pair, or by their preferences; by default preferences only if
    no pair is rated.

    Of the choices, partial texts, resamples and seed are used. Raises NotReadyError if nobody said which systems are
    people, or no source has texts of both.
    """
    with workbench.database.read() as work:
        people = set(work.projects.human_systems(work.runs.project_of(run_id)))
        rows = [
            row
            for row in work.results.scored(run_id, dimension_id)
            if row.counts(choices.include_partial) and row.system_id
        ]
        compared = work.preferences.of(dimension_id)
    if not people:
        raise NotReadyError(
            "Nobody said yet which systems are people.", "Mark them (--people NAME); everything else is then an LLM."
        )
    rated = [(row.score, row.human, row.doc_id, row.system_id in people) for row in rows if row.human is not None]
    scores, ratings, sources, by_person = zip(*rated, strict=True) if rated else ((), (), (), ())
    found = writer_bias(scores, ratings, sources, by_person, choices.resamples, choices.seed)
    if by == "preferences" or (by is None and not found.pairs and compared):
        found = _bias_by_preferences(compared, {row.text: row.score for row in rows}, people, choices)
    if not found.pairs:
        raise NotReadyError(
            "No source has rated texts of both a person and an LLM, and no such pair was compared.",
            "Check which systems are marked as people, and by what is asked: ratings or preferences.",
        )
    return found


def _bias_by_preferences(
    compared: Sequence[PreferencePair], scores: Mapping[int, float | None], people: Collection[str], choices: Choices
) -> WriterBias:
    """Return the bias by preferences. Pairs of two people or of two LLMs are left out."""
    pairs, unscored = list[WritersPair](), 0
    for one in compared:
        if (one.a.system_id in people) == (one.b.system_id in people):
            continue
        first = one.a.system_id in people
        person, llm = (scores.get(text.id) for text in ((one.a, one.b) if first else (one.b, one.a)))
        if person is None or llm is None:
            unscored += 1
            continue
        told: Preference = (
            "alike" if one.winner is Winner.TIE else "person" if (one.winner is Winner.A) is first else "llm"
        )
        pairs.append(WritersPair(one.a.doc_id, person, llm, told))
    return bias_of_pairs(pairs, unscored, "preferences", choices.resamples, choices.seed)
