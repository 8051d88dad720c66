"""An expert's own attributes on a dimension: written one at a time, each saved at once."""

from collections.abc import Sequence
from functools import partial
from typing import Literal, Protocol

import streamlit as st

from app.domain.attribute import Attribute, ProposedAttribute, Transcript
from app.domain.project import Dimension, Project
from app.domain.roles_and_rights import Right
from app.errors import RepeatedError, WorkbenchError
from app.services.data.projects import overview
from app.services.data.workflow_steps import next_of
from app.services.runtime.models import available_models
from app.services.runtime.voice_recordings import AUDIO_FORMATS, voice_recording_path
from app.services.runtime.workbench import Workbench
from app.services.scoring.last_models import last_picker
from app.services.think_aloud.independence import (
    add_own_attribute,
    is_done,
    mark_done,
    merged_into,
    not_removed,
    own_attributes_of,
    remove_own_attribute,
    removed_by_author,
    standing,
    unfinished_dimensions,
)
from app.services.think_aloud.transcripts import (
    TRANSCRIPTION_MODELS,
    accept,
    decline,
    proposals_of,
    propose_attributes,
    save_recording,
    save_transcript,
    transcribe,
    transcription_models,
    transcripts_of,
)
from pages.components.shell import labels as local_time
from pages.components.shell.browser.page_scripts import dropped_typing, saved_typing, show_saved_typing, unsaved_typing
from pages.components.shell.current import choose, hold, signed_out_redraw, was_pressed
from pages.components.shell.labels import (
    ShownErrors,
    button_label,
    keep_messages,
    messages_kept,
    number,
    plain,
    show_error,
    show_saved_error,
    take_message,
)
from pages.components.shell.navigation.screens import go, link
from pages.components.shell.runs.model_options import offer_local_servers, take_only
from pages.components.shell.undo import change, remember, undo_button
from pages.components.shell.upload_field import recording_field, upload_field
from pages.components.think_aloud.own_attribute_list import (
    NAMED_BY,
    WHOLE,
    ColumnContext,
    own_rows,
    sample_name,
    show_newest,
)
from pages.components.think_aloud.passages import highlights_changed

LISTENER = "transcription_model"
SENTENCES = "Every sentence, without an LLM"
SHOWN = 6


def transcripts(workbench: Workbench, project: Project, dimension: Dimension, name: str) -> None:
    """Draw all transcripts, newest first; one is open. Nothing if nobody has spoken."""
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
    """Turn a saved recording into text and its sentences into proposals. A failure is saved, and shown beside it."""
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
        if was_pressed("Try again", f"again_{transcript.id}"):
            model = str(st.session_state.get(LISTENER) or TRANSCRIPTION_MODELS[0])
            transcribe_and_propose(workbench, project, dimension, transcript.id, model)
            st.rerun(scope="fragment")


_PICKER = "proposing_model"


def _propose_again(workbench: Workbench, project: Project, dimension: Dimension, transcript: Transcript) -> None:
    llms = [choice.name for choice in available_models(workbench) if choice.usable and choice.name != "rules"]
    last = last_picker(workbench, project.id)
    hold(_PICKER, last if last in llms else SENTENCES)
    model = st.selectbox(
        "Attributes are picked by",
        [SENTENCES, *llms],
        accept_new_options=True,
        key=_PICKER,
        help="An LLM picks out the general attributes; without one, every sentence is a proposal. What you have "
        "decided on stays.",
    )
    offer_local_servers(workbench, _PICKER, partial(take_only, _PICKER), llms)
    if was_pressed("Propose again", f"propose_{transcript.id}"):
        _propose(workbench, project, dimension, transcript.id, "" if model in (None, SENTENCES) else str(model))


def _propose(workbench: Workbench, project: Project, dimension: Dimension, transcript_id: int, model: str = "") -> None:
    with ShownErrors(), st.spinner("Looking for attributes"):
        propose_attributes(workbench, project, dimension, transcript_id, model)


