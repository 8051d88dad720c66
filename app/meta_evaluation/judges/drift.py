"""Drift of a judge on anchor texts: repeated looks at its answers, and a test that is valid for any number of looks."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.meta_evaluation.bootstrap import RESAMPLES
from app.meta_evaluation.judges.powered_estimates import by_document, resampled
from app.meta_evaluation.score_matrix import Bools, Floats, Ints

LEVEL = 0.05
LIMIT = 1 / LEVEL
"""The capital that proves a change."""
AT_ONCE = 0.75
"""The part of the stake that is put on single looks; the rest is on growth over several looks."""
PATIENCE = 10
"""About this many looks are equally likely to be the first after a change, in the bets that add up over looks."""
_BETS = np.linspace(0, 1, 201)


def look_shares(looks: int, patience: int = 1) -> Floats:
    """Return (looks,) the share of the stake that is put on each look; the shares of all looks to come add up to 1."""
    numbers = np.arange(looks) + patience
    shares: Floats = patience / (numbers * (numbers + 1))
    return shares


def capital(ps: Floats) -> Floats:
    """Return (..., looks) the size of a stake of 1 after each look, from the looks' p-values `ps` in order."""
    looks = ps.shape[-1]
    shares = look_shares(looks)
    won = np.where(ps <= AT_ONCE * LEVEL * shares, 1 / (AT_ONCE * LEVEL), 0.0)
    at_once = np.cumsum(won, axis=-1) + 1 - np.cumsum(shares)  # what is staked on looks yet to come is kept
    total: Floats = AT_ONCE * at_once + (1 - AT_ONCE) * stake_after_looks(_gain(ps))
    return total


def stake_after_looks(gains: Floats, most: float = np.inf) -> Floats:
    """Return (..., looks) the size of a stake of 1 after each look, if a part enters with each look and stays in.

    gains (..., looks): what a bet of 1 on one look becomes, at most 1 on average while nothing has changed. most: the
    running stake is cut to this, so that a loss shows soon after.
    """
    looks = gains.shape[-1]
    starts = look_shares(looks, PATIENCE)
    running, grown = np.zeros(gains.shape[:-1]), np.empty(gains.shape)
    waiting = 1 - np.cumsum(starts)
    for look in range(looks):
        running = np.minimum((running + starts[look]) * gains[..., look], most)
        grown[..., look] = running + waiting[look]
    return grown


def upper_bound(values: Floats, level: float = LEVEL) -> float:
    """Return a bound that the mean of independent values in [0, 1] exceeds with a chance of at most `level`; 1 without
    values.

    It is the largest mean not rejected by a mixture of fixed bets that the values are lower. By the inequality of the
    arithmetic and the geometric mean the product of 1 + bet * (mean - value) has an expectation of at most 1, even if
    the values' expectations differ (Waudby-Smith and Ramdas 2024, section 4, with bets that don't learn).
    """
    if not values.size:
        return 1.0
    low, high = float(values.mean()), 1.0
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (low, middle) if _refuted(values, middle, level) else (middle, high)
    return high


def _refuted(values: Floats, mean: float, level: float) -> bool:
    bets = _BETS[1:-1, None] / max(1 - mean, 1e-9)
    logs = np.log1p(bets * (mean - values)).sum(axis=1)
    return bool(np.logaddexp.reduce(logs) - np.log(logs.size) >= -np.log(level))


def _gain(ps: Floats) -> Floats:
    """Return what a stake of 1 on a look becomes: the mean over k from 0 to 1 of k p^(k - 1). It is 1 on average."""
    p = np.clip(ps, 1e-300, 1 - 1e-6)
    logs = np.log(p)
    gains: Floats = (1 - p + p * logs) / (p * logs**2)
    return gains


Codes = NDArray[np.integer[Any]]
REPEATS = 3
"""Answers to each anchor at the beginning: fewer leave a look little to differ from."""
NEEDED = 0.1
"""The share of flipped answers that anchors must be able to show: two models of one maker differ by more."""
POWER = 0.8
_STEPS = 8
"""Surprise is counted in eighths of a bit, so that its distribution can be computed exactly."""
_ROUNDING = 1e-13
_RATES = (0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.08, 0.1, 0.12, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5)
_SIMULATED = 300
_CELLS = 20_000_000


@dataclass(frozen=True, slots=True, eq=False)
class RepeatedAnchorAnswers:
    """Repeated answers to anchors: codes (..., anchors, answerings, questions) from 0, the newest answering last; 0 is
    no, 1 is yes.

    `present` (..., anchors, answerings): False for an anchor whose answering failed.
    """

    codes: Codes
    present: Bools


