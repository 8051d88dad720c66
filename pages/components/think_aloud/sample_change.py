"""Other samples: one by hand, or all again automatically."""

from collections.abc import Callable, Sequence

import streamlit as st

from app.domain.task import Dimension
from app.domain.think_aloud import Sample
from app.errors import WorkbenchError
from app.services.runtime.workbench import Workbench
from app.services.think_aloud.samples import (
    OPTIONS_SHOWN,
    SampleOption,
    rechoose_samples,
    replace_sample,
    sample_options,
)
from pages.components.shell.words import show_error

EXCERPT = 110


def sample_change(workbench: Workbench, dimension: Dimension, samples: Sequence[Sample]) -> None:
    """Folded; every change is saved at once and holds for everybody, people and LLMs."""
    unfolded = st.expander("Change the samples", key="change_samples", on_change="rerun")
    if not unfolded.open:
        return
    with unfolded:
        st.caption("For everybody who thinks aloud about this dimension. Best before anybody has begun.")
        which, near, words = st.columns([2, 1, 3])
        position = which.selectbox(
            "Replace",
            [sample.position for sample in samples],
            format_func=lambda p: _named(p, samples),
            key=f"replace_position_{dimension.id}",
        )
        current = next(sample for sample in samples if sample.position == position)
        score = near.number_input(
            "Score near", dimension.low, dimension.high, current.score, key=f"replace_near_{dimension.id}_{position}"
        )
        search = words.text_input("Search", placeholder="words, document, system", key=f"replace_words_{dimension.id}")
        options = sample_options(workbench, dimension.id, score, search)
        chosen = st.selectbox(
            "by another rated text",
            options,
            format_func=_option,
            index=None,
            placeholder=f"the {min(len(options), OPTIONS_SHOWN)} nearest in score" if options else "nothing fits",
            key=f"replace_text_{dimension.id}",
        )
        if chosen is not None:
            st.text(chosen.text.text)
        with st.container(horizontal=True):
            if st.button("Use this text", key="use_text", disabled=chosen is None) and chosen is not None:
                _change(lambda: replace_sample(workbench, dimension.id, position, chosen.text.id))
            if st.button("Choose all four again automatically", key="choose_again", type="tertiary"):
                _change(lambda: rechoose_samples(workbench, dimension.id))


def _change(change: Callable[[], object]) -> None:
    try:
        change()
    except WorkbenchError as error:
        show_error(error)
        return
    st.rerun()


def _named(position: int, samples: Sequence[Sample]) -> str:
    number, sample = next((n, s) for n, s in enumerate(samples, start=1) if s.position == position)
    return f"Sample {number}, score {sample.score:.2f}"


def _option(option: SampleOption) -> str:
    who = " · ".join(part for part in option.text.key if part)
    start = " ".join(option.text.text[: 2 * EXCERPT].split())[:EXCERPT]
    return f"{option.score:.2f} · {who} · {start}"
