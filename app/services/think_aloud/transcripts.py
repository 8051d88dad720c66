"""Thinking aloud by voice: recordings, transcripts, and proposals that become attributes when the expert accepts them.
Also a model's follow-up question to an expert."""

import asyncio
import uuid
from collections.abc import Sequence
from pathlib import Path

from app.domain.attribute import ContributorKind, ProposedAttribute, Transcript
from app.domain.project import Dimension, Project
from app.domain.roles_and_rights import Right
from app.domain.storable_text import storable
from app.errors import ConflictError, InputError, NotReadyError, UnsupportedError, WorkbenchError
from app.providers.base import Transcriber
from app.providers.specs import KNOWN_PROVIDERS, OWN
from app.services.runtime.endpoint_models import endpoint_models
from app.services.runtime.models import ask_model
from app.services.runtime.prompts import answered
from app.services.runtime.spending import allowance_left
from app.services.runtime.voice_recordings import AUDIO_FORMATS, voice_recording_path
from app.services.runtime.workbench import Workbench, use_case
from app.services.think_aloud.independence import insert_attributes
from app.think_aloud.elicitation import (
    FOLLOW_UP_PROMPT,
    TRANSCRIPT_PROMPT,
    by_sentence,
    follow_up_question,
    propose_from_transcript,
    spoken_passage,
)

# What the transcription endpoint takes (OpenAI's list; local servers take at least wav).
TRANSCRIPTION_MODELS = [f"{spec.prefix}:{model}" for spec in KNOWN_PROVIDERS.values() for model in spec.transcribers]


@use_case(Right.ENTER)
def transcription_models(workbench: Workbench) -> list[str]:
    """Return vendors' transcription models, then those of the user's own endpoint, or a usual name; others can be
    typed."""
    return [*TRANSCRIPTION_MODELS, *(endpoint_models(workbench).listening or [f"{OWN}:whisper-1"])]


@use_case(Right.TAKE_PART)
def save_transcript(workbench: Workbench, dimension_id: int, expert: str, text: str) -> int:
    """Store a transcript made elsewhere, word for word. Returns its id; raises InputError for a blank one."""
    if not text.strip():
        raise InputError("The transcript is empty.", "Paste what was said.")
    return _keep(workbench, dimension_id, expert, text=text)


@use_case(Right.TAKE_PART)
def save_recording(workbench: Workbench, dimension_id: int, expert: str, audio: bytes, file_name: str) -> int:
    """Store the audio in the data folder, under a new name, before it is processed. Returns the transcript's id.

    Raises InputError for no audio or an unsupported kind of file.
    """
    ending = Path(file_name).suffix.lower().removeprefix(".")
    if ending not in AUDIO_FORMATS:
        raise InputError("This is no kind of audio file that can be transcribed.", f"Use {', '.join(AUDIO_FORMATS)}.")
    if not audio:
        raise InputError("The recording is empty.", "Record again, or choose another file.")
    name = f"{uuid.uuid4().hex}.{ending}"
    path = voice_recording_path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch(0o600)  # a voice is for nobody else on this computer
    path.write_bytes(audio)
    return _keep(workbench, dimension_id, expert, audio=name)


@use_case(Right.TAKE_PART)
def transcribe(workbench: Workbench, transcript_id: int, model: str) -> None:
    """Let a model transcribe a stored recording. The recording stays in any case; a failure is stored with it.

    Raises errors of the model, UnsupportedError for one that can't transcribe, InputError if the file is gone, and
    BudgetError if the server limits spending, because the cost of transcribing is unknown.
    """
    with workbench.database.read() as work:
        transcript = work.transcripts.get(transcript_id)
        project = work.projects.project_of(transcript.dimension_id)
    path = voice_recording_path(transcript.audio)
    try:
        if not transcript.audio or not path.is_file():
            raise InputError("The recording's file is no longer in the data folder.", "Record or upload it again.")
        allowance_left(workbench, model, project.id)  # the ledger holds no listening: what has no price is refused
        text = asyncio.run(_listen(workbench, model, path))
        if not text:
            raise InputError(f"{model} heard no words in the recording.", "Listen to it, then record again.")
    except WorkbenchError as error:
        with workbench.database.write() as work:
            work.transcripts.save_transcription(transcript_id, model, error=error.in_full)
        raise
    with workbench.database.write() as work:
        work.transcripts.save_transcription(transcript_id, model, storable(text))