def _proposals(workbench: Workbench, transcript: Transcript, dimension: Dimension) -> None:
    found = proposals_of(workbench, transcript.id)
    waiting = [proposal for proposal in found if proposal.open]
    accepted = sum(proposal.attribute_id is not None for proposal in found)
    st.caption(
        f"{number(len(waiting), 'proposal')} to decide on, {accepted} accepted. Only what you accept counts, and "
        "keeps the words it came from."
    )
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
        lambda: remove_own_attribute(workbench, added[0]),
    ):
        saved_typing(key)


RECORD, UPLOAD, PASTE = "Record", "Upload", "Paste"
_PROBLEM = "speaking_problem"


class RecordedSound(Protocol):
    """A recording from the microphone or an upload."""

    name: str

    def getvalue(self) -> bytes: ...


def transcript_entry(workbench: Workbench, project: Project, dimension: Dimension, name: str) -> None:
    """Draw the folded entry of a transcript, and below it all earlier ones."""
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
        show_saved_error(_PROBLEM)
        transcripts(workbench, project, dimension, name)


def _paste(workbench: Workbench, project: Project, dimension: Dimension, name: str) -> None:
    with st.form("transcript_form", border=False):
        st.text_area("What you said", key="transcript_text", height=120)
        st.form_submit_button(
            "Keep the transcript",
            key="transcript_keep",
            on_click=_save_pasted,
            args=[workbench, project, dimension, name],
        )


def _save_pasted(workbench: Workbench, project: Project, dimension: Dimension, name: str) -> None:
    """Save a pasted transcript, in a callback; the field is emptied once it is saved."""
    with ShownErrors(_PROBLEM):
        kept = save_transcript(workbench, dimension.id, name, str(st.session_state["transcript_text"]))
        saved_typing("transcript_text")
        st.session_state["transcript_text"] = ""
        propose_attributes(workbench, project, dimension, kept)


def _audio(workbench: Workbench, project: Project, dimension: Dimension, name: str, record: bool) -> None:
    sound: RecordedSound | None
    if record:
        sound = recording_field(workbench, "Your voice", "voice", "The browser asks whether it may use the microphone.")
    else:
        sound = upload_field(workbench, "An audio file", AUDIO_FORMATS, "voice_file")
    model = _listener(workbench)
    if was_pressed("Keep and transcribe", "transcribe", disabled=sound is None) and sound is not None:
        with ShownErrors(_PROBLEM):
            kept = save_recording(workbench, dimension.id, name, sound.getvalue(), sound.name)
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


# Enter saves here (`kept_typing.js`), so Streamlit's own hint would mislead.
_LOOK = "<style>:is(.st-key-say, .st-key-own_editor) [data-testid='InputInstructions'] { display: none; }</style>"
_UNSAVED = "own_unsaved"
_COMPLAINT = "own_complaint"
_FINISHED = "own_finished"


@st.fragment
def own_attributes(own: ColumnContext, project: Project) -> None:
    """Draw the field for a new attribute, and below it this person's attributes; others' are not shown.

    A fragment: saving an attribute redraws this column and leaves the samples beside it alone.
    """
    workbench, dimension, name = own.workbench, own.dimension, own.expert
    signed_out_redraw(workbench)
    if st.session_state.pop(_FINISHED, False) or highlights_changed(own):
        st.rerun(scope="app")  # the bar above the screen says what comes next, the samples show other passages
    with messages_kept():
        show_saved_typing()
        unsaved_typing("edit_text_", reported=keep_messages)
        _line(own)
        written = own_attributes_of(workbench, project.id, dimension.id, name)
        attributes = not_removed(written)
        _done(own, project, attributes)
        undo_button(own.place)
        removed = [a for a in written if removed_by_author(a)]
        own_rows(own, attributes, removed, merged_into(workbench, project.id, name, attributes))
        transcript_entry(workbench, project, dimension, name)


