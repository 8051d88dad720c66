"""Rates of failure, question by question and for the whole text, corrected by experts' answers."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from app.domain.checklist import Question
from app.domain.roles_and_rights import Right
from app.meta_evaluation.judges.estimate import CorrectedEstimate, estimate, judge_alone
from app.meta_evaluation.judges.powered_estimates import EstimatedFigure, wilson
from app.meta_evaluation.raters.rater_agreement import Agreement, cohen_kappa, fleiss_kappa
from app.meta_evaluation.score_matrix import Bools, Floats
from app.services.results.corrected_shares import corrected_shares
from app.services.results.question_analysis import expert_side
from app.services.results.raters import ratings_of
from app.services.results.result_texts import question_shares
from app.services.results.results import Choices, DimensionResult
from app.services.runtime.workbench import Workbench, use_case

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
