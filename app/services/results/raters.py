"""People's ratings: agreement of raters, shares corrected by experts' answers, and forecasts for more answers."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from itertools import combinations
from typing import Any

import numpy as np

from app.domain.checklist import Question
from app.domain.checklist_score import Answer, checklist_score
from app.domain.expert_answer import WaveRequest
from app.domain.roles_and_rights import Right
from app.errors import NotReadyError
from app.meta_evaluation.bootstrap import RESAMPLES, AgreementDesign
from app.meta_evaluation.evaluation import Figure, evaluate
from app.meta_evaluation.judges.estimate import MORE, CorrectedEstimate, estimate, judge_alone
from app.meta_evaluation.judges.figures import EstimatedFigure, wilson
from app.meta_evaluation.judges.panel import (
    AltTest,
    alt_test,
    alt_test_verdict,
    answers_before_any,
    estimate_cautions,
    estimate_forecast,
    estimate_verdict,
    half_width,
)
from app.meta_evaluation.raters.human_ceiling import Ceiling, HumanSide, Stratum, ceiling_of_raters, human_side
from app.meta_evaluation.raters.rater_agreement import Agreement, cohen_kappa, fleiss_kappa
from app.meta_evaluation.score_map import FEWEST_SOURCES_TO_MAP, FEWEST_TEXTS_TO_MAP, MappedScores, map_scores
from app.meta_evaluation.score_matrix import Bools, Coefficient, Floats, Level
from app.providers.credentials import Credentials
from app.services.checklists.answer_draws import AnswerPlan, plan_answers
from app.services.results.question_analysis import ExpertSide, expert_side
from app.services.results.result_texts import question_shares
from app.services.results.results import Choices, DimensionResult, cached_result, default_runs, result_state
from app.services.runtime.workbench import Workbench, use_case
from db.unit_of_work import Database

__all__ = [
    "AltTest",
    "HumanSide",
    "Stratum",
    "alt_test_verdict",
    "estimate_cautions",
    "estimate_forecast",
    "estimate_verdict",
]


@dataclass(frozen=True, slots=True)
class RatingCorrelation:
    """The correlation of people's mean ratings on two dimensions, over the texts rated on both."""

    first: str
    second: str
    figures: Mapping[Coefficient, Figure]

    def to_json(self) -> dict[str, Any]:
        figures: dict[str, object] = {name: figure.to_json() for name, figure in self.figures.items()}
        return {"first": self.first, "second": self.second, "n": self.figures["spearman"].n, **figures}


@use_case(Right.READ)
def rating_correlations(
    workbench: Workbench, project_id: int, level: Level = "dataset", resamples: int = RESAMPLES
) -> list[RatingCorrelation]:
    """Return the correlation of every two dimensions, highest Spearman first, undefined ones last (GPTScore, Fig.
    7a)."""
    with workbench.database.read() as work:
        rated = {d.name: work.texts.imported_means(d.id) for d in work.projects.dimensions(project_id)}
        places = {place.id: place for place in work.texts.places(project_id)}
    found = []
    for first, second in combinations((name for name, means in rated.items() if means), 2):
        both = [text for text in rated[first] if text in rated[second] and text in places]
        meta = evaluate(
            [rated[first][text] for text in both],
            [rated[second][text] for text in both],
            AgreementDesign(
                group=[places[text].doc_id for text in both],
                system=[places[text].system_id for text in both] if any(places[t].system_id for t in both) else None,
                item=[places[text].item_id for text in both],
                level=level,
                resamples=resamples,
            ),
            on_scale=False,
        )
        found.append(RatingCorrelation(first, second, meta.figures))
    return sorted(found, key=lambda each: -(-2 if (value := each.figures["spearman"].value) is None else value))


@use_case(Right.READ)
def human_side_of(workbench: Workbench, result: DimensionResult) -> HumanSide:
    """Return the human side of a result, over the texts that the run scored, cached until scores or ratings change."""
    state = result_state(workbench, result.run.id, result.dimension.id)
    return _kept(workbench.database, result.run.id, result.dimension.id, result.choices, state)


