"""Spread of texts over experts: each text to so many of them, everybody as much as anybody else."""

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from app.errors import InputError

_NOBODY: Mapping[int, Collection[str]] = {}


def spread(
    texts: Sequence[int],
    experts: Collection[str],
    overlap: int,
    rng: np.random.Generator,
    *,
    given: Mapping[int, Collection[str]] = _NOBODY,
    begun: Mapping[int, Collection[str]] = _NOBODY,
) -> dict[int, frozenset[str]]:
    """Text -> the experts who answer it, `overlap` of them; how many texts experts have differs by at most one.

    given: whom the texts were given to before; no more of them move than that takes. begun: who has begun on a text
    keeps it, also where these are more than `overlap`, are no longer among the experts, or have more texts than others.
    Raises InputError for an overlap that the experts can't make.
    """
    check_overlap(overlap, len(set(experts)))
    people = sorted(set(experts))
    kept = {text: set(begun.get(text, ())) for text in texts}
    found = {text: kept[text] | (set(given.get(text, ())) & set(people)) for text in texts}
    load = {name: sum(name in those for those in found.values()) for name in people}
    for text in (texts[place] for place in rng.permutation(len(texts))):
        # In another order each time: whoever comes first among equals gets it, so that who answers with whom varies.
        _fill(found[text], kept[text], overlap, [people[place] for place in rng.permutation(len(people))], load)
    while _level(found, kept, people, load):
        pass
    return {text: frozenset(those) for text, those in found.items()}


def check_overlap(overlap: int, experts: int) -> None:
    """Raises InputError where so many experts can't be had for each text."""
    if overlap < 1:
        raise InputError(f"{overlap} experts can't answer a text.", "Give 1 or more.")
    if overlap > experts:
        there = f"There {'is' if experts == 1 else 'are'} {experts} to choose from" if experts else "There are none yet"
        raise InputError(
            f"Each text can't be answered by {overlap} experts. {there}.",
            "Ask for fewer, or invite more experts and give them the dimension.",
        )


def _fill(those: set[str], kept: set[str], overlap: int, people: Sequence[str], load: dict[str, int]) -> None:
    """Whoever has least takes the text on, whoever has most leaves it, until so many have it."""
    while len(those) < overlap:
        free = [name for name in people if name not in those]
        taker = min(free, key=load.__getitem__)
        those.add(taker)
        load[taker] += 1
    while len(those) > overlap and (loose := [name for name in people if name in those - kept]):
        leaver = max(loose, key=load.__getitem__)
        those.remove(leaver)
        load[leaver] -= 1


def _level(
    found: Mapping[int, set[str]], kept: Mapping[int, set[str]], people: Sequence[str], load: dict[str, int]
) -> bool:
    """Move one text from somebody to somebody who has at least two fewer; False where none can be moved."""
    order = sorted(people, key=load.__getitem__)
    for giver in reversed(order):
        for taker in order:
            if load[giver] - load[taker] < 2:
                break
            for text, those in found.items():
                if giver in those and giver not in kept[text] and taker not in those:
                    those.remove(giver)
                    those.add(taker)
                    load[giver] -= 1
                    load[taker] += 1
                    return True
    return False
