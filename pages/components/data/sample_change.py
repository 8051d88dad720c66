"""The samples of a dimension, for whoever runs the project: one replaced by hand, or all chosen again."""

from collections.abc import Callable, Sequence

import streamlit as st

from app.domain.project import Project
from app.domain.task import Dimension
from app.domain.think_aloud import Sample
from app.errors import WorkbenchError
from app.services.runtime.workbench import Workbench
from app.services.think_aloud.samples import (
    OPTIONS_SHOWN,
    SampleOption,
    ensure_samples,
    held_out,
    rechoose_samples,
    replace_sample,
    sample_options,
)
from pages.components.shell.current import current_dimension
from pages.components.shell.samples import left_out, samples_side_by_side
from pages.components.shell.words import plain, show_error

EXCERPT = 110


def sample_change(workbench: Workbench, project: Project) -> None:
    """Those of the chosen dimension; every change is saved at once and holds for everybody, people and LLMs."""
    dimension = current_dimension(workbench, project)
    if dimension is None:
        st.markdown("**There is no dimension yet.** Add one under Dimensions and wording.")
        return
    try:
        samples = ensure_samples(workbench, dimension.id)
    except WorkbenchError as error:
        st.markdown(plain(str(error)))
        return
    st.subheader(f"Samples of {plain(dimension.name)}", anchor=False)
    st.caption("People and LLMs read them before they say what to look for. Change them before anybody has begun.")
    left_out(held_out(workbench, project.id, dimension.id))
    _replacement(workbench, dimension, samples)
    samples_side_by_side(project.task, dimension, samples)


def _replacement(workbench: Workbench, dimension: Dimension, samples: Sequence[Sample]) -> None:
    with st.container(border=True):
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
