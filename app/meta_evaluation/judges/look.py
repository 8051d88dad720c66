"""Figures of one look at the anchors: what changed, whether that is more than the judge's own noise, for the better?"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from app.meta_evaluation.choices import RESAMPLES
from app.meta_evaluation.judges.betting import LIMIT, capital, upper_bound
from app.meta_evaluation.judges.drift import REPEATS, Answerings, findable_rate, look_p
from app.meta_evaluation.judges.intervals import by_document
from app.meta_evaluation.judges.sums import resampled
from app.meta_evaluation.score_matrix import Floats


@dataclass(frozen=True, slots=True)
class ReferenceFigures:
    """Of the answerings that looks are compared with. `noise` is how often the judge's second and third answers differ
    from its first, at most `noise_high` but for 5 %; `findable` what the next look could find."""

    anchors: int
    noise: float
    noise_high: float
    findable: float | None


@dataclass(frozen=True, slots=True)
class LookFigures:
    """Of one look. `anchors` were answered, `failed` were not. `flips` is the share of answers unlike the first ones.

    `error` is the share of answers unlike people's, `error_change` how much that grew with its 95 % interval, None
    where there are too few documents for one. `questions` holds the share of anchors on which each answer changed.
    """

    anchors: int
    failed: int
    p: float
    capital: float
    flips: float | None
    error: float | None
    error_change: float | None
    error_low: float | None
    error_high: float | None
    questions: tuple[float, ...]
    findable: float | None

    @property
    def changed(self) -> bool:
        return self.capital >= LIMIT

    def to_json(self) -> dict[str, Any]:
        return asdict(self) | {"questions": list(self.questions)}


def reference_figures(found: Answerings) -> ReferenceFigures:
    """Of the first answerings alone."""
    values = np.concatenate([_unlike_first(found, place)[1] for place in range(1, REPEATS)])
    mean = float(values.mean()) if values.size else 0.0
    rate = findable_rate(found, np.empty(0))
    return ReferenceFigures(int(found.present.any(axis=1).sum()), mean, upper_bound(values), rate)


def look_figures(found: Answerings, people: Floats, documents: Sequence[str], ps: Floats) -> LookFigures:
    """`found` (anchors, answerings, questions) ends with this look; `people` (anchors, questions) is 1, 0 or NaN where
    they were split; `ps` are the p-values of the looks before."""
    p = float(look_p(found))
    there = found.present[:, -1]
    unlike, shares = _unlike_first(found, found.codes.shape[1] - 1)
    now, change = _errors(found, people)
    low, high = _interval(change, documents) or (None, None)
    return LookFigures(
        anchors=int(there.sum()),
        failed=int((~there).sum()),
        p=p,
        capital=float(capital(np.append(ps, p))[-1]),
        flips=float(shares.mean()) if shares.size else None,
        error=_mean(now),
        error_change=_mean(change),
        error_low=low,
        error_high=high,
        questions=tuple(float(share) for share in unlike.mean(axis=0)) if len(unlike) else (),
        findable=findable_rate(found, np.append(ps, p)),
    )


def _unlike_first(found: Answerings, place: int) -> tuple[Floats, Floats]:
    """(anchors that have both, questions): whether the answer differs from the first; and its share by anchor."""
    both = found.present[:, 0] & found.present[:, place]
    unlike = (found.codes[both, place] != found.codes[both, 0]).astype(np.float64)
    return unlike, unlike.mean(axis=1)


def _errors(found: Answerings, people: Floats) -> tuple[Floats, Floats]:
    """(anchors,): the share of answers unlike people's, and how much larger it is than at first; NaN without."""
    known = ~np.isnan(people)
    wrong = (found.codes != people[:, None, :]) & known[:, None, :]
    asked = known.sum(axis=1)[:, None]
    shares = np.divide(
        wrong.sum(axis=2), asked, out=np.full(wrong.shape[:2], np.nan), where=(asked > 0) & found.present
    )
    repeats = found.present[:, :REPEATS].sum(axis=1)
    before = np.where(repeats > 0, np.nansum(shares[:, :REPEATS], axis=1) / np.maximum(repeats, 1), np.nan)
    return shares[:, -1], shares[:, -1] - before


def _interval(change: Floats, documents: Sequence[str]) -> tuple[float, float] | None:
    """By whole documents. None where no answer moved: no spread says how rare a move is."""
    known = ~np.isnan(change)
    if not change[known].any():
        return None
    _, unit = np.unique(np.array(documents, dtype=str)[known], return_inverse=True)
    total, rows = resampled(np.stack([change[known], np.ones(known.sum())]), unit, RESAMPLES, 0)
    return by_document(float(change[known].mean()), total / rows, int(unit.max()) + 1)


def _mean(values: Floats) -> float | None:
    known = values[~np.isnan(values)]
    return float(known.mean()) if known.size else None
