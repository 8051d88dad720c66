"""Options of the draw: all texts, a share, or so many documents with so many systems each; and the trials."""

from dataclasses import dataclass

import streamlit as st

from app.domain.project import Project
from app.services.data.locked_split import state_of
from app.services.runtime.workbench import Workbench
from pages.components.shell.guide import more_in_guide

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
