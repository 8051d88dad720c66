"""Samples with their scores, and the rubric: what everybody reads before saying what to look for."""

from collections.abc import Sequence

import streamlit as st

from app.domain.task import Dimension, Task
from app.domain.text import Text
from app.domain.think_aloud import Sample
from app.services.data.feasibility import samples_words
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


def left_out(task: Task, samples: Sequence[Sample], held: HeldOut) -> None:
    """How the samples were chosen, where they come from, and what that takes away from scoring."""
    said = "" if all(sample.chosen_by == "hand" for sample in samples) else f"{_chosen(samples)} "
    said += samples_words(task, len(samples), held.documents, held.texts)
    if held.alone and held.texts < held.all:
        said += f" Other texts of the same {task.sources_name} are scored, so keep what you say general."
    st.caption(plain(f"{said} {held.all - held.texts:,} of {number(held.all, 'text')} are left to score."))


def _chosen(samples: Sequence[Sample]) -> str:
    rated = [sample for sample in samples if sample.score is not None]
    if not rated:
        return "Nobody has rated these texts: the samples were drawn at random."
    if len(rated) < len(samples):
        return "Few texts are rated: the other samples were drawn at random."
    return "Chosen across the range of scores that people gave."


def score_words(score: float | None) -> str:
    """The mean rating of a sample, as it is named everywhere."""
    return "not rated" if score is None else f"score {score:.2f}"


def samples_side_by_side(task: Task, dimension: Dimension, samples: Sequence[Sample]) -> None:
    """Text and score of each, lowest score first and unrated ones last, beside its source if it has one; long sources
    scroll in a box."""
    for place, sample in enumerate(samples, start=1):
        with st.container(key=f"sample_{sample.position}"):
            by_hand = " · chosen by hand" if sample.chosen_by == "hand" else ""
            scale = "" if sample.score is None else f" of {dimension.low:g} to {dimension.high:g}"
            st.markdown(f"**Sample {place} · {score_words(sample.score)}**{scale}{by_hand}")
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
