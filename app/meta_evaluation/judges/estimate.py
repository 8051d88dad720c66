"""A share of yes or a mean over all texts: the judge alone, people alone, and the judge corrected by people.

The correction is PPI++ if the texts that people answered are a fair draw of all, Rogan-Gladen if they come from
elsewhere.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, Literal

import numpy as np

from app.errors import InputError
from app.meta_evaluation.bootstrap import RESAMPLES
from app.meta_evaluation.judges.powered_estimates import (
    CORRECTED,
    JUDGE,
    PEOPLE,
    SENSITIVITY,
    SPECIFICITY,
    EstimatedFigure,
    Sums,
    Z,
    drawn_weights,
    even_rows,
    figure,
    human_variance,
    is_shifted,
    judge_errors,
    powered_error,
    resampled_sums,
    sums,
    tuned_weight,
)
from app.meta_evaluation.score_matrix import Bools, Column, Correction, Floats, Ints, chosen

_ROUNDING = 1e-9


def overall(chances: Sequence[Floats], answered: Sequence[float] | None = None) -> Floats:
    """Return (N,) the probability of being drawn in any of the waves, 1 - prod(1 - r), from the chances (N,) in each.

    `answered` is the share of each wave that people have answered so far. Everybody answers a wave in random order, so
    those are a random part of it, and the result is the probability of being answered.
    """
    found, left = np.zeros(chances[0].size), np.ones(chances[0].size)
    for wave, chance in enumerate(chances):
        found += left * chance * (1.0 if answered is None else answered[wave])
        left *= 1 - chance
    return found


def pivotal_draw(chances: Floats, order: Ints, rng: np.random.Generator) -> tuple[int, ...]:
    """Return the drawn indices, ascending, each drawn with exactly its chance; as many as the chances' sum, rounded up
    or down.

    Ordered pivotal sampling (Deville and Tille 1998; Chauvet 2012): along `order` two undecided texts compete at a
    time. One is drawn or dropped for good; the other keeps what remains of their joint chance and meets the next. About
    one text is drawn for each whole chance along the order, so a draw ordered by score is spread over the scale.
    """
    drawn: list[int] = []
    open_, held = -1, 0.0
    for index, toss in zip(order.tolist(), rng.random(order.size).tolist(), strict=True):
        chance = float(chances[index])
        if open_ < 0:
            open_, held = index, chance
        elif held + chance < 1 - _ROUNDING:
            held += chance
            open_ = index if toss * held < chance else open_
        else:
            goes_on = held + chance - 1
            both = 1 - goes_on
            first = both <= _ROUNDING or toss * both < 1 - chance
            drawn.append(open_ if first else index)
            open_, held = (index if first else open_), goes_on
        if held <= _ROUNDING:
            open_, held = -1, 0.0
    if open_ >= 0 and rng.random() < held + _ROUNDING:
        drawn.append(open_)
    return tuple(sorted(drawn))


@dataclass(frozen=True, slots=True, eq=False)
class ComparedSide:
    """Rows (N,) of one side, as `estimate` takes them. `key`: each row's judged item, the same on both sides of a
    pair."""

    name: str
    judge: Floats
    human: Floats
    key: Column | None = None
    group: Column | None = None
    probability: Floats | None = None

    @property
    def answered(self) -> int:
        return int((~np.isnan(self.human)).sum())


def paired_rows(a: ComparedSide, b: ComparedSide) -> tuple[Ints, Ints] | None:
    """Return the rows of each side that are pairs; None if the sides are better estimated separately.

    That is if rows aren't pairs, if most rows of the smaller side or most of people's answers would be lost, or if the
    probability that people answer both isn't known.
    """
    if a.key is None or b.key is None:
        return None
    at_a, at_b = ({str(key): row for row, key in enumerate(side)} for side in (a.key, b.key))
    if len(at_a) < len(a.key) or len(at_b) < len(b.key):
        return None
    shared = [key for key in at_a if key in at_b]
    if 2 * len(shared) < max(min(len(at_a), len(at_b)), 4):
        return None
    of_a, of_b = (np.array([at[key] for key in shared], dtype=np.int64) for at in (at_a, at_b))
    in_a, in_b = ~np.isnan(a.human[of_a]), ~np.isnan(b.human[of_b])
    both, fewer = int((in_a & in_b).sum()), min(a.answered, b.answered)
    if 2 * both < fewer or both < 2 <= fewer:
        return None
    return (of_a, of_b) if _drawn_as_one(a, b, of_a, of_b, in_a, in_b) else None


def _drawn_as_one(a: ComparedSide, b: ComparedSide, of_a: Ints, of_b: Ints, in_a: Bools, in_b: Bools) -> bool:
    """Return whether pairs have one known probability: that of both rows, or the same for all."""
    if a.probability is None and b.probability is None:
        return True
    if a.probability is None or b.probability is None:
        return False
    p, q = a.probability[of_a], b.probability[of_b]
    alike = np.unique(p[in_a]).size < 2 and np.unique(q[in_b]).size < 2
    return alike or (bool((in_a == in_b).all()) and np.array_equal(p[in_a], q[in_b]))


def drawn_together(a: ComparedSide, b: ComparedSide) -> tuple[Ints, Ints] | None:
    """Return a code for each row of either side, of the unit that resamples draw as a whole: the row's document, else
    its key. None if no unit has two rows."""
    if a.group is not None and b.group is not None:
        names = [*a.group, *b.group]
    elif a.key is not None and b.key is not None:
        names = [*a.key, *b.key]
    else:
        return None
    unit = codes(names)
    if unit.max() + 1 == unit.size:
        return None
    return unit[: a.judge.size], unit[a.judge.size :]


def codes(names: Column) -> Ints:
    """Return a code from 0 for each distinct name."""
    return np.unique(np.array([str(name) for name in names]), return_inverse=True)[1].astype(np.int64)


MORE = (30, 60, 120)
"""Numbers of further answers of people that the forecast is for."""
FEW = 30
"""Answers of people below which an interval says little."""


@dataclass(frozen=True, slots=True)
class AnswerForecast:
    """Forecast for `more` answers of people: an interval of about plus or minus `reach`, for which people alone need
    `alone` answers in all."""

    more: int
    reach: float
    alone: int


@dataclass(frozen=True, slots=True)
class CorrectedEstimate:
    """An estimate from `n` rows with the judge's value, `n_human` of them with a human one, from `documents` (None:
    unknown), of which people answered rows in `documents_answered`.

    `weight` is how far the correction relies on the judge: PPI++'s lambda, 1 for Rogan-Gladen. Sensitivity and
    specificity are None unless all values are yes or no. `shifted`: the judge's own values differ between rows with a
    human value and the others, so those are no fair draw. `weighted`: by their probabilities of being drawn for people;
    `even` is then the number of answers to a plain random draw that would tell as much (else n_human).
    """

    n: int
    n_human: int
    documents: int | None
    documents_answered: int | None
    binary: bool
    method: Correction
    weight: float
    judge_only: EstimatedFigure
    human_only: EstimatedFigure
    corrected: EstimatedFigure
    sensitivity: EstimatedFigure | None
    specificity: EstimatedFigure | None
    shifted: bool
    weighted: bool
    even: float
    disagreements: int
    forecast: tuple[AnswerForecast, ...]
    resamples: int
    seed: int

    @property
    def bias(self) -> float | None:
        """Return how far the judge alone is off, by the correction; positive if its value is too high."""
        if self.judge_only.value is None or self.corrected.value is None:
            return None
        return self.judge_only.value - self.corrected.value

    @property
    def worth(self) -> int | None:
        """The answers of people alone, to a plain draw, that would give an interval as narrow as the corrected one."""
        people, corrected = self.human_only.width, self.corrected.width
        return round(self.even * (people / corrected) ** 2) if people and corrected else None

    @property
    def leans(self) -> bool:
        """Return whether the judge's weight in the corrected figure isn't 0 at two decimals."""
        return round(self.weight, 2) > 0

    @property
    def may_take_rogan_gladen(self) -> bool:
        """Return whether Rogan-Gladen can be computed of these rows."""
        sensitivity, specificity = self.sensitivity, self.specificity
        if sensitivity is None or specificity is None or sensitivity.value is None or specificity.value is None:
            return False
        return self.n_human < self.n and sensitivity.value + specificity.value > 1

    @property
    def advised(self) -> Literal["corrected", "human_only"]:
        """Return which figure to use: people alone if the judge makes the figure no more precise."""
        if self.method == "rogan-gladen":  # corrects for other texts than people answered
            return "corrected"
        people, corrected = self.human_only.width, self.corrected.width
        narrower = people is not None and corrected is not None and corrected < people
        return "corrected" if narrower and self.leans else "human_only"

    @property
    def enough(self) -> bool:
        """Return whether there are enough answers for the intervals to be more than rough."""
        return self.n_human >= FEW

    def to_json(self) -> dict[str, Any]:
        """Return the fields of the command's contract and some more."""
        plain = ("n", "n_human", "documents", "documents_answered", "shifted", "weighted")
        return {
            **{name: getattr(self, name) for name in (*plain, "disagreements", "resamples", "seed")},
            "n_human_effective": self.even,
            **{name: asdict(getattr(self, name)) for name in ("judge_only", "human_only")},
            "corrected": {**asdict(self.corrected), "method": self.method, "weight": self.weight},
            "sensitivity": self.sensitivity and self.sensitivity.value,
            "specificity": self.specificity and self.specificity.value,
            "sensitivity_interval": self.sensitivity and [self.sensitivity.low, self.sensitivity.high],
            "specificity_interval": self.specificity and [self.specificity.low, self.specificity.high],
            "use": self.advised,
            "judge_off_by": self.bias,
            "worth_human_answers": self.worth,
            "forecast": [asdict(each) for each in self.forecast],
        }