def ceiling_beside(workbench: Workbench, result: DimensionResult) -> tuple[dict[Coefficient, Ceiling], int]:
    """Return the agreement of one rater and of the judge with the other raters, as in `human_side_of`; and the number
    of raters."""
    state = result_state(workbench, result.run.id, result.dimension.id)
    return _cached_ceiling(workbench.database, result.run.id, result.dimension.id, result.choices, state)


@dataclass(frozen=True, slots=True, eq=False)
class _Rated:
    """The texts that a run scored: raters' names, (raters, texts) ratings, (texts,) scores, NaN where missing."""

    names: list[str]
    ratings: Floats
    judge: Floats
    frame: AgreementDesign


@lru_cache(maxsize=32)
def _kept(
    database: Database, run_id: int, dimension_id: int, choices: Choices, _: tuple[object, ...] | None
) -> HumanSide:
    rated = _rated(database, run_id, dimension_id, choices)
    return human_side(rated.ratings, rated.names, rated.judge, rated.frame)


@lru_cache(maxsize=256)
def _cached_ceiling(
    database: Database, run_id: int, dimension_id: int, choices: Choices, _: tuple[object, ...] | None
) -> tuple[dict[Coefficient, Ceiling], int]:
    rated = _rated(database, run_id, dimension_id, choices)
    return ceiling_of_raters(rated.ratings, rated.judge, rated.frame), len(rated.names)


def _rated(database: Database, run_id: int, dimension_id: int, choices: Choices) -> _Rated:
    workbench = Workbench(database, Credentials())  # what is kept holds nobody's keys
    result = cached_result(workbench, run_id, dimension_id, choices)
    assert result is not None  # the caller has it
    names, ratings = ratings_of(workbench, result)
    judged = {row.text: row.score for row in result.compared}
    return _Rated(
        names,
        ratings,
        np.array([judged.get(row.text, np.nan) for row in result.rows], dtype=np.float64),
        replace(choices, resampling=None).design(result.rows),
    )


def ratings_of(workbench: Workbench, result: DimensionResult) -> tuple[list[str], Floats]:
    """Return the raters' names and their (raters, texts) ratings of the result's texts."""
    place = {row.text: number for number, row in enumerate(result.rows)}
    given: dict[str, Floats] = {}
    with workbench.database.read() as work:
        for text, rater, value in work.texts.each_rating(result.dimension.id):
            if text in place:
                if rater not in given:
                    given[rater] = np.full(len(place), np.nan)
                given[rater][place[text]] = value
    names = sorted(given)
    return names, np.stack([given[name] for name in names]) if names else np.zeros((0, len(place)))


@use_case(Right.READ)
def stand_in_for_rater(workbench: Workbench, result: DimensionResult) -> AltTest | None:
    """Return the test whether the judge is as close to the other raters as a rater is. None with one rater, or scores
    on another scale."""
    names, ratings = ratings_of(workbench, result)
    if len(names) < 2 or not result.on_scale:
        return None
    scores = [row.score if row.counts(result.choices.include_partial) else None for row in result.rows]
    return alt_test(np.array(scores, dtype=np.float64), ratings, names, metric="rmse")


@dataclass(frozen=True, slots=True)
class CorrectedShare:
    """A question's share of yes, corrected by experts' answers. `estimate` is None, with a `reason`, if too few texts
    have both answers; `stand_in` needs two experts."""

    question: Question
    estimate: CorrectedEstimate | None
    reason: str
    stand_in: AltTest | None


@dataclass(frozen=True, slots=True)
class CorrectedShares:
    """All corrected shares. `score` is the mean score over all texts, None with a `reason`; `stand_in` needs two
    experts. `decided` texts have a decision for at least one question."""

    experts: tuple[str, ...]
    score: CorrectedEstimate | None
    reason: str
    questions: tuple[CorrectedShare, ...]
    stand_in: AltTest | None
    decided: int = 0


