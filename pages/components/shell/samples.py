"""Samples with their scores, and the rubric: what everybody reads before saying what to look for."""

from collections.abc import Sequence

import streamlit as st

from app.domain.task import Dimension, Task
from app.domain.text import Text
from app.domain.think_aloud import Sample
from app.services.think_aloud.samples import HeldOut
from pages.components.shell.words import number, plain

LONG_SOURCE = 900  # characters


def rubric(dimension: Dimension) -> None:
    """What the dimension means, to the letter, and its range."""
    st.subheader(f"{plain(dimension.name)}, {dimension.low:g} to {dimension.high:g}", anchor=False)
    if dimension.rubric:
        st.text(dimension.rubric)
    else:
        st.caption("It has no rubric yet. Write one on Texts, so that everybody means the same.")


def left_out(held: HeldOut) -> None:
    """Where the samples come from, and what that takes away from scoring."""
    chosen = "Chosen across the range of scores that people gave."
    if held.alone:
        st.caption(
            f"{chosen} Few sources: only the sample texts themselves are left out of scoring on this dimension, "
            f"{held.texts:,} of {number(held.all, 'text')}. Other texts of the same sources are scored, so keep what "
            "you say general, and never about one source."
        )
        return
    st.caption(
        f"{chosen} So that nothing is judged by what was learned from it, scoring on this dimension leaves out "
        f"{number(held.documents, 'document')} with {held.texts:,} of {number(held.all, 'text')}."
    )


def samples_side_by_side(task: Task, dimension: Dimension, samples: Sequence[Sample]) -> None:
    """Text and score of each, lowest score first, beside its source if it has one; long sources scroll in a box."""
    for place, sample in enumerate(samples, start=1):
        with st.container(key=f"sample_{sample.position}"):
            by_hand = " · chosen by hand" if sample.chosen_by == "hand" else ""
            st.markdown(
                f"**Sample {place} · score {sample.score:.2f}** of {dimension.low:g} to {dimension.high:g}{by_hand}"
            )
            if sample.text.source:
                _beside_its_source(task, sample.text)
            else:
                st.text(sample.text.text, width="stretch")


def _beside_its_source(task: Task, judged: Text) -> None:
    short_source = 2 * len(judged.source) < len(judged.text)
    source, text = st.columns([1, 2] if short_source else 2, gap="medium")
    with source:
        st.caption(plain(task.source_name))
        long = len(judged.source) > LONG_SOURCE
        with st.container(height=300 if long else "content", border=long):
            st.text(judged.source, width="stretch")
    with text:
        st.caption(plain(task.text_name))
        st.text(judged.text, width="stretch")
