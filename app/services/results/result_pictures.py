"""Pictures of a result, counted so that one of many texts stays small and honest."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean, quantiles

from app.domain.run import ScoredText
from app.meta_evaluation.by_source import SourceCoefficient, spearman_by_source

__all__ = [
    "Bin",
    "CalibrationPoint",
    "PairCount",
    "SourceCoefficient",
    "by_source",
    "calibration",
    "pair_counts",
    "score_distributions",
    "shown_sources",
]

BINS = 8
MOST_SOURCES = 2_000


@dataclass(frozen=True, slots=True)
class PairCount:
    """How many texts people rated `human` on average and the judge scored `score`."""

    human: float
    score: float
    texts: int


@dataclass(frozen=True, slots=True)
class Bin:
    """A part of the scale, `low` included, `high` only in the last one; counts of texts by their score and rating."""

    low: float
    high: float
    scores: int
    ratings: int


@dataclass(frozen=True, slots=True)
class CalibrationPoint:
    """The texts whose mean rating is about `human` (their mean): mean score, and where its middle half lies."""

    human: float
    score: float
    lower_quartile: float
    upper_quartile: float
    texts: int


def pair_counts(rows: Iterable[ScoredText]) -> list[PairCount]:
    counts = Counter((round(human, 3), round(score, 3)) for human, score in _pairs(rows))
    return [PairCount(human, score, texts) for (human, score), texts in sorted(counts.items())]


def score_distributions(rows: Iterable[ScoredText], low: float, high: float) -> list[Bin]:
    """Scores and ratings over BINS equal parts of the scale; what lies outside counts in the outermost part."""
    pairs = _pairs(rows)
    ratings = Counter(_part(human, low, high, BINS - 1) for human, _ in pairs)
    scores = Counter(_part(score, low, high, BINS - 1) for _, score in pairs)
    width = (high - low) / BINS
    return [Bin(low + k * width, low + (k + 1) * width, scores[k], ratings[k]) for k in range(BINS)]


def calibration(rows: Iterable[ScoredText], low: float, high: float) -> list[CalibrationPoint]:
    """The texts in groups around BINS + 1 points of the scale of ratings, its ends included; empty groups left out."""
    groups: dict[int, list[tuple[float, float]]] = {}
    half = (high - low) / BINS / 2
    for human, score in _pairs(rows):
        groups.setdefault(_part(human, low - half, high + half, BINS), []).append((human, score))
    return [_point(groups[key]) for key in sorted(groups)]


def by_source(rows: Sequence[ScoredText]) -> list[SourceCoefficient]:
    """Spearman inside each source."""
    return spearman_by_source([row.score for row in rows], [row.human for row in rows], [row.doc_id for row in rows])


def shown_sources(known: Sequence[SourceCoefficient]) -> list[SourceCoefficient]:
    """Those that a picture shows: all, or of more than MOST_SOURCES every so manieth in the order of the coefficients,
    the lowest among them."""
    step = -(-len(known) // MOST_SOURCES)
    return list(known) if step <= 1 else sorted(known, key=lambda each: each.spearman or 0.0)[::step]


def _point(pairs: Sequence[tuple[float, float]]) -> CalibrationPoint:
    scores = [score for _, score in pairs]
    lower, _, upper = quantiles(scores, n=4, method="inclusive") if len(scores) > 1 else (scores * 3)
    return CalibrationPoint(fmean(human for human, _ in pairs), fmean(scores), lower, upper, len(pairs))


def _pairs(rows: Iterable[ScoredText]) -> list[tuple[float, float]]:
    return [(row.human, row.score) for row in rows if row.human is not None and row.score is not None]


def _part(value: float, low: float, high: float, last: int) -> int:
    """Which of the `last` + 1 equal parts from low to high holds the value."""
    share = (value - low) / (high - low) if high > low else 0.0
    return min(max(int(share * (last + 1) + 1e-9), 0), last)