@use_case(Right.READ)
def corrected_shares(
    workbench: Workbench, result: DimensionResult, more: Sequence[int] = MORE
) -> CorrectedShares | None:
    """Return the shares corrected by experts' answers. The truth is the decided answer, else that of most experts;
    texts without either have none. Whether the judge may replace an expert is tested on the experts' own answers.

    None if the run asked no questions or no expert has answered them. The forecasts are for `more` answers.
    """
    side = expert_side(workbench, result)
    if side is None:
        return None
    people, outside = side.reference, side.outside
    questions = []
    for place, question in enumerate(side.checklist.asked):
        # A text to which it doesn't apply, as was decided or most say, is none that its share of yes is about.
        judge = np.where(outside[:, place], np.nan, side.judge[:, place])
        found, reason = _estimate(side, result, judge, people[:, place], more)
        test = _stand_in(side, side.judge[:, place], side.people[:, :, place])
        questions.append(CorrectedShare(question, found, reason, test))
    scores = {row.text: row.score for row in result.rows if row.counts(result.choices.include_partial)}
    judged = np.array([scores.get(text, np.nan) for text in side.texts], dtype=np.float64)
    score, reason = _estimate(side, result, judged, reference_scores(side, result), more)
    test = _stand_in(side, side.judge.ravel(), side.people.reshape(len(side.experts), -1))
    return CorrectedShares(side.experts, score, reason, tuple(questions), test, side.decided_texts)


def _estimate(
    side: ExpertSide, result: DimensionResult, judge: Floats, people: Floats, more: Sequence[int]
) -> tuple[CorrectedEstimate | None, str]:
    known = ~np.isnan(judge)
    if side.probability is not None:
        people = np.where(np.isnan(side.probability), np.nan, people)
    both = int((~np.isnan(people[known])).sum())
    if both < 2:
        return (
            None,
            f"{both} of {int(known.sum())} texts have an answer of most experts, or a decision; two are the least.",
        )
    documents = [name for name, used in zip(side.documents, known, strict=True) if used]
    several = 1 < len(set(documents)) < len(documents)  # one text each: nothing to draw together
    choices = result.choices
    found = estimate(
        judge[known],
        people[known],
        group=documents if several else None,
        probability=None if side.probability is None else side.probability[known],
        more=more,
        resamples=choices.resamples,
        seed=choices.seed,
    )
    return found, ""


def _stand_in(side: ExpertSide, judge: Floats, people: Floats) -> AltTest | None:
    return alt_test(judge, people, side.experts) if len(side.experts) > 1 else None


def reference_scores(side: ExpertSide, result: DimensionResult) -> Floats:
    """Return (texts,) scores of the reference answers, by the checklist's formula, where every question has one; NaN
    elsewhere, or if none applies."""
    people, outside = side.reference, side.outside
    low, high = result.dimension.low, result.dimension.high
    found = np.full(len(side.texts), np.nan)
    for place in np.flatnonzero((~np.isnan(people) | outside).all(axis=1)):
        answers = [
            Answer.NOT_APPLICABLE if not_here else Answer.YES if said else Answer.NO
            for said, not_here in zip(people[place], outside[place], strict=True)
        ]
        value = checklist_score(answers, low, high, side.checklist.asked).value
        found[place] = np.nan if value is None else value
    return found


PASSES = 0.5
"""Least score of a good text on a binary dimension: at least half of the answers are yes."""


@dataclass(frozen=True, slots=True)
class FailureRate:
    """The rate at which a question fails (share of no, or of yes where that is bad), or a text is not good, with its 95
    % interval; None with a `reason`.

    rests_on: "corrected", the judge's answers on `of` texts and experts' on `answered` of them; "human_only", if the
    judge's answers make it no more precise; "judge_only" if too few experts' answers exist for a correction.
    """

    question: Question | None
    figure: EstimatedFigure
    rests_on: str
    answered: int
    of: int
    reason: str = ""


