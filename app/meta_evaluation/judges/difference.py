"""The difference of two means, of systems or of checklist versions: the judge alone, people alone, and corrected.

If both sides judge the same items, each pair is one row: the judge's difference, and people's where they answered both
(Angelopoulos et al. 2311.01453 on the paired differences). Else each side is corrected by itself. The interval is then
from resamples that draw the documents of both sides together, so that shared documents count; without shared documents,
from two independent samples (MOVER, Zou and Donner 2008).
"""

from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from app.meta_evaluation.bootstrap import RESAMPLES
from app.meta_evaluation.judges.estimate import (
    FEW,
    FEW_DOCUMENTS,
    NOT_ESTABLISHED,
    ComparedSide,
    codes,
    drawn_together,
    gap,
    is_share,
    paired_rows,
)
from app.meta_evaluation.judges.powered_estimates import (
    CORRECTED,
    JUDGE,
    PEOPLE,
    Ends,
    EstimatedFigure,
    Quantity,
    by_document,
    drawn_weights,
    even_rows,
    figure,
    is_shifted,
    resampled_sums,
    sums,
    tuned_weight,
    wilson,
)
from app.meta_evaluation.score_matrix import Floats, Ints

PPI = CORRECTED["ppi"]


@dataclass(frozen=True, slots=True)
class EstimatedDifference:
    """The estimated difference `a` less `b`. `n` pairs, or rows of the side that has fewer; people answered `n_human`
    of them.

    `left_out` are the rows of each side without a partner, if `paired`. `documents` None: rows were drawn one by one.
    `human_only` and `corrected` are None if people answered fewer than two. `weight` is PPI++'s lambda of the pairs,
    None if each side has its own.
    """

    a: str
    b: str
    paired: bool
    n: int
    n_human: int
    left_out: tuple[int, int]
    documents: int | None
    documents_answered: int | None
    binary: bool
    judge_only: EstimatedFigure
    human_only: EstimatedFigure | None
    corrected: EstimatedFigure | None
    weight: float | None
    shifted: bool

    @property
    def bias(self) -> float | None:
        """Return how far the judge alone is off, by the correction; positive if it favours `a`."""
        if self.judge_only.value is None or self.corrected is None or self.corrected.value is None:
            return None
        return self.judge_only.value - self.corrected.value

    @property
    def advised(self) -> Literal["judge_only", "corrected", "human_only"]:
        """Return which figure to use: people alone if the judge makes the figure no more precise; the judge if people
        answered too few."""
        if self.corrected is None or self.human_only is None:
            return "judge_only"
        people, corrected = self.human_only.width, self.corrected.width
        narrower = people is not None and corrected is not None and corrected < people
        return "corrected" if narrower else "human_only"

    @property
    def to_read(self) -> EstimatedFigure:
        """Return the advised figure."""
        found: EstimatedFigure = getattr(self, self.advised)
        return found

    @property
    def enough(self) -> bool:
        """Return whether there are enough answers for the intervals to be more than rough."""
        return self.n_human >= FEW

    def to_json(self) -> dict[str, Any]:
        plain = ("a", "b", "paired", "n", "n_human", "left_out", "documents", "documents_answered", "shifted")
        return {
            **{name: getattr(self, name) for name in plain},
            "judge_only": asdict(self.judge_only),
            "human_only": self.human_only and asdict(self.human_only),
            "corrected": self.corrected and {**asdict(self.corrected), "method": "ppi", "weight": self.weight},
            "use": self.advised,
            "judge_off_by": self.bias,
        }


def difference(a: ComparedSide, b: ComparedSide, *, resamples: int = RESAMPLES, seed: int = 0) -> EstimatedDifference:
    """Return the difference `a` less `b`. Each side has the judge's value in every row and people's in some or none.

    Raises:
        InputError: an answered row without a probability above 0 and at most 1, where a side has probabilities.
    """
    binary = is_share(a.judge, a.human) and is_share(b.judge, b.human)
    pairs = paired_rows(a, b)
    if pairs is not None:
        return _of_pairs(a, b, *pairs, binary, resamples, seed)
    return _of_sides(a, b, binary, resamples, seed)


