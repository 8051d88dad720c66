"""Gates: what a figure has to reach so that a script goes on.

A gate on one run is held against the end of the figure's 95 % interval that is less favourable. A gate that is looked
at every night would fail by chance sooner or later; there the evidence of all nights together counts, as a stake that
bets on the figure being worse (Waudby-Smith and Ramdas 2024; an e-process): it reaches 20 in at most 5 % of projects
in which it is not, however often one looks.
"""

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from app.errors import InputError
from app.meta_evaluation.judges.drift import LIMIT, grown_stake
from app.meta_evaluation.score_matrix import Floats

FIGURES = ("spearman", "kendall", "pearson", "mae")
SCORE, YES = "score", "yes"
_GATE = re.compile(
    rf"\s*(?:(?P<figure>{'|'.join((*FIGURES, SCORE))})|{YES}\(\s*(?P<question>\d{{1,4}})\s*\))"
    r"\s*(?P<sign>>=|<=)\s*(?P<bound>[-+]?(?:\d+\.?\d*|\.\d+))\s*"
)
FALL = 0.15
"""How far beyond its bound a figure lies whose finding is promised, as a share of the scale."""
PROMISE = 0.9
"""How often it is found within the promised number of nights."""
MOST_NIGHTS = 60
_SIMULATED = 200
_BETS = np.geomspace(0.02, 0.95, 12)
_MOST = 50 * LIMIT
"""A stake that grew beyond it proves nothing more, and would take many good nights to shrink after a repair."""


@dataclass(frozen=True, slots=True)
class Gate:
    """`figure` is one of FIGURES, SCORE (the mean score) or YES (the share of yes to `question`, a number from 1)."""

    figure: str
    question: int
    sign: Literal[">=", "<="]
    bound: float

    @classmethod
    def read(cls, written: str) -> "Gate":
        """From `spearman>=.6` or `yes(3)>=.9`. Raises InputError."""
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
        """Whether it is a mean over texts, not their agreement with people."""
        return self.figure in (SCORE, YES)

    def passes(self, low: float | None, high: float | None) -> bool:
        """Whether the whole interval reaches the bound; never without an interval."""
        end = low if self.sign == ">=" else high
        return end is not None and (end >= self.bound if self.sign == ">=" else end <= self.bound)


@dataclass(frozen=True, slots=True)
class NightlyFigures:
    """Over all nights so far. `evidence` is what the stake has become, of which LIMIT is proof that the figure is worse
    than its bound. `finds_within`: so many more nights find a figure that is FALL worse, 9 times of 10; None for more
    than MOST_NIGHTS."""

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
    """Of each night's values, from 0 to 1 and independent of each other, as `bound` is: one for each document.

    Nights without values are no looks.
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
    """(nights,): after each night what a stake of 1 on a mean below `least` has become.

    Each bet stands for one size of the fall, and a part of the stake enters with each night, for falls that begin
    later. Where every night's mean is `least` or more the stake doesn't grow on average, also where the values' own
    means differ.
    """
    if not nights:
        return np.empty(0)
    bets = _bets(least)[:, None]
    logs = np.stack([np.log1p(bets * (least - values)).sum(axis=1) for values in nights], axis=-1)
    return _evidence(logs)


def _bets(least: float) -> Floats:
    """At most so large that a value of 1 doesn't cost all of it."""
    bets: Floats = _BETS / max(1 - least, 1e-9)
    return bets


def _evidence(logs: Floats) -> Floats:
    """(..., nights) of the logarithms of what each bet (..., bets, nights) becomes in a night."""
    found: Floats = grown_stake(np.exp(np.clip(logs, -100, 100)), _MOST).mean(axis=-2)
    return found


def _finds_within(nights: Sequence[Floats], least: float, seed: int) -> int | None:
    """By simulation, from where the stake stands now, with as many values a night as usual. Values are yes or no: of
    all values with the same mean these are found last."""
    size, mean = max(1, int(np.median([values.size for values in nights]))), least - FALL
    if mean < 0:
        return None
    bets = _bets(least)[:, None]
    past = np.stack([np.log1p(bets * (least - values)).sum(axis=1) for values in nights], axis=-1)
    yes = np.random.default_rng(seed).binomial(size, mean, (_SIMULATED, 1, MOST_NIGHTS))
    future = yes * np.log1p(bets * (least - 1)) + (size - yes) * np.log1p(bets * least)
    logs = np.concatenate([np.broadcast_to(past, (_SIMULATED, *past.shape)), future], axis=-1)
    found = (_evidence(logs)[:, past.shape[-1] :] >= LIMIT).cumsum(axis=-1) > 0
    enough = np.flatnonzero(found.mean(axis=0) >= PROMISE)
    return int(enough[0]) + 1 if enough.size else None
