"""Topics of different fits have no common order: match each fit's topics to those of the most typical one."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Alignment:
    """order: (fits, topics); fit f's topic order[f, k] is the counterpart of the reference fit's topic k.

    `reference` is the medoid: the fit whose topics are most like everybody else's. match: (fits, topics), the cosine
    of each topic's words with its counterpart's.
    """

    reference: int
    order: Integers
    match: Floats


def align_topics(topic_words: Floats) -> Alignment:
    """Match by cosine of topic-word weights with the Hungarian method. topic_words: (fits, topics, words).

    Ties between candidates for the medoid go to the first fit.
    """
    lengths = np.linalg.norm(topic_words, axis=2, keepdims=True)
    unit = topic_words / np.where(lengths == 0, 1.0, lengths)
    n_fits, n_topics, _ = unit.shape
    flat = unit.reshape(n_fits * n_topics, -1)
    cosines = (flat @ flat.T).reshape(n_fits, n_topics, n_fits, n_topics).transpose(0, 2, 1, 3)
    likeness = np.array([[matched_total(cosines[a, b]) for b in range(n_fits)] for a in range(n_fits)])
    reference = int(np.round(likeness.sum(axis=1), 9).argmax())
    order = np.stack([best_match(cosines[reference, fit]) for fit in range(n_fits)])
    match = np.stack([cosines[reference, fit][np.arange(n_topics), order[fit]] for fit in range(n_fits)])
    return Alignment(reference, order, match)


def best_match(gain: Floats) -> Integers:
    """For each row the column that makes the total gain of a one-to-one match largest."""
    _, columns = linear_sum_assignment(gain, maximize=True)
    return np.asarray(columns, dtype=np.intp)


def matched_total(gain: Floats) -> float:
    return float(gain[np.arange(len(gain)), best_match(gain)].sum())
