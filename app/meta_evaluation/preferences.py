"""Preferences of people between two texts: pairwise accuracy of scores, and strengths of systems (Bradley-Terry)."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from app.domain.expert_answer import Winner
from app.meta_evaluation.bootstrap import RESAMPLES
from app.meta_evaluation.judges.powered_estimates import percentiles, resampled
from app.meta_evaluation.score_matrix import Bools, Floats

_EQUAL = 1e-9
"""Scores that differ by less count as equal: they are means of the same answers in another order."""


@dataclass(frozen=True, slots=True)
class ScoredPair:
    """A pair of texts of `source` with a method's scores, None for a text without one, and one person's preference."""

    source: str
    a: float | None
    b: float | None
    winner: Winner


@dataclass(frozen=True, slots=True)
class PairwiseAccuracy:
    """The share of `n` pairs of `sources` sources in which the winner has the better score, with its 95 % interval.

    `n`: pairs with a winner and both scores. In `score_ties` of them the scores are equal, counted half. Left out are
    `people_ties`, where the person said tie, and `without_score`. `value` is None if no pair is left; `low` and `high`
    are None, for `reason`.
    """

    n: int
    sources: int
    score_ties: int
    people_ties: int
    without_score: int
    value: float | None
    low: float | None = None
    high: float | None = None
    reason: str = ""

    @property
    def words(self) -> str:
        """The figure, and what it rests on, in one line."""
        if self.value is None:
            return f"no pairwise accuracy: {self.reason} {self.counts}"
        ends = "" if self.low is None or self.high is None else f" [{self.low:.3f}, {self.high:.3f}]"
        basis = f"on {self.n:,} pairs of {self.sources:,} sources."
        return " ".join(filter(None, (f"pairwise accuracy {self.value:.3f}{ends}", basis, self.reason, self.counts)))

    @property
    def counts(self) -> str:
        """The numbers of ties and of pairs left out, in words."""
        return (
            f"People tied on {self.people_ties:,} pairs, which are left out; the scores tie on {self.score_ties:,}, "
            f"counted half; {self.without_score:,} pairs lack a score."
        )

    def to_json(self) -> dict[str, Any]:
        return {
            "n": self.n,
            "sources": self.sources,
            "people_ties": self.people_ties,
            "score_ties": self.score_ties,
            "without_score": self.without_score,
            "accuracy": {"value": self.value, "low": self.low, "high": self.high},
            "reason": self.reason,
        }


def pairwise_accuracy(pairs: Sequence[ScoredPair], resamples: int = RESAMPLES, seed: int = 0) -> PairwiseAccuracy:
    """Return the pairwise accuracy. Each person's preference on a pair counts once; resamples draw whole sources.

    There is no interval for fewer than two sources, or if all pairs are alike, as all resamples are then alike too.
    """
    decided = [pair for pair in pairs if pair.winner is not Winner.TIE]
    scored = [(p.source, p.a, p.b, p.winner) for p in decided if p.a is not None and p.b is not None]
    ahead = np.array([a - b if winner is Winner.A else b - a for _, a, b, winner in scored], dtype=np.float64)
    right = np.where(np.abs(ahead) < _EQUAL, 0.5, (ahead > 0).astype(np.float64))
    names, unit = np.unique([source for source, *_ in scored], return_inverse=True)
    ends: tuple[float | None, float | None] = (None, None)
    reason = ""
    if not scored:
        reason = "No pair has a winner and two scores."
    elif names.size < 2:
        reason = "An interval needs pairs of at least two sources."
    elif np.ptp(right) == 0:
        reason = "All pairs count the same, so resamples can't show how sure this is."
    elif resamples:
        counted, all_ = resampled(np.stack([right, np.ones_like(right)]), unit, resamples, seed)
        ends = percentiles(counted / all_)
    else:
        reason = "No resamples were asked for."
    return PairwiseAccuracy(
        n=len(scored),
        sources=int(names.size),
        score_ties=int((right == 0.5).sum()),
        people_ties=len(pairs) - len(decided),
        without_score=len(decided) - len(scored),
        value=float(right.mean()) if scored else None,
        low=ends[0],
        high=ends[1],
        reason=reason,
    )


FEWEST_COMPARISONS = 10
"""Comparisons of a system below which its strength says next to nothing."""
STRENGTH_RESAMPLES = 200
_ROUNDS, _CLOSE = 10_000, 1e-8


@dataclass(frozen=True, slots=True)
class ComparedSystems:
    """One person's preference between two texts of `source`, by the systems `a` and `b`."""

    source: str
    a: str
    b: str
    winner: Winner


@dataclass(frozen=True, slots=True)
class SystemStrength:
    """A system's `strength`: the logarithm of the Bradley-Terry parameter, 0 on average over systems. With a difference
    of 1 the stronger system wins with probability .73. `wins` counts a tie half."""

    system: str
    strength: float
    low: float | None
    high: float | None
    comparisons: int
    wins: float

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class SystemStrengths:
    """Strengths, strongest first; none, for `reason`, if they aren't defined. `left_out`: systems with too few
    comparisons, and their numbers of them. `same_or_unnamed`: pairs of texts by the same system, or by an unnamed one.
    """

    systems: tuple[SystemStrength, ...]
    left_out: tuple[tuple[str, int], ...] = ()
    same_or_unnamed: int = 0
    reason: str = ""

    def to_json(self) -> dict[str, Any]:
        return {
            "strengths": [each.to_json() for each in self.systems],
            "left_out": [{"system": name, "comparisons": count} for name, count in self.left_out],
            "same_or_unnamed": self.same_or_unnamed,
            "reason": self.reason,
        }


