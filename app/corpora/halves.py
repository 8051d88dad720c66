"""Documents drawn into two halves: one to find better wordings with, and one to prove them on."""

from collections.abc import Iterable, Mapping

import numpy as np

from app.domain.questions.improvement import Half


def draw_halves(documents: Iterable[str], drawn: Mapping[str, Half], seed: int = 0) -> dict[str, Half]:
    """Documents -> their half, of those that aren't drawn yet; those that are keep theirs.

    Half and half over all: new documents are shuffled, and each goes to the half that has fewer, by lot where both have
    as many.
    """
    new = sorted(set(documents) - drawn.keys())
    rng = np.random.default_rng([seed, len(drawn)])
    counts = {half: sum(one is half for one in drawn.values()) for half in Half}
    found: dict[str, Half] = {}
    for place in rng.permutation(len(new)):
        few, many = sorted(Half, key=counts.__getitem__)
        half = (few, many)[int(rng.integers(2))] if counts[few] == counts[many] else few
        found[new[place]] = half
        counts[half] += 1
    return found
