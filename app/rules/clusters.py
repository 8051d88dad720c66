"""Each consideration under the component nearest to it; repetitions and empty ones are dropped with the reason."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

from app.rules.request import context_of
from app.rules.tokens import words
from app.rules.vectors import characters, vectors, wording

SAME = 0.85
LEAST_CHARACTERS = 0.02


def clusters(variables: Mapping[str, Any]) -> dict[str, Any]:
    """Attribute ids per component; dropped ones name what they repeat, or that they are empty."""
    attributes, parts = variables["attributes"], variables["components"]
    texts = [attribute["text"] for attribute in attributes]
    repeats = _repeats(wording(texts), texts)
    likeness = _likeness(variables)
    wordless = [index for index, text in enumerate(texts) if not words(text)]
    kept = [index for index in range(len(texts)) if index not in repeats and index not in wordless]
    homes = _homes(likeness, kept)
    dropped = [
        {
            "attribute": attributes[i]["id"],
            "reason": f"Says the same as attribute {attributes[first]['id']}: “{_short(texts[first])}”",
        }
        for i, first in repeats.items()
    ]
    dropped += [{"attribute": attributes[i]["id"], "reason": "Says nothing."} for i in wordless if i not in repeats]
    grouped = [
        {"component": part["id"], "attributes": [attributes[i]["id"] for i in kept if homes[i] == place]}
        for place, part in enumerate(parts)
    ]
    return {"clusters": grouped, "dropped": dropped}


def _likeness(variables: Mapping[str, Any]) -> np.ndarray:
    """Likeness of every attribute (rows) to every component (columns); characters decide where no word does."""
    texts = [attribute["text"] for attribute in variables["attributes"]]
    names = [f"{part['name']}. {part['description']}" for part in variables["components"]]
    rows = vectors([*texts, *names], context_of(variables))
    likeness: np.ndarray = rows[: len(texts)] @ rows[len(texts) :].T
    lost = likeness.max(axis=1) <= 0
    if lost.any():
        spelled = characters([*texts, *names])
        alike = spelled[: len(texts)] @ spelled[len(texts) :].T
        likeness[lost] = np.where(alike[lost] >= LEAST_CHARACTERS, alike[lost], 0.0)
    return likeness


def _repeats(rows: np.ndarray, texts: list[str]) -> dict[int, int]:
    """Index of a repeating text -> index of the first text that says the same in nearly the same words."""
    alike = rows @ rows.T
    found: dict[int, int] = {}
    for index in range(1, len(texts)):
        earlier = [int(first) for first in np.flatnonzero(alike[index, :index] >= SAME) if first not in found]
        if earlier:
            found[index] = earlier[0]
    return found


def _homes(likeness: np.ndarray, kept: list[int]) -> dict[int, int]:
    """The nearest component of every kept attribute; one near to none goes where there are fewest.

    A component that stays empty gets the attribute most like it, from a component that can spare one.
    """
    count = likeness.shape[1]
    homes = {i: int(likeness[i].argmax()) for i in kept if likeness[i].max() > 0}
    for i in kept:
        if i not in homes:
            sizes = Counter(homes.values())
            homes[i] = min(range(count), key=lambda place: sizes[place])
    for place in range(count):
        sizes = Counter(homes.values())
        spare = [i for i in kept if sizes[homes[i]] > 1]
        if not sizes[place] and spare:
            homes[max(spare, key=lambda i: likeness[i, place])] = place
    return homes


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 80 else f"{line[:79].rstrip()}…"
