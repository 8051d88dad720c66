"""Say it instead of writing it: recorded, uploaded or pasted; what was said is kept before anything is made of it."""

from typing import Protocol

import streamlit as st

from app.domain.project import Project
from app.domain.task import Dimension
from app.errors import WorkbenchError
from app.services.runtime.voice_recordings import AUDIO_FORMATS
from app.services.runtime.workbench import Workbench
from app.services.think_aloud.transcripts import (
    TRANSCRIPTION_MODELS,
    keep_recording,
    keep_transcript,
    propose_attributes,
    transcription_models,
)
from pages.components.shell.browser.kept_typing import saved_typing
from pages.components.shell.upload_field import upload_field, voice_field
from pages.components.shell.words import show_error
from pages.components.think_aloud.transcripts import LISTENER, transcribe_and_propose, transcripts

RECORD, UPLOAD, PASTE = "Record", "Upload", "Paste"
_PROBLEM = "speaking_problem"


class Sound(Protocol):
    """What the microphone and the upload give."""

    name: str

    def getvalue(self) -> bytes: ...


def transcript_entry(workbench: Workbench, project: Project, dimension: Dimension, name: str) -> None:
    """Folded until it is wanted, and below it everything said so far."""
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
        if problem := st.session_state.pop(_PROBLEM, None):
            show_error(problem)
        transcripts(workbench, project, dimension, name)


def _paste(workbench: Workbench, project: Project, dimension: Dimension, name: str) -> None:
    with st.form("transcript_form", border=False):
        st.text_area("What you said", key="transcript_text", height=120)
        st.form_submit_button(
            "Keep the transcript",
            key="transcript_keep",
            on_click=_keep_pasted,
            args=[workbench, project, dimension, name],
        )


def _keep_pasted(workbench: Workbench, project: Project, dimension: Dimension, name: str) -> None:
    """The field is emptied only once its words are kept."""
    try:
        kept = keep_transcript(workbench, dimension.id, name, str(st.session_state["transcript_text"]))
        saved_typing("transcript_text")
        st.session_state["transcript_text"] = ""
        propose_attributes(workbench, project, dimension, kept)
    except WorkbenchError as error:
        st.session_state[_PROBLEM] = error


def _audio(workbench: Workbench, project: Project, dimension: Dimension, name: str, record: bool) -> None:
    sound: Sound | None
    if record:
        sound = voice_field(workbench, "Your voice", "voice", "The browser asks whether it may use the microphone.")
    else:
        sound = upload_field(workbench, "An audio file", AUDIO_FORMATS, "voice_file")
    model = _listener(workbench)
    if st.button("Keep and transcribe", key="transcribe", disabled=sound is None) and sound is not None:
        try:
            kept = keep_recording(workbench, dimension.id, name, sound.getvalue(), sound.name)
        except WorkbenchError as error:
            st.session_state[_PROBLEM] = error
        else:
            transcribe_and_propose(workbench, project, dimension, kept, model)


def _listener(workbench: Workbench) -> str:
    chosen = st.selectbox(
        "Transcribed by",
        transcription_models(workbench),
        accept_new_options=True,
        key=LISTENER,
        help="OpenAI's transcription endpoint, or any compatible one as llama:NAME at LLAMA_BASE_URL. The recording "
        "is sent there.",
    )
    return str(chosen or TRANSCRIPTION_MODELS[0])
