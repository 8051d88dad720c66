"""The held-out split: documents that nobody sees and nothing is tuned on, until the final test."""

import streamlit as st

from app.domain.project import HELD_OUT_SHARE, Project
from app.services.data.held_out_split import SplitState, lock, open_split, opened_splits, state_of
from app.services.runtime.workbench import Workbench
from pages.components.shell import labels
from pages.components.shell.browser.page_scripts import saved_typing
from pages.components.shell.current import own_name, was_pressed
from pages.components.shell.labels import ShownErrors, plain
from pages.components.shell.tables import show_table

WHY = (
    "A checklist that is tuned on all texts looks better than it is. Lock a share of the documents away now: their "
    "texts are shown to nobody, and samples, weights, trying out and ordinary runs go without them. At the end, score "
    "them and look at the agreement there. Each look is counted. Lock before you compare: figures of runs that are "
    "there lose the locked texts, and Conditions draws its texts anew."
)


def held_out_split(workbench: Workbench, project: Project) -> None:
    """Draw the held-out split's section of Data."""
    st.subheader("Held-out split", anchor=False)
    state = state_of(workbench, project.id)
    if state is None:
        st.markdown(WHY)
        _lock_form(workbench, project)
    else:
        st.markdown(split_sentence(state))
        if state.scored_before:
            st.warning(
                f"{state.scored_before:,} of the locked texts had been scored before they were locked, so results on "
                "them may be known already.",
                icon=":material/warning:",
            )
        st.markdown("To test: choose **Held-out split** on Scores, then look at the result on **Locked test**.")
        look_list(state)
        _open_form(workbench, project)
    for split in opened_splits(workbench, project.id):
        st.caption(
            f"An earlier split of {len(split.documents):,} documents, locked by {plain(split.locked_by)} on "
            f"{labels.said(split.locked_at, labels.DAY)}, was opened by {plain(split.opened_by)} after "
            f"{len(split.looks):,} looks."
        )


def split_sentence(state: SplitState) -> str:
    """Return the sentence about the split, in Markdown."""
    split = state.split
    return (
        f"**{len(split.documents):,} of {state.documents_all:,} documents are locked**, with {state.texts:,} of "
        f"{state.texts_all:,} texts (seed {split.seed}), by {plain(split.locked_by)} on "
        f"{labels.said(split.locked_at, labels.LONG)}. **Looks so far: {len(split.looks):,}.**"
    )


def look_list(state: SplitState) -> None:
    """Draw who looked, when and at what; nothing before the first look."""
    if not state.split.looks:
        return
    show_table(
        [
            {"When": labels.said(look.at, labels.LONG), "Who": look.who, "Runs": ", ".join(map(str, look.runs))}
            for look in reversed(state.split.looks)
        ],
        "locked_looks",
    )


def _lock_form(workbench: Workbench, project: Project) -> None:
    with st.form("lock_form", border=False):
        first, second, third = st.columns(3)
        percent = first.number_input(
            "Share of the documents, in %",
            1,
            90,
            value=round(100 * HELD_OUT_SHARE),
            key="lock_share",
            help="Drawn so that people's ratings are distributed as in the whole. Documents that were read as samples "
            "can't be drawn.",
        )
        seed = second.number_input("Seed", 0, value=1, key="lock_seed")
        with third:
            who = own_name("lock_who")
        pressed = was_pressed("Lock the held-out split", "lock_split", form=True, type="primary")
    if pressed:
        with ShownErrors():
            lock(workbench, project.id, percent / 100, seed, who)
            saved_typing("lock_who")
            st.rerun()


def _open_form(workbench: Workbench, project: Project) -> None:
    with st.expander("Open the split", key="open_split_place"):
        st.markdown("Its texts are like all others from then on and can't serve as a test again. It stays on record.")
        with st.form("open_form", border=False):
            who = own_name("open_who", width=300)
            sure = st.checkbox("I know that this can't be undone.", key="open_sure")
            pressed = was_pressed("Open it", "open_split", form=True)
    if pressed and not sure:
        st.error("Tick the box first.")
    elif pressed:
        with ShownErrors():
            open_split(workbench, project.id, who)
            saved_typing("open_who")
            st.rerun()
