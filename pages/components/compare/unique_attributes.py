"""Unique attributes: what only one contributor, or only one side, noticed; and who is nearest to whom."""

from itertools import permutations

import pandas as pd
import streamlit as st
from streamlit.elements.lib.column_types import ColumnConfig

from app.services.attributes.analysis import OneSidedTheme, UniqueAttributes
from pages.components.compare.compared_names import Names
from pages.components.shell.csv_download import csv_download
from pages.components.shell.words import number, plain

SHOWN_THEMES = 6
COSINE = "Cosine of the embedding: 1 is the same words in the same proportions, 0 none in common."
UNIQUE_HELP = (
    "An attribute counts as somebody's own where nobody else's comes closer than this. Low: only what is wholly "
    "different counts. High: also what is much alike."
)
DEFAULT_THRESHOLD = 0.20


def threshold() -> float:
    """What the slider shows, kept while another view is open."""
    kept: float = st.session_state.get("threshold_kept", DEFAULT_THRESHOLD)
    chosen: float = st.session_state.get("threshold", kept)
    st.session_state["threshold_kept"] = chosen
    return chosen


def threshold_slider() -> None:
    st.session_state.setdefault("threshold", st.session_state.get("threshold_kept", DEFAULT_THRESHOLD))
    st.slider("Similarity threshold", 0.0, 1.0, step=0.05, key="threshold", help=f"{UNIQUE_HELP} {COSINE}")


def themes(found: UniqueAttributes, names: Names) -> None:
    """Groups of attributes that the other side has nothing like, side by side."""
    kinds = list(found.kinds.unique)
    if len(kinds) < 2:
        return
    for kind, place in zip(kinds, st.columns(2, gap="large"), strict=True):
        with place:
            st.markdown(f"**Themes of {plain(names.kind(kind))} only**")
            own = [theme for theme in found.themes if theme.kind == kind]
            for theme in own[:SHOWN_THEMES]:
                _theme(found, theme)
            if not own:
                st.markdown("None: no two attributes are alike and unlike everything on the other side.")
            elif len(own) > SHOWN_THEMES:
                st.caption(f"And {number(len(own) - SHOWN_THEMES, 'smaller one')}, in the table below and its file.")


def _theme(found: UniqueAttributes, theme: OneSidedTheme) -> None:
    title = f"{', '.join(theme.words)} · {number(len(theme.attributes), 'attribute')}"
    with st.expander(plain(title), key=f"theme_{theme.kind}_{'_'.join(map(str, theme.attributes))}"):
        for attribute in theme.attributes:
            st.text(f"{found.pool.texts[attribute]} ({found.pool.owners[attribute]})")


def unique(found: UniqueAttributes, names: Names) -> None:
    """For each contributor the attributes nobody else has, with the nearest that anybody else said."""
    pool = found.pool
    if len(pool.contributors) < 2:
        st.markdown("There is one contributor only, so everything is theirs alone. Add what somebody else said.")
        return
    sizes = {name: len(at) for name, at in pool.by_contributor().items()}
    counts = [
        f"{names.contributor(name)} {len(listed)} of {sizes[name]}"
        for name, listed in found.contributors.unique.items()
    ]
    st.markdown(plain(f"Attributes nobody else has: {', '.join(counts)}."))
    rows = unique_rows(found, names)
    if rows.empty:
        st.markdown("At this threshold everybody's attributes have something like them. Move it up.")
        return
    st.dataframe(
        rows,
        placeholder="–",
        hide_index=True,
        key="unique",
        column_config=_columns("Attribute", "Nearest of anybody else"),
    )
    csv_download("Unique attributes (CSV)", rows, "unique_attributes")


def unique_rows(found: UniqueAttributes, names: Names) -> pd.DataFrame:
    pool = found.pool
    theme = {i: ", ".join(t.words) for t in found.themes for i in t.attributes}
    return pd.DataFrame(
        [
            {
                "Contributor": names.contributor(name),
                "Attribute": pool.texts[n.attribute],
                "Nearest of anybody else": "" if n.nearest is None else pool.texts[n.nearest],
                "Similarity": n.similarity,
                "Theme of one side": theme.get(n.attribute, ""),
            }
            for name, listed in found.contributors.unique.items()
            for n in listed
        ]
    )


def neighbours(found: UniqueAttributes, names: Names) -> None:
    """One contributor's attributes, each with the nearest of another; the most alike first."""
    pairs = list(permutations(found.pool.contributors, 2))
    if not pairs:
        return
    pair = st.selectbox(
        "Whose attributes beside whose",
        pairs,
        format_func=lambda pair: f"{names.contributor(pair[0])} beside {names.contributor(pair[1])}",
        key="neighbour_pair",
    )
    pool = found.pool
    first, second = (names.contributor(name) for name in pair)
    if first == second:  # two labels may be the same word
        second = f"{second} (nearest)"
    rows = pd.DataFrame(
        [
            {
                first: pool.texts[n.attribute],
                second: "" if n.nearest is None else pool.texts[n.nearest],
                "Similarity": n.similarity,
            }
            for n in found.contributors.nearest[pair]
        ],
        columns=[first, second, "Similarity"],
    )
    st.dataframe(rows, placeholder="–", hide_index=True, key="neighbours", column_config=_columns(first, second))
    csv_download("Nearest neighbours (CSV)", rows, "nearest_neighbours")


def _columns(left: str, right: str) -> dict[str, ColumnConfig | str | None]:
    return {
        "Contributor": st.column_config.TextColumn(width=135),
        left: st.column_config.TextColumn(width=235),
        right: st.column_config.TextColumn(width=235),
        "Similarity": st.column_config.ProgressColumn(
            format="%.2f", min_value=0.0, max_value=1.0, width=105, help=COSINE
        ),
        "Theme of one side": st.column_config.TextColumn(width=135),
    }
