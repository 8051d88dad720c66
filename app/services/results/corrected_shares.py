"""A judge's shares of yes and its mean score, corrected by the experts who answered some of the same texts."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.domain.checklist import Question
from app.domain.judgment import Answer, checklist_score
from app.domain.people import Right
from app.meta_evaluation.judges.alt_test import AltTest, alt_test
from app.meta_evaluation.judges.estimate import MORE, CorrectedEstimate, estimate
from app.meta_evaluation.judges.figures import EstimatedFigure
from app.meta_evaluation.judges.words import estimate_cautions, estimate_forecast, estimate_verdict
from app.meta_evaluation.score_matrix import Floats
from app.services.results.expert_side import ExpertSide, expert_side
from app.services.results.results import DimensionResult
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench

__all__ = [
    "AltTest",
    "CorrectedEstimate",
    "CorrectedShare",
    "CorrectedShares",
    "EstimatedFigure",
    "corrected_shares",
    "estimate_cautions",
    "estimate_forecast",
    "estimate_verdict",
]


@dataclass(frozen=True, slots=True)
class CorrectedShare:
    """None, with the reason, where too few texts have both answers; `stand_in` needs two experts."""

    question: Question
    estimate: CorrectedEstimate | None
    reason: str
    stand_in: AltTest | None


@dataclass(frozen=True, slots=True)
class CorrectedShares:
    """`score` is the mean score over all texts, `reason` why there is none; `stand_in` needs two experts. `decided` of
    the texts rest on a decision for at least one question."""

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
    """What was decided, else what most experts say, is the truth; texts on which they are split, or nobody answered,
    have none. Whether the judge may stand in for an expert rests on the experts' own answers.

    None where the run asked no questions or no expert has answered them. The forecasts are for `more` answers.
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
    """(texts,): the score of what was decided, else most experts say, by the checklist's own formula, where every
    question has that; NaN where none of them applies."""
    people, outside = side.reference, side.outside
    low, high = result.dimension.low, result.dimension.high
    found = np.full(len(side.texts), np.nan)
    for place in np.flatnonzero((~np.isnan(people) | outside).all(axis=1)):
        answers = [
            Answer.NOT_APPLICABLE if not_here else Answer.YES if said else Answer.NO
            for said, not_here in zip(people[place], outside[place], strict=True)
        ]
        value = checklist_score(answers, low, high).value
        found[place] = np.nan if value is None else value
    return found
