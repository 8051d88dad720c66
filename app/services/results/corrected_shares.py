"""Shares of yes corrected by experts' answers, and forecasts for more answers."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.domain.checklist import Question
from app.domain.checklist_score import Answer, checklist_score
from app.domain.expert_answer import WaveRequest
from app.domain.roles_and_rights import Right
from app.meta_evaluation.judges.alternative_annotator_test import AltTest, alt_test
from app.meta_evaluation.judges.estimate import (
    MORE,
    CorrectedEstimate,
    answers_before_any,
    estimate,
    estimate_forecast,
    half_width,
)
from app.meta_evaluation.score_matrix import Floats
from app.services.checklists.answer_draws import AnswerPlan, plan_answers
from app.services.results.question_analysis import ExpertSide, expert_side
from app.services.results.results import Choices, DimensionResult, cached_result, default_runs
from app.services.runtime.workbench import Workbench, use_case


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
