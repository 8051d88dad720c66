"""Simulated raters: their ratings follow from the known degradations of a text and from nothing else.

    severity(dimension) = min(1, sum over degradations of strength * WEIGHTS[degradation][dimension])
    rating              = round(5 - 3.6 * severity + leniency of the rater + noise), kept within 1..5

with normal noise of standard deviation 0.3, drawn anew for each rating.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from app.corpora.demo_data.degradations import Degradation
from app.domain.text import Rating

LOW, HIGH = 1, 5
LOSS_AT_FULL_SEVERITY = 3.6
NOISE = 0.3

# Each degradation is aimed at one dimension (the largest weight) and harms others a little, as faults do for
# people too: a broken sentence may distort its meaning, an invention takes the room of a main point.
WEIGHTS: Mapping[Degradation, Mapping[str, float]] = {
    Degradation.TRIVIA: {"relevance": 1.0, "coherence": 0.1},
    Degradation.SHUFFLED: {"coherence": 1.0},
    Degradation.REPEATED: {"relevance": 0.6, "fluency": 0.3, "coherence": 0.2},
    Degradation.INVENTED: {"consistency": 1.0, "relevance": 0.2},
    Degradation.BROKEN: {"fluency": 1.0, "coherence": 0.2, "consistency": 0.1},
}


@dataclass(frozen=True, slots=True)
class Rater:
    """`leniency` is in points of the scale: above 0 kinder than the formula, below 0 stricter."""

    name: str
    leniency: float


RATERS = (
    Rater("simulated rater 1", 0.2),
    Rater("simulated rater 2", 0.0),
    Rater("simulated rater 3", -0.3),
)


def severity(dimension: str, strengths: Mapping[Degradation, float]) -> float:
    """How badly a text suffers on a dimension, from 0 (not at all) to 1."""
    return min(1.0, sum(strength * WEIGHTS[kind].get(dimension, 0.0) for kind, strength in strengths.items()))


def rate(
    strengths: Mapping[Degradation, float], dimensions: tuple[str, ...], rng: np.random.Generator
) -> tuple[Rating, ...]:
    """Whole-number ratings from 1 to 5 by every rater on every dimension."""
    return tuple(
        Rating(dimension, rater.name, _rating(severity(dimension, strengths), rater, rng))
        for dimension in dimensions
        for rater in RATERS
    )


def _rating(how_bad: float, rater: Rater, rng: np.random.Generator) -> float:
    felt = HIGH - LOSS_AT_FULL_SEVERITY * how_bad + rater.leniency + rng.normal(0.0, NOISE)
    return float(min(HIGH, max(LOW, round(felt))))