@dataclass(frozen=True, slots=True)
class VerdictAgreement:
    """The judge's verdicts (good for a score of PASSES or more) compared with experts' majority, on `texts` texts.
    finds_not_good: the share of texts not good to experts that the judge finds not good; finds_good: the same for good
    ones. experts: their agreement, None for a single one."""

    texts: int
    kappa: Agreement
    finds_not_good: EstimatedFigure
    finds_good: EstimatedFigure
    experts: Agreement | None


@dataclass(frozen=True, slots=True)
class FailureRates:
    """The failure rates on a binary dimension; `whole` is for texts, `questions` for each question."""

    whole: FailureRate
    agreement: VerdictAgreement | None
    questions: tuple[FailureRate, ...]

    def to_json(self) -> dict[str, Any]:
        """Return rates as shares with the ends of their intervals; null where unknown."""

        def rate(each: FailureRate) -> dict[str, Any]:
            counts = {"rests_on": each.rests_on, "n_human": each.answered, "n": each.of, "reason": each.reason}
            return {**asdict(each.figure), **counts}

        beside = self.agreement
        return {
            "not_good": rate(self.whole),
            "agreement": beside
            and {
                "n": beside.texts,
                "kappa": {"value": beside.kappa.value, "low": beside.kappa.low, "high": beside.kappa.high},
                "finds_not_good": asdict(beside.finds_not_good),
                "finds_good": asdict(beside.finds_good),
                "experts_kappa": beside.experts and beside.experts.value,
            },
            "questions": [{"question": one.question.text, **rate(one)} for one in self.questions if one.question],
        }


@use_case(Right.READ)
def failure_rates(workbench: Workbench, result: DimensionResult) -> FailureRates | None:
    """Return the failure rates; None if the dimension isn't binary, or the run asked no questions."""
    shares = question_shares(workbench, result.run.id, result.dimension.id)
    if not (result.dimension.binary and shares):
        return None
    corrected = corrected_shares(workbench, result)
    estimates = {share.question.id: share for share in corrected.questions} if corrected else {}
    questions = []
    for share in shares:
        given = estimates.get(share.question.id)
        if given is not None and given.estimate is not None:
            questions.append(_failures(share.question, given.estimate))
        else:
            answers = np.repeat([1.0, 0.0], [share.yes, share.no])
            alone = judge_alone(answers) if answers.size else EstimatedFigure(None)
            figure = alone if share.question.must_not or not answers.size else _share_of_no(alone)
            reason = given.reason if given else "No expert has answered this question."
            questions.append(FailureRate(share.question, figure, "judge_only", 0, answers.size, reason))
    return FailureRates(*_not_good(workbench, result), tuple(questions))


def _not_good(workbench: Workbench, result: DimensionResult) -> tuple[FailureRate, VerdictAgreement | None]:
    """Return the rate of texts that are not good, by verdicts on the scored texts, which exclude samples."""
    names, ratings = ratings_of(workbench, result)
    counted = [row.score if row.counts(result.choices.include_partial) else None for row in result.rows]
    scores = np.array(counted, dtype=np.float64)
    rated = ~np.isnan(ratings)
    people = np.full(len(scores), np.nan)
    people[rated.any(axis=0)] = np.nanmean(ratings[:, rated.any(axis=0)], axis=0) if names else np.nan
    known = ~np.isnan(scores)
    answered = int((~np.isnan(people[known])).sum())
    if answered < 2:
        reason = f"Experts said good or not good of {answered} texts that were scored; two are the least."
        return FailureRate(None, EstimatedFigure(None), "human_only", answered, int(known.sum()), reason), None
    side = expert_side(workbench, result)
    chances = None
    if side is not None and side.probability is not None:
        drawn = dict(zip(side.texts, side.probability, strict=True))
        chances = np.array([drawn.get(row.text, np.nan) for row in result.rows])[known]
    documents = [row.doc_id for row, used in zip(result.rows, known, strict=True) if used]
    several = 1 < len(set(documents)) < len(documents)  # one text each: nothing to draw together
    found = estimate(
        scores[known],
        people[known] if chances is None else np.where(np.isnan(chances), np.nan, people[known]),
        group=documents if several else None,
        probability=chances,
        resamples=result.choices.resamples,
        seed=result.choices.seed,
    )
    return _failures(None, found), _verdict_agreement(ratings, people, scores, result.choices)


