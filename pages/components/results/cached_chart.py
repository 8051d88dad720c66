"""Charts that are made once for the same results: making one takes longer than all else on a screen."""

from collections.abc import Callable, Hashable
from typing import ParamSpec

import streamlit as st

from app.services.results.results import DimensionResult

MOST = 64  # drawings kept for all sessions together, of some 50 kB each
Arguments = ParamSpec("Arguments")


def of_texts(result: DimensionResult) -> Hashable:
    """Whatever the level and the intervals are: the same texts with the same scores and ratings."""
    return result.reading, result.soft, result.choices.include_partial, result.choices.systems


def kept_drawing(
    what: Callable[[DimensionResult], Hashable],
) -> Callable[[Callable[Arguments, None]], Callable[Arguments, None]]:
    """For functions that draw results and hold no widget; `what` they rest on tells when they draw the same again."""

    def kept(drawing: Callable[Arguments, None]) -> Callable[Arguments, None]:
        return st.cache_resource(max_entries=MOST, show_spinner=False, hash_funcs={DimensionResult: what})(drawing)

    return kept
