"""Can the answers be relied on? Subjective, ungrounded, and what wording alone shows (non-atomic, vague)."""

import numpy as np

from app.meta_evaluation.questions.failure_modes.evidence import RubricEvidence
from app.meta_evaluation.questions.failure_modes.finding import Measured, Mode, ModeFinding
from app.meta_evaluation.questions.failure_modes.limits import DIFFERS, DISAGREES, ENOUGH_TEXTS, UNANSWERED
from app.meta_evaluation.questions.failure_modes.measures import differing_pairs, of_shares
from app.meta_evaluation.raters.rater_agreement import krippendorff_alpha

WORDINGS: dict[str, tuple[Mode, str, str]] = {
    "asks-two-things": ("non-atomic", "asks two things", "Split it: one question for each thing."),
    "vague-word": ("subjective", "vague word", "Say by what one sees it in a text."),
    "not-in-text": ("ungrounded", "can't be seen in the text", "Ask for what stands in the text and shows it."),
}
"""Which hints of the check of wording speak of a failure mode: by their code the mode, the badge and what to do."""


def experts_differ(found: RubricEvidence, place: int) -> ModeFinding | None:
    """Subjective: experts who read the same text answer the question differently."""
    answers = found.people[:, :, place]
    apart, pairs = differing_pairs(answers)
    differing = of_shares(found, apart * found.weight, pairs * found.weight, DIFFERS, ENOUGH_TEXTS)
    if differing is None:
        return None
    alpha = krippendorff_alpha(answers, "nominal", group=found.documents, resamples=found.resamples, seed=found.seed)
    if alpha.value is None or alpha.low is None or alpha.high is None or not DISAGREES.passed(alpha.low, alpha.high):
        return None
    beyond_chance = Measured(alpha.value, alpha.low, alpha.high, alpha.n)
    return ModeFinding.of(
        "subjective",
        place,
        "experts differ",
        beyond_chance,
        DISAGREES,
        evidence=(
            f"On {alpha.n:,} texts {differing.as_share} of the pairs of experts' answers differ. Beyond chance they "
            f"agree at {beyond_chance.as_figure}; 1 is perfect, 0 is chance."
        ),
        advice=(
            "Talk about the texts on which they differ, then say in the question what counts as yes. As long as people "
            "differ, no judge can be right."
        ),
        measure="Krippendorff's alpha of the experts",
    )


def repeats_differ(found: RubricEvidence, place: int) -> ModeFinding | None:
    """Ungrounded: the judge, asked the same again about the same text, answers differently."""
    differing = of_shares(found, *differing_pairs(found.judge[:, :, place]), DIFFERS, ENOUGH_TEXTS)
    if differing is None:
        return None
    return ModeFinding.of(
        "ungrounded",
        place,
        "judge changes its mind",
        differing,
        DIFFERS,
        evidence=(
            f"Asked again about the same text, the judge gave another answer in {differing.as_share} of the pairs of "
            f"repeats, on {differing.n:,} texts."
        ),
        advice=(
            "Ask for something that stands in the text and can be pointed at, or tell the judge in its guidance how to "
            "decide."
        ),
        measure="share of pairs of repeats that differ",
    )


def left_unanswered(found: RubricEvidence, place: int) -> ModeFinding | None:
    """Ungrounded: the judge often gives no answer."""
    silent = np.isnan(found.judge[:, :, place]).all(axis=0) & found.judged
    if found.inapplicable is not None:  # which is an answer
        silent &= np.isnan(found.inapplicable[:, :, place]).all(axis=0)
    share = of_shares(found, silent.astype(np.float64), found.judged.astype(np.float64), UNANSWERED, ENOUGH_TEXTS)
    if share is None:
        return None
    return ModeFinding.of(
        "ungrounded",
        place,
        "often unanswered",
        share,
        UNANSWERED,
        evidence=f"The judge left it unanswered for {share.as_share} of {share.n:,} texts.",
        advice=(
            "Ask for something that every text can be looked through for, or allow “does not apply” where it may not."
        ),
        measure="share of texts left unanswered",
    )


def by_wording(found: RubricEvidence, place: int) -> list[ModeFinding]:
    """What the check of wording said; no answer was looked at."""
    return [
        ModeFinding(mode, place, badge, f"By its wording alone; no answers were looked at. {said}", advice)
        for code, said in found.hints[place]
        if code in WORDINGS
        for mode, badge, advice in [WORDINGS[code]]
    ]