def _verdict_agreement(ratings: Floats, people: Floats, scores: Floats, choices: Choices) -> VerdictAgreement:
    majority = np.where(np.isnan(people) | (people == PASSES), np.nan, (people > PASSES).astype(np.float64))
    judge = np.where(np.isnan(scores), np.nan, (scores >= PASSES).astype(np.float64))
    raters = ratings[(~np.isnan(ratings)).any(axis=1)]
    experts = None
    if len(raters) == 2:
        experts = cohen_kappa(*raters, resamples=choices.resamples, seed=choices.seed)
    elif len(raters) > 2:
        experts = fleiss_kappa(raters)
    return VerdictAgreement(
        int((~np.isnan(majority) & ~np.isnan(judge)).sum()),
        cohen_kappa(majority, judge, resamples=choices.resamples, seed=choices.seed),
        _rate(judge[majority == 0] == 0, ~np.isnan(judge[majority == 0])),
        _rate(judge[majority == 1] == 1, ~np.isnan(judge[majority == 1])),
        experts,
    )


def _rate(right: Bools, known: Bools) -> EstimatedFigure:
    count, rows = int((right & known).sum()), int(known.sum())
    return EstimatedFigure(count / rows, *wilson(count, rows)) if rows else EstimatedFigure(None)


def _failures(question: Question | None, found: CorrectedEstimate) -> FailureRate:
    share = getattr(found, found.advised)
    figure = share if question and question.must_not else _share_of_no(share)
    return FailureRate(question, figure, found.advised, found.n_human, found.n)


def _share_of_no(yes: EstimatedFigure) -> EstimatedFigure:
    """Return 1 minus the share of yes, limited to 0 to 1 because a corrected estimate may overshoot."""
    ends = (None if end is None else min(1.0, max(0.0, 1 - end)) for end in (yes.value, yes.high, yes.low))
    return EstimatedFigure(*ends)


@dataclass(frozen=True, slots=True)
class AnswerForecasts:
    """Forecasts for a number of answers. `score` is the mean score, `widest` the question with the widest interval and
    `question` its number from 1; None if too few texts have both answers. `said` holds sentences."""

    answers: int
    score: CorrectedEstimate | None
    widest: CorrectedEstimate | None
    question: int
    said: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PlannedAnswers:
    plan: AnswerPlan
    forecast: AnswerForecasts


@use_case(Right.FACILITATE)
def planned_answers(workbench: Workbench, checklist_id: int, wished: WaveRequest) -> PlannedAnswers:
    """Return the next wave and its effect, by the run with most texts of this version. Raises as `plan_answers`."""
    plan = plan_answers(workbench, checklist_id, wished)
    result = _default_result(workbench, checklist_id)
    shares = corrected_shares(workbench, result, (wished.texts,)) if result else None
    if result is None or shares is None:
        before = (answers_before_any(wished.texts), *_unscored(result, plan))
        return PlannedAnswers(plan, AnswerForecasts(0, None, None, 0, before))
    by_width = [
        (one.estimate.corrected.width or 0.0, number, one.estimate)
        for number, one in enumerate(shares.questions, start=1)
        if one.estimate
    ]
    _, question, widest = max(by_width, key=lambda one: one[0], default=(0.0, 0, None))
    answers = max((found.n_human for *_, found in by_width), default=0)
    said = []
    for name, found in (("the mean score", shares.score), (f"question {question}, the widest,", widest)):
        if found and (now := half_width(found)):
            said.append(f"Now {name} is known to plus or minus {now}. {estimate_forecast(found)}".strip())
    if not said:
        said.append(answers_before_any(wished.texts))
    elif len(plan.texts) >= plan.left:
        said.append("With these experts have every text that can be drawn: then only new texts need the judge.")
    said.extend(_unscored(result, plan))
    return PlannedAnswers(plan, AnswerForecasts(answers, shares.score, widest, question, tuple(said)))


