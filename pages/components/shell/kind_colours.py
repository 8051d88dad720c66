"""Blue circles are people, orange triangles are LLMs, on every picture of the comparison."""

from collections.abc import Mapping, Sequence

import altair as alt

from app.domain.attribute import ContributorKind

# Near Okabe and Ito: blue and orange are told apart by all kinds of colour vision, on light and dark ground.
BLUES = ("#2684C6", "#56B4E9", "#0F5E96", "#8CC7EE", "#3B6FA0", "#6F9BC8")
ORANGES = ("#DD6B10", "#E69F00", "#F08A3C", "#F2BE5C", "#B5561C", "#D98A5B")
EVERYBODY_COLOUR, GREY = "#8a93a0", "#8a93a0"
SHAPES = {ContributorKind.HUMAN: "circle", ContributorKind.LLM: "triangle-up"}


def colours(kinds: Mapping[str, ContributorKind | None]) -> dict[str, str]:
    """A colour for each name: blues for people, oranges for LLMs, grey for both together (None)."""
    found, used = {}, {ContributorKind.HUMAN: 0, ContributorKind.LLM: 0}
    for name, kind in kinds.items():
        if kind is None:
            found[name] = EVERYBODY_COLOUR
            continue
        shades = BLUES if kind is ContributorKind.HUMAN else ORANGES
        found[name] = shades[used[kind] % len(shades)]
        used[kind] += 1
    return found


def colour_scale(kinds: Mapping[str, ContributorKind | None]) -> alt.Scale:
    chosen = colours(kinds)
    return alt.Scale(domain=list(chosen), range=list(chosen.values()))


def shape_scale(kinds: Mapping[str, ContributorKind | None], names: Sequence[str]) -> alt.Scale:
    shapes = [SHAPES[kind] if (kind := kinds[name]) is not None else "square" for name in names]
    return alt.Scale(domain=list(names), range=shapes)
