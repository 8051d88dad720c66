"""Did a judge change? Its answers about the same texts, given again and again, and which of them stands apart.

While a judge doesn't change, the answers it gives about one text could have come in any order: the newest is as likely
as each earlier one to be the odd one out, and what it does on one text says nothing about another. So the p-value of a
look comes from exchanging, text by text, which of its answerings was the newest; it needs no estimate of the judge's
own noise, and holds with any number of texts, also where the answers about one text hang together. Ties count against
a change. Given all answers without their order, the p-values of earlier looks rest on those before alone, so those of
all looks are independent (Vovk, Gammerman and Shafer 2005, section 8.2, with texts as strata); `betting` puts them
together.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.meta_evaluation.judges.betting import LIMIT, capital
from app.meta_evaluation.score_matrix import Bools, Floats, Ints

Codes = NDArray[np.integer[Any]]
REPEATS = 3
"""Answerings of each anchor at the beginning: fewer leave a look little to stand apart from."""
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
class Answerings:
    """Codes (..., anchors, answerings, questions) from 0, the newest answering last; 0 and 1 are no and yes.

    `present` (..., anchors, answerings): an anchor whose answering failed has none.
    """

    codes: Codes
    present: Bools


def look_p(found: Answerings) -> Floats:
    """(...) how often the newest answering would stand apart as much if it were any of them; 1 without answers."""
    odd = _surprise(found)
    base = np.where(found.present, odd, np.iinfo(np.int64).max).min(axis=-1, keepdims=True)
    odd = np.where(found.present, odd - base, 0)
    usable = found.present[..., -1]
    seen = (odd[..., -1] * usable).sum(axis=-1)
    chances = _chances(odd, found.present, usable)
    tail = np.where(np.arange(chances.shape[-1]) >= seen[..., None], chances, 0.0).sum(axis=-1)
    p: Floats = np.clip(tail + _ROUNDING, 0.0, 1.0)
    return p


def look_ps(answers: Codes, present: Bools, repeats: int = REPEATS) -> Floats:
    """(..., looks) of each answering after the first `repeats`."""
    looks = range(repeats + 1, answers.shape[-2] + 1)
    return np.stack([look_p(Answerings(answers[..., :end, :], present[..., :end])) for end in looks], axis=-1)


def findable_rate(found: Answerings, ps: Floats, seed: int = 0) -> float | None:
    """The smallest share of flipped answers that the next look would find with 80 % power after looks with `ps`.

    Each answer flips by chance of its own; the judge's own noise is that of the answerings there are. None where even
    every second flipped answer would be missed.
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
    """Whether anchors that find this share of flipped answers can show what matters."""
    return rate is not None and rate <= NEEDED


def look_power(found: Answerings, ps: Floats, rate: float, rng: np.random.Generator) -> float:
    """How often the next look finds that a share `rate` of the answers flipped, by simulation."""
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
        p = look_p(Answerings(np.concatenate([before, flipped], -2), np.concatenate([present, answered], -1)))
        earlier = np.broadcast_to(ps, (draws, ps.size))
        hits += int((capital(np.concatenate([earlier, p[:, None]], axis=-1))[:, -1] >= LIMIT).sum())
    return hits / _SIMULATED


def _surprise(found: Answerings) -> Ints:
    """(..., anchors, answerings): how rare its answers are among those to the same questions, in eighths of a bit."""
    total = np.maximum(found.present.sum(axis=-1), 1)[..., None]
    odd = np.zeros(found.present.shape)
    for code in range(int(found.codes.max(initial=0)) + 1):
        gave = ((found.codes == code) & found.present[..., None]).astype(np.float32)
        count = np.maximum(gave.sum(axis=-2), 1)
        bits = np.rint(_STEPS * np.log2(total / count)).astype(np.float32)
        odd += np.matmul(gave, bits[..., None])[..., 0]
    return np.rint(odd).astype(np.int64)


def _chances(odd: Ints, present: Bools, usable: Bools) -> Floats:
    """(..., sums) of the sum over anchors of one answering's surprise each, all answerings being as likely."""
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
