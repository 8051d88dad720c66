"""A share of yes or a mean over all texts: the judge alone, people alone, and the judge corrected by people.

PPI++ (prediction_powered) where the texts that people answered are a fair draw of all, Rogan-Gladen where they come
from elsewhere.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, Literal

import numpy as np

from app.errors import InputError
from app.meta_evaluation.choices import RESAMPLES, Correction, chosen
from app.meta_evaluation.judges.figures import (
    CORRECTED,
    JUDGE,
    PEOPLE,
    SENSITIVITY,
    SPECIFICITY,
    EstimatedFigure,
    figure,
    is_shifted,
)
from app.meta_evaluation.judges.pairing import codes
from app.meta_evaluation.judges.prediction_powered import even_rows, human_variance, powered_error, tuned_weight
from app.meta_evaluation.judges.rogan_gladen import judge_errors
from app.meta_evaluation.judges.sums import Sums, drawn_weights, resampled_sums, sums
from app.meta_evaluation.score_matrix import Column, Floats

MORE = (30, 60, 120)
"""Answers of people more than at hand, for the forecast."""
FEW = 30
"""Answers of people below which an interval says little."""


@dataclass(frozen=True, slots=True)
class AnswerForecast:
    """With `more` answers of people about plus or minus `reach`; people alone need `alone` answers in all for that."""

    more: int
    reach: float
    alone: int


@dataclass(frozen=True, slots=True)
class CorrectedEstimate:
    """`n` rows with the judge's value, `n_human` of them with a human one, from `documents` (None: not told), of which
    people answered rows in `documents_answered`.

    `weight` is how far the correction leans on the judge: PPI++'s lambda, 1 for Rogan-Gladen. Sensitivity and
    specificity are None unless all values are yes or no. `shifted` says that the judge itself finds the rows with a
    human value unlike the others, so that they are no fair draw. `weighted`: by their probabilities of being drawn for
    people; `even` is then how many of their answers to a plain random draw would tell as much as these (else n_human).
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
        """How far the judge alone is off, by the correction; positive where it says too much."""
        if self.judge_only.value is None or self.corrected.value is None:
            return None
        return self.judge_only.value - self.corrected.value

    @property
    def worth(self) -> int | None:
        """How many answers of people alone to a plain draw would give an interval as narrow as the corrected one."""
        people, corrected = self.human_only.width, self.corrected.width
        return round(self.even * (people / corrected) ** 2) if people and corrected else None

    @property
    def leans(self) -> bool:
        """Whether the judge counts for anything in the corrected figure, at two decimals."""
        return round(self.weight, 2) > 0

    @property
    def may_take_rogan_gladen(self) -> bool:
        """Whether Rogan-Gladen can be computed of these rows."""
        sensitivity, specificity = self.sensitivity, self.specificity
        if sensitivity is None or specificity is None or sensitivity.value is None or specificity.value is None:
            return False
        return self.n_human < self.n and sensitivity.value + specificity.value > 1

    @property
    def advised(self) -> Literal["corrected", "human_only"]:
        """People alone where the judge makes the figure no more precise."""
        if self.method == "rogan-gladen":  # corrects for other texts than people answered
            return "corrected"
        people, corrected = self.human_only.width, self.corrected.width
        narrower = people is not None and corrected is not None and corrected < people
        return "corrected" if narrower and self.leans else "human_only"

    @property
    def enough(self) -> bool:
        """Whether the intervals are more than rough."""
        return self.n_human >= FEW

    def to_json(self) -> dict[str, Any]:
        """The command's fixed fields and some more."""
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
    """Of rows (N,) with the judge's value; `human` is NaN where nobody answered, `group` the document of each row.

    `probability` (N,) is that with which each row was drawn for people to answer, needed where they did; without it all
    were drawn alike. Only ratios count, so it may also be that of being drawn before some didn't answer by chance.
    `more` are the numbers of further answers that the forecast is for.

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
    """Of rows (N,), one or more, where people answered too few to correct anything."""
    s = sums(judge, nobody := np.full(judge.size, np.nan))
    drawn, documents = None, None
    if group is not None:
        unit = codes(group)
        drawn, documents = resampled_sums(judge, nobody, unit, resamples, seed), int(unit.max()) + 1
    return figure(JUDGE, s=s, drawn=drawn, documents=documents, bounded=is_share(judge, nobody))


def is_share(judge: Floats, human: Floats) -> bool:
    """Whether all values are yes or no, so that the mean is a share of yes."""
    return bool(np.isin(judge, (0, 1)).all() and np.isin(human[~np.isnan(human)], (0, 1)).all())


def _forecast(s: Sums, now: EstimatedFigure, numbers: Sequence[int]) -> tuple[AnswerForecast, ...]:
    """For some numbers of more answers that the rows allow; none where there is no interval to narrow.

    The interval is taken to narrow as the standard error does, also where it was drawn by document: more answers are
    taken to be spread over documents as those at hand are.
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
