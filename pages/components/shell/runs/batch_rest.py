"""What becomes of the requests that a batch doesn't get to: the person's choice."""

import streamlit as st

from app.services.runtime.batch_rounds import AGAIN, LIVE

_NAMES = {AGAIN: "In another batch", LIVE: "At once"}
HELP = (
    "Requests that expire or fail at the provider cost nothing there. In another batch they cost half as well and "
    "may take another day; at once they cost the standard price. What fails in three is asked at once in any case."
)


def batch_rest(key: str) -> str:
    """AGAIN or LIVE."""
    return (
        st.segmented_control(
            "What a batch doesn't get to",
            list(_NAMES),
            default=AGAIN,
            format_func=_NAMES.__getitem__,
            required=True,
            key=key,
            help=HELP,
        )
        or AGAIN
    )
