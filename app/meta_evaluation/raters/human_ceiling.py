"""Human ceiling: how well one person agrees with the others, the most that a judge can be expected to reach."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np

from app.meta_evaluation.bootstrap import AgreementDesign, Draws, Interval, draw_figures, interval
from app.meta_evaluation.correlation import estimate
from app.meta_evaluation.evaluation import MetaEvaluation, evaluate
from app.meta_evaluation.raters.rater_agreement import (
    Agreement,
    Metric,
    PairwiseCorrelation,
    krippendorff_alpha,
    pairwise_correlation,
)
from app.meta_evaluation.score_matrix import (
    COEFFICIENTS,
    MAE,
    Bools,
    Coefficient,
    Floats,
    Ints,
    Level,
    Resampling,
    ScoreTable,
)

NOT_SHARED = "The raters rated different sources or texts, so their mean has no interval."


@dataclass(frozen=True, slots=True)
class JudgeAsRater:
    """A judge compared with the same means of the other raters. `difference` is the judge's coefficient less a
    person's, with its 95 % interval from the same resamples."""

    value: float | None
    difference: float | None
    low: float | None
    high: float | None

    @property
    def verdict(self) -> str:
        if self.difference is None:
            return "The judge can't be put beside the raters here."
        if self.low is None or self.high is None:
            return "How sure the difference between judge and rater is can't be told."
        if self.low <= 0 <= self.high:
            return "Judge and rater are not significantly different: the interval of their difference includes 0."
        if self.low > 0:
            return "The judge agrees with the other raters better than a single rater does."
        return "The judge agrees with the other raters less than a single rater does."


@dataclass(frozen=True, slots=True)
class Ceiling:
    """A coefficient of each rater with the mean of the other raters, and the mean over raters.

    `by_rater` is None where a rater has no coefficient; those are counted in `n_undefined`. `n` texts were compared
    on average over the raters that have one. `low` and `high` are the ends of the 95 % interval, None for `reason`.
    """

    coefficient: Coefficient
    level: Level
    value: float | None
    by_rater: tuple[float | None, ...]
    n: int
    n_undefined: int
    reason: str = ""
    method: str = "leave one rater out"
    low: float | None = None
    high: float | None = None
    judge: JudgeAsRater | None = None


@dataclass(frozen=True, slots=True, eq=False)
class _LeaveOneOutFigures:
    """Figures of one rater, and of the judge if any, against the mean of the others. `drawn` names the resampled
    units."""

    values: Floats
    draws: Draws
    n: int
    drawn: bytes


def human_ceiling(
    ratings: Floats, judge: Floats | None = None, by: AgreementDesign | None = None
) -> dict[Coefficient, Ceiling]:
    """Return the ceiling of each coefficient: each rater of `ratings` (raters, texts; NaN missing) against the mean of
    the others.

    Level and choices are as for a judge. `judge` (texts,) is compared with the same means of the others, on the groups
    where judge and rater both have a coefficient; with the mean of all raters it would have an advantage.
    """
    by, raters = (by or AgreementDesign(resamples=0)).each_text, ratings.shape[0]
    if raters < 2:
        few = Ceiling("spearman", by.level, None, (None,) * raters, 0, raters, "A ceiling needs at least two raters.")
        return {name: replace(few, coefficient=name) for name in COEFFICIENTS}
    found = []
    for rater in range(raters):
        others = mean_rating(np.delete(ratings, rater, axis=0))
        preds = [ratings[rater]] if judge is None else [ratings[rater], judge]
        table = by.table(preds, others)
        design = by.of_table(table)
        values = estimate(table, by.level, by.constant).values
        used = ~np.isnan(np.vstack([*preds, others])).any(axis=0)
        drawn = _drawn(table, design.resampling, used)
        found.append(_LeaveOneOutFigures(values, draw_figures(table, design), table.n, drawn))
    return {name: _ceiling(name, index, by.level, found) for index, name in enumerate(COEFFICIENTS)}


