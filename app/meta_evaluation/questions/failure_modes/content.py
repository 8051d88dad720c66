"""Do the answers mean what people mean? Misaligned or rigid questions, and criteria that no question asks for."""

import numpy as np

from app.meta_evaluation.captions import counted_of
from app.meta_evaluation.questions.failure_modes.evidence import RubricEvidence
from app.meta_evaluation.questions.failure_modes.finding import ModeFinding
from app.meta_evaluation.questions.failure_modes.limits import (
    AGAINST,
    DIFFERS,
    ENOUGH_OF_A_KIND,
    ENOUGH_TEXTS,
    MISSES,
)
from app.meta_evaluation.questions.failure_modes.measures import differing_pairs, of_correlations, of_shares
from app.meta_evaluation.questions.question_agreement import ENOUGH
from app.meta_evaluation.raters.rater_agreement import krippendorff_alpha
from app.meta_evaluation.score_matrix import Floats


def judge_differs(found: RubricEvidence, place: int) -> ModeFinding | None:
    """Misaligned or rigid: experts agree among themselves, and the judge answers otherwise."""
    agreed = _agreed(found.people[:, :, place])
    if agreed is None:
        return None
    if found.decided is not None:  # what was decided against all of them is nothing that the judge should say
        held = found.decided[:, place]
        agreed = np.where(np.isnan(held) | (held == agreed), agreed, np.nan)
    judge = found.answers[:, place]
    missed = []
    for answer, said in ((1.0, "yes"), (0.0, "no")):
        meant = np.where((agreed == answer) & ~np.isnan(judge), found.weight, 0.0)
        right = of_shares(found, np.where(judge == answer, meant, 0.0), meant, MISSES, ENOUGH_OF_A_KIND)
        if right is not None:
            missed.append((right, said))
    if not missed:
        return None
    right, said = min(missed, key=lambda each: each[0].value)
    return ModeFinding.of(
        "misaligned or rigid",
        place,
        "judge reads it otherwise",
        right,
        MISSES,
        evidence=f"On {right.n:,} texts all experts say {said}; the judge says so on {right.as_share} of them.",
        advice=(
            f"Look at the texts where experts say {said} and the judge doesn't: reword the question, or tell the judge "
            "in its guidance what counts."
        ),
        measure="sensitivity" if said == "yes" else "specificity",
    )


def against_ratings(found: RubricEvidence, place: int) -> ModeFinding | None:
    """Misaligned or rigid: texts with a yes are rated lower."""
    columns = np.stack([found.answers[:, place], found.ratings])
    against = of_correlations(found, columns, AGAINST, ENOUGH_TEXTS, lambda r: r[:, 0, 1])
    if against is None:
        return None
    return ModeFinding.of(
        "misaligned or rigid",
        place,
        "goes against ratings",
        against,
        AGAINST,
        evidence=(
            f"Texts with a yes are rated lower by people: correlation {against.as_figure}, on {against.n:,} texts."
        ),
        advice=(
            "Look whether yes is the good answer; turn the question round if it isn't, else look at texts with a yes "
            "and a low rating."
        ),
        measure="correlation with people's ratings",
    )


def missing_criteria(found: RubricEvidence) -> ModeFinding | None:
    """Attributes behind no question: what somebody looks for and the checklist doesn't."""
    if not found.unserved:
        return None
    served = counted_of(found.unserved, "attribute")
    return ModeFinding(
        "missing criteria",
        None,
        f"{served} no question serves",
        f"Of {counted_of(found.attributes, 'attribute')} in use {found.unserved:,} "
        f"{'is' if found.unserved == 1 else 'are'} behind no question.",
        "Read them: put each that matters under a question or add one; the others may stay out.",
        "attributes behind no question",
        float(found.unserved),
        n=found.attributes,
    )


def _agreed(answers: Floats) -> Floats | None:
    """(texts,): what all of at least two experts say, NaN elsewhere; None where experts differ among themselves."""
    differing, pairs = differing_pairs(answers)
    if pairs.sum() < ENOUGH_OF_A_KIND:
        return None
    alpha = krippendorff_alpha(answers, "nominal").value
    apart = differing.sum() / pairs.sum()
    if DIFFERS.beyond(float(apart)) and (alpha is None or alpha < ENOUGH):
        return None
    alike = (pairs > 0) & (differing == 0)
    first = np.where(np.isnan(answers), -1.0, answers).max(axis=0)
    return np.where(alike, first, np.nan)