def _of_pairs(
    a: ComparedSide, b: ComparedSide, of_a: Ints, of_b: Ints, binary: bool, resamples: int, seed: int
) -> EstimatedDifference:
    judge, human = a.judge[of_a] - b.judge[of_b], a.human[of_a] - b.human[of_b]
    known = ~np.isnan(human)
    weight = None if a.probability is None else drawn_weights(human, a.probability[of_a])
    s, drawn, documents, answered = sums(judge, human, weight), None, None, None
    if a.group is not None:
        unit = codes([a.group[row] for row in of_a])
        documents, answered = int(unit.max()) + 1, np.unique(unit[known]).size
        if documents == judge.size:  # one pair each: nothing to draw together
            documents = answered = None
        else:
            drawn = resampled_sums(judge, human, unit, resamples, seed, weight)
    people = int(known.sum()) > 1

    def of(quantity: Quantity, drawn_from: int | None, rows: float) -> EstimatedFigure:
        found = figure(quantity, s=s, drawn=drawn, documents=drawn_from, bounded=False)
        return _inside(_never_met(found, rows), binary) if binary else found

    return EstimatedDifference(
        a.name,
        b.name,
        paired=True,
        n=judge.size,
        n_human=int(known.sum()),
        left_out=(a.judge.size - of_a.size, b.judge.size - of_b.size),
        documents=documents,
        documents_answered=answered,
        binary=binary,
        judge_only=of(JUDGE, documents, judge.size),
        human_only=of(PEOPLE, answered, float(even_rows(s)[0])) if people else None,
        corrected=of(PPI, answered, float(even_rows(s)[0])) if people else None,
        weight=float(tuned_weight(s)[0]) if people else None,
        shifted=people and is_shifted(s, drawn),
    )


def _of_sides(a: ComparedSide, b: ComparedSide, binary: bool, resamples: int, seed: int) -> EstimatedDifference:
    sides = (a, b)
    weights = [None if side.probability is None else drawn_weights(side.human, side.probability) for side in sides]
    at_hand = [sums(side.judge, side.human, weight) for side, weight in zip(sides, weights, strict=True)]
    units, drawn, documents, answered = drawn_together(a, b), None, None, None
    if units is not None:
        among = np.concatenate(units)
        documents = min(np.unique(unit).size for unit in units)
        answered = min(np.unique(unit[~np.isnan(side.human)]).size for side, unit in zip(sides, units, strict=True))
        drawn = [
            resampled_sums(side.judge, side.human, unit, resamples, seed, weight, among)
            for side, unit, weight in zip(sides, units, weights, strict=True)
        ]
    people = min(side.answered for side in sides)

    def of(quantity: Quantity, drawn_from: int | None) -> EstimatedFigure:
        each = [figure(quantity, s=s, drawn=None, documents=None, bounded=binary) for s in at_hand]
        together = quantity.value(drawn[0]) - quantity.value(drawn[1]) if drawn else None
        return _inside(_apart(each[0], each[1], together, drawn_from, binary), binary)

    return EstimatedDifference(
        a.name,
        b.name,
        paired=False,
        n=min(a.judge.size, b.judge.size),
        n_human=people,
        left_out=(0, 0),
        documents=documents,
        documents_answered=answered,
        binary=binary,
        judge_only=of(JUDGE, documents),
        human_only=of(PEOPLE, answered) if people > 1 else None,
        corrected=of(PPI, answered) if people > 1 else None,
        weight=None,
        shifted=people > 1 and any(is_shifted(s, each) for s, each in zip(at_hand, drawn or (None, None), strict=True)),
    )


def _apart(
    a: EstimatedFigure, b: EstimatedFigure, drawn: Floats | None, documents: int | None, binary: bool
) -> EstimatedFigure:
    """Return the difference with its interval from resamples, or without any from two independent figures' ends
    (MOVER).

    A share of exactly 0 or 1 never varies in resamples: Wilson's reach is added to theirs.
    """
    if a.value is None or b.value is None:
        return EstimatedFigure(None)
    value = a.value - b.value
    reaches: list[Ends] = []
    if drawn is not None and documents is not None:
        ends = by_document(value, drawn, documents)
        if ends is None:
            return EstimatedFigure(value)
        reaches.append((value - ends[0], ends[1] - value))
    for side, turned in ((a, False), (b, True)):
        if side.low is None or side.high is None:
            return EstimatedFigure(value)
        if drawn is None or (binary and side.value in (0, 1)):
            below, above = (side.value or 0.0) - side.low, side.high - (side.value or 0.0)
            reaches.append((above, below) if turned else (below, above))
    low, high = np.sqrt(np.square(np.array(reaches)).sum(axis=0))
    return EstimatedFigure(value, value - float(low), value + float(high))