def system_strengths(
    pairs: Sequence[ComparedSystems], resamples: int = STRENGTH_RESAMPLES, seed: int = 0
) -> SystemStrengths:
    """Return Bradley-Terry strengths by maximum likelihood, with the MM iteration of Hunter (2004, Annals of Statistics
    32, section 2); a tie is half a win for each. The 95 % interval is percentiles of resamples of whole sources.

    Strengths exist only if, for every split of the systems in two, each part has a win against the other (Ford 1957);
    else `reason` names the systems that never lost.
    """
    named = [pair for pair in pairs if pair.a and pair.b and pair.a != pair.b]
    other = len(pairs) - len(named)
    used, left_out = _often_compared(named)
    names = sorted({name for pair in used for name in (pair.a, pair.b)})
    if len(names) < 2:
        return SystemStrengths(
            (), left_out, other, f"Fewer than two systems have {FEWEST_COMPARISONS} comparisons with each other."
        )
    place = {name: number for number, name in enumerate(names)}
    sources = {source: number for number, source in enumerate(dict.fromkeys(pair.source for pair in used))}
    by_source = np.zeros((len(sources), len(names), len(names)))
    for pair in used:
        a, b, to_a = place[pair.a], place[pair.b], {Winner.A: 1.0, Winner.B: 0.0, Winner.TIE: 0.5}[pair.winner]
        by_source[sources[pair.source], a, b] += to_a
        by_source[sources[pair.source], b, a] += 1.0 - to_a
    wins: Floats = by_source.sum(axis=0)
    if unbeaten := _unbeaten(wins):
        return SystemStrengths(
            (),
            left_out,
            other,
            f"The comparisons don't connect all systems: none of the others won against "
            f"{', '.join(names[each] for each in unbeaten)}.",
        )
    strengths = _strengths(wins[None])[0]
    ends = _strength_ends(by_source, resamples, seed)
    found = [
        SystemStrength(
            system=name,
            strength=float(strengths[number]),
            low=None if ends is None else float(ends[0, number]),
            high=None if ends is None else float(ends[1, number]),
            comparisons=int((wins[number] + wins[:, number]).sum()),
            wins=float(wins[number].sum()),
        )
        for number, name in enumerate(names)
    ]
    return SystemStrengths(
        tuple(sorted(found, key=lambda each: (-each.strength, each.system))),
        left_out,
        other,
        "" if ends is not None else "No interval: too few sources, or too many resamples in which a system never lost.",
    )


def _often_compared(pairs: Sequence[ComparedSystems]) -> tuple[list[ComparedSystems], tuple[tuple[str, int], ...]]:
    """Return the pairs of systems with at least FEWEST_COMPARISONS each, and the other systems with their numbers."""
    whole, kept = _comparisons(pairs), list(pairs)
    while rare := {name for name, count in _comparisons(kept).items() if count < FEWEST_COMPARISONS}:
        kept = [pair for pair in kept if pair.a not in rare and pair.b not in rare]
    left = sorted(whole.keys() - _comparisons(kept).keys())
    return kept, tuple((name, whole[name]) for name in left)


def _comparisons(pairs: Iterable[ComparedSystems]) -> Counter[str]:
    return Counter(name for pair in pairs for name in (pair.a, pair.b))


def _unbeaten(wins: Floats) -> list[int]:
    """Return the places of a group of systems that no other system beat; [] if chains of wins connect all systems."""
    reach = _reached(wins[None])[0]
    if reach.all():
        return []
    # A system that the fewest others reach belongs to such a group, and only that group reaches it.
    top = int(np.argmin(reach.sum(axis=0)))
    return [int(each) for each in np.flatnonzero(reach[:, top])]


def _reached(wins: Floats) -> Bools:
    """Return (B, S, S): whether a chain of wins leads from a system to another."""
    reach: Bools = (wins > 0) | np.eye(wins.shape[1], dtype=bool)
    for _ in range(int(np.ceil(np.log2(max(wins.shape[1], 2))))):
        reach = (reach.astype(np.float32) @ reach.astype(np.float32)) > 0
    return reach


def _strengths(wins: Floats) -> Floats:
    """Bradley-Terry strengths by Hunter's (2004) iteration.

    wins: (resamples, systems, systems), how often the row's system beat the column's; each system must reach each other
    by a chain of wins. Returns (resamples, systems) log strengths, whose mean over systems is 0.
    """
    games = wins + wins.transpose(0, 2, 1)
    won = wins.sum(axis=2)
    worth = np.ones(won.shape)
    for _ in range(_ROUNDS):
        before = worth
        worth = won / (games / (worth[:, :, None] + worth[:, None, :])).sum(axis=2)
        worth /= np.exp(np.log(worth).mean(axis=1, keepdims=True))
        if np.abs(np.log(worth / before)).max() < _CLOSE:
            break
    logs: Floats = np.log(worth)
    return logs


def _strength_ends(by_source: Floats, resamples: int, seed: int) -> Floats | None:
    """Return the (2, S) interval ends; None for one source, or if fewer than nine of ten resamples have strengths."""
    sources, systems = by_source.shape[:2]
    if sources < 2 or not resamples:
        return None
    drawn = resampled(by_source.reshape(sources, -1).T, np.arange(sources), resamples, seed)
    wins = drawn.T.reshape(resamples, systems, systems)
    defined = _reached(wins).all(axis=(1, 2))
    if defined.sum() < 0.9 * resamples:
        return None
    ends: Floats = np.quantile(_strengths(wins[defined]), [0.025, 0.975], axis=0)
    return ends
