"""Are there enough attributes? Their themes, how much of what experts say they cover, and what one more expert adds.

The sampling unit is the expert, not the attribute. An expert hardly says a theme twice, so one expert's attributes are
no independent draws, and Good and Turing's 1 - f1/n over attributes (Good 1953) would mostly measure how seldom experts
repeat themselves. So a theme counts once for each expert who has it: Q1 themes are said by one expert, Q2 by two, U is
the sum over experts of the themes they said, T the number of experts.

- coverage 1 - (Q1 / U) (T - 1) Q1 / ((T - 1) Q1 + 2 Q2): the share of what one more expert would say that is there
  already (Chao and Jost 2012; for incidences Chao et al. 2014, equation 12);
- themes unseen so far (T - 1) / T Q1^2 / (2 Q2), the estimator Chao2, a lower bound (Chao 1987, after Chao 1984);
- new themes of one more expert U / T (1 - coverage), which is Chao et al.'s extrapolation by one unit.

The interval is of the true coverage of these very experts, as Esty's (1983) is for single draws. The variance of the
estimate less the truth is a sum over themes: the squared slopes of the estimate in Q1 and Q2 for those seen once and
twice, and pi^2 for each unseen theme that an expert says with probability pi. The latter sum up to about
2 T (T - 1) / (T + 1)^2 Q2 / U^2, as the themes of two experts tell.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from math import comb, log, sqrt
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binomtest

from app.attribute_analysis.pool import AttributePool
from app.attribute_analysis.similarity import PairMatrices, find_unique, groups_alike
from app.domain.attribute import ContributorKind

Bools = NDArray[np.bool_]
Z, NONE_SEEN = NormalDist().inv_cdf(0.975), -log(0.05)
FEWEST = 2
"""Experts that an estimate needs at least."""
OTHERWISE = (0.75, 1.25)
"""Multiples of the threshold at which themes are formed again, to see how far the coverage depends on it."""
LAST = 10
"""How many of the last attributes are checked for new themes."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A share with the ends of its 95 % interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class SeenThemes:
    """Counts of themes: `units` experts named `mentions` themes in sum; `once` and `twice` of the themes were named by
    exactly one and two experts, and by nobody else."""

    units: int
    mentions: int
    once: int
    twice: int


def seen_themes(said: Bools, elsewhere: Bools | None = None) -> SeenThemes:
    """Count themes. said: (experts, themes), who named what. elsewhere: (themes,), those that others than experts
    named: they count as present, however few experts name them."""
    experts = said.sum(axis=0)
    own = experts if elsewhere is None else np.where(elsewhere, 0, experts)
    return SeenThemes(said.shape[0], int(experts.sum()), int((own == 1).sum()), int((own == 2).sum()))


def unseen_themes(seen: SeenThemes) -> float:
    """Return a lower bound of the number of themes that nobody has named yet: Chao2 (Chao 1987)."""
    if seen.twice:
        return (seen.units - 1) / seen.units * seen.once**2 / (2 * seen.twice)
    return (seen.units - 1) / seen.units * seen.once * (seen.once - 1) / 2


def sample_coverage(seen: SeenThemes) -> Figure:
    """Return the share of one more expert's themes that are named already. Needs two experts and one theme."""
    units, once, twice = seen.units, seen.once, seen.twice
    if not twice and once > 1:  # as for Chao2: so many pairs as could have been seen instead
        once, twice = once - 1, 1
    both = (units - 1) * once + 2 * twice
    shrunk = (units - 1) * once / both if once else 0.0
    uncovered = seen.once / seen.mentions * shrunk
    slope_once = (units - 1) * once * (both + 2 * twice) / both**2 if both else 0.0
    slope_twice = 2 * (units - 1) * once**2 / both**2 if both else 0.0
    unseen = 2 * units * (units - 1) / (units + 1) ** 2
    error = sqrt(slope_once**2 * seen.once + (slope_twice**2 + unseen) * seen.twice) / seen.mentions
    # No single theme: fewer than three would have been expected, or one would have come up in 95 % of the cases.
    most = max(uncovered + Z * error, 0.0 if seen.once else NONE_SEEN / seen.mentions)
    return Figure(1 - uncovered, max(0.0, 1 - most), min(1.0, 1 - uncovered + Z * error))


def expected_themes(experts: Sequence[int], units: int) -> tuple[float, ...]:
    """Return the themes that 1, 2 ... `units` experts have on average over all choices of them (Colwell et al. 2004,
    “Mao Tau”).

    experts: for each theme, how many of the `units` named it.
    """
    return tuple(
        sum(1 - comb(units - count, some) / comb(units, some) for count in experts) for some in range(1, units + 1)
    )


