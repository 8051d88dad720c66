"""Options of the draw: all texts, a share, or so many documents with so many systems each; and the trials."""

from collections.abc import Sequence
from dataclasses import dataclass

import altair as alt
import pandas as pd
import streamlit as st

from app.domain.chart_look import NEUTRAL, PERSON
from app.domain.project import Project
from app.domain.run import EVERY_SYSTEM, SystemChoice
from app.services.data.locked_split import state_of
from app.services.results.quality_cost import writers
from app.services.runtime.workbench import Workbench
from app.services.scoring.draws import DrawCheck
from pages.components.shell.address import keep
from pages.components.shell.guide import more_in_guide
from pages.components.shell.words import plain

ALL, SHARE, GRID, LOCKED = "All", "A share", "Documents × systems", "Locked test split"
TEXTS_HELP = (
    "All texts; or a draw from them. Where several texts share a document, draw documents × systems, as the paper's "
    "code does (40 × 4): a share spreads over the documents and leaves one or two texts of each, inside which a "
    "coefficient is 1, -1 or missing."
)
SHARE_HELP = (
    "Draws so that the spread of people's ratings is kept (stratified): every level of rating stays as frequent as "
    "in the whole. Texts without a rating are not drawn."
)
SEED_HELP = "The same seed draws the same texts again; another seed draws others."
TRIALS_HELP = "Each trial draws texts of its own, with the next seed, and becomes a run. The paper makes two."
MOST_TRIALS, USUAL_DRAW, USUAL_PERCENT = 20, (40, 4), 10


@dataclass(frozen=True, slots=True)
class DrawChoice:
    """`share` above 0 up to 1. `draw`: (documents, systems of each) instead of a share."""

    share: float = 1.0
    seed: int = 1
    draw: tuple[int, int] | None = None
    trials: int = 1
    locked: bool = False


def left_out_systems(workbench: Workbench, project: Project, key: str, help_: str) -> SystemChoice:
    """Let the person leave out systems, kept in the address; nothing is asked where the texts name fewer than two."""
    names, _ = writers(workbench, project.id)
    if len(names) < 2:
        return EVERY_SYSTEM
    before = st.session_state.get(key, st.query_params.get(key, "").split("\n"))
    st.session_state[key] = [name for name in before if name in names]
    chosen = st.multiselect("Leave out systems", names, key=key, help=help_)
    keep(key, "\n".join(chosen), "")
    return SystemChoice(without=tuple(chosen))


def draw_options(
    workbench: Workbench, project: Project, key: str = "score", locked: bool = True, trials_help: str = TRIALS_HELP
) -> DrawChoice:
    """`key`: what the keys of the widgets begin with. locked: offer the locked split where there is one.

    Every other way goes without the locked texts.
    """
    state = state_of(workbench, project.id)
    ways = [ALL, SHARE, GRID, *([LOCKED] if state and locked else [])]
    if st.session_state.get(f"{key}_texts") not in ways:  # the split was opened meanwhile
        st.session_state[f"{key}_texts"] = ALL
    way = st.segmented_control(
        "Texts", ways, required=True, key=f"{key}_texts", wrap=True, help=TEXTS_HELP + more_in_guide("draws")
    )
    if way == LOCKED:
        return DrawChoice(locked=True)
    if state:
        st.caption(f"{state.texts:,} of {state.texts_all:,} texts are locked away as a test and left out.")
    if way == ALL:
        return DrawChoice()
    preset_draw(key, DrawChoice(), only_missing=True)
    places = st.columns(4)
    if way == SHARE:
        percent = places[0].number_input("Share, in %", 1, 100, step=5, key=f"{key}_share", help=SHARE_HELP)
        share, draw = percent / 100, None
    else:
        documents = places[0].number_input("Documents", 1, key=f"{key}_documents")
        systems = places[1].number_input(
            "Systems of each", 1, key=f"{key}_systems", help="Drawn anew for each document."
        )
        share, draw = 1.0, (documents, systems)
    seed = places[2].number_input("Seed of the draw", min_value=0, key=f"{key}_seed", help=SEED_HELP)
    trials = places[3].number_input("Trials", 1, MOST_TRIALS, key=f"{key}_trials", help=trials_help)
    return DrawChoice(share, seed, draw, trials if share < 1 or draw else 1)


