"""Two sides whose means are compared: which of their rows are pairs, and what both share.

Unequal drawing: a difference of two means needs each row's own probability of being answered by people, a pair that of
both being answered. It is known only where both rows of every pair were drawn as one, or all rows alike. Elsewhere the
sides are estimated apart, by their own probabilities: their product would hold for independent draws alone, and whether
they were independent is written nowhere.
"""

from dataclasses import dataclass

import numpy as np

from app.meta_evaluation.score_matrix import Bools, Column, Floats, Ints


@dataclass(frozen=True, slots=True, eq=False)
class ComparedSide:
    """Rows (N,) of one side, as `estimate` takes them. `key`: what a row judges, the same on both sides for a pair."""

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
    """The rows of each side that are pairs; None where the sides are better estimated apart.

    That is where rows are no pairs, where most rows of the smaller side or most of people's answers would be lost, or
    where it isn't known with which probability people were to answer both.
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
    """Whether pairs have one known probability: that of both rows, or the same for all."""
    if a.probability is None and b.probability is None:
        return True
    if a.probability is None or b.probability is None:
        return False
    p, q = a.probability[of_a], b.probability[of_b]
    alike = np.unique(p[in_a]).size < 2 and np.unique(q[in_b]).size < 2
    return alike or (bool((in_a == in_b).all()) and np.array_equal(p[in_a], q[in_b]))


def drawn_together(a: ComparedSide, b: ComparedSide) -> tuple[Ints, Ints] | None:
    """What is drawn as a whole: the document, else the key, of each row; None where each stands once."""
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
    """From 0, one for each name."""
    return np.unique(np.array([str(name) for name in names]), return_inverse=True)[1].astype(np.int64)
