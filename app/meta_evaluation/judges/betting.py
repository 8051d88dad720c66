"""Betting against “nothing changed”: what every look at an unchanged judge multiplies up to, however many there are.

A bet that is fair while nothing changes makes no money on average, so a capital of 20 times the stake shows a change at
5 % (Ville 1939; Waudby-Smith and Ramdas 2024). A look's bet is on its p-value, where those of all looks are independent
and none is too small too often (`drift`). Three quarters of the stake are put on single looks, each a share of it that
sums to all of it over any number of looks, to be lost or to reach the limit at once: a large change is found at the
first look after it. The rest bets on every look from some look on, and adds up what is too weak to be seen in one: its
stake is divided over the look to begin with, more evenly, so that a long calm before a change costs little.
"""

import numpy as np

from app.meta_evaluation.score_matrix import Floats

LEVEL = 0.05
LIMIT = 1 / LEVEL
"""The capital at which nobody would still believe that nothing changed."""
AT_ONCE = 0.75
"""The part of the stake that is put on single looks."""
PATIENCE = 10
"""About so many looks are as likely as each other to be the first after a change, where bets add up."""
_BETS = np.linspace(0, 1, 201)


def look_shares(looks: int, patience: int = 1) -> Floats:
    """(looks,) the share of the stake that is put on each look, 1 over any number of them."""
    numbers = np.arange(looks) + patience
    shares: Floats = patience / (numbers * (numbers + 1))
    return shares


def capital(ps: Floats) -> Floats:
    """(..., looks): what a stake of 1 has become after each look; `ps` are their p-values, in their order."""
    looks = ps.shape[-1]
    shares, starts = look_shares(looks), look_shares(looks, PATIENCE)
    won = np.where(ps <= AT_ONCE * LEVEL * shares, 1 / (AT_ONCE * LEVEL), 0.0)
    at_once = np.cumsum(won, axis=-1) + 1 - np.cumsum(shares)  # what is staked on looks yet to come is kept
    running, grown = np.zeros(ps.shape[:-1]), np.empty(ps.shape)
    gains, waiting = _gain(ps), 1 - np.cumsum(starts)
    for look in range(looks):
        running = (running + starts[look]) * gains[..., look]
        grown[..., look] = running + waiting[look]
    total: Floats = AT_ONCE * at_once + (1 - AT_ONCE) * grown
    return total


def upper_bound(values: Floats, level: float = LEVEL) -> float:
    """Above the mean of independent values between 0 and 1, but for a chance of `level`, at any mixture of their means.

    The largest mean that no mixture of fixed bets that the values are lower has refuted: by the inequality of the
    arithmetic and the geometric mean the product of 1 + bet * (mean - value) has an expectation of at most 1, also
    where the values' own means differ (Waudby-Smith and Ramdas 2024, section 4, with bets that don't learn).
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
    """What a stake on one look becomes: the mean over k from 0 to 1 of k p^(k - 1), which is 1 on average."""
    p = np.clip(ps, 1e-300, 1 - 1e-6)
    logs = np.log(p)
    gains: Floats = (1 - p + p * logs) / (p * logs**2)
    return gains