@dataclass(frozen=True, slots=True)
class OtherExpertsCoverage:
    """Coverage of one expert by the others: of the expert's `of` attributes, `covered` resemble one by somebody else;
    the ends are those of the share's 95 % interval (Wilson 1927)."""

    covered: int
    of: int
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class ThemesSoFar:
    """The number of themes found up to and including this contributor, in the contributors' order."""

    contributor: str
    kind: ContributorKind | None
    themes: int


@dataclass(frozen=True, slots=True)
class ThemeCoverage:
    """Themes and coverage. `experts` are the sampling units: the people, or all contributors if fewer than two people
    named something. Without two of them `coverage`, `unseen_themes` and `next_expert` are None.

    labels: by position in the pool, the number of the attribute's theme, from 0 in order of first mention. in_order:
    contributors by their first attribute. last_expert: the last of the experts; `last_expert_added` counts the themes
    that nobody else has. expected: themes of one, two ... contributors on average over all orders. last_attributes: how
    many of the last attributes were checked for new themes; `last_attributes_added`: the themes that first came up in
    them. otherwise: the lowest and the highest coverage with themes a quarter looser and a quarter stricter than
    `threshold`.
    """

    attributes: int
    themes: int
    labels: tuple[int, ...]
    experts: tuple[str, ...]
    people: bool
    coverage: Figure | None
    unseen_themes: float | None
    next_expert: float | None
    leave_one_out: Mapping[str, OtherExpertsCoverage]
    in_order: tuple[ThemesSoFar, ...]
    expected: tuple[float, ...]
    last_expert: str
    last_expert_added: int
    last_attributes: int
    last_attributes_added: int
    threshold: float
    near: float
    otherwise: tuple[float, float] | None
    embedding: str

    def to_json(self) -> dict[str, Any]:
        """Return the fields of the command's contract, and what they rest on."""
        return {
            "attributes": self.attributes,
            "themes": self.themes,
            "coverage": asdict(self.coverage) if self.coverage else {"value": None, "low": None, "high": None},
            "unseen_themes": self.unseen_themes,
            "next_expert": self.next_expert,
            "leave_one_out": {name: asdict(found) for name, found in self.leave_one_out.items()},
            "experts": list(self.experts),
            "last_expert": {"contributor": self.last_expert, "new_themes": self.last_expert_added},
            "last_attributes": {"n": self.last_attributes, "new_themes": self.last_attributes_added},
            "in_order": [{"contributor": one.contributor, "themes": one.themes} for one in self.in_order],
            "threshold": self.threshold,
            "near": self.near,
            "coverage_of_other_groupings": self.otherwise,
            "embedding": self.embedding,
        }


@dataclass(frozen=True, slots=True)
class ChecklistCoverage:
    """How far a version of the checklist covers each expert's attributes without that expert. `left`: how many of the
    `questions` remain without those that only this expert led to. `experts`: the share of the expert's attributes whose
    cosine with a remaining question is at least `near`. `judged`: the share that a remaining question covers by the
    model `judge`; empty unless the model was asked about all. `agreement`: the share of attributes on which cosine and
    model agree, `kappa` beyond chance (Cohen 1960), None if one of them is constant.

    It approximates a checklist made without the expert: no such checklist is built, and the expert's edits of others'
    questions stay.
    """

    version: int
    questions: int
    left: Mapping[str, int]
    experts: Mapping[str, OtherExpertsCoverage]
    near: float
    embedding: str
    judge: str = ""
    judged: Mapping[str, OtherExpertsCoverage] = field(default_factory=dict)
    agreement: float | None = None
    kappa: float | None = None

    def to_json(self) -> dict[str, Any]:
        return {
            "version": self.version,
            "questions": self.questions,
            "near": self.near,
            "embedding": self.embedding,
            "judge": self.judge or None,
            "agreement": self.agreement,
            "kappa": self.kappa,
            "experts": {
                name: {
                    "questions": self.left[name],
                    **asdict(one),
                    "judged": asdict(self.judged[name]) if name in self.judged else None,
                }
                for name, one in self.experts.items()
            },
        }