def look_p(found: RepeatedAnchorAnswers) -> Floats:
    """Return (...) p-values: how often any of the answerings would differ as much as the newest; 1 without answers."""
    odd = _surprisal(found)
    base = np.where(found.present, odd, np.iinfo(np.int64).max).min(axis=-1, keepdims=True)
    odd = np.where(found.present, odd - base, 0)
    usable = found.present[..., -1]
    seen = (odd[..., -1] * usable).sum(axis=-1)
    chances = _chances(odd, found.present, usable)
    tail = np.where(np.arange(chances.shape[-1]) >= seen[..., None], chances, 0.0).sum(axis=-1)
    p: Floats = np.clip(tail + _ROUNDING, 0.0, 1.0)
    return p


def findable_rate(found: RepeatedAnchorAnswers, ps: Floats, seed: int = 0) -> float | None:
    """Return the smallest share of flipped answers that the next look, after looks with `ps`, finds with 80 % power.

    Answers flip independently; the judge's own noise is that of the answerings so far. None if even a half of the
    answers flipped would be missed.
    """
    if not found.present.any():
        return None
    low, high = 0, len(_RATES)
    while low < high:
        middle = (low + high) // 2
        power = look_power(found, ps, _RATES[middle], np.random.default_rng(seed))
        low, high = (low, middle) if power >= POWER else (middle + 1, high)
    return _RATES[low] if low < len(_RATES) else None


def is_enough(rate: float | None) -> bool:
    """Return whether anchors that find this share of flipped answers can show a change that matters."""
    return rate is not None and rate <= NEEDED


