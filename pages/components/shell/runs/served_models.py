"""Models of the person's own Llama endpoint, and what it says about them."""

from collections.abc import Sequence

import streamlit as st

from app.services.runtime.endpoint_models import ask_endpoint_again, endpoint_models
from app.services.runtime.workbench import Workbench
from pages.components.shell.background import POLL_SECONDS
from pages.components.shell.words import plain

TYPED = "Your llama endpoint is set up too: type llama:NAME above, with the name of its model."
ASKING = "Your llama endpoint is being asked which models it has."
SHOWN = 10


def typing_note(workbench: Workbench, chosen: Sequence[str]) -> None:
    """Where a model of the endpoint must be typed, and why; nothing once one is chosen, or where they can be chosen."""
    found = endpoint_models(workbench, patience=0)
    if any(name.startswith("llama:") for name in chosen):
        return
    if found.asking:
        _awaited(workbench)
    elif found.problem:
        _no_list(workbench, f"{TYPED} {found.problem}")


def served_list(workbench: Workbench) -> None:
    """Which models it has; nothing where no endpoint is set up."""
    found = endpoint_models(workbench, patience=0)
    if found.asking:
        _awaited(workbench)
    elif found.problem:
        _no_list(workbench, found.problem)
    elif found.names:
        chat = found.chat
        others = [name for name in found.names if name not in chat]
        said = f"Its models that answer questions, going by their names: {_few(chat)}."
        st.caption(plain(said + (f" Others: {_few(others)}." if others else "")))


def _few(names: Sequence[str]) -> str:
    more = len(names) - SHOWN
    return ", ".join(names[:SHOWN]) + (f" and {more} more" if more > 0 else "")


def _no_list(workbench: Workbench, why: str) -> None:
    st.caption(plain(why))
    if st.button("Ask it again", key="ask_endpoint_again", type="tertiary", icon=":material/refresh:"):
        ask_endpoint_again(workbench)
        st.rerun()


@st.fragment(run_every=POLL_SECONDS)
def _awaited(workbench: Workbench) -> None:
    if not endpoint_models(workbench, patience=0).asking:
        st.rerun()
    st.caption(ASKING)