def disagreement_strata(ratings: Floats, strata: int = 3) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Return (texts,) the stratum of each text by the spread of its ratings, from 0, where raters agree most, to
    `strata` - 1; -1 with fewer than two ratings.

    Texts with the same spread stay together, so strata can differ in size or be empty.
    """
    rated = (~np.isnan(ratings)).sum(axis=0) >= 2
    out = np.full(ratings.shape[1], -1, dtype=np.int64)
    if rated.any():
        spread = np.nanstd(ratings[:, rated], axis=0).round(12)
        limits = np.quantile(spread, np.arange(1, strata) / strata, method="inverted_cdf")
        out[rated] = np.searchsorted(limits, spread, side="left")
    return out


def mean_rating(ratings: Floats) -> Floats:
    """Return (texts,) the mean over the raters of each text, NaN where nobody rated it."""
    counts = (~np.isnan(ratings)).sum(axis=0)
    return np.where(counts > 0, np.nansum(ratings, axis=0) / np.maximum(counts, 1), np.nan)


def _drawn(table: ScoreTable, resampling: Resampling, used: Bools) -> bytes:
    """Return a key of the units drawn: tables with equal keys draw the same units from the same seed."""
    code = {"sources": table.source, "systems": table.system}.get(resampling)
    return used.tobytes() if code is None else np.unique(code).tobytes()


def _ceiling(name: Coefficient, index: int, level: Level, found: Sequence[_LeaveOneOutFigures]) -> Ceiling:
    by_rater = tuple(None if np.isnan(each.values[0, index]) else float(each.values[0, index]) for each in found)
    known = [each for each in found if not np.isnan(each.values[:, :MAE]).any()]
    lost = len(found) - len(known)
    if not known:
        return Ceiling(name, level, None, by_rater, 0, lost, "No rater has a coefficient with the others.")
    n = round(float(np.mean([each.n for each in known])))
    means = np.mean([each.values[:, index] for each in known], axis=0)
    resampled = np.mean([each.draws.values[:, index] for each in known], axis=0)
    first = known[0].draws
    together = len({each.drawn for each in known}) == 1
    draws = first if together else replace(first, values=first.values[:, :, :0])

    def spread(values: Floats) -> Interval:
        return interval(draws, values if together else values[:0])

    person = spread(resampled[0])
    return Ceiling(
        coefficient=name,
        level=level,
        value=float(means[0]),
        by_rater=by_rater,
        n=n,
        n_undefined=lost,
        reason=person.reason if together else NOT_SHARED,
        low=person.low,
        high=person.high,
        judge=_beside(means, spread(resampled[1] - resampled[0])) if means.size > 1 else None,
    )


def _beside(means: Floats, spread: Interval) -> JudgeAsRater:
    return JudgeAsRater(float(means[1]), float(means[1] - means[0]), spread.low, spread.high)


SCALE_METRICS: tuple[Metric, ...] = ("interval", "ordinal")
STRATA = ("low", "middle", "high")
FEWEST_FOR_SCALE = 5
"""Ratings needed to tell a rater's habits from chance."""
OTHER_SCALE = 3.0
"""A rater whose ratings' span differs from the others' by this factor is taken to use another scale."""


@dataclass(frozen=True, slots=True)
class RaterScale:
    """The part of the scale that a rater uses, over `n` ratings."""

    name: str
    n: int
    low: float
    high: float
    mean: float


@dataclass(frozen=True, slots=True)
class Stratum:
    """Texts with a similar disagreement of raters: the ratings' standard deviation is from `low` to `high`."""

    name: str
    low: float
    high: float
    n: int
    result: MetaEvaluation


@dataclass(frozen=True, slots=True)
class HumanSide:
    """Agreement of the raters, the human ceiling (with the judge beside), and the judge by the raters' disagreement.

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
    ratings: Floats, names: Sequence[str], judge: Floats | None = None, frame: AgreementDesign | None = None
) -> HumanSide:
    """Return the figures of `ratings` (raters, texts), NaN where missing; `names` has one a rater, `judge` is (texts,)
    or None.

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
        ceiling=human_ceiling(ratings, judge, by),
        strata=() if judge is None else _strata(ratings, judge, by),
        remarks=_remarks(scales, given),
    )


def ceiling_of_raters(
    ratings: Floats, judge: Floats | None = None, frame: AgreementDesign | None = None
) -> dict[Coefficient, Ceiling]:
    """Return the ceiling alone; `human_side` takes several times as long."""
    by, ratings, judge = _each_once(ratings, judge, frame)
    return human_ceiling(ratings, judge, by)


def scale_remark(raters: Sequence[RaterScale]) -> str:
    """Return a remark that names raters whose ratings can't be on the scale of the others; "" without any."""
    known = [rater for rater in raters if rater.n >= FEWEST_FOR_SCALE]
    odd = [rater for rater in known if _on_another_scale(rater, [other for other in known if other is not rater])]
    if not odd:
        return ""
    said = ", ".join(f"{rater.name} {rater.low:g} to {rater.high:g}" for rater in known)
    return (
        f"Raters seem to use different scales ({said}). Their mean rating means little then: bring them to one scale "
        "before they are compared with a judge."
    )


def _each_once(
    ratings: Floats, judge: Floats | None, frame: AgreementDesign | None
) -> tuple[AgreementDesign, Floats, Floats | None]:
    by, kept = (frame or AgreementDesign()).without_duplicates(ratings.shape[1])
    return by, ratings[:, kept], None if judge is None else judge[kept]


def _scales(ratings: Floats, names: Sequence[str]) -> tuple[RaterScale, ...]:
    given = ((name, row[~np.isnan(row)]) for name, row in zip(names, ratings, strict=True))
    return tuple(
        RaterScale(name, row.size, float(row.min()), float(row.max()), float(row.mean()))
        for name, row in given
        if row.size
    )


def _on_another_scale(rater: RaterScale, others: Sequence[RaterScale]) -> bool:
    """Return whether a rater shares no value with any other, or has a span much larger or smaller than most."""
    if not others:
        return False
    apart = all(rater.low > other.high or rater.high < other.low for other in others)
    span = rater.high - rater.low
    usual = float(np.median([other.high - other.low for other in others]))
    return apart or (usual > 0 and span > OTHER_SCALE * usual) or (span > 0 and usual > OTHER_SCALE * span)


def _strata(ratings: Floats, judge: Floats, frame: AgreementDesign) -> tuple[Stratum, ...]:
    """Return the judge's agreement by the raters' disagreement; strata without a text are left out."""
    stratum: Ints = disagreement_strata(ratings, len(STRATA))
    human, spread = mean_rating(ratings), np.full(stratum.size, np.nan)
    spread[stratum >= 0] = np.nanstd(ratings[:, stratum >= 0], axis=0)
    found = []
    for number, name in enumerate(STRATA):
        kept = stratum == number
        if kept.any():
            result = evaluate(judge[kept], human[kept], frame.of(kept))
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
        said.append(f"Texts with one rater only: {once:,}. They count in the judge's figures alone.")
    return tuple(remark for remark in said if remark)
