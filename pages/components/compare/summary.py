"""The comparison in five numbers, which don't depend on random starts."""

from itertools import permutations

import pandas as pd
import streamlit as st
from streamlit.elements.lib.column_types import ColumnConfig

from app.services.attributes.comparison import ContributorComparison, OneSidedTheme, UniqueAttributes
from pages.components.compare.similarity import Names
from pages.components.shell.current import hold
from pages.components.shell.labels import more_in_guide, number, plain
from pages.components.shell.tables import csv_download, show_table

ROUGE = (
    "The mean ROUGE-L of all pairs: how much of the two wordings is the same words in the same order. "
    "1 is the same wording, 0 no word in common."
) + more_in_guide("likeness")


def comparison_summary(sets: ContributorComparison, found: UniqueAttributes, names: Names) -> None:
    """Draw the summary of what doesn't depend on random starts; topics do, and have their own verdict."""
    kinds = list(sets.kinds.within)
    if len(kinds) < 2:
        only = names.kind(kinds[0]) if kinds else "nobody"
        st.markdown(plain(f"Only {only} have said something so far, so there is no other side to compare with."))
        return
    threshold = found.kinds.threshold
    places = iter(st.columns(5))
    for kind in kinds:
        alone, size = len(found.kinds.unique[kind]), sets.kinds.sizes[kind]
        others = names.kind("llm" if kind == "human" else "human")
        next(places).metric(
            f"Only {names.short_kind(kind)} noticed",
            f"{alone} of {size}",
            help=plain(
                f"Attributes of {names.kind(kind)} for which {others} said nothing with a cosine of {threshold:.2f} or "
                "more. The threshold can be moved under “Who notices what”."
            )
            + more_in_guide("overlap"),
        )
    for kind in kinds:
        next(places).metric(
            f"Similarity among {_possessive(names.short_kind(kind))} attributes",
            _shown(sets.kinds.within[kind].rouge_l),
            help=ROUGE,
        )
    (across,) = sets.kinds.between.values()
    next(places).metric("Similarity between the two", _shown(across.rouge_l), help=ROUGE)
    st.markdown(_reading(sets))


def _reading(sets: ContributorComparison) -> str:
    """Return what the similarities don't show: they are means over pairs of these attributes, without an interval."""
    if any(within.rouge_l is None for within in sets.kinds.within.values()):
        return "A set of one attribute has no likeness within."
    return (
        "The likenesses describe the attributes written here. Which side varies its wording more in general can't be "
        "told from them: other people and other LLMs would write others."
    )


def _possessive(plural: str) -> str:
    return f"{plural}'" if plural.endswith("s") else f"{plural}'s"


def _shown(value: float | None) -> str:
    return "none" if value is None else f"{value:.3f}"


SHOWN_THEMES = 6
COSINE = "Cosine of the embedding: 1 is the same words in the same proportions, 0 none in common."
UNIQUE_HELP = (
    "An attribute counts as somebody's own where nobody else's comes closer than this. Low: only what is wholly "
    "different counts. High: also what is much alike."
)
DEFAULT_THRESHOLD = 0.20


def threshold() -> float:
    """Return the slider's value, kept while another view is open."""
    kept: float = st.session_state.get("threshold_kept", DEFAULT_THRESHOLD)
    chosen: float = st.session_state.get("threshold", kept)
    st.session_state["threshold_kept"] = chosen
    return chosen


def threshold_slider() -> None:
    hold("threshold", st.session_state.get("threshold_kept", DEFAULT_THRESHOLD))
    st.slider("Similarity threshold", 0.0, 1.0, step=0.05, key="threshold", help=f"{UNIQUE_HELP} {COSINE}")


def noticed_table(found: UniqueAttributes, names: Names) -> None:
    """Count each contributor's attributes that nobody else has and those that others have too, with an example."""
    if len(found.pool.contributors) < 2:
        return
    show_table(
        noticed_rows(found, names),
        "noticed",
        {
            "Contributor": st.column_config.TextColumn(width=165),
            "Attributes": st.column_config.NumberColumn(width=85),
            "Only theirs": st.column_config.NumberColumn(width=85, help=UNIQUE_HELP),
            "Shared": st.column_config.NumberColumn(width=75, help="Somebody else has one like it."),
            "Example of their own": st.column_config.TextColumn(width=260),
            "Example that others have too": st.column_config.TextColumn(width=260),
        },
    )


def noticed_rows(found: UniqueAttributes, names: Names) -> pd.DataFrame:
    pool, rows = found.pool, []
    for name, positions in pool.by_contributor().items():
        own = [n.attribute for n in found.contributors.unique[name]]
        shared = [at for at in positions if at not in own]
        rows.append(
            {
                "Contributor": names.contributor(name),
                "Attributes": len(positions),
                "Only theirs": len(own),
                "Shared": len(shared),
                "Example of their own": pool.texts[own[0]] if own else None,
                "Example that others have too": pool.texts[shared[0]] if shared else None,
            }
        )
    return pd.DataFrame(rows)


def themes(found: UniqueAttributes, names: Names) -> None:
    """Draw groups of attributes to which the other side has nothing similar, side by side."""
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
    """Draw for each contributor the attributes nobody else has, each with the most similar one of anybody else."""
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
    show_table(rows, "unique", _columns("Attribute", "Nearest of anybody else"))
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
    """Draw one contributor's attributes, each with the most similar one of another; the most similar first."""
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
    show_table(rows, "neighbours", _columns(first, second))
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
