"""Two ways to answer compared on the same items: how often each is right, and whether the difference may be chance.

The test is McNemar's, exact: of the items on which one is right and the other wrong, each side has half by chance
(two-sided binomial; McNemar 1947). The interval of the difference is Tango's score interval for paired shares
(Statistics in Medicine 17, 1998, 891-908), which holds its level with few items and none or all of them changed, where
the usual one collapses.
"""

import math
from dataclasses import asdict, dataclass
from typing import Any, Literal

from scipy import optimize, stats

from app.meta_evaluation.agreement_verdict import p_value_words
from app.meta_evaluation.judges.figures import Ends, Z

LEVEL = 0.05


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """`n` items answered before and after: right both times (`both`), only after (`gained`), only before (`lost`).

    `difference` is the share right after less that before, with its 95 % interval; `p` is two-sided. `smallest` is the
    smallest gain that could be told from chance over `n` items with as many lost as here, as a share of them; None
    where no gain could. All are None without items.
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
    def told_apart(self) -> bool:
        return self.p is not None and self.p <= LEVEL

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def paired_difference(both: int, gained: int, lost: int, neither: int) -> PairedDifference:
    """Counts of items by whether they were right before and after."""
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
    """Two-sided p of so many changes for the better and for the worse; 1 where nothing changed."""
    return float(stats.binomtest(gained, gained + lost).pvalue) if gained + lost else 1.0


def smallest_shown(n: int, lost: int = 0) -> float | None:
    """The smallest gain over `n` items, as a share, that the test can tell from chance where `lost` became worse.

    Nothing worse, that is six items: 2 / 2**6 is below .05, and 2 / 2**5 is not.
    """
    for gained in range(lost, n - lost + 1):
        if exact_mcnemar(gained, lost) <= LEVEL:
            return (gained - lost) / n
    return None


def tango_interval(gained: int, lost: int, n: int) -> Ends:
    """95 % ends of (gained - lost) / n: the differences that the score test doesn't refuse."""
    at = (gained - lost) / n

    def distance(difference: float) -> float:
        return abs(_score(difference, gained, lost, n)) - Z

    nearly = 1 - 1e-12
    low = -1.0 if at == -1 else float(optimize.brentq(distance, -nearly, at, xtol=1e-10))
    high = 1.0 if at == 1 else float(optimize.brentq(distance, at, nearly, xtol=1e-10))
    return low, high


def _score(difference: float, gained: int, lost: int, n: int) -> float:
    """How many standard errors the counts lie from a true difference; the error as it would be if that were true
    (Tango 1998, section 3: the share lost is the root of a quadratic equation)."""
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
"""Decided answers of the proof part below which a gain, and its absence, say next to nothing."""
ProofStanding = Literal["proven better", "not proven", "worse", "too few"]


def proof_standing(found: PairedDifference | None) -> ProofStanding:
    """None: the proof part wasn't asked, having too few decided answers."""
    if found is None or found.n < FEWEST_PROOF:
        return "too few"
    if not found.told_apart:
        return "not proven"
    return "proven better" if found.gained > found.lost else "worse"


def proof_sentence(found: PairedDifference | None, decided: int = 0) -> str:
    """decided: the answers of the proof part that a trial could rest on, where there was none."""
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
    """With how many answers nothing can be said, what that is, and how many more it takes."""
    more = FEWEST_PROOF - decided
    return (
        f"Too few to say whether a wording helps on other texts: that takes {FEWEST_PROOF} decided answers of the "
        f"proof half on which no wording was tried yet, and there are {decided}. Chance decides which half a text "
        f"joins, so decide on about {2 * more} more texts."
    )


def smallest_sentence(found: PairedDifference) -> str:
    """What so many texts can show at all."""
    if found.smallest is None:
        return f"With {found.lost} of {found.n} answers worse, no gain could be told from chance."
    least = round(found.smallest * found.n)
    return (
        f"The smallest gain that {found.n} texts can show is {100 * found.smallest:.0f} points: {least} more answers "
        f"right, with {found.lost} for the worse."
    )