def preset_draw(key: str, chosen: DrawChoice, only_missing: bool = False) -> None:
    """What the widgets start with, before they exist. only_missing: leave alone what somebody chose."""
    documents, systems = chosen.draw or USUAL_DRAW
    values = {
        "texts": GRID if chosen.draw else SHARE if chosen.share < 1 else ALL,
        "share": max(1, round(100 * chosen.share)) if chosen.share < 1 else USUAL_PERCENT,
        "documents": documents,
        "systems": systems,
        "seed": chosen.seed,
        "trials": chosen.trials,
    }
    for name, value in values.items():
        if not (only_missing and f"{key}_{name}" in st.session_state):
            st.session_state[f"{key}_{name}"] = value


WIDTH, HEIGHT = 300, 150


def draw_check(checks: Sequence[DrawCheck]) -> None:
    """Of one draw, or of those of several trials; nothing where all texts are scored, or none is rated."""
    if not checks:
        return
    several = len({check.seed for check in checks}) > 1
    with st.expander("How the draw compares with all texts", key="draw_check", expanded=True):
        for check in checks:
            st.markdown(plain(draw_sentence(check, several)))
        for caution, about in _cautions(checks, several).items():
            st.warning(f"{plain(about)}: {plain(caution)}", icon=":material/warning:")
        st.altair_chart(draw_chart(checks), key="draw_chart", width="content")
        st.caption(
            "Bars: all texts; line: the draw; by mean human rating. The gap is the largest between the cumulative "
            "shares: 0 where both are distributed alike, 1 at most. Its p is too large, not too small, since the "
            "draw is part of the whole: look at the gap."
        )


def draw_sentence(check: DrawCheck, several: bool = False) -> str:
    """several: there are other draws beside it."""
    ks = check.ks
    return (
        f"{_name(check, several)}: {ks.n_drawn:,} of {ks.n_all:,} rated texts; largest gap {ks.statistic:.3f} "
        f"(Kolmogorov-Smirnov, p = {ks.p_value:.2f})."
    )


def _name(check: DrawCheck, several: bool) -> str:
    return f"{check.dimension.name}, seed {check.seed}" if several else check.dimension.name


def _cautions(checks: Sequence[DrawCheck], several: bool) -> dict[str, str]:
    """Each sentence once, with the draws that it is about."""
    about: dict[str, list[str]] = {}
    for check in checks:
        for caution in check.cautions:
            about.setdefault(caution, []).append(_name(check, several))
    return {caution: "; ".join(names) for caution, names in about.items()}


def draw_chart(checks: Sequence[DrawCheck]) -> alt.FacetChart:
    """Bars: all texts; line: one for each draw. One panel a dimension."""
    first = checks[0].seed
    rows = pd.DataFrame(
        [
            {
                "Dimension": check.dimension.name,
                "Seed": str(check.seed),
                "first": check.seed == first,
                "Rating": (part.low + part.high) / 2,
                "from": part.low,
                "to": part.high,
                "All texts": part.whole,
                "none": 0.0,
                "Draw": part.drawn,
            }
            for check in checks
            for part in check.parts
        ]
    )
    base = alt.Chart(rows).encode(
        tooltip=[
            alt.Tooltip("from:Q", title="Rated from", format=".2f"),
            alt.Tooltip("to:Q", format=".2f"),
            alt.Tooltip("All texts:Q", format=".1%"),
            alt.Tooltip("Draw:Q", format=".1%"),
            alt.Tooltip("Seed:N"),
        ]
    )
    title = "Share of the texts"
    bars = (
        base.transform_filter("datum.first")
        .mark_bar(color=NEUTRAL, opacity=0.55)
        .encode(
            x=alt.X("from:Q", title="Mean human rating", scale=alt.Scale(zero=False, nice=False)),
            x2="to:Q",
            y2="none:Q",
            y=alt.Y("All texts:Q", title=title, axis=alt.Axis(format="%")),
        )
    )
    line = base.mark_line(color=PERSON, point=True).encode(x="Rating:Q", y="Draw:Q", detail="Seed:N")
    return (
        alt.layer(bars, line)
        .properties(width=WIDTH, height=HEIGHT)
        .facet(
            facet=alt.Facet(
                "Dimension:N", sort=list(dict.fromkeys(check.dimension.name for check in checks)), title=None
            ),
            columns=2,
        )
    )