async def _listen(workbench: Workbench, name: str, path: Path) -> str:
    model = workbench.model(name)
    try:
        if not isinstance(model, Transcriber):
            raise UnsupportedError(
                f"{name} can't transcribe.", f"Use {TRANSCRIPTION_MODELS[0]}, or llama:NAME for a server of your own."
            )
        return await model.transcribe(path.read_bytes(), path.name)
    finally:
        await model.aclose()


@use_case(Right.TAKE_PART)
def transcripts_of(workbench: Workbench, dimension_id: int, expert: str) -> list[Transcript]:
    """Return the expert's transcripts, newest first."""
    with workbench.database.read() as work:
        return work.transcripts.of(dimension_id, expert)


@use_case(Right.TAKE_PART)
def proposals_of(workbench: Workbench, transcript_id: int) -> list[ProposedAttribute]:
    with workbench.database.read() as work:
        return work.transcripts.proposals(transcript_id)


@use_case(Right.TAKE_PART)
def propose_attributes(
    workbench: Workbench, project: Project, dimension: Dimension, transcript_id: int, model: str = ""
) -> list[ProposedAttribute]:
    """Store proposals from a transcript, replacing undecided ones, and return them.

    model: an LLM that finds general attributes; "" proposes every sentence. A failure is stored. Raises errors of the
    model.
    """
    with workbench.database.read() as work:
        transcript = work.transcripts.get(transcript_id)
    found: Sequence[ProposedAttribute] = by_sentence(transcript.text)
    stage = None
    if model:
        said, _ = ask_model(
            workbench,
            project.id,
            model,
            lambda opened: propose_from_transcript(opened, project.task, dimension, transcript.text),
            on_record=(dimension.id, TRANSCRIPT_PROMPT),
        )
        found, stage = said.attributes, answered(TRANSCRIPT_PROMPT, model, said.request.prompt, said.reply)
    with workbench.database.write() as work:
        if stage:
            work.stages.add(dimension.id, stage)
        work.transcripts.propose(transcript_id, found)
        return work.transcripts.proposals(transcript_id)


@use_case(Right.TAKE_PART)
def accept(workbench: Workbench, proposed_id: int, text: str = "") -> int:
    """Turn a proposal into an attribute of the expert who spoke, reworded if `text` is given. Returns its id.

    Raises ConflictError if it was accepted already.
    """
    with workbench.database.write() as work:
        proposal, transcript = work.transcripts.proposal(proposed_id)
        if proposal.attribute_id is not None:
            raise ConflictError("This proposal has been accepted already.")
        project = work.projects.project_of(transcript.dimension_id)
        who = work.think_aloud.contributor(project.id, transcript.expert, ContributorKind.HUMAN)
        wording = text.strip() or proposal.text
        marked = spoken_passage(transcript.text, proposal.words)
        added = insert_attributes(work, transcript.dimension_id, who, [wording], passages=[marked])[0]
        work.transcripts.decide(proposed_id, added, declined=False)
        return added


@use_case(Right.TAKE_PART)
def decline(workbench: Workbench, proposed_id: int, declined: bool = True) -> None:
    """Decline a proposal, which stays on record; `declined=False` reopens it."""
    with workbench.database.write() as work:
        proposal, _ = work.transcripts.proposal(proposed_id)
        if proposal.attribute_id is not None:
            raise ConflictError("This proposal has been accepted already.")
        work.transcripts.decide(proposed_id, None, declined)


@use_case(Right.TAKE_PART)
def ask_follow_up(workbench: Workbench, project: Project, dimension: Dimension, attribute_id: int) -> str:
    """Return one short question about an expert's attribute, by the project's model for it. The prompt holds only this
    attribute and the rubric. A failure is stored.

    Raises NotReadyError if the project has no such model, and errors of the model.
    """
    with workbench.database.read() as work:
        model = work.projects.by_id(project.id).follow_up
        standing = work.think_aloud.standing([attribute_id])[attribute_id]
    if not model:
        raise NotReadyError("This project asks no follow-up questions.", "A facilitator chooses a model for them.")
    (question, request, reply), _ = ask_model(
        workbench,
        project.id,
        model,
        lambda opened: follow_up_question(opened, project.task, dimension, standing.text),
        on_record=(dimension.id, FOLLOW_UP_PROMPT),
    )
    with workbench.database.write() as work:
        work.stages.add(dimension.id, answered(FOLLOW_UP_PROMPT, model, request.prompt, reply))
    return question


def _keep(workbench: Workbench, dimension_id: int, expert: str, text: str = "", audio: str = "") -> int:
    with workbench.database.write() as work:
        project = work.projects.project_of(dimension_id)
        who = work.think_aloud.contributor(project.id, expert, ContributorKind.HUMAN)
        return work.transcripts.add(dimension_id, who.id, text, audio)