def estimate(
    judge: Floats,
    human: Floats,
    *,
    group: Column | None = None,
    probability: Floats | None = None,
    method: Correction = "ppi",
    more: Sequence[int] = MORE,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> CorrectedEstimate:
    """Estimate the mean of rows (N,) with the judge's value; `human` is NaN where nobody answered, `group` each row's
    document.

    `probability` (N,) is that of each row to be drawn for people to answer, needed where they did; None: all were drawn
    alike. Only ratios count, so it may also be that of being drawn before some didn't answer by chance. The forecast is
    for `more` further answers each.

    Raises:
        InputError: fewer than two rows with a human value, one of them without a probability above 0 and at most 1, one
            document, or Rogan-Gladen where it can't be computed.
    """
    chosen(method, Correction, "method")
    if probability is not None and method == "rogan-gladen":
        raise InputError(
            "Rogan-Gladen is for answers of people from other sources, which no draw of these rows has chosen.",
            "Leave out the probabilities, or choose --method ppi.",
        )
    known = ~np.isnan(human)
    if int(known.sum()) < 2:
        raise InputError(
            f"{int(known.sum())} of {judge.size} rows have a human value: nothing can be corrected by them.",
            f"Have people answer at least two{f', better {FEW} or more' if judge.size >= FEW else ''}.",
        )
    binary = is_share(judge, human)
    drawn_for = None if probability is None else drawn_weights(human, probability)
    at_hand = sums(judge, human, drawn_for)
    if method == "rogan-gladen":
        _check_rogan_gladen(at_hand, binary)
    drawn, documents, answered = None, None, None
    if group is not None:
        unit = codes(group)
        documents, answered = int(unit.max()) + 1, np.unique(unit[known]).size
        if documents < 2:
            raise InputError("All rows belong to one document: an interval needs several.", "Leave out --group.")
        drawn = resampled_sums(judge, human, unit, resamples, seed, drawn_for)
    of = partial(figure, s=at_hand, drawn=drawn, documents=answered, bounded=binary)
    corrected = of(CORRECTED[method])
    return CorrectedEstimate(
        n=judge.size,
        n_human=int(known.sum()),
        documents=documents,
        documents_answered=answered,
        binary=binary,
        method=method,
        weight=float(tuned_weight(at_hand)[0]) if method == "ppi" else 1.0,
        judge_only=of(JUDGE, documents=documents),
        human_only=of(PEOPLE),
        corrected=corrected,
        sensitivity=of(SENSITIVITY) if binary else None,
        specificity=of(SPECIFICITY) if binary else None,
        shifted=is_shifted(at_hand, drawn),
        weighted=probability is not None,
        even=int(known.sum()) if probability is None else float(even_rows(at_hand)[0]),
        disagreements=int((judge[known] != human[known]).sum()),
        forecast=_forecast(at_hand, corrected, more) if method == "ppi" else (),
        resamples=resamples if drawn else 0,
        seed=seed,
    )


def judge_alone(
    judge: Floats, *, group: Column | None = None, resamples: int = RESAMPLES, seed: int = 0
) -> EstimatedFigure:
    """Return the judge's mean over rows (N,), one or more, for rows of which people answered too few to correct it."""
    s = sums(judge, nobody := np.full(judge.size, np.nan))
    drawn, documents = None, None
    if group is not None:
        unit = codes(group)
        drawn, documents = resampled_sums(judge, nobody, unit, resamples, seed), int(unit.max()) + 1
    return figure(JUDGE, s=s, drawn=drawn, documents=documents, bounded=is_share(judge, nobody))


def is_share(judge: Floats, human: Floats) -> bool:
    """Return whether all values are yes or no, so that the mean is a share of yes."""
    return bool(np.isin(judge, (0, 1)).all() and np.isin(human[~np.isnan(human)], (0, 1)).all())


def _forecast(s: Sums, now: EstimatedFigure, numbers: Sequence[int]) -> tuple[AnswerForecast, ...]:
    """Return forecasts for the `numbers` of more answers that the rows allow; none without an interval to narrow.

    The interval is taken to narrow as the standard error does, even if it was drawn by document: more answers are taken
    to be spread over documents as the present ones are.
    """
    weight = tuned_weight(s)
    error, spread = float(powered_error(s, weight)[0]), float(human_variance(s)[0])
    if not now.width or not error:
        return ()
    found = []
    for more in numbers:
        if more < int(s.others[0]):
            then = float(powered_error(s, weight, more)[0])
            found.append(AnswerForecast(more, now.width / 2 * then / error, round(spread / then**2)))
    return tuple(found)


def _check_rogan_gladen(s: Sums, binary: bool) -> None:
    if not binary:
        raise InputError("Rogan-Gladen corrects shares of yes, not scores.", "Choose --method ppi.")
    errors = judge_errors(s)
    if not errors.yes[0] or not errors.no[0]:
        lacking = "yes" if not errors.yes[0] else "no"
        raise InputError(
            f"People never answered {lacking}, so how the judge errs there is unknown.", "Choose --method ppi."
        )
    if errors.sensitivity[0] + errors.specificity[0] <= 1:
        raise InputError(
            f"The judge is no better than chance (sensitivity {errors.sensitivity[0]:.2f}, specificity "
            f"{errors.specificity[0]:.2f}): its share of yes can't be corrected this way.",
            "Choose --method ppi, which then leans on people alone.",
        )


@dataclass(frozen=True, slots=True)
class SystemMean:
    """A system's mean. `estimate` is None, with the reason, if people's answers can't correct the judge's."""

    system: str
    n: int
    n_human: int
    judge_only: EstimatedFigure
    estimate: CorrectedEstimate | None
    reason: str

    @property
    def advised(self) -> str:
        """Return which figure to use."""
        return self.estimate.advised if self.estimate else "judge_only"

    def to_json(self) -> dict[str, Any]:
        whole = self.estimate and self.estimate.to_json()
        return {
            "system": self.system,
            "n": self.n,
            "n_human": self.n_human,
            "judge_only": asdict(self.judge_only),
            "human_only": whole and whole["human_only"],
            "corrected": whole and whole["corrected"],
            "use": self.advised,
            "judge_off_by": whole and whole["judge_off_by"],
            "reason": self.reason,
        }


def system_means(
    sides: Sequence[ComparedSide], *, method: Correction = "ppi", resamples: int = RESAMPLES, seed: int = 0
) -> list[SystemMean]:
    """Return each system's mean, in the order given. Compare two systems by their difference instead."""
    return [_mean(side, method, resamples, seed) for side in sides]


def _mean(side: ComparedSide, method: Correction, resamples: int, seed: int) -> SystemMean:
    documents = 0 if side.group is None else len({str(name) for name in side.group})
    group = side.group if 1 < documents < side.judge.size else None  # one row each: nothing to draw together
    found, reason = None, ""
    try:
        found = estimate(
            side.judge,
            side.human,
            group=group,
            probability=side.probability,
            method=method,
            resamples=resamples,
            seed=seed,
        )
    except InputError as error:
        reason = error.message
    alone = found.judge_only if found else judge_alone(side.judge, group=group, resamples=resamples, seed=seed)
    return SystemMean(side.name, side.judge.size, side.answered, alone, found, reason)


FEW_DOCUMENTS = 10
"""Documents with answers below which Student's t widens the interval by more than a seventh."""
UNEVEN = 0.5
"""Effective share of people's answers after unequal drawing, below which a caution is shown."""
NOT_ESTABLISHED = (
    "This holds for texts like these and takes what people answered as the truth; it doesn't say that they are right."
)


def estimate_verdict(found: CorrectedEstimate) -> str:
    """Return which figure to use, how far the judge alone is off, and how much the judge adds."""
    if found.advised == "human_only":
        return (
            f"Use people's answers alone: {_shown(found, found.human_only)}. The judge's answers don't make it more "
            f"precise; alone they say {_value(found, found.judge_only.value)}."
        )
    said = [f"Use the corrected figure: {_shown(found, found.corrected)}."]
    alone, bias = found.judge_only, found.bias
    if bias is not None and found.corrected.low is not None and found.corrected.high is not None:
        inside = alone.value is not None and found.corrected.low <= alone.value <= found.corrected.high
        off = f"{gap(bias, binary=found.binary)} too {'much' if bias > 0 else 'little'}"
        said.append(f"The judge alone says {_value(found, alone.value)}, {'inside that interval' if inside else off}.")
    if found.worth is not None and found.worth > found.n_human:
        said.append(f"With the judge {found.n_human:,} answers of people tell as much as {found.worth:,} without.")
    return " ".join(said)


def estimate_forecast(found: CorrectedEstimate) -> str:
    """Return what more answers of people would bring; "" without an interval to narrow."""
    if not found.forecast:
        return ""
    each = found.forecast[min(1, len(found.forecast) - 1)]
    alone = (
        f"; without the judge that takes {each.alone:,} answers in all"
        if each.alone > found.n_human + each.more
        else ""
    )
    return f"{each.more} more answers of people: about plus or minus {gap(each.reach, binary=found.binary)}{alone}."


def half_width(found: CorrectedEstimate) -> str:
    """Return how far the corrected figure may be off either way; "" without an interval."""
    return gap(found.corrected.width / 2, binary=found.binary) if found.corrected.width else ""


def answers_before_any(answers: int) -> str:
    """Return what so many answers tell at worst, before there are any to forecast from."""
    reach = 100 * Z * 0.5 / answers**0.5
    return (
        f"Nobody has answered yet. {answers} answers of people alone tell a question's share of yes to plus or minus "
        f"{reach:.0f} points at worst; with a judge that is often right it is less. From {FEW} answers on this says "
        "how much."
    )


def estimate_cautions(found: CorrectedEstimate) -> list[str]:
    """Return what weakens the figures, and what they never establish."""
    said = []
    if found.shifted and found.weighted:
        said.append(
            "The judge finds the rows that people answered unlike the others, also after weighing them by their "
            "probabilities. Are these the probabilities of the draw, and did people answer all that was drawn? If not, "
            "this correction is off."
        )
    elif found.shifted and found.method == "ppi":
        said.append(
            "The judge finds the rows that people answered unlike the others. Were they chosen, or from other sources? "
            f"Then this correction is off: {'use rogan-gladen, or ' if found.may_take_rogan_gladen else ''}have people "
            "answer a random draw."
        )
    if not found.enough:
        said.append(f"Only {found.n_human} answers of people: the intervals are rough below {FEW}.")
    if found.weighted and found.even < UNEVEN * found.n_human:
        said.append(
            f"The rows were drawn so unevenly that {found.n_human} answers of people alone tell as much as "
            f"{found.even:.0f} to rows drawn alike."
        )
    if found.documents_answered is not None and found.documents_answered < FEW_DOCUMENTS:
        answered = f"People answered texts of {found.documents_answered} of {found.documents} documents"
        if found.documents is not None and found.documents > found.documents_answered:
            said.append(f"{answered}: spread the same work over more documents, and the interval gets narrower.")
        else:
            said.append(f"{answered}: the interval is rough with fewer than {FEW_DOCUMENTS}.")
    if not found.disagreements:
        said.append(
            f"Judge and people never differ on these {found.n_human} rows, so the interval doesn't know of errors. Up "
            f"to {min(300 / found.n_human, 100):.0f} % of the judge's answers may still be wrong."
        )
    if found.n_human == found.n:
        said.append("People answered every row, so the judge has nothing to add.")
    return [*said, NOT_ESTABLISHED]


def gap(difference: float, *, binary: bool) -> str:
    """Return the distance of two figures in words: points of percent for shares."""
    return f"{abs(difference) * 100:.1f} points" if binary else f"{abs(difference):.2f}"


def _shown(found: CorrectedEstimate, figure: EstimatedFigure) -> str:
    value = _value(found, figure.value)
    if figure.low is None or figure.high is None:
        return f"{value} (no interval)"
    return f"{value} (95 % interval {_value(found, figure.low)} to {_value(found, figure.high)})"


def _value(found: CorrectedEstimate, value: float | None) -> str:
    if value is None:
        return "nothing"
    return f"{value:.1%}".replace("%", " %") if found.binary else f"{value:.2f}"
