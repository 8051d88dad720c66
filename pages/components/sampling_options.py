"""Which texts are scored: all, a share of them, or so many documents with so many systems each; and how often drawn."""

from dataclasses import dataclass

import streamlit as st

from app.domain.project import Project
from app.services.locked_split import state_of
from app.services.workbench import Workbench

ALL, SHARE, GRID, LOCKED = "All", "A share", "Documents × systems", "Locked test split"
SHARE_HELP = (
    "Draws a sample that keeps the spread of people's ratings (stratified): every level of rating stays as frequent as "
    "in the whole. Texts without a rating are not drawn. The paper takes 10 %."
)
SEED_HELP = "The same seed draws the same texts again; another seed draws others."
TRIALS_HELP = "Each trial draws texts of its own, with the next seed, and becomes a run. The paper makes two."


@dataclass(frozen=True, slots=True)
class Sampling:
    """`share` above 0 up to 1. `draw`: (documents, systems of each) instead of a share."""

    share: float = 1.0
    seed: int = 1
    draw: tuple[int, int] | None = None
    trials: int = 1
    locked: bool = False


def sampling_options(workbench: Workbench, project: Project) -> Sampling:
    """The locked split is offered where there is one; every other way goes without its texts."""
    state = state_of(workbench, project.id)
    ways = [ALL, SHARE, GRID, *([LOCKED] if state else [])]
    if st.session_state.get("score_texts") not in ways:  # the split was opened meanwhile
        st.session_state["score_texts"] = ALL
    way = st.segmented_control("Texts", ways, required=True, key="score_texts", wrap=True)
    if way == LOCKED:
        return Sampling(locked=True)
    if state:
        st.caption(f"{state.texts:,} of {state.texts_all:,} texts are locked away as a test and left out.")
    if way == ALL:
        return Sampling()
    places = st.columns(4)
    if way == SHARE:
        percent = places[0].number_input(
            "Share, in %", min_value=1, max_value=100, value=10, step=5, key="score_share", help=SHARE_HELP
        )
        share, draw = percent / 100, None
    else:
        documents = places[0].number_input("Documents", 1, value=40, key="score_documents")
        systems = places[1].number_input(
            "Systems of each", 1, value=4, key="score_systems", help="Drawn anew for each document."
        )
        share, draw = 1.0, (documents, systems)
    seed = places[2].number_input("Seed of the draw", min_value=0, value=1, key="score_seed", help=SEED_HELP)
    trials = places[3].number_input("Trials", 1, 20, value=1, key="score_trials", help=TRIALS_HELP)
    if trials > 1:
        st.caption(f"{trials} runs for each judge. What is counted on the right is one of them.")
    return Sampling(share, seed, draw, trials if share < 1 or draw else 1)
