"""The X-ray of a rubric: how each failure mode is found."""

import numpy as np
from scipy.stats import rankdata

from app.meta_evaluation.agreement_verdict import decimals
from app.meta_evaluation.captions import counted_of
from app.meta_evaluation.questions.failure_modes.rubric_evidence import (
    AGAINST,
    ALWAYS,
    DIFFERS,
    DISAGREES,
    ENOUGH_FOR_PAIRS,
    ENOUGH_OF_A_KIND,
    ENOUGH_TEXTS,
    FEWEST_OTHERS,
    FOLLOWS_LENGTH,
    FOLLOWS_LENGTH_BEYOND_RATINGS,
    MISSES,
    NEVER,
    NOTHING,
    REPEATS,
    UNANSWERED,
    FigureWithInterval,
    Limit,
    Mode,
    ModeFinding,
    RubricEvidence,
    differing_pairs,
    of_correlations,
    of_shares,
)
from app.meta_evaluation.questions.question_agreement import ENOUGH
from app.meta_evaluation.raters.rater_agreement import krippendorff_alpha
from app.meta_evaluation.score_matrix import Floats

JUDGE, PEOPLE, LENGTH = range(3)


def rewards_length(found: RubricEvidence, place: int) -> ModeFinding | None:
    """Hackable: the judge prefers longer (or shorter) texts more than people do on the same texts."""
    judge, experts = found.answers[:, place], found.experts_say[:, place]
    by_experts = int((~np.isnan(judge) & ~np.isnan(experts)).sum()) >= ENOUGH_TEXTS
    people = experts if by_experts else found.ratings_for(place)
    limit = FOLLOWS_LENGTH if by_experts else FOLLOWS_LENGTH_BEYOND_RATINGS
    columns = np.stack([judge, people, _ranks(found.words)])
    for sign, badge, longer in ((1, "rewards length", "longer"), (-1, "rewards brevity", "shorter")):

        def with_length(r: Floats, sign: int = sign) -> Floats:
            return sign * r[:, JUDGE, LENGTH]

        def beyond_people(r: Floats, sign: int = sign) -> Floats:
            return sign * (r[:, JUDGE, LENGTH] - r[:, PEOPLE, LENGTH])

        # The judge's own correlation has to be beyond doubt too: else people's alone would make the difference.
        alone = of_correlations(found, columns, limit, ENOUGH_TEXTS, with_length)
        more = alone and of_correlations(found, columns, limit, ENOUGH_TEXTS, beyond_people)
        if alone and more:
            return _length(place, badge, longer, alone, more, "experts' answers" if by_experts else "ratings", limit)
    return None


def repeats_another(found: RubricEvidence, place: int) -> ModeFinding | None:
    """Redundant: the answers correlate with an earlier question's, also after taking out what the other questions tell.

    Only the strongest correlation counts. The badge is on the later question, so that the earlier one stays.
    """
    if found.questions < FEWEST_OTHERS + 2:
        return None
    twins = []
    for earlier in range(place):
        columns = np.stack([found.answers[:, earlier], found.answers[:, place], found.rest_without(earlier, place)])
        again = of_correlations(found, columns, REPEATS, ENOUGH_FOR_PAIRS, _residual)
        if again is not None:
            twins.append((again, earlier))
    if not twins:
        return None
    again, other = max(twins, key=lambda twin: twin[0].value)
    return ModeFinding.of(
        "redundant",
        place,
        f"repeats question {other + 1}",
        again,
        REPEATS,
        evidence=(
            f"It is answered as question {other + 1} is: after taking out what the other questions tell, the answers "
            f"still correlate at {again.as_figure}, on {again.n:,} texts."
        ),
        advice="Keep one of the two, or make the difference clear: what both ask counts twice in the score.",
        measure="partial correlation, given the sum of the other questions",
        other=other,
    )


def low_discrimination(found: RubricEvidence, place: int) -> ModeFinding | None:
    """Low signal: nearly always the same answer, or answers that correlate with nothing else."""
    return _nearly_always(found, place) or _goes_with_nothing(found, place)


def _nearly_always(found: RubricEvidence, place: int) -> ModeFinding | None:
    answers = found.answers[:, place]
    answered = (~np.isnan(answers)).astype(np.float64)
    for limit, said in ((ALWAYS, "yes"), (NEVER, "no")):
        yes = of_shares(found, np.nan_to_num(answers), answered, limit, ENOUGH_TEXTS)
        if yes is not None:
            return ModeFinding.of(
                "low signal",
                place,
                "says little",
                yes,
                limit,
                evidence=f"Nearly always {said}: the judge says yes to {yes.as_share} of {yes.n:,} texts.",
                advice="Keep it only if texts to come may be answered otherwise; else ask for more, or leave it out.",
                measure="share of yes",
            )
    return None


