"""Which texts people should answer: the chance of each text, and draws with exactly these chances.

Texts on which the judge is less sure get more of the chances (active inference: Zrnic and Candes 2024, arXiv
2403.03208), mixed with equal ones so that every text can be drawn. An estimate that weighs each answer by one over the
text's probability then stays unbiased, whatever the uncertainty was worth.

Further waves are drawn from the texts not drawn yet. With p the probability of being drawn in an earlier wave and P,
not below p, the one wanted after this, a text not drawn yet gets the chance r = (P - p) / (1 - p), whatever else was
drawn earlier. Its probability is then p + (1 - p) r = P exactly, which is also 1 - (1 - p)(1 - r). The price: where
chances differ, a wave draws only on average as many texts as wanted; it is seldom off by more than one or two.
"""

from collections.abc import Sequence

import numpy as np

from app.meta_evaluation.judges.intervals import Ends, around
from app.meta_evaluation.score_matrix import Floats, Ints

TAU = 0.25
"""The part of the chances that goes by uncertainty. No text then has less than 1 - TAU of its equal chance, so a plan
that misjudges where the errors are has at most 1 / (1 - TAU) = 1.33 times the variance of a plain draw."""
_ROUNDING = 1e-9


def chances_by_uncertainty(uncertainty: Floats, tau: float = TAU) -> Floats:
    """(N,) parts of 1: tau by `uncertainty` (N,), which is 0 or more, the rest equal; all equal without uncertainty."""
    total = float(uncertainty.sum())
    equal = np.full(uncertainty.size, 1 / max(uncertainty.size, 1))
    return equal if total <= 0 else tau * uncertainty / total + (1 - tau) * equal


def probabilities(part: Floats, wanted: float, before: Floats) -> Floats:
    """(N,) of being drawn after a wave of `wanted` texts: max(before, min(1, c * part)), c such that the sum fits.

    `part` (N,) is above 0, `before` (N,) the probability of being drawn earlier, 0 for a first wave. No text becomes
    less probable than it was. `wanted` beyond what is left gives 1 to all.
    """
    total = float(before.sum()) + wanted
    if total >= part.size - _ROUNDING:
        return np.ones(part.size)
    low, high = 0.0, float((1 / part).max())
    while high - low > _ROUNDING * high:
        middle = (low + high) / 2
        if np.clip(middle * part, before, 1.0).sum() < total:
            low = middle
        else:
            high = middle
    found = np.clip(high * part, before, 1.0)
    free = (found > before) & (found < 1)
    if free.any():  # what bisection left over, so that the sum fits to rounding
        found[free] *= (total - found[~free].sum()) / found[free].sum()
    return found


def wave_chances(before: Floats, after: Floats) -> Floats:
    """(N,) r of each text in the wave that leads from one probability to the other, given it isn't drawn yet."""
    return np.divide(after - before, 1 - before, out=np.zeros(after.size), where=before < 1).clip(0.0, 1.0)


def overall(chances: Sequence[Floats], answered: Sequence[float] | None = None) -> Floats:
    """(N,) the probability of being drawn in any of the waves, 1 - prod(1 - r), from the chances (N,) in each.

    `answered` is each wave's part that people have answered by now: since everybody answers a wave in random order,
    those are a random part of it, and the result is the probability of being answered.
    """
    found, left = np.zeros(chances[0].size), np.ones(chances[0].size)
    for wave, chance in enumerate(chances):
        found += left * chance * (1.0 if answered is None else answered[wave])
        left *= 1 - chance
    return found


def variance_ratio(residual: Floats, weight: Floats, plan: Floats, other: Floats) -> Ends | None:
    """95 % interval of the variance of answers under one plan over that under another, from the answers at hand.

    `residual` (n, questions) is what people's answers differ by from what the judge leads to expect, NaN for none;
    `weight` (n,) is one over the probability with which each text was drawn, `plan` and `other` (n,) are the
    probabilities under the two plans, each above 0. None where nothing is left to explain.
    """
    squares = np.nan_to_num(residual**2).sum(axis=1) * weight
    ours, theirs = squares / plan, squares / other
    if not theirs.sum() > 0:
        return None
    ratio = float(ours.sum() / theirs.sum())
    return around(ratio, float(np.sqrt(((ours - ratio * theirs) ** 2).sum()) / theirs.sum()))


def pivotal_draw(chances: Floats, order: Ints, rng: np.random.Generator) -> tuple[int, ...]:
    """Indices, ascending, each drawn with exactly its chance; as many as the chances sum to, rounded up or down.

    Ordered pivotal sampling (Deville and Tille 1998; Chauvet 2012): along `order` each text meets the one still open,
    one of them is decided and the other goes on with the rest of their chances. About one text is drawn for each whole
    chance along the order, so an order by score makes a draw that is spread over the scale.
    """
    drawn: list[int] = []
    open_, held = -1, 0.0
    for index, toss in zip(order.tolist(), rng.random(order.size).tolist(), strict=True):
        chance = float(chances[index])
        if open_ < 0:
            open_, held = index, chance
        elif held + chance < 1 - _ROUNDING:
            held += chance
            open_ = index if toss * held < chance else open_
        else:
            goes_on = held + chance - 1
            both = 1 - goes_on
            first = both <= _ROUNDING or toss * both < 1 - chance
            drawn.append(open_ if first else index)
            open_, held = (index if first else open_), goes_on
        if held <= _ROUNDING:
            open_, held = -1, 0.0
    if open_ >= 0 and rng.random() < held + _ROUNDING:
        drawn.append(open_)
    return tuple(sorted(drawn))
