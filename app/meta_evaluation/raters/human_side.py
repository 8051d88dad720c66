"""Raters in what they say about each other, and what that means for a judge."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np

from app.meta_evaluation.captions import counted_of
from app.meta_evaluation.choices import Coefficient
from app.meta_evaluation.evaluation import MetaEvaluation
from app.meta_evaluation.frame import Frame
from app.meta_evaluation.raters.human_ceiling import Ceiling, disagreement_strata, human_ceiling, mean_rating
from app.meta_evaluation.raters.rater_agreement import (
    Agreement,
    Metric,
    PairwiseCorrelation,
    krippendorff_alpha,
    pairwise_correlation,
)
from app.meta_evaluation.score_matrix import Floats, Ints

SCALE_METRICS: tuple[Metric, ...] = ("interval", "ordinal")
STRATA = ("low", "middle", "high")
FEWEST_FOR_SCALE = 5
"""Ratings from which a rater's habits can be told from chance."""
OTHER_SCALE = 3.0
"""A rater whose ratings span so many times less or more than the others' is taken to use another scale."""


@dataclass(frozen=True, slots=True)
class RaterScale:
    """Which part of the scale a rater uses, over `n` ratings."""

    name: str
    n: int
    low: float
    high: float
    mean: float


@dataclass(frozen=True, slots=True)
class Stratum:
    """The texts on which raters disagree about as much: their spread (standard deviation) from `low` to `high`."""

    name: str
    low: float
    high: float
    n: int
    result: MetaEvaluation


@dataclass(frozen=True, slots=True)
class HumanSide:
    """Agreement of the raters, what one of them reaches (with the judge beside), and the judge by their disagreement.

    `n` texts have at least one rating, `shared` at least two. `remarks` are sentences that belong beside the figures.
    """

    raters: tuple[RaterScale, ...]
    n: int
    shared: int
    alphas: tuple[Agreement, ...]
    pairwise: PairwiseCorrelation
    ceiling: dict[Coefficient, Ceiling]
    strata: tuple[Stratum, ...]
    remarks: tuple[str, ...]

    def to_json(self) -> dict[str, object]:
        return {
            "n": self.n,
            "shared": self.shared,
            "raters": [asdict(rater) for rater in self.raters],
            "alpha": {metric: asdict(alpha) for metric, alpha in zip(SCALE_METRICS, self.alphas, strict=True)},
            "pairwise_spearman": {
                "value": self.pairwise.value,
                "pairs": self.pairwise.pairs,
                "n_undefined": self.pairwise.n_undefined,
                "reason": self.pairwise.reason,
            },
            "ceiling": {name: asdict(ceiling) for name, ceiling in self.ceiling.items()},
            "strata": [
                {
                    "stratum": each.name,
                    "spread_low": each.low,
                    "spread_high": each.high,
                    "n": each.n,
                    **{name: figure.to_json() for name, figure in each.result.figures.items()},
                }
                for each in self.strata
            ],
            "remarks": list(self.remarks),
        }


def human_side(
    ratings: Floats, names: Sequence[str], judge: Floats | None = None, frame: Frame | None = None
) -> HumanSide:
    """`ratings` is (raters, texts), NaN where missing, `names` one a rater, `judge` (texts,) or None.

    Raises:
        InputError: a column that the level needs is missing.
    """
    by, ratings, judge = _each_once(ratings, judge, frame)
    given = (~np.isnan(ratings)).sum(axis=0)
    scales = _scales(ratings, names)
    return HumanSide(
        raters=scales,
        n=int((given > 0).sum()),
        shared=int((given > 1).sum()),
        alphas=tuple(
            krippendorff_alpha(ratings, metric, group=by.group, resamples=by.resamples, seed=by.seed)
            for metric in SCALE_METRICS
        ),
        pairwise=pairwise_correlation(ratings),
        ceiling=_ceiling(ratings, judge, by),
        strata=() if judge is None else _strata(ratings, judge, by),
        remarks=_remarks(scales, given),
    )


def ceiling_of_raters(
    ratings: Floats, judge: Floats | None = None, frame: Frame | None = None
) -> dict[Coefficient, Ceiling]:
    """The ceiling alone, as in human_side, which takes several times as long."""
    by, ratings, judge = _each_once(ratings, judge, frame)
    return _ceiling(ratings, judge, by)


def scale_remark(raters: Sequence[RaterScale]) -> str:
    """Names raters whose ratings can't be on the scale of the others; "" where all may be."""
    known = [rater for rater in raters if rater.n >= FEWEST_FOR_SCALE]
    odd = [rater for rater in known if _on_another_scale(rater, [other for other in known if other is not rater])]
    if not odd:
        return ""
    said = ", ".join(f"{rater.name} {rater.low:g} to {rater.high:g}" for rater in known)
    return (
        f"Raters seem to use different scales ({said}). Their mean rating means little then: bring them to one scale "
        "before they are compared with a judge."
    )


def _each_once(ratings: Floats, judge: Floats | None, frame: Frame | None) -> tuple[Frame, Floats, Floats | None]:
    by, kept = (frame or Frame()).without_duplicates(ratings.shape[1])
    return by, ratings[:, kept], None if judge is None else judge[kept]


def _ceiling(ratings: Floats, judge: Floats | None, by: Frame) -> dict[Coefficient, Ceiling]:
    return human_ceiling(
        ratings,
        judge,
        group=by.group,
        system=by.system,
        level=by.level,
        constant=by.constant,
        resamples=by.resamples,
        seed=by.seed,
    )


def _scales(ratings: Floats, names: Sequence[str]) -> tuple[RaterScale, ...]:
    given = ((name, row[~np.isnan(row)]) for name, row in zip(names, ratings, strict=True))
    return tuple(
        RaterScale(name, row.size, float(row.min()), float(row.max()), float(row.mean()))
        for name, row in given
        if row.size
    )


def _on_another_scale(rater: RaterScale, others: Sequence[RaterScale]) -> bool:
    """No value in common with any other, or a span several times that of most others."""
    if not others:
        return False
    apart = all(rater.low > other.high or rater.high < other.low for other in others)
    span = rater.high - rater.low
    usual = float(np.median([other.high - other.low for other in others]))
    return apart or (usual > 0 and span > OTHER_SCALE * usual) or (span > 0 and usual > OTHER_SCALE * span)


def _strata(ratings: Floats, judge: Floats, frame: Frame) -> tuple[Stratum, ...]:
    """The judge by the raters' disagreement; strata without a text are left out (all spreads may be the same)."""
    stratum: Ints = disagreement_strata(ratings, len(STRATA))
    human, spread = mean_rating(ratings), np.full(stratum.size, np.nan)
    spread[stratum >= 0] = np.nanstd(ratings[:, stratum >= 0], axis=0)
    found = []
    for number, name in enumerate(STRATA):
        kept = stratum == number
        if kept.any():
            result = frame.evaluate(judge, human, kept)
            low, high = float(spread[kept].min()), float(spread[kept].max())
            found.append(Stratum(name, low, high, int(kept.sum()), result))
    return tuple(found)


def _remarks(raters: Sequence[RaterScale], given: Ints) -> tuple[str, ...]:
    if not raters:
        return ("Nobody has rated these texts, so there is nothing to compare.",)
    if len(raters) == 1:
        return (f"Only one rater ({raters[0].name}): how well people agree can't be told from one.",)
    said = [scale_remark(raters)]
    once = int((given == 1).sum())
    if once:
        said.append(f"{counted_of(once, 'text')} rated by one rater only: they count in the judge's figures alone.")
    return tuple(remark for remark in said if remark)
