"""Figures with intervals that draw whole documents: correlations, what is made of them, and shares."""

from collections.abc import Callable

import numpy as np

from app.meta_evaluation.judges.intervals import Ends, by_document, wilson
from app.meta_evaluation.judges.sums import resampled, share
from app.meta_evaluation.questions.failure_modes.evidence import RubricEvidence
from app.meta_evaluation.questions.failure_modes.finding import Measured
from app.meta_evaluation.questions.failure_modes.limits import RAREST, Limit
from app.meta_evaluation.score_matrix import Bools, Floats, Ints

Figure = Callable[[Floats], Floats]
"""From (B, K, K) correlations, NaN where a column is constant, to (B,) figures."""


def of_correlations(
    found: RubricEvidence, columns: Floats, limit: Limit, fewest: int, figure: Figure
) -> Measured | None:
    """A figure of the correlations among `columns` (K, texts), over the texts that have them all.

    None unless its whole interval lies beyond the limit; also where fewer than `fewest` texts have them, or one of
    them is always or nearly always the same.
    """
    used = np.asarray(~np.isnan(columns).any(axis=0))
    n = int(used.sum())
    if n < fewest or any(_rarest(column) < RAREST for column in columns[:, used]):
        return None
    centred = columns[:, used] - columns[:, used].mean(axis=1, keepdims=True)
    products = _products(centred)
    value = float(figure(_correlations(products.sum(axis=1)[:, None], len(columns)))[0])
    if not limit.beyond(value):
        return None
    unit = units(found, used)
    drawn = figure(_correlations(resampled(products, unit, found.resamples, found.seed), len(columns)))
    ends = by_document(value, drawn, int(unit.max()) + 1)
    if ends is None or not limit.passed(*ends):
        return None
    return Measured(value, *_within(ends, -1.0), n)


def of_shares(found: RubricEvidence, part: Floats, whole: Floats, limit: Limit, fewest: int) -> Measured | None:
    """The share that `part` is of `whole`, both (texts,); None as of_correlations.

    The interval is the wider of Wilson's and that of resampled documents: the one knows that 20 of 20 isn't all, the
    other that texts of one document are alike.
    """
    used = whole > 0
    n = int(used.sum())
    if n < fewest:
        return None
    value = float(part[used].sum() / whole[used].sum())
    if not limit.beyond(value):
        return None
    ends = wilson(value * n, n)
    if not limit.passed(*ends):
        return None
    unit = units(found, used)
    sums = resampled(np.stack([part[used], whole[used]]), unit, found.resamples, found.seed)
    drawn = by_document(value, share(sums[0], sums[1]), int(unit.max()) + 1)
    if drawn is None or not limit.passed(*drawn):
        return None
    low, high = _within((min(ends[0], drawn[0]), max(ends[1], drawn[1])), 0.0)
    return Measured(value, low, high, n)


def differing_pairs(answers: Floats) -> tuple[Floats, Floats]:
    """(texts,) of (raters, texts): the share of pairs of answers that differ, and 1 where there is a pair, else 0."""
    given = (~np.isnan(answers)).sum(axis=0).astype(np.float64)
    yes = np.nansum(answers, axis=0)
    pairs = given * (given - 1) / 2
    return np.where(pairs > 0, yes * (given - yes) / np.maximum(pairs, 1), 0.0), (pairs > 0).astype(np.float64)


def units(found: RubricEvidence, used: Bools) -> Ints:
    """(used texts,) the document of each, counted from 0."""
    names = [str(name) for name, counts in zip(found.documents, used, strict=True) if counts]
    return np.asarray(np.unique(names, return_inverse=True)[1], dtype=np.int64)


def _products(centred: Floats) -> Floats:
    """What the moments are sums of: 1, each column, each product of two."""
    first, second = np.triu_indices(len(centred))
    return np.concatenate([np.ones((1, centred.shape[1])), centred, centred[first] * centred[second]])


def _correlations(sums: Floats, columns: int) -> Floats:
    """(B, K, K) Pearson's r from (1 + K + K (K + 1) / 2, B) sums."""
    count, means = sums[0], sums[1 : 1 + columns] / sums[0]
    first, second = np.triu_indices(columns)
    covariance = np.empty((sums.shape[1], columns, columns))
    covariance[:, first, second] = (sums[1 + columns :] / count - means[first] * means[second]).T
    covariance[:, second, first] = covariance[:, first, second]
    spread = np.einsum("bkk->bk", covariance)
    told = spread > 1e-12
    root = np.sqrt(np.where(told, spread, np.nan))
    return np.asarray(covariance / (root[:, :, None] * root[:, None, :]))


def _rarest(column: Floats) -> int:
    """How many values differ from the most frequent one: of yes and no the count of the rarer."""
    return int(column.size - np.unique(column, return_counts=True)[1].max())


def _within(ends: Ends, least: float) -> Ends:
    return max(ends[0], least), min(ends[1], 1.0)