def _line(own: ColumnContext) -> None:
    st.html(_LOOK)
    text_key, sample_key = f"say_{own.dimension.id}", f"say_sample_{own.dimension.id}"
    with st.container(key="say"), st.form("say_form", clear_on_submit=True, border=False):
        st.text_area(
            "What do you look for?",
            placeholder="one general attribute",
            help="An attribute that holds for every text, not one about these samples. Enter saves it, Shift and Enter "
            "begin a new line.",
            height="content",
            key=text_key,
        )
        with st.container(horizontal=True):
            st.selectbox(
                "Prompted by",
                [sample.text.id for sample in own.samples],
                format_func=partial(sample_name, own.samples),
                index=None,
                placeholder="prompted by a sample? (optional)",
                key=sample_key,
                label_visibility="collapsed",
                filter_mode=None,  # no keyboard on a phone: its scrolling would close the list
            )
            st.form_submit_button("Add", key="say_add", type="primary", on_click=_say, args=[own, text_key, sample_key])
    if complaint := take_message(_COMPLAINT):
        st.caption(plain(complaint))
    if _UNSAVED in st.session_state:
        error, words = st.session_state[_UNSAVED]
        show_error(error)
        st.caption("This is not saved yet; copy it back once that is solved:")
        st.text(words)


def _say(own: ColumnContext, text_key: str, sample_key: str) -> None:
    text = str(st.session_state[text_key])
    if not text.strip():
        st.session_state[_COMPLAINT] = "There is nothing on the line yet."
        return
    st.session_state.pop(_UNSAVED, None)
    try:
        added = add_own_attribute(own.workbench, own.dimension.id, own.expert, text, st.session_state.get(sample_key))
    except RepeatedError as error:  # it is kept already
        saved_typing(text_key)
        st.session_state[_COMPLAINT] = str(error)
        return
    except WorkbenchError as error:
        st.session_state[_UNSAVED] = (error, text)
        return
    saved_typing(text_key)
    show_newest(own)
    remember(own.place, "added an attribute", partial(remove_own_attribute, own.workbench, added))


def _done(own: ColumnContext, project: Project, attributes: Sequence[Attribute]) -> None:
    said = number(len(standing(attributes)), "attribute")
    if is_done(own.workbench, project.id, own.dimension.id, own.expert):
        st.caption(f"{said} by you. You are done here. If you write more, what others wrote is hidden again.")
        _go_on(own, project)
        return
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        st.caption(f"{said} by you. What others wrote stays hidden until you are done.", width="content")
        if attributes:
            st.button(
                "I am done",
                key="say_done",
                help=f"With {own.dimension.name}. Then you can see what others wrote. {WHOLE}",
                on_click=_finish,
                args=[own],
            )


def _go_on(own: ColumnContext, project: Project) -> None:
    """Draw the buttons to what comes next: for a facilitator the dimension's next step, for everybody the next
    dimension that they aren't done with. Others' attributes on this one are visible now."""
    with st.container(horizontal=True, vertical_alignment="center"):
        waiting = unfinished_dimensions(own.workbench, project.id, own.expert)
        kind: Literal["primary", "secondary"] = "primary"
        if own.workbench.actor.has(Right.FACILITATE, project.id):
            whole = overview(own.workbench, project.id)
            progress = {of.dimension.id: of for of in whole.dimensions}
            waiting = sorted(waiting, key=lambda dimension: not progress[dimension.id].ratings)  # rated ones first
            todo = next_of(whole, progress[own.dimension.id])
            if todo.screen != "think_aloud":
                if was_pressed(todo.button, key="next_step", type=kind, help=plain(todo.why)):
                    go(todo.screen, todo.parameters)
                kind = "secondary"
        if waiting and was_pressed(f"Think aloud on {waiting[0].name}", key="next_dimension", type=kind):
            choose(project.name, waiting[0].name)
            st.rerun(scope="app")
        link("attributes", "See what others wrote")


def _finish(own: ColumnContext) -> None:
    try:
        mark_done(own.workbench, own.dimension.id, own.expert)
    except WorkbenchError as error:
        st.session_state[_COMPLAINT] = error.in_full
    else:
        st.session_state[_FINISHED] = True
