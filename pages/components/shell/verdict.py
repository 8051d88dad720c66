"""Good, not good or can't say: what an expert finds of a text on a binary dimension."""

from functools import partial

import streamlit as st

from app.domain.project import Dimension, Verdict
from app.errors import WorkbenchError
from app.services.runtime.workbench import Workbench
from app.services.think_aloud.samples import give_verdict
from pages.components.shell.words import plain, show_error

WORDS = {Verdict.GOOD: "Good", Verdict.NOT_GOOD: "Not good", Verdict.CANT_SAY: "Can't say"}
HELP = "Your rating of this text, kept at once. Nobody who is still reading sees it. You can change it."
_PROBLEM = "verdict_problem"


def verdict_choice(
    workbench: Workbench, dimension: Dimension, expert: str, text_id: int, given: Verdict | None, prompts: str = ""
) -> None:
    """Nothing on a scale, but why the last one wasn't kept.

    given: what they said of the text before. prompts: the key of a field that names the sample which made somebody
    write: it is set to this one.
    """
    text, problem = st.session_state.get(_PROBLEM, (0, None))
    if problem is not None and text == text_id:
        del st.session_state[_PROBLEM]
        show_error(problem)
    if not dimension.binary:
        return
    key = f"verdict_{dimension.id}_{text_id}_{expert}"
    st.session_state.setdefault(key, given)
    st.segmented_control(
        f"On {plain(dimension.name)}, this is",
        list(Verdict),
        format_func=WORDS.__getitem__,
        key=key,
        help=HELP,
        on_change=partial(_keep, workbench, dimension.id, expert, text_id, given, key, prompts),
    )


def _keep(
    workbench: Workbench,
    dimension_id: int,
    expert: str,
    text_id: int,
    given: Verdict | None,
    key: str,
    prompts: str,
) -> None:
    chosen: Verdict | None = st.session_state[key]
    if chosen is None:  # pressed once more: it stays
        st.session_state[key] = given
        return
    try:
        give_verdict(workbench, dimension_id, expert, text_id, chosen)
    except WorkbenchError as error:
        st.session_state[key], st.session_state[_PROBLEM] = given, (text_id, error)
        return
    if prompts:
        st.session_state[prompts] = text_id
