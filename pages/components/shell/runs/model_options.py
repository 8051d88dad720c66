"""Options of models, how long and how far they may think; left alone, that is right for most."""

from collections.abc import Sequence

import streamlit as st

from app.errors import UnknownModelError
from app.services.runtime.judges import EFFORTS, TIMEOUT, USUAL, ModelOptions, takes_options


def model_options(key: str) -> ModelOptions:
    """`key`: what the keys of the widgets begin with."""
    st.session_state.setdefault(f"{key}_timeout", TIMEOUT)
    left, middle, right = st.columns(3, vertical_alignment="bottom")
    effort = left.selectbox(
        "Reasoning effort",
        EFFORTS,
        index=None,
        placeholder="the model's own",
        key=f"{key}_effort",
        help="How long a model that reasons thinks before it answers. More costs more. Not every model takes every "
        "effort; one that doesn't says so before anything is paid.",
    )
    room = middle.number_input(
        "Longest answer in tokens",
        min_value=1,
        value=None,
        step=1000,
        placeholder="as needed",
        key=f"{key}_max_output_tokens",
        help="What a model thinks counts. Without a limit answers get the room they need, and unused room costs "
        "nothing; with one, an answer that doesn't fit fails.",
    )
    timeout = right.number_input(
        "Seconds for a request",
        min_value=1.0,
        step=60.0,
        format="%g",
        key=f"{key}_timeout",
        help="What takes longer is given up, but paid all the same.",
    )
    return ModelOptions(room, timeout, effort or "")


def more_options(key: str, models: Sequence[str]) -> ModelOptions:
    """The same under “More options”, where one of the models is an LLM."""
    if not any(map(_takes_options, models)):
        return USUAL
    with st.expander("More options", key=f"{key}_more_options"):
        return model_options(key)


def preset_model_options(key: str, chosen: ModelOptions) -> None:
    """What the widgets start with, before they exist."""
    values = {"effort": chosen.effort or None, "max_output_tokens": chosen.max_output_tokens, "timeout": chosen.timeout}
    st.session_state.update({f"{key}_{name}": value for name, value in values.items()})


def _takes_options(model: str) -> bool:
    """A name that isn't understood is said where it is used."""
    try:
        return takes_options(model)
    except UnknownModelError:
        return False
