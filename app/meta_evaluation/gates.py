"""Gates: bounds that a figure must reach, else the command fails.

A gate on one run is compared with the less favourable end of the figure's 95 % interval. A gate that is checked every
night would fail by chance sooner or later. There the evidence of all nights counts together, as the growth of a stake
that bets on the figure being worse (Waudby-Smith and Ramdas 2024; an e-process): where the figure isn't worse, the
stake reaches 20 in at most 5 % of projects, however often one checks.
"""

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from app.errors import InputError
from app.meta_evaluation.judges.drift import LIMIT, stake_after_looks
from app.meta_evaluation.score_matrix import Floats

FIGURES = ("spearman", "kendall", "pearson", "mae")
SCORE, YES = "score", "yes"
_GATE = re.compile(
    rf"\s*(?:(?P<figure>{'|'.join((*FIGURES, SCORE))})|{YES}\(\s*(?P<question>\d{{1,4}})\s*\))"
    r"\s*(?P<sign>>=|<=)\s*(?P<bound>[-+]?(?:\d+\.?\d*|\.\d+))\s*"
)
FALL = 0.15
"""How far below its bound a figure lies for which `finds_within` is computed, as a share of the scale."""
PROMISE = 0.9
"""The probability of finding it within that number of nights."""
MOST_NIGHTS = 60
_SIMULATED = 200
_BETS = np.geomspace(0.02, 0.95, 12)
_MOST = 50 * LIMIT
"""The most that a stake can grow to: more proves nothing, and would take many good nights to shrink after a repair."""


@dataclass(frozen=True, slots=True)
class Gate:
    """A bound on a figure: one of FIGURES, SCORE (the mean score) or YES (the share of yes to `question`, from 1)."""

    figure: str
    question: int
    sign: Literal[">=", "<="]
    bound: float

    @classmethod
    def read(cls, written: str) -> "Gate":
        """Return the gate written as `spearman>=.6` or `yes(3)>=.9`. Raises InputError."""
        found = _GATE.fullmatch(written)
        if found is None:
            raise InputError(
                f"“{written[:80]}” is no gate.",
                f"Write a figure, >= or <= and a number: spearman>=.6, yes(3)>=.9. Figures: {', '.join(FIGURES)}, "
                "score, yes(QUESTION).",
            )
        sign: Literal[">=", "<="] = ">=" if found["sign"] == ">=" else "<="
        return cls(found["figure"] or YES, int(found["question"] or 0), sign, float(found["bound"]))

    def __str__(self) -> str:
        name = f"{YES}({self.question})" if self.figure == YES else self.figure
        return f"{name}{self.sign}{self.bound:g}"

    @property
    def of_texts(self) -> bool:
        """Whether the figure is a mean over texts, not their agreement with people."""
        return self.figure in (SCORE, YES)

    def passes(self, low: float | None, high: float | None) -> bool:
        """Return whether the whole interval reaches the bound; False without an interval."""
        end = low if self.sign == ">=" else high
        return end is not None and (end >= self.bound if self.sign == ">=" else end <= self.bound)


@dataclass(frozen=True, slots=True)
class NightlyFigures:
    """A gate's figures over all nights so far. `evidence` is the size of the stake: LIMIT or more proves that the
    figure is worse than its bound. Within `finds_within` more nights a figure that is FALL worse is found in 9 of 10
    cases; None for more than MOST_NIGHTS."""

    nights: int
    values: int
    mean: float | None
    last: float | None
    evidence: float
    finds_within: int | None

    @property
    def passed(self) -> bool:
        return self.evidence < LIMIT

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def nightly_figures(nights: Sequence[Floats], bound: float, sign: Literal[">=", "<="], seed: int = 0) -> NightlyFigures:
    """Return the figures of each night's values, one for each document, independent and from 0 to 1 as `bound` is.

    Nights without values are left out.
    """
    looks = [np.asarray(values, dtype=np.float64) for values in nights if len(values)]
    every = np.concatenate(looks) if looks else np.empty(0)
    turned, least = (looks, bound) if sign == ">=" else ([1 - values for values in looks], 1 - bound)
    evidence = nightly_evidence(turned, least)
    return NightlyFigures(
        nights=len(looks),
        values=every.size,
        mean=float(every.mean()) if every.size else None,
        last=float(looks[-1].mean()) if looks else None,
        evidence=float(evidence[-1]) if looks else 1.0,
        finds_within=_finds_within(turned, least, seed) if looks else None,
    )


def nightly_evidence(nights: Sequence[Floats], least: float) -> Floats:
    """Return (nights,) the size of a stake of 1 after each night, which bets on a mean below `least`.

    Each bet stands for one size of the fall, and a part of the stake enters with each night, for falls that begin
    later. If every night's mean is `least` or more the stake doesn't grow on average, even if the values' expectations
    differ.
    """
    if not nights:
        return np.empty(0)
    bets = _bet_sizes(least)[:, None]
    logs = np.stack([np.log1p(bets * (least - values)).sum(axis=1) for values in nights], axis=-1)
    return _evidence(logs)


def _bet_sizes(least: float) -> Floats:
    """Return the bets, small enough that a value of 1 doesn't lose the whole stake."""
    bets: Floats = _BETS / max(1 - least, 1e-9)
    return bets


def _evidence(logs: Floats) -> Floats:
    """Return (..., nights) evidence from the logarithms of each bet's (..., bets, nights) gain in a night."""
    found: Floats = stake_after_looks(np.exp(np.clip(logs, -100, 100)), _MOST).mean(axis=-2)
    return found


def _finds_within(nights: Sequence[Floats], least: float, seed: int) -> int | None:
    """Simulate further nights from the present stake, with the usual number of values. Values are yes or no, which are
    found last of all values with the same mean."""
    size, mean = max(1, int(np.median([values.size for values in nights]))), least - FALL
    if mean < 0:
        return None
    bets = _bet_sizes(least)[:, None]
    past = np.stack([np.log1p(bets * (least - values)).sum(axis=1) for values in nights], axis=-1)
    yes = np.random.default_rng(seed).binomial(size, mean, (_SIMULATED, 1, MOST_NIGHTS))
    future = yes * np.log1p(bets * (least - 1)) + (size - yes) * np.log1p(bets * least)
    logs = np.concatenate([np.broadcast_to(past, (_SIMULATED, *past.shape)), future], axis=-1)
    found = (_evidence(logs)[:, past.shape[-1] :] >= LIMIT).cumsum(axis=-1) > 0
    enough = np.flatnonzero(found.mean(axis=0) >= PROMISE)
    return int(enough[0]) + 1 if enough.size else None
