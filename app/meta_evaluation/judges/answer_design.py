"""Chances of texts to be drawn for people over several waves, and draws with exactly these chances.

A wave draws from the texts that no earlier wave drew. An estimate that weighs each answer by one over the text's
probability over all waves is unbiased, also where a wave gave its texts unequal chances.
"""

from collections.abc import Sequence

import numpy as np

from app.meta_evaluation.score_matrix import Floats, Ints

_ROUNDING = 1e-9


def overall(chances: Sequence[Floats], answered: Sequence[float] | None = None) -> Floats:
    """(N,) the probability of being drawn in any of the waves, 1 - prod(1 - r), from the chances (N,) in each.

    `answered` is each wave's part that people have answered by now: since everybody answers a wave in random order,
    those are a random part of it, and the result is the probability of being answered.
    """
    found, left = np.zeros(chances[0].size), np.ones(chances[0].size)
    for wave, chance in enumerate(chances):
        found += left * chance * (1.0 if answered is None else answered[wave])
        left *= 1 - chance
    return found


def pivotal_draw(chances: Floats, order: Ints, rng: np.random.Generator) -> tuple[int, ...]:
    """Indices, ascending, each drawn with exactly its chance; as many as the chances sum to, rounded up or down.

    Ordered pivotal sampling (Deville and Tille 1998; Chauvet 2012): along `order` each text meets the one still open,
    one of them is decided and the other goes on with the rest of their chances. About one text is drawn for each whole
    chance along the order, so an order by score makes a draw that is spread over the scale.
    """
    drawn: list[int] = []
    open_, held = -1, 0.0
    for index, toss in zip(order.tolist(), rng.random(order.size).tolist(), strict=True):
        chance = float(chances[index])
        if open_ < 0:
            open_, held = index, chance
        elif held + chance < 1 - _ROUNDING:
            held += chance
            open_ = index if toss * held < chance else open_
        else:
            goes_on = held + chance - 1
            both = 1 - goes_on
            first = both <= _ROUNDING or toss * both < 1 - chance
            drawn.append(open_ if first else index)
            open_, held = (index if first else open_), goes_on
        if held <= _ROUNDING:
            open_, held = -1, 0.0
    if open_ >= 0 and rng.random() < held + _ROUNDING:
        drawn.append(open_)
    return tuple(sorted(drawn))