def look_power(found: RepeatedAnchorAnswers, ps: Floats, rate: float, rng: np.random.Generator) -> float:
    """Return, by simulation, how often the next look finds that a share `rate` of the answers flipped."""
    anchors, answerings, questions = found.codes.shape
    at_once = max(min(_SIMULATED, _CELLS // max(anchors * answerings * questions, 1)), 1)
    hits = 0
    for start in range(0, _SIMULATED, at_once):
        draws = min(at_once, _SIMULATED - start)
        before = np.broadcast_to(found.codes, (draws, *found.codes.shape))
        present = np.broadcast_to(found.present, (draws, anchors, answerings))
        place = np.where(present, rng.random(present.shape), -1.0).argmax(axis=-1)
        own = np.take_along_axis(before, place[..., None, None], axis=-2)
        flipped = np.where(rng.random(own.shape) < rate, np.where(own == 1, 0, 1), own)
        answered = present.any(axis=-1, keepdims=True)
        p = look_p(
            RepeatedAnchorAnswers(np.concatenate([before, flipped], -2), np.concatenate([present, answered], -1))
        )
        earlier = np.broadcast_to(ps, (draws, ps.size))
        hits += int((capital(np.concatenate([earlier, p[:, None]], axis=-1))[:, -1] >= LIMIT).sum())
    return hits / _SIMULATED


def _surprisal(found: RepeatedAnchorAnswers) -> Ints:
    """Return (..., anchors, answerings) how rare the answers are among all to the question, in eighths of a bit."""
    total = np.maximum(found.present.sum(axis=-1), 1)[..., None]
    odd = np.zeros(found.present.shape)
    for code in range(int(found.codes.max(initial=0)) + 1):
        gave = ((found.codes == code) & found.present[..., None]).astype(np.float32)
        count = np.maximum(gave.sum(axis=-2), 1)
        bits = np.rint(_STEPS * np.log2(total / count)).astype(np.float32)
        odd += np.einsum("...aq,...q->...a", gave, bits)
    return np.rint(odd).astype(np.int64)


def _chances(odd: Ints, present: Bools, usable: Bools) -> Floats:
    """Return (..., sums) the probability of each sum over anchors of an answering's surprise, all equally likely."""
    size = 1 << int((odd * usable[..., None]).max(axis=-1, initial=0).sum(axis=-1).max(initial=0)).bit_length()
    lead = odd.shape[:-2]
    spectrum = np.ones((*lead, size // 2 + 1), dtype=np.complex128)
    rows = np.arange(int(np.prod(lead, dtype=np.int64)))[:, None] * size
    for anchor in range(odd.shape[-2]):
        there, weight = present[..., anchor, :], usable[..., anchor, None]
        share = there / np.maximum(there.sum(axis=-1, keepdims=True), 1)
        share = np.where(weight, share, np.arange(there.shape[-1]) == 0)  # without a newest answering it adds nothing
        places = np.where(weight & there, odd[..., anchor, :], 0).reshape(len(rows), -1) + rows
        counts = np.bincount(places.ravel(), share.ravel(), len(rows) * size)
        spectrum *= np.fft.rfft(counts.reshape(*lead, size), axis=-1)
    return np.maximum(np.fft.irfft(spectrum, size, axis=-1), 0.0)


@dataclass(frozen=True, slots=True)
class ReferenceFigures:
    """Figures of the answerings that looks are compared with. `noise` is how often the judge's second and third answers
    differ from its first; its upper 95 % bound is `noise_high`. `findable` is the share of flipped answers that the
    next look could find."""

    anchors: int
    noise: float
    noise_high: float
    findable: float | None


@dataclass(frozen=True, slots=True)
class LookFigures:
    """Figures of one look. `anchors` were answered, `failed` were not. `flips` is the share of answers unlike the first
    ones.

    `error` is the share of answers unlike people's, `error_change` how much that grew with its 95 % interval, None with
    too few documents for one. `questions` holds for each question the share of anchors on which its answer changed.
    """

    anchors: int
    failed: int
    p: float
    capital: float
    flips: float | None
    error: float | None
    error_change: float | None
    error_low: float | None
    error_high: float | None
    questions: tuple[float, ...]
    findable: float | None

    @property
    def changed(self) -> bool:
        return self.capital >= LIMIT

    def to_json(self) -> dict[str, Any]:
        return asdict(self) | {"questions": list(self.questions)}


def reference_figures(found: RepeatedAnchorAnswers) -> ReferenceFigures:
    """Return the figures of the first answerings alone."""
    values = np.concatenate([_unlike_first(found, place)[1] for place in range(1, REPEATS)])
    mean = float(values.mean()) if values.size else 0.0
    rate = findable_rate(found, np.empty(0))
    return ReferenceFigures(int(found.present.any(axis=1).sum()), mean, upper_bound(values), rate)


def look_figures(found: RepeatedAnchorAnswers, people: Floats, documents: Sequence[str], ps: Floats) -> LookFigures:
    """Return the figures of the newest look, the last answering of `found` (anchors, answerings, questions).

    `people` (anchors, questions) is 1, 0 or NaN where they were split; `ps` are the p-values of the earlier looks.
    """
    p = float(look_p(found))
    there = found.present[:, -1]
    unlike, shares = _unlike_first(found, found.codes.shape[1] - 1)
    now, change = _errors(found, people)
    low, high = _interval(change, documents) or (None, None)
    return LookFigures(
        anchors=int(there.sum()),
        failed=int((~there).sum()),
        p=p,
        capital=float(capital(np.append(ps, p))[-1]),
        flips=float(shares.mean()) if shares.size else None,
        error=_mean(now),
        error_change=_mean(change),
        error_low=low,
        error_high=high,
        questions=tuple(float(share) for share in unlike.mean(axis=0)) if len(unlike) else (),
        findable=findable_rate(found, np.append(ps, p)),
    )


def _unlike_first(found: RepeatedAnchorAnswers, place: int) -> tuple[Floats, Floats]:
    """Return whether answers differ from the first (anchors that have both, questions), and the shares by anchor."""
    both = found.present[:, 0] & found.present[:, place]
    unlike = (found.codes[both, place] != found.codes[both, 0]).astype(np.float64)
    return unlike, unlike.mean(axis=1)


def _errors(found: RepeatedAnchorAnswers, people: Floats) -> tuple[Floats, Floats]:
    """Return (anchors,) the share of answers unlike people's, and its growth since the first REPEATS answerings; NaN if
    undefined."""
    known = ~np.isnan(people)
    wrong = (found.codes != people[:, None, :]) & known[:, None, :]
    asked = known.sum(axis=1)[:, None]
    shares = np.divide(
        wrong.sum(axis=2), asked, out=np.full(wrong.shape[:2], np.nan), where=(asked > 0) & found.present
    )
    repeats = found.present[:, :REPEATS].sum(axis=1)
    before = np.where(repeats > 0, np.nansum(shares[:, :REPEATS], axis=1) / np.maximum(repeats, 1), np.nan)
    return shares[:, -1], shares[:, -1] - before


def _interval(change: Floats, documents: Sequence[str]) -> tuple[float, float] | None:
    """Return the interval of the mean change, resampling whole documents. None if no answer changed: the interval would
    have no width."""
    known = ~np.isnan(change)
    if not change[known].any():
        return None
    _, unit = np.unique(np.array(documents, dtype=str)[known], return_inverse=True)
    total, rows = resampled(np.stack([change[known], np.ones(known.sum())]), unit, RESAMPLES, 0)
    return by_document(float(change[known].mean()), total / rows, int(unit.max()) + 1)


def _mean(values: Floats) -> float | None:
    known = values[~np.isnan(values)]
    return float(known.mean()) if known.size else None
