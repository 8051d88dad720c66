"""Options of models, how long and how far they may think; left alone, that is right for most."""

import streamlit as st

from app.services.runtime.model_options import EFFORTS, TIMEOUT, ModelOptions


def model_options() -> ModelOptions:
    left, middle, right = st.columns(3, vertical_alignment="bottom")
    effort = left.selectbox(
        "Reasoning effort",
        EFFORTS,
        index=None,
        placeholder="the model's own",
        key="score_effort",
        help="How long a model that reasons thinks before it answers. More costs more. Not every model takes every "
        "effort; one that doesn't says so before anything is paid.",
    )
    room = middle.number_input(
        "Longest answer in tokens",
        min_value=1,
        value=None,
        step=1000,
        placeholder="as needed",
        key="score_max_output_tokens",
        help="What a model thinks counts. Without a limit answers get the room they need, and unused room costs "
        "nothing; with one, an answer that doesn't fit fails.",
    )
    timeout = right.number_input(
        "Seconds for a request",
        min_value=1.0,
        value=TIMEOUT,
        step=60.0,
        format="%g",
        key="score_timeout",
        help="What takes longer is given up, but paid all the same.",
    )
    return ModelOptions(room, timeout, effort or "")
