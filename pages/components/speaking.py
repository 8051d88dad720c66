"""Say it instead of writing it: recorded, uploaded or pasted, then picked from, and only what is accepted counts."""

from functools import partial

import streamlit as st

from app.domain.project import Project
from app.domain.task import Dimension
from app.domain.transcript import ProposedAttribute, Transcript
from app.errors import WorkbenchError
from app.services.attributes import exclude_attribute
from app.services.models import available_models
from app.services.speaking import (
    AUDIO_FORMATS,
    TRANSCRIPTION_MODELS,
    accept,
    decline,
    keep_recording,
    keep_transcript,
    proposals_of,
    propose_attributes,
    recording_path,
    transcribe,
    transcripts_of,
)
from app.services.workbench import Workbench
from pages.components.conditions import number
from pages.components.own_rows import REMOVED
from pages.components.undo import change
from pages.components.words import plain, show_error

RECORD, UPLOAD, PASTE = "Record", "Upload audio", "Paste a transcript"
SENTENCES = "Every sentence, without an LLM"
SHOWN = 6


def speaking(workbench: Workbench, project: Project, dimension: Dimension, name: str) -> None:
    """Folded; what was said is kept at once, before anything is made of it."""
    unfolded = st.expander("Speak instead of writing", key="speaking", on_change="rerun")
    if not unfolded.open:
        return
    with unfolded:
        way = st.segmented_control(
            "How", [RECORD, UPLOAD, PASTE], default=PASTE, required=True, key="speak_how", label_visibility="collapsed"
        )
        if way == PASTE:
            _paste(workbench, project, dimension, name)
        else:
            _audio(workbench, project, dimension, name, way == RECORD)
        for transcript in transcripts_of(workbench, dimension.id, name)[:1]:
            _transcript(workbench, project, dimension, transcript)


def _paste(workbench: Workbench, project: Project, dimension: Dimension, name: str) -> None:
    with st.form("transcript_form", border=False, clear_on_submit=False):
        text = st.text_area("What you said", key="transcript_text", height=120)
        if st.form_submit_button("Keep the transcript", key="transcript_keep"):
            try:
                kept = keep_transcript(workbench, dimension.id, name, text)
            except WorkbenchError as error:
                show_error(error)
            else:
                _propose(workbench, project, dimension, kept)


def _audio(workbench: Workbench, project: Project, dimension: Dimension, name: str, record: bool) -> None:
    if record:
        sound = st.audio_input("Your voice", key="voice")
    else:
        sound = st.file_uploader("An audio file", type=list(AUDIO_FORMATS), key="voice_file")
    model = _listener()
    if st.button("Keep and transcribe", key="transcribe", disabled=sound is None) and sound is not None:
        try:
            kept = keep_recording(workbench, dimension.id, name, sound.getvalue(), sound.name)
        except WorkbenchError as error:
            show_error(error)
            return
        _transcribe(workbench, project, dimension, kept, model)


def _listener() -> str:
    chosen = st.selectbox(
        "Transcribed by",
        TRANSCRIPTION_MODELS,
        accept_new_options=True,
        key="transcription_model",
        help="OpenAI's transcription endpoint, or any compatible one as llama:NAME at LLAMA_BASE_URL. The recording "
        "is sent there.",
    )
    return str(chosen or TRANSCRIPTION_MODELS[0])


def _transcribe(workbench: Workbench, project: Project, dimension: Dimension, transcript_id: int, model: str) -> None:
    try:
        with st.spinner("Listening"):
            transcribe(workbench, transcript_id, model)
    except WorkbenchError:
        return  # kept beside the recording, and shown there
    _propose(workbench, project, dimension, transcript_id)


def _propose(workbench: Workbench, project: Project, dimension: Dimension, transcript_id: int, model: str = "") -> None:
    try:
        with st.spinner("Looking for points"):
            propose_attributes(workbench, project, dimension, transcript_id, model)
    except WorkbenchError as error:
        show_error(error)


def _transcript(workbench: Workbench, project: Project, dimension: Dimension, transcript: Transcript) -> None:
    path = recording_path(transcript.audio)
    if transcript.audio and path.is_file():
        st.audio(path.read_bytes())
    if transcript.error:
        st.error(plain(f"The recording is kept, but it is no text yet. {transcript.error}"))
        if st.button("Try again", key=f"again_{transcript.id}"):
            _transcribe(
                workbench, project, dimension, transcript.id, str(st.session_state.get("transcription_model", ""))
            )
            st.rerun()
    if not transcript.text:
        return
    with st.expander("The transcript, as it is kept", key=f"kept_{transcript.id}"):
        st.text(transcript.text)
    llms = [choice.name for choice in available_models(workbench) if choice.usable and choice.name != "rules"]
    model = st.selectbox(
        "Points are picked by",
        [SENTENCES, *llms],
        accept_new_options=True,
        key="proposing_model",
        help="An LLM picks out the general points; without one, every sentence is a proposal.",
    )
    if st.button("Propose again", key=f"propose_{transcript.id}"):
        _propose(workbench, project, dimension, transcript.id, "" if model in (None, SENTENCES) else str(model))
    _proposals(workbench, transcript, dimension)


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
        st.button("Accept", key=f"accept_{proposal.id}", on_click=_accept, args=[workbench, proposal, key, place])
        left_out = partial(_decline, workbench, proposal, place)
        st.button("Leave out", key=f"decline_{proposal.id}", type="tertiary", on_click=left_out)


def _decline(workbench: Workbench, proposal: ProposedAttribute, place: str) -> None:
    change(
        place,
        "left out a proposal",
        partial(decline, workbench, proposal.id),
        partial(decline, workbench, proposal.id, False),
    )


def _accept(workbench: Workbench, proposal: ProposedAttribute, key: str, place: str) -> None:
    added: list[int] = []
    text = str(st.session_state[key])
    change(
        place,
        "accepted a proposal",
        lambda: added.append(accept(workbench, proposal.id, text)),
        lambda: exclude_attribute(workbench, added[0], REMOVED),
    )