def covered_without(
    near: Bools, owners: Sequence[str], behind: Sequence[frozenset[str]], expert: str
) -> tuple[int, Bools]:
    """Return how many questions remain without the expert, and which of the expert's attributes those cover.

    near: (attributes, questions), which question covers which attribute. owners: each attribute's contributor. behind:
    the contributors whose attributes led to each question; a question without any was added by hand, and remains.
    """
    stay = np.array([names != {expert} for names in behind], dtype=bool)
    own = near[np.array([owner == expert for owner in owners], dtype=bool)]
    return int(stay.sum()), own[:, stay].any(axis=1)


def theme_coverage(
    pool: AttributePool, matrices: PairMatrices, written: Sequence[int], threshold: float, near: float
) -> ThemeCoverage:
    """Group attributes into themes and estimate their coverage.

    written: positions in the pool in the order the attributes were written. threshold: attributes with at least this
    mean cosine are one theme. near: an attribute is covered if its cosine with one of somebody else's is at least this.
    Raises InputError for a cosine outside 0 to 1.
    """
    alone = find_unique(matrices, pool.by_contributor(), near).unique
    labels = _themes(pool, matrices, written, threshold)
    people = [name for name in pool.contributors if pool.kinds.get(name) is ContributorKind.HUMAN and pool.of([name])]
    by_people = len(people) >= FEWEST
    experts = people if by_people else [name for name in pool.contributors if pool.of([name])]
    themes = max(labels) + 1
    seen = _seen(pool, labels, experts)
    found = sample_coverage(seen) if len(experts) >= FEWEST else None
    regrouped = [
        _themes(pool, matrices, written, min(1.0, threshold * factor)) for factor in (OTHERWISE if found else ())
    ]
    others = sorted(sample_coverage(_seen(pool, each, experts)).value for each in regrouped)
    first: dict[int, int] = {}
    for place, position in enumerate(written):
        first.setdefault(labels[position], place)
    order = list(dict.fromkeys(pool.owners[position] for position in written))
    last_expert = [name for name in order if name in experts][-1]
    last = min(LAST, len(written))
    of = {name: {labels[position] for position in pool.of([name])} for name in order}
    return ThemeCoverage(
        attributes=len(pool),
        themes=themes,
        labels=labels,
        experts=tuple(experts),
        people=by_people,
        coverage=found,
        unseen_themes=unseen_themes(seen) if found else None,
        next_expert=seen.mentions / seen.units * (1 - found.value) if found else None,
        leave_one_out={
            name: left_out(len(pool.of([name])) - len(alone[name]), len(pool.of([name])))
            for name in experts
            if len(order) > 1
        },
        in_order=tuple(
            ThemesSoFar(name, pool.kinds.get(name), len(set[int]().union(*(of[each] for each in order[: place + 1]))))
            for place, name in enumerate(order)
        ),
        expected=expected_themes([sum(theme in of[name] for name in order) for theme in range(themes)], len(order)),
        last_expert=last_expert,
        last_expert_added=len(of[last_expert] - set[int]().union(*(of[each] for each in order if each != last_expert))),
        last_attributes=last,
        last_attributes_added=sum(place >= len(written) - last for place in first.values()),
        threshold=threshold,
        near=near,
        otherwise=(others[0], others[-1]) if others else None,
        embedding=matrices.embedding,
    )


def _themes(pool: AttributePool, matrices: PairMatrices, written: Sequence[int], threshold: float) -> tuple[int, ...]:
    return _numbered(groups_alike(pool, matrices.cosine, range(len(pool)), threshold), written)


def _seen(pool: AttributePool, labels: Sequence[int], experts: Sequence[str]) -> SeenThemes:
    said = np.zeros((len(experts), max(labels) + 1), dtype=bool)
    elsewhere = np.zeros(max(labels) + 1, dtype=bool)
    for owner, label in zip(pool.owners, labels, strict=True):
        if owner in experts:
            said[experts.index(owner), label] = True
        else:
            elsewhere[label] = True
    return seen_themes(said, elsewhere)


def _numbered(groups: Sequence[Sequence[int]], written: Sequence[int]) -> tuple[int, ...]:
    """Return, by position, the number of its group; groups are numbered in order of first mention."""
    of = {position: number for number, group in enumerate(groups) for position in group}
    order = {group: number for number, group in enumerate(dict.fromkeys(of[position] for position in written))}
    return tuple(order[of[position]] for position in range(len(of)))


def left_out(covered: int, of: int) -> OtherExpertsCoverage:
    ends = binomtest(covered, of).proportion_ci(method="wilson")
    return OtherExpertsCoverage(covered, of, float(ends.low), float(ends.high))
