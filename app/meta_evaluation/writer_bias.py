"""Writer bias: whether a judge scores texts by people lower than texts by LLMs (G-Eval, section 4 and Fig. 2).

Texts of the same source are paired, one by a person and one by an LLM. The pairs make three groups, by people's ratings
or stated preferences: the person's text is better, both are alike, or the LLM's is better. Each group shows the mean
scores of both sides. An unbiased judge gives the person's texts higher scores in the first group and lower ones in the
last. Intervals are 95 % percentile bootstrap over sources, since pairs of one source depend on each other; the paper
gives none.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from app.meta_evaluation.bootstrap import RESAMPLES

Preference = Literal["person", "alike", "llm"]
PREFERENCES: tuple[Preference, ...] = ("person", "alike", "llm")
By = Literal["ratings", "preferences"]


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean with its interval; `low` and `high` are None with fewer than two sources to draw from."""

    value: float
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class WritersPair:
    """A text by a person and one by an LLM on the same `source`, with their scores and people's preference."""

    source: str
    person: float
    llm: float
    preference: Preference


@dataclass(frozen=True, slots=True)
class PairGroup:
    """The pairs with one preference. `person` and `llm` are mean scores, `difference` is person less LLM."""

    preference: Preference
    pairs: int
    sources: int
    person: Mean | None
    llm: Mean | None
    difference: Mean | None


@dataclass(frozen=True, slots=True)
class WriterBias:
    """Writer bias by preference; `groups` in the order of PREFERENCES. `unpaired`: texts with a score and ratings whose
    source has no text of the other kind; with `by` preferences, pairs of which a text has no score. `n_undefined`:
    resamples in which a group had no pair, summed over groups."""

    groups: tuple[PairGroup, ...]
    unpaired: int
    n_undefined: int
    resamples: int
    seed: int
    by: By = "ratings"

    @property
    def pairs(self) -> int:
        return sum(group.pairs for group in self.groups)


def writer_bias(
    scores: Sequence[float],
    ratings: Sequence[float],
    sources: Sequence[str],
    by_person: Sequence[bool],
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> WriterBias:
    """Return the writer bias by ratings; for each text its score, mean rating, source, and whether a person wrote
    it."""
    texts: dict[str, tuple[list[int], list[int]]] = {name: ([], []) for name in sources}
    for place, (source, person) in enumerate(zip(sources, by_person, strict=True)):
        texts[source][0 if person else 1].append(place)
    unpaired, pairs = 0, list[WritersPair]()
    for name, (people, llms) in texts.items():
        if not (people and llms):
            unpaired += len(people) + len(llms)
        for p, other in product(people, llms):
            better = 0 if ratings[p] > ratings[other] else 1 if ratings[p] == ratings[other] else 2
            pairs.append(WritersPair(name, scores[p], scores[other], PREFERENCES[better]))
    return bias_of_pairs(pairs, unpaired, "ratings", resamples, seed)


def bias_of_pairs(
    pairs: Sequence[WritersPair], unpaired: int, by: By, resamples: int = RESAMPLES, seed: int = 0
) -> WriterBias:
    """Return the writer bias of pairs. If several people compared the same texts, each preference is a pair."""
    names = {name: place for place, name in enumerate(dict.fromkeys(pair.source for pair in pairs))}
    # (preference, measure, source) sums of scores, and (preference, source) counts of pairs.
    sums = np.zeros((len(PREFERENCES), 2, len(names)))
    counts = np.zeros((len(PREFERENCES), len(names)))
    for pair in pairs:
        group = PREFERENCES.index(pair.preference)
        sums[group, :, names[pair.source]] += pair.person, pair.llm
        counts[group, names[pair.source]] += 1
    drawn = _draws(counts.sum(axis=0) > 0, resamples, np.random.default_rng(seed))
    made = [_group(name, sums[g], counts[g], drawn) for g, name in enumerate(PREFERENCES)]
    return WriterBias(tuple(group for group, _ in made), unpaired, sum(lost for _, lost in made), resamples, seed, by)


def _draws(paired: NDArray[np.bool_], resamples: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Return (B, sources) how often each source with a pair is drawn."""
    drawn = np.zeros((resamples, paired.size))
    n = int(paired.sum())
    if n:
        drawn[:, paired] = rng.multinomial(n, np.full(n, 1 / n), size=resamples)
    return drawn


def _group(
    preference: Preference, sums: NDArray[np.float64], counts: NDArray[np.float64], drawn: NDArray[np.float64]
) -> tuple[PairGroup, int]:
    pairs, sources = int(counts.sum()), int((counts > 0).sum())
    if not pairs:
        return PairGroup(preference, 0, 0, None, None, None), 0
    observed = sums.sum(axis=1) / pairs
    weight = drawn @ counts
    defined = weight > 0
    means = (drawn @ sums.T)[defined] / weight[defined, None]
    lost = int((~defined).sum())
    values = np.column_stack([means, means[:, 0] - means[:, 1]])
    enough = sources > 1 and lost * 2 <= len(drawn) and len(values) > 0
    bounds = np.quantile(values, [0.025, 0.975], axis=0) if enough else None
    found = [
        Mean(float(value), *((float(bounds[0, n]), float(bounds[1, n])) if bounds is not None else (None, None)))
        for n, value in enumerate([*observed, observed[0] - observed[1]])
    ]
    return PairGroup(preference, pairs, sources, *found), lost