def _goes_with_nothing(found: RubricEvidence, place: int) -> ModeFinding | None:
    """Return a finding if answers correlate neither with the other questions nor with people's ratings."""
    if found.questions <= FEWEST_OTHERS:
        return None
    answers = found.answers[:, place]
    others = -found.rest_without(place) if found.yes_is_bad(place) else found.rest_without(place)
    rest = of_correlations(found, np.stack([answers, others]), NOTHING, ENOUGH_TEXTS, lambda r: r[:, 0, 1])
    if rest is None:
        return None
    ratings = found.ratings_for(place)
    rated = of_correlations(found, np.stack([answers, ratings]), Limit(0.0), ENOUGH_TEXTS, lambda r: r[:, 0, 1])
    if rated is not None:
        return None
    good = "no" if found.yes_is_bad(place) else "yes"
    return ModeFinding.of(
        "low signal",
        place,
        "says little",
        rest,
        NOTHING,
        evidence=(
            f"Its point {'goes with losing' if rest.high < 0 else 'hardly goes with earning'} those of the other "
            f"questions: correlation {rest.as_figure}, on {rest.n:,} texts."
        ),
        advice=f"Look whether it belongs to this dimension, and whether {good} is its good answer.",
        measure="correlation with the other questions",
    )


def _residual(r: Floats) -> Floats:
    """Return the correlation of the first two columns given the third; the plain one if the third is constant."""
    plain, first, second = r[:, 0, 1], np.nan_to_num(r[:, 0, 2]), np.nan_to_num(r[:, 1, 2])
    left = (1 - first**2) * (1 - second**2)
    return np.where(left > 1e-9, (plain - first * second) / np.sqrt(np.maximum(left, 1e-9)), np.nan)


def _ranks(words: Floats) -> Floats:
    """Return ranks of the lengths: they are skewed, and one very long text shouldn't decide."""
    return np.asarray(rankdata(words), dtype=np.float64)


def _length(
    place: int, badge: str, longer: str, alone: FigureWithInterval, more: FigureWithInterval, people: str, limit: Limit
) -> ModeFinding:
    theirs = alone.value - more.value
    return ModeFinding.of(
        "hackable",
        place,
        badge,
        more,
        limit,
        evidence=(
            f"The judge says yes to {longer} texts more than people do: its answers go with being {longer} at "
            f"{decimals(alone.value)}, people's {people} at {decimals(theirs)}, which is {more.as_figure} apart, on "
            f"{more.n:,} texts."
        ),
        advice=(
            f"Compare a {longer} text that got a yes with one that didn't: ask for what has to be there, not for how "
            "much of it."
        ),
        measure=f"correlation with being {longer}, less that of {people}",
    )


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
            f"Look at the texts where experts say {said} and the judge doesn't: reword the question, tell the judge in "
            "its guidance what counts, or show it decided texts as examples."
        ),
        measure="sensitivity" if said == "yes" else "specificity",
    )


def against_ratings(found: RubricEvidence, place: int) -> ModeFinding | None:
    """Misaligned or rigid: texts that earn the question's point are rated lower."""
    columns = np.stack([found.answers[:, place], found.ratings_for(place)])
    good = "no" if found.yes_is_bad(place) else "yes"
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
            f"Texts with a {good} are rated lower by people: correlation {against.as_figure}, on {against.n:,} texts."
        ),
        advice=(
            f"Look whether {good} is the good answer; turn the question round if it isn't, else look at texts with a "
            f"{good} and a low rating."
        ),
        measure="correlation with people's ratings",
    )


def missing_criteria(found: RubricEvidence) -> ModeFinding | None:
    """Return a finding if attributes are behind no question: somebody looks for them and the checklist doesn't."""
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
    """Return (texts,) the answer on which all of at least two experts agree, NaN elsewhere; None if experts differ
    among themselves."""
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


WORDINGS: dict[str, tuple[Mode, str, str]] = {
    "asks-two-things": ("non-atomic", "asks two things", "Split it: one question for each thing."),
    "double-negation": ("subjective", "double negation", "Say it positively, so that everybody reads it alike."),
    "vague-word": ("subjective", "vague word", "Say by what one sees it in a text."),
    "not-in-text": ("ungrounded", "can't be seen in the text", "Ask for what stands in the text and shows it."),
}
"""For the codes of wording checks that show a failure mode: the mode, the badge and the advice."""


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
    beyond_chance = FigureWithInterval(alpha.value, alpha.low, alpha.high, alpha.n)
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
    """Ungrounded: a judge asked exactly the same again about a text answers differently."""
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
    """Return findings from the wording checks alone, without any answer."""
    return [
        ModeFinding(mode, place, badge, f"By its wording alone; no answers were looked at. {said}", advice)
        for code, said in found.hints[place]
        if code in WORDINGS
        for mode, badge, advice in [WORDINGS[code]]
    ]


MEASURED = (
    judge_differs,
    against_ratings,
    experts_differ,
    repeats_differ,
    left_unanswered,
    rewards_length,
    repeats_another,
    low_discrimination,
)


def failure_modes(found: RubricEvidence) -> tuple[ModeFinding, ...]:
    """Return RIFT's eight failure modes (2604.01375) found in a project's answers.

    A question gets a badge only if a whole interval lies beyond its limit (in rubric_evidence.py): no badge may mean a
    good question or too little evidence.
    """
    findings = [missing_criteria(found)]
    for place in range(found.questions):
        findings += [measure(found, place) for measure in MEASURED]
        findings += by_wording(found, place)
    return tuple(sorted((each for each in findings if each is not None), key=lambda each: each.order))