def _unscored(result: DimensionResult | None, plan: AnswerPlan) -> list[str]:
    """Return a sentence if the judge hasn't scored all planned texts, since other answers correct nothing."""
    scored = {row.text for row in result.rows if row.counts()} if result else set()
    has = sum(one.id in scored for one in plan.texts)
    if result is None or has == len(plan.texts):
        return []
    return [f"The judge has scored {has} of these {len(plan.texts)} texts; only those correct it. Score the rest too."]


def _default_result(workbench: Workbench, checklist_id: int) -> DimensionResult | None:
    with workbench.database.read() as work:
        dimension_id = work.checklists.dimension_of(checklist_id)
        runs = [work.runs.get(run) for run in sorted(work.runs.with_checklist(checklist_id), reverse=True)]
        name = work.projects.dimension_by_id(dimension_id).name
    found = max(default_runs(runs, name), key=lambda run: run.rank(name), default=None)
    return cached_result(workbench, found.id, dimension_id, Choices("dataset")) if found is not None else None


TOO_LITTLE_RATED = f"Too little is rated: {FEWEST_TEXTS_TO_MAP} texts of {FEWEST_SOURCES_TO_MAP} sources are needed."


@dataclass(frozen=True, slots=True, eq=False)
class RatingScaleScores:
    """Scores mapped to people's scale. `scores`: text -> mapped score; for a rated text by a map fitted without its
    source."""

    found: MappedScores
    scores: Mapping[int, float]

    @property
    def sentence(self) -> str:
        """Return what the map changes, and whether it is offered."""
        mapped, better = self.found, self.found.improvement
        ends = (
            f"{better.low:.3f} to {better.high:.3f}" if better.low is not None and better.high is not None else "none"
        )
        how = "Isotonic regression" if mapped.map.kind == "isotonic" else "A line"
        said = (
            f"Mean absolute error {mapped.raw:.3f}, on people's scale {mapped.mapped:.3f}: improvement "
            f"{better.value:.3f}, 95 % interval {ends}. {how}, cross-fitted by source: {mapped.n:,} texts of "
            f"{mapped.sources:,} sources in {mapped.folds} parts."
        )
        return said if mapped.offered else f"{said} It isn't offered: the interval doesn't lie above 0."


@use_case(Right.READ)
def scores_on_rating_scale(workbench: Workbench, result: DimensionResult) -> RatingScaleScores | None:
    """Return the result's scores mapped to people's scale; None if they are on another scale, or too few texts are
    rated."""
    del workbench  # the result holds all that is needed
    rows, dimension, choices = result.compared, result.dimension, result.choices
    if not result.on_scale or result.locked:
        return None
    scores, human = (np.array([getattr(row, name) for row in rows], dtype=np.float64) for name in ("score", "human"))
    try:
        found = map_scores(
            scores,
            human,
            [row.doc_id or f"text {row.text}" for row in rows],
            dimension.low,
            dimension.high,
            resamples=choices.resamples,
            seed=choices.seed,
        )
    except NotReadyError:
        return None
    others = [row for row in result.rows if row.score is not None]
    unseen = found.map.of(np.array([row.score for row in others], dtype=np.float64)).tolist()
    mapped = dict(zip((row.text for row in others), unseen, strict=True))
    return RatingScaleScores(
        found, mapped | dict(zip((row.text for row in rows), found.held_out.tolist(), strict=True))
    )
