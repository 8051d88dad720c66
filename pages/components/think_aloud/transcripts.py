"""Transcripts of an expert, and the points picked out of them: only what is accepted becomes an attribute."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from app.domain.project import Project
from app.domain.task import Dimension
from app.domain.think_aloud import ProposedAttribute, Transcript
from app.errors import WorkbenchError
from app.services.runtime.models import available_models
from app.services.runtime.voice_recordings import voice_recording_path
from app.services.runtime.workbench import Workbench
from app.services.scoring.last_models import last_picker
from app.services.think_aloud.independence import remove_consideration
from app.services.think_aloud.transcripts import (
    TRANSCRIPTION_MODELS,
    accept,
    decline,
    proposals_of,
    propose_attributes,
    transcribe,
    transcripts_of,
)
from pages.components.shell import local_time
from pages.components.shell.browser.kept_typing import dropped_typing, saved_typing
from pages.components.shell.undo import change
from pages.components.shell.words import button_label, number, plain, show_error
from pages.components.think_aloud.own_rows import NAMED_BY

LISTENER = "transcription_model"
SENTENCES = "Every sentence, without an LLM"
SHOWN = 6


def transcripts(workbench: Workbench, project: Project, dimension: Dimension, name: str) -> None:
    """All of them, newest first; one is open. Nothing where nobody has spoken."""
    kept = transcripts_of(workbench, dimension.id, name)
    if not kept:
        return
    shown = _chosen(kept) if len(kept) > 1 else kept[0]
    _recording(workbench, project, dimension, shown)
    if shown.text:
        with st.expander("The transcript, as it is kept", key=f"kept_{shown.id}"):
            st.text(shown.text)
        _propose_again(workbench, project, dimension, shown)
        _proposals(workbench, shown, dimension)


def transcribe_and_propose(
    workbench: Workbench, project: Project, dimension: Dimension, transcript_id: int, model: str
) -> None:
    """Turn a kept recording into text and its sentences into proposals. A failure is kept, and shown beside it."""
    try:
        with st.spinner("Listening"):
            transcribe(workbench, transcript_id, model)
    except WorkbenchError:
        return
    _propose(workbench, project, dimension, transcript_id)


def _chosen(kept: Sequence[Transcript]) -> Transcript:
    by_number = {one.id: one for one in kept}
    order = {id_: len(kept) - place for place, id_ in enumerate(by_number)}
    number = st.selectbox(
        "What you said so far",
        list(by_number),
        format_func=lambda id_: f"{order[id_]}: {_label(by_number[id_])}",
        key=f"transcript_{kept[0].dimension_id}_{len(kept)}",  # a new one is opened at once
    )
    return by_number[number]


def _label(transcript: Transcript) -> str:
    how = "recording" if transcript.audio else "transcript"
    when = f", {local_time.said(transcript.created_at)}" if transcript.created_at else ""
    state = f"{transcript.waiting} to decide on" if transcript.text else "no text yet"
    return f"{state} · {how}{when}"


def _recording(workbench: Workbench, project: Project, dimension: Dimension, transcript: Transcript) -> None:
    path = voice_recording_path(transcript.audio)
    if transcript.audio and path.is_file():
        st.audio(path.read_bytes())
    if not transcript.text and transcript.audio:
        why = transcript.error or "It was not sent to be transcribed."
        st.error(plain(f"The recording is kept, but it is no text yet. {why}"), icon=":material/error:")
        if st.button("Try again", key=f"again_{transcript.id}"):
            model = str(st.session_state.get(LISTENER) or TRANSCRIPTION_MODELS[0])
            transcribe_and_propose(workbench, project, dimension, transcript.id, model)
            st.rerun(scope="fragment")


def _propose_again(workbench: Workbench, project: Project, dimension: Dimension, transcript: Transcript) -> None:
    llms = [choice.name for choice in available_models(workbench) if choice.usable and choice.name != "rules"]
    last = last_picker(workbench, project.id)
    model = st.selectbox(
        "Points are picked by",
        [SENTENCES, *llms],
        index=llms.index(last) + 1 if last in llms else 0,
        accept_new_options=True,
        key="proposing_model",
        help="An LLM picks out the general points; without one, every sentence is a proposal. What you have decided "
        "on stays.",
    )
    if st.button("Propose again", key=f"propose_{transcript.id}"):
        _propose(workbench, project, dimension, transcript.id, "" if model in (None, SENTENCES) else str(model))


def _propose(workbench: Workbench, project: Project, dimension: Dimension, transcript_id: int, model: str = "") -> None:
    try:
        with st.spinner("Looking for points"):
            propose_attributes(workbench, project, dimension, transcript_id, model)
    except WorkbenchError as error:
        show_error(error)


def _proposals(workbench: Workbench, transcript: Transcript, dimension: Dimension) -> None:
    found = proposals_of(workbench, transcript.id)
    waiting = [proposal for proposal in found if proposal.open]
    accepted = sum(proposal.attribute_id is not None for proposal in found)
    st.caption(f"{number(len(waiting), 'proposal')} to decide on, {accepted} accepted. Only what you accept counts.")
    place = f"{dimension.id}_{transcript.expert}"
    for proposal in waiting[:SHOWN]:
        _proposal(workbench, proposal, place)


def _proposal(workbench: Workbench, proposal: ProposedAttribute, place: str) -> None:
    key = f"proposal_{proposal.id}"
    st.text_area("Proposed", proposal.text, key=key, height=68, label_visibility="collapsed")
    if proposal.words != proposal.text:
        st.caption("from your words:")
        st.text(proposal.words)
    with st.container(horizontal=True):
        what = proposal.text[:NAMED_BY]
        st.button(
            button_label("Accept", what),
            key=f"accept_{proposal.id}",
            on_click=_accept,
            args=[workbench, proposal, key, place],
        )
        left_out = partial(_decline, workbench, proposal, place)
        st.button(button_label("Leave out", what), key=f"decline_{proposal.id}", type="tertiary", on_click=left_out)


def _decline(workbench: Workbench, proposal: ProposedAttribute, place: str) -> None:
    left_out = partial(decline, workbench, proposal.id)
    if change(place, "left out a proposal", left_out, partial(decline, workbench, proposal.id, False)):
        dropped_typing(f"proposal_{proposal.id}")


def _accept(workbench: Workbench, proposal: ProposedAttribute, key: str, place: str) -> None:
    added: list[int] = []
    text = str(st.session_state[key])
    if change(
        place,
        "accepted a proposal",
        lambda: added.append(accept(workbench, proposal.id, text)),
        lambda: remove_consideration(workbench, added[0]),
    ):
        saved_typing(key)
