"""Experts and judge on the same questions about the same texts: who disagrees with whom."""

from dataclasses import dataclass

from app.domain.checklist import Question
from app.domain.expert_answer import CarriedAnswers
from app.domain.people import Right
from app.meta_evaluation.questions.question_agreement import (
    FEWEST_TEXTS,
    ApplicabilityAgreement,
    QuestionAgreement,
    applicability_agreement,
    question_agreement,
)
from app.services.results.expert_side import ExpertSide, expert_side
from app.services.results.results import DimensionResult
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench

__all__ = ["FEWEST_TEXTS", "ApplicabilityAgreement", "AskedOfExperts", "QuestionAgreement", "asked_of_experts"]


@dataclass(frozen=True, slots=True)
class AskedOfExperts:
    """Agreement per question over the `texts` drawn for the experts; `judged` of them the run has answered too.
    `applicability`: of the questions that may not apply, on whether they do. `decided` of the texts rest on a decision
    for at least one question."""

    checklist: int
    experts: tuple[str, ...]
    texts: int
    judged: int
    questions: tuple[tuple[Question, QuestionAgreement], ...]
    applicability: tuple[tuple[Question, ApplicabilityAgreement], ...] = ()
    decided: int = 0
    carried: CarriedAnswers | None = None


@use_case(Right.READ)
def asked_of_experts(workbench: Workbench, result: DimensionResult) -> AskedOfExperts | None:
    """None where the run asked no questions, or no expert has answered the version it asked."""
    side = expert_side(workbench, result)
    if side is None:
        return None
    agreement = question_agreement(
        side.people[:, side.drawn],
        side.judge[side.drawn],
        side.people_inapplicable[:, side.drawn],
        side.held[side.drawn],
        resamples=result.choices.resamples,
        seed=result.choices.seed,
    )
    return AskedOfExperts(
        side.checklist.id,
        side.experts,
        int(side.drawn.sum()),
        int((side.judged & side.drawn).sum()),
        tuple(zip(side.checklist.asked, agreement, strict=True)),
        tuple(
            (question, _applicability(side, place, result))
            for place, question in enumerate(side.checklist.asked)
            if question.may_not_apply
        ),
        side.decided_texts,
        side.carried,
    )


def _applicability(side: ExpertSide, place: int, result: DimensionResult) -> ApplicabilityAgreement:
    return applicability_agreement(
        side.people_inapplicable[:, side.drawn, place],
        side.judge_inapplicable[side.drawn, place],
        place,
        side.held[side.drawn, place],
        resamples=result.choices.resamples,
        seed=result.choices.seed,
    )
