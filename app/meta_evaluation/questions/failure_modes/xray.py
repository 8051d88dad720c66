"""Every finding that the evidence at hand shows beyond doubt enough, the most urgent first."""

from app.meta_evaluation.questions.failure_modes.consequences import repeats_another, rewards_length, says_little
from app.meta_evaluation.questions.failure_modes.content import against_ratings, judge_differs, missing_criteria
from app.meta_evaluation.questions.failure_modes.evidence import RubricEvidence
from app.meta_evaluation.questions.failure_modes.finding import ModeFinding
from app.meta_evaluation.questions.failure_modes.reliability import (
    by_wording,
    experts_differ,
    left_unanswered,
    repeats_differ,
)

MEASURED = (
    judge_differs,
    against_ratings,
    experts_differ,
    repeats_differ,
    left_unanswered,
    rewards_length,
    repeats_another,
    says_little,
)


def failure_modes(found: RubricEvidence) -> tuple[ModeFinding, ...]:
    """RIFT's eight failure modes (2604.01375) by a project's own answers.

    A question gets a badge only where a whole interval lies beyond its limit (limits.py), so that none is a sign of
    too little evidence as well as of a good question.
    """
    findings = [missing_criteria(found)]
    for place in range(found.questions):
        findings += [measure(found, place) for measure in MEASURED]
        findings += by_wording(found, place)
    return tuple(sorted((each for each in findings if each is not None), key=lambda each: each.order))
