"""Which disagreement is on the screen; the address says it, so that a reload or a sent link shows the same."""

from collections.abc import Sequence

import streamlit as st

from app.services.disagreements.queue import DisagreementQueue, QueuedPair

PAIR = "pair"


def shown_pair(queue: DisagreementQueue, pairs: Sequence[QueuedPair]) -> QueuedPair | None:
    """The one that the address names, also where it was decided meanwhile; else the first of those chosen."""
    wanted = st.query_params.get(PAIR, "")
    return next((pair for pair in queue.pairs if pair.id == wanted), pairs[0] if pairs else None)


def place_of(pairs: Sequence[QueuedPair], pair: QueuedPair) -> int | None:
    """Its place among those chosen, None where it isn't one of them."""
    return next((place for place, each in enumerate(pairs) if each.id == pair.id), None)


def show_pair(pair: str | None) -> None:
    """None: the first of those chosen."""
    if pair is None:
        st.query_params.pop(PAIR, None)
    else:
        st.query_params[PAIR] = pair


def beside(pairs: Sequence[QueuedPair], pair: QueuedPair, step: int) -> str | None:
    """The one so many places further; after the last comes the first. None where there is no other."""
    place = place_of(pairs, pair)
    if place is None:
        return pairs[0].id if pairs else None
    return pairs[(place + step) % len(pairs)].id if len(pairs) > 1 else None