def _never_met(found: EstimatedFigure, rows: float) -> EstimatedFigure:
    """Return `found` with a wider interval if all pairs differ alike: up to Wilson's share of pairs may not."""
    if found.value is None or found.width is None or found.width > 0:
        return found
    other = wilson(0, rows)[1]
    below = 2 * other if found.value == 1 else other
    above = 2 * other if found.value == -1 else other
    return EstimatedFigure(found.value, found.value - below, found.value + above)


def _inside(found: EstimatedFigure, binary: bool) -> EstimatedFigure:
    if not binary:
        return found
    parts = (found.value, found.low, found.high)
    return EstimatedFigure(*(part if part is None else min(max(part, -1.0), 1.0) for part in parts))


BY = {
    "judge_only": "the judge alone",
    "human_only": "people's answers alone (the judge makes them no more precise)",
    "corrected": "the corrected figures",
}


def difference_verdict(found: EstimatedDifference) -> str:
    """Return which side is higher and by how much, whether that may be chance, and how far the judge alone is off."""
    read = found.to_read
    if read.value is None:
        return f"Nothing can be said about the difference between {found.a} and {found.b}."
    first, second, sign = (found.a, found.b, 1) if read.value >= 0 else (found.b, found.a, -1)
    apart = f"{gap(read.value, binary=found.binary)} higher than {second}" if read.value else f"level with {second}"
    by = BY[found.advised]
    if read.low is None or read.high is None:
        said = f"By {by} {first} is {apart}; too few documents have answers for an interval."
    elif read.low <= 0 <= read.high:
        said = f"Which is higher can't be told: by {by} {first} is {apart}, but {_ends(read, sign, found)} includes 0."
    else:
        said = f"{first} is {apart} by {by}: {_ends(read, sign, found)} leaves out 0."
    return f"{said} {_judge_off(found, first, second, sign)}"


def difference_cautions(found: EstimatedDifference) -> list[str]:
    """Return what weakens the figures, and what they never establish."""
    said = []
    if not found.paired:
        said.append("Each side is estimated by itself: too few rows or answers stand on both, or not drawn as one.")
    elif any(found.left_out):
        left_a, left_b = found.left_out
        said.append(
            f"Only the {found.n:,} pairs count: {left_a:,} of {found.a} and {left_b:,} of {found.b} have no partner."
        )
    if found.shifted:
        said.append(
            "The judge finds what people answered unlike the rest. Unless that was drawn at random, the correction is "
            "off."
        )
    if found.corrected and not found.enough:
        said.append(f"Only {found.n_human} answers of people on both sides: intervals are rough below {FEW}.")
    if found.documents_answered is not None and found.documents_answered < FEW_DOCUMENTS and found.corrected:
        said.append(f"People answered texts of {found.documents_answered} documents: more would narrow the interval.")
    return [*said, NOT_ESTABLISHED] if found.corrected else said


def _judge_off(found: EstimatedDifference, first: str, second: str, sign: int) -> str:
    bias, alone = found.bias, found.judge_only.value
    if found.corrected is None:
        many = "1 answer" if found.n_human == 1 else f"{found.n_human or 'no'} answers"
        return f"How far the judge is off nobody can say: people gave {many} to both sides; two are the least."
    if bias is None or alone is None:
        return ""
    ahead = first if sign * alone >= 0 else second
    says = f"The judge alone puts {ahead} {gap(alone, binary=found.binary)} ahead"
    low, high = found.corrected.low, found.corrected.high
    if low is not None and high is not None and low <= alone <= high:
        return f"{says}, inside the corrected interval."
    return f"{says}, {gap(bias, binary=found.binary)} too much in favour of {found.a if bias > 0 else found.b}."


def _ends(read: EstimatedFigure, sign: int, found: EstimatedDifference) -> str:
    assert read.low is not None
    assert read.high is not None
    low, high = sorted((sign * read.low, sign * read.high))
    many = 100 if found.binary else 1
    digits = 1 if found.binary else 2
    return f"the 95 % interval, {low * many:.{digits}f} to {high * many:.{digits}f},"
