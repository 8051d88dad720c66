"""Scores on people's scale: a monotone map from scores to mean ratings, tested on sources it wasn't fitted to.

A judge can order texts as people do and still be too mild or too strict. The map corrects that. It doesn't change the
order of two texts (isotonic regression may make them equal), so rank correlations gain nothing by it.
"""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from sklearn.isotonic import IsotonicRegression
from sklearn.model_selection import GroupKFold

from app.errors import NotReadyError
from app.meta_evaluation.bootstrap import RESAMPLES
from app.meta_evaluation.judges.estimate import judge_alone
from app.meta_evaluation.judges.powered_estimates import EstimatedFigure
from app.meta_evaluation.score_matrix import Column, Floats

FOLDS = 5
FEWEST_TEXTS_TO_MAP, FEWEST_SOURCES_TO_MAP = 40, 5
ISOTONIC_FROM = 200
"""Rated texts needed for isotonic regression, with a parameter for each step; a line, which has two, needs fewer."""
Kind = Literal["line", "isotonic"]


@dataclass(frozen=True, slots=True)
class ScoreMap:
    """A map of scores: rising `points` (score, mapped score), linear between them and constant beyond the ends."""

    kind: Kind
    points: tuple[tuple[float, float], ...]

    def of(self, scores: Floats) -> Floats:
        """Return (texts,) mapped scores; NaN stays."""
        at, to = np.array(self.points).T
        return np.where(np.isnan(scores), np.nan, np.interp(scores, at, to))


@dataclass(frozen=True, slots=True, eq=False)
class MappedScores:
    """A fitted map and its test. `held_out` (texts,): each text's score by a map fitted without its source.
    `improvement`: by how much the mean absolute error falls from `raw` to `mapped`, in points of the scale, with the 95
    % interval over `sources`. `map` is fitted to all `n` texts, for texts that nobody rated."""

    map: ScoreMap
    held_out: Floats
    raw: float
    mapped: float
    improvement: EstimatedFigure
    n: int
    sources: int
    folds: int

    @property
    def offered(self) -> bool:
        """Whether the interval of the improvement lies above 0."""
        return self.improvement.low is not None and self.improvement.low > 0

    def to_json(self) -> dict[str, Any]:
        return {
            "map": self.map.kind,
            "offered": self.offered,
            "mae": self.raw,
            "mae_mapped": self.mapped,
            "improvement": {
                "value": self.improvement.value,
                "low": self.improvement.low,
                "high": self.improvement.high,
            },
            "n": self.n,
            "sources": self.sources,
            "folds": self.folds,
            **({"points": [list(point) for point in self.map.points]} if self.offered else {}),
        }


def map_scores(
    scores: Floats, human: Floats, group: Column, low: float, high: float, resamples: int = RESAMPLES, seed: int = 0
) -> MappedScores:
    """Fit and test the map. `scores` and `human` (texts,) are without NaN; `group` names each text's source; the scale
    is `low` to `high`.

    Raises NotReadyError for too few texts or sources.
    """
    sources = np.unique([str(cell) for cell in group], return_inverse=True)[1]
    count = int(sources.max(initial=-1)) + 1
    if scores.size < FEWEST_TEXTS_TO_MAP or count < FEWEST_SOURCES_TO_MAP:
        raise NotReadyError(
            f"{scores.size} rated texts of {count} sources are too few to map scores to ratings.",
            f"At least {FEWEST_TEXTS_TO_MAP} texts of {FEWEST_SOURCES_TO_MAP} sources are needed.",
        )
    kind: Kind = "isotonic" if scores.size >= ISOTONIC_FROM else "line"
    held_out = np.full(scores.size, np.nan)
    for train, test in GroupKFold(FOLDS).split(scores, human, sources):
        held_out[test] = _fitted(kind, scores[train], human[train], low, high).of(scores[test])
    raw, mapped = np.abs(scores - human), np.abs(held_out - human)
    drawn = group if count < scores.size else None
    return MappedScores(
        _fitted(kind, scores, human, low, high),
        held_out,
        float(raw.mean()),
        float(mapped.mean()),
        judge_alone(raw - mapped, group=drawn, resamples=resamples, seed=seed),
        scores.size,
        count,
        FOLDS,
    )


def _fitted(kind: Kind, scores: Floats, human: Floats, low: float, high: float) -> ScoreMap:
    if kind == "isotonic":
        found = IsotonicRegression(y_min=low, y_max=high, out_of_bounds="clip").fit(scores, human)
        steps = zip(found.X_thresholds_.tolist(), found.y_thresholds_.tolist(), strict=True)
        return ScoreMap(kind, tuple(steps))
    spread = float(np.var(scores))
    slope = max(0.0, float(np.cov(scores, human, bias=True)[0, 1]) / spread) if spread else 0.0
    at_mean, mean = float(human.mean()), float(scores.mean())
    kinks = [mean + (end - at_mean) / slope for end in (low, high)] if slope else []
    at = sorted({low, high, *(kink for kink in kinks if low < kink < high)})
    to = np.clip(at_mean + slope * (np.array(at) - mean), low, high)
    return ScoreMap(kind, tuple(zip(at, to.tolist(), strict=True)))
