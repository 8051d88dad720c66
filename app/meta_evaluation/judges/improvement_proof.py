"""The proof that a new wording of a question is better: answers before and after, on texts it was not chosen by."""

import math
from dataclasses import asdict, dataclass
from typing import Any, Literal

from scipy import optimize, stats

from app.meta_evaluation.agreement_verdict import p_value_words
from app.meta_evaluation.judges.powered_estimates import (
    Ends,
    Z,
)

LEVEL = 0.05


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """`n` items answered before and after: right both times (`both`), only after (`gained`), only before (`lost`).

    `difference` is the share right after less that before, with its 95 % interval; `p` is two-sided. `smallest` is the
    smallest gain, as a share of the `n` items, that is significant with as many `lost` as here; None if no gain is. All
    are None without items.
    """

    n: int
    both: int
    gained: int
    lost: int
    before: float | None
    after: float | None
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    smallest: float | None

    @property
    def is_significant(self) -> bool:
        return self.p is not None and self.p <= LEVEL

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def paired_difference(both: int, gained: int, lost: int, neither: int) -> PairedDifference:
    """Return the difference, from the numbers of items right both times, only after, only before, and neither time."""
    n = both + gained + lost + neither
    if not n:
        return PairedDifference(0, 0, 0, 0, None, None, None, None, None, None, None)
    low, high = tango_interval(gained, lost, n)
    return PairedDifference(
        n,
        both,
        gained,
        lost,
        (both + lost) / n,
        (both + gained) / n,
        (gained - lost) / n,
        low,
        high,
        exact_mcnemar(gained, lost),
        smallest_shown(n, lost),
    )


def exact_mcnemar(gained: int, lost: int) -> float:
    """Return the two-sided p of so many changes for the better and for the worse; 1 if nothing changed."""
    return float(stats.binomtest(gained, gained + lost).pvalue) if gained + lost else 1.0


def smallest_shown(n: int, lost: int = 0) -> float | None:
    """Return the smallest gain over `n` items, as a share, that is significant where `lost` items became worse.

    If none became worse, that is six items: 2 / 2**6 is below .05, and 2 / 2**5 is not.
    """
    for gained in range(lost, n - lost + 1):
        if exact_mcnemar(gained, lost) <= LEVEL:
            return (gained - lost) / n
    return None


def tango_interval(gained: int, lost: int, n: int) -> Ends:
    """Return the 95 % ends of (gained - lost) / n: the differences that the score test doesn't reject."""
    at = (gained - lost) / n

    def distance(difference: float) -> float:
        return abs(_score(difference, gained, lost, n)) - Z

    nearly = 1 - 1e-12
    low = -1.0 if at == -1 else float(optimize.brentq(distance, -nearly, at, xtol=1e-10))
    high = 1.0 if at == 1 else float(optimize.brentq(distance, at, nearly, xtol=1e-10))
    return low, high


def _score(difference: float, gained: int, lost: int, n: int) -> float:
    """Return how many standard errors the counts lie from a supposed true `difference`; the error is as it would be
    under that difference (Tango 1998, section 3: the share lost is the root of a quadratic equation)."""
    a = 2 * n
    b = -gained - lost + (2 * n - gained + lost) * difference
    c = -lost * difference * (1 - difference)
    share_lost = (math.sqrt(max(0.0, b * b - 4 * a * c)) - b) / (2 * a)
    variance = n * (2 * share_lost + difference * (1 - difference))
    away = gained - lost - n * difference
    if variance <= 0:
        return 0.0 if away == 0 else math.copysign(math.inf, away)
    return away / math.sqrt(variance)


FEWEST_PROOF = 30
"""Decided answers of the proof part below which neither a gain nor its absence shows anything."""
ProofStanding = Literal["proven better", "not proven", "worse", "too few"]


def proof_standing(found: PairedDifference | None) -> ProofStanding:
    """Return what the proof part shows; `found` is None if it wasn't asked because it has too few decided answers."""
    if found is None or found.n < FEWEST_PROOF:
        return "too few"
    if not found.is_significant:
        return "not proven"
    return "proven better" if found.gained > found.lost else "worse"


def proof_sentence(found: PairedDifference | None, decided: int = 0) -> str:
    """Return what the proof part shows in a sentence. decided: its decided answers, for a trial that didn't ask it."""
    standing = proof_standing(found)
    if found is None or standing == "too few":
        return too_few_sentence(found.n if found else decided)
    moved = f"right on {found.both + found.lost} of {found.n} before and on {found.both + found.gained} after"
    chance = f"exact McNemar test, {p_value_words(found.p if found.p is not None else 1.0)}"
    if standing == "proven better":
        return f"Proven better on texts that no proposal had seen: {moved} ({chance})."
    if standing == "worse":
        return f"Worse on texts that no proposal had seen: {moved} ({chance})."
    said = f"Not proven on texts that no proposal had seen: {moved}, which chance alone may do ({chance})."
    return f"{said} {smallest_sentence(found)}"


def too_few_sentence(decided: int) -> str:
    """Return a sentence: `decided` answers are too few, why, and how many more are needed."""
    return (
        f"Too few for a proof on other texts: it takes {FEWEST_PROOF} unused decisions of the proof half, and there "
        f"are {decided}. An earlier proof uses decisions up, and so does editing the question after them. Decide on "
        f"about {2 * (FEWEST_PROOF - decided)} more texts; chance says which half each joins."
    )


def smallest_sentence(found: PairedDifference) -> str:
    """Return the smallest gain that this many texts can show, in a sentence."""
    if found.smallest is None:
        return f"With {found.lost} of {found.n} answers worse, no gain could be told from chance."
    least = round(found.smallest * found.n)
    return (
        f"The smallest gain that {found.n} texts can show is {100 * found.smallest:.0f} points: {least} more answers "
        f"right, with {found.lost} for the worse."
    )
