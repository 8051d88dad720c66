"""A picture with what it says below, and as PNG and SVG."""

import io
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from functools import partial

import altair as alt
import streamlit as st

from app.domain.attribute import ContributorKind
from app.domain.chart_look import LLMS, NEUTRAL, ON_PAPER, PEOPLE
from pages.components.shell.words import button_label, plain

Chart = alt.Chart | alt.LayerChart | alt.FacetChart
FILE_WIDTH = 800  # points; a picture on the screen is as wide as its place
SHARPNESS = 3  # pixels for each point of a PNG
TYPES = {"png": "image/png", "svg": "image/svg+xml"}


def picture(
    chart: Chart,
    name: str,
    key: str,
    caption: str,
    own_width: bool = False,
    on_paper: Chart | None = None,
    wide: bool = False,
) -> None:
    """`name`: of the files, without ending. `own_width`: the chart has a width of its own. Files are made when asked.

    `caption` is plain text. `on_paper`: the chart for the files, where it differs from the one for the screen's theme.
    `wide`: a phone scrolls it sideways instead of making it as narrow as itself.
    """
    with st.container(key=f"wide_{key}") if wide else nullcontext():
        st.altair_chart(chart, key=key, width="content" if own_width else "stretch")
    st.caption(plain(caption))
    with st.container(horizontal=True):
        for form, mime in TYPES.items():
            st.download_button(
                button_label(f"Picture ({form.upper()})", f"of {name.replace('_', ' ').replace('-', ' ')}"),
                partial(picture_file, on_paper or chart, form, own_width),
                f"{name}.{form}",
                mime,
                key=f"download_{key}_{form}",
                on_click="ignore",
            )


def picture_file(chart: Chart, form: str, own_width: bool = False) -> bytes:
    """form: png or svg; on white ground, whatever the screen's theme is."""
    sized = (chart if own_width else chart.properties(width=FILE_WIDTH)).configure(**ON_PAPER)
    stream = io.BytesIO()
    if form == "png":
        sized.save(stream, format="png", scale_factor=SHARPNESS)
        return stream.getvalue()
    text = io.StringIO()
    sized.save(text, format="svg")
    return text.getvalue().encode()


SHAPES = {
    ContributorKind.HUMAN: ("circle", "square", "diamond", "cross"),
    ContributorKind.LLM: ("triangle-up", "triangle-down", "triangle-right", "triangle-left"),
}


def colours(kinds: Mapping[str, ContributorKind | None]) -> dict[str, str]:
    """A colour for each name: blues for people, oranges for LLMs, grey for both together (None)."""
    found, used = {}, {ContributorKind.HUMAN: 0, ContributorKind.LLM: 0}
    for name, kind in kinds.items():
        if kind is None:
            found[name] = NEUTRAL
            continue
        shades = PEOPLE if kind is ContributorKind.HUMAN else LLMS
        found[name] = shades[used[kind] % len(shades)]
        used[kind] += 1
    return found


def colour_scale(kinds: Mapping[str, ContributorKind | None]) -> alt.Scale:
    chosen = colours(kinds)
    return alt.Scale(domain=list(chosen), range=list(chosen.values()))


def shape_scale(kinds: Mapping[str, ContributorKind | None], names: Sequence[str]) -> alt.Scale:
    """Round and square shapes for people, triangles for LLMs, a wedge for both together; each name another one."""
    shapes, used = [], dict.fromkeys(ContributorKind, 0)
    for name in names:
        kind = kinds[name]
        if kind is None:
            shapes.append("wedge")
            continue
        shapes.append(SHAPES[kind][used[kind] % len(SHAPES[kind])])
        used[kind] += 1
    return alt.Scale(domain=list(names), range=shapes)
