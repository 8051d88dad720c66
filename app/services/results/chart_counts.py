"""What the charts of results show: pairs of score and rating, their distributions, calibration and sources."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean, quantiles

from app.domain.run import ScoredText
from app.meta_evaluation.evaluation import SourceCoefficient, spearman_by_source

__all__ = ["SourceCoefficient"]


BINS = 8


MOST_SOURCES = 2_000


@dataclass(frozen=True, slots=True)
class PairCount:
    """The number of texts rated `human` on average by people and scored `score` by the judge."""

    human: float
    score: float
    texts: int


@dataclass(frozen=True, slots=True)
class Bin:
    """A part of the scale, `low` included, `high` only in the last one; counts of texts by score and by rating."""

    low: float
    high: float
    scores: int
    ratings: int


@dataclass(frozen=True, slots=True)
class CalibrationPoint:
    """Texts with a mean rating of about `human` (their mean): the mean score, and the quartiles of the scores."""

    human: float
    score: float
    lower_quartile: float
    upper_quartile: float
    texts: int


def pair_counts(rows: Iterable[ScoredText]) -> list[PairCount]:
    counts = Counter((round(human, 3), round(score, 3)) for human, score in _pairs(rows))
    return [PairCount(human, score, texts) for (human, score), texts in sorted(counts.items())]


def score_distributions(rows: Iterable[ScoredText], low: float, high: float) -> list[Bin]:
    """Return scores and ratings in BINS equal parts of the scale; values outside count in the outermost parts."""
    pairs = _pairs(rows)
    ratings = Counter(_part(human, low, high, BINS - 1) for human, _ in pairs)
    scores = Counter(_part(score, low, high, BINS - 1) for _, score in pairs)
    width = (high - low) / BINS
    return [Bin(low + k * width, low + (k + 1) * width, scores[k], ratings[k]) for k in range(BINS)]


def calibration(rows: Iterable[ScoredText], low: float, high: float) -> list[CalibrationPoint]:
    """Group the texts by mean rating around BINS + 1 points of the scale; return for each nonempty group how scores
    compare with ratings."""
    groups: dict[int, list[tuple[float, float]]] = {}
    half = (high - low) / BINS / 2
    for human, score in _pairs(rows):
        groups.setdefault(_part(human, low - half, high + half, BINS), []).append((human, score))
    return [_point(groups[key]) for key in sorted(groups)]


def by_source(rows: Sequence[ScoredText]) -> list[SourceCoefficient]:
    """Return the Spearman correlation within each source."""
    return spearman_by_source([row.score for row in rows], [row.human for row in rows], [row.doc_id for row in rows])


def shown_sources(known: Sequence[SourceCoefficient]) -> list[SourceCoefficient]:
    """Return the sources for a chart: all, or if there are more than MOST_SOURCES every second, third ... in the order
    of their coefficients, lowest first."""
    step = -(-len(known) // MOST_SOURCES)
    return list(known) if step <= 1 else sorted(known, key=lambda each: each.spearman or 0.0)[::step]


def _point(pairs: Sequence[tuple[float, float]]) -> CalibrationPoint:
    scores = [score for _, score in pairs]
    lower, _, upper = quantiles(scores, n=4, method="inclusive") if len(scores) > 1 else (scores * 3)
    return CalibrationPoint(fmean(human for human, _ in pairs), fmean(scores), lower, upper, len(pairs))


def _pairs(rows: Iterable[ScoredText]) -> list[tuple[float, float]]:
    return [(row.human, row.score) for row in rows if row.human is not None and row.score is not None]


def _part(value: float, low: float, high: float, last: int) -> int:
    """Return the bin of the value, from 0 to `last`; the bins are equally wide, from low to high."""
    share = (value - low) / (high - low) if high > low else 0.0
    return min(max(int(share * (last + 1) + 1e-9), 0), last)
