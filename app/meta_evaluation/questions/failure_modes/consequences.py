"""What do the answers do to the score? Hackable, redundant, and low-signal questions."""

import numpy as np
from scipy.stats import rankdata

from app.meta_evaluation.questions.failure_modes.evidence import RubricEvidence
from app.meta_evaluation.questions.failure_modes.finding import Measured, ModeFinding
from app.meta_evaluation.questions.failure_modes.limits import (
    ALWAYS,
    ENOUGH_FOR_PAIRS,
    ENOUGH_TEXTS,
    FEWEST_OTHERS,
    FOLLOWS_LENGTH,
    FOLLOWS_LENGTH_BEYOND_RATINGS,
    NEVER,
    NOTHING,
    REPEATS,
    Limit,
)
from app.meta_evaluation.questions.failure_modes.measures import of_correlations, of_shares
from app.meta_evaluation.score_matrix import Floats
from app.meta_evaluation.verdict_words import decimals

JUDGE, PEOPLE, LENGTH = range(3)


def rewards_length(found: RubricEvidence, place: int) -> ModeFinding | None:
    """Hackable: the judge says yes to longer texts (or shorter ones) beyond what people do on the same texts."""
    judge, experts = found.answers[:, place], found.experts_say[:, place]
    by_experts = int((~np.isnan(judge) & ~np.isnan(experts)).sum()) >= ENOUGH_TEXTS
    people = experts if by_experts else found.ratings
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
    """Redundant: it is answered as an earlier question is, also once what all the others tell is taken out.

    The strongest of the earlier ones; the badge stands at the later question alone, so that the first one stays.
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


def says_little(found: RubricEvidence, place: int) -> ModeFinding | None:
    """Low signal: nearly always the same answer, or answers that go with nothing else."""
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
    """Unless the question goes with people's ratings, which is better than going with the other questions."""
    if found.questions <= FEWEST_OTHERS:
        return None
    answers = found.answers[:, place]
    rest = of_correlations(
        found, np.stack([answers, found.rest_without(place)]), NOTHING, ENOUGH_TEXTS, lambda r: r[:, 0, 1]
    )
    if rest is None:
        return None
    rated = of_correlations(found, np.stack([answers, found.ratings]), Limit(0.0), ENOUGH_TEXTS, lambda r: r[:, 0, 1])
    if rated is not None:
        return None
    return ModeFinding.of(
        "low signal",
        place,
        "says little",
        rest,
        NOTHING,
        evidence=(
            f"A yes {'goes with a no' if rest.high < 0 else 'hardly goes with a yes'} to the other questions: "
            f"correlation {rest.as_figure}, on {rest.n:,} texts."
        ),
        advice="Look whether it belongs to this dimension, and whether yes is its good answer.",
        measure="correlation with the other questions",
    )


def _residual(r: Floats) -> Floats:
    """Correlation of the first two given the third; the plain one where the third never varies."""
    plain, first, second = r[:, 0, 1], np.nan_to_num(r[:, 0, 2]), np.nan_to_num(r[:, 1, 2])
    left = (1 - first**2) * (1 - second**2)
    return np.where(left > 1e-9, (plain - first * second) / np.sqrt(np.maximum(left, 1e-9)), np.nan)


def _ranks(words: Floats) -> Floats:
    """Lengths are skewed: one very long text shouldn't decide."""
    return np.asarray(rankdata(words), dtype=np.float64)


def _length(
    place: int, badge: str, longer: str, alone: Measured, more: Measured, people: str, limit: Limit
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
