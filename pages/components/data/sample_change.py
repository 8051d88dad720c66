"""The samples of a dimension, for whoever runs the project: one replaced by hand, or all chosen again."""

from collections.abc import Callable, Sequence

import streamlit as st

from app.domain.project import Project
from app.domain.task import Dimension
from app.domain.text import text_title
from app.domain.think_aloud import Sample
from app.errors import WorkbenchError
from app.services.runtime.workbench import Workbench
from app.services.think_aloud.samples import (
    SampleOption,
    ensure_samples,
    held_out,
    rechoose_samples,
    replace_sample,
    sample_options,
)
from pages.components.shell.current import current_dimension
from pages.components.shell.samples import left_out, samples_side_by_side, score_words
from pages.components.shell.words import number, plain, show_error


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
    left_out(project.task, samples, held_out(workbench, project.id, dimension.id))
    _replacement(workbench, dimension, samples)
    samples_side_by_side(project.task, dimension, samples)


def _replacement(workbench: Workbench, dimension: Dimension, samples: Sequence[Sample]) -> None:
    with st.container(border=True):
        rated = any(sample.score is not None for sample in samples)
        which, near, words = st.columns([2, 1, 3])
        position = which.selectbox(
            "Replace",
            [sample.position for sample in samples],
            format_func=lambda p: _named(p, samples),
            key=f"replace_position_{dimension.id}",
        )
        current = next(sample for sample in samples if sample.position == position)
        score: float | None = None
        if rated:
            score = near.number_input(
                "Score near",
                dimension.low,
                dimension.high,
                dimension.low if current.score is None else current.score,
                key=f"replace_near_{dimension.id}_{position}",
            )
        search = words.text_input("Search", placeholder="words, document, system", key=f"replace_words_{dimension.id}")
        options = sample_options(workbench, dimension.id, score, search)
        chosen = st.selectbox(
            "by another text",
            options,
            format_func=_option,
            index=None,
            placeholder=_offered(options, rated),
            key=f"replace_text_{dimension.id}",
        )
        if chosen is not None:
            st.text(chosen.text.text)
        with st.container(horizontal=True):
            if st.button("Use this text", key="use_text", disabled=chosen is None) and chosen is not None:
                _change(lambda: replace_sample(workbench, dimension.id, position, chosen.text.id))
            _choose_again(workbench, dimension, samples)


def _choose_again(workbench: Workbench, dimension: Dimension, samples: Sequence[Sample]) -> None:
    """Rated samples are chosen by a rule; what chance drew is drawn anew with the next seed."""
    if all(sample.score is not None for sample in samples):
        if st.button("Choose all again automatically", key="choose_again", type="tertiary"):
            _change(lambda: rechoose_samples(workbench, dimension.id))
    elif st.button("Draw others", key="choose_again", type="tertiary"):
        place = f"sample_seed_{dimension.id}"
        seed = st.session_state[place] = st.session_state.get(place, 0) + 1
        _change(lambda: rechoose_samples(workbench, dimension.id, seed))


def _offered(options: Sequence[SampleOption], rated: bool) -> str:
    if not options:
        return "nothing fits"
    return f"the {len(options)} nearest in score" if rated else f"{number(len(options), 'text')} to choose from"


def _change(change: Callable[[], object]) -> None:
    try:
        change()
    except WorkbenchError as error:
        show_error(error)
        return
    st.rerun()


def _named(position: int, samples: Sequence[Sample]) -> str:
    number, sample = next((n, s) for n, s in enumerate(samples, start=1) if s.position == position)
    return f"Sample {number}, {score_words(sample.score)}"


def _option(option: SampleOption) -> str:
    return f"{score_words(option.score)} · {text_title(option.text)}"
