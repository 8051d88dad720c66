"""Thinking aloud by voice: what was said is kept, and what the expert accepts of it becomes attributes. And a question
that a model asks an expert about what they wrote."""

import asyncio
import uuid
from collections.abc import Sequence
from pathlib import Path

from app.domain.attribute import ContributorKind, ProposedAttribute, Transcript
from app.domain.people import Right
from app.domain.project import Dimension, Project
from app.domain.storable_text import storable
from app.errors import ConflictError, InputError, NotReadyError, UnsupportedError, WorkbenchError
from app.providers.base import Transcriber
from app.providers.specs import KNOWN_PROVIDERS, OWN
from app.services.runtime.endpoint_models import endpoint_models
from app.services.runtime.models import AUDIO_FORMATS, ask_model, voice_recording_path
from app.services.runtime.prompts import answered
from app.services.runtime.spending import allowance_left
from app.services.runtime.workbench import Workbench, use_case
from app.services.think_aloud.independence import write_down
from app.think_aloud import (
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
    """Vendors', then those of the person's own endpoint, or what such a model is mostly called; others can be typed."""
    return [*TRANSCRIPTION_MODELS, *(endpoint_models(workbench).listening or [f"{OWN}:whisper-1"])]


@use_case(Right.TAKE_PART)
def keep_transcript(workbench: Workbench, dimension_id: int, expert: str, text: str) -> int:
    """A transcript made elsewhere, kept to the letter. Returns its number; raises InputError for a blank one."""
    if not text.strip():
        raise InputError("The transcript is empty.", "Paste what was said.")
    return _keep(workbench, dimension_id, expert, text=text)


@use_case(Right.TAKE_PART)
def keep_recording(workbench: Workbench, dimension_id: int, expert: str, audio: bytes, file_name: str) -> int:
    """Write the audio into the data folder, under a name of our own, before anything else happens to it.

    Raises InputError for no audio or a kind of file that no transcription takes.
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
    """Let a model listen to a kept recording. Whatever happens the recording stays; a failure is kept beside it.

    Raises what the model raises, UnsupportedError for one that can't listen, InputError where the file is gone, and
    BudgetError where the server limits what its keys pay: nobody knows what listening costs.
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
            work.transcripts.heard(transcript_id, model, error=error.in_full)
        raise
    with workbench.database.write() as work:
        work.transcripts.heard(transcript_id, model, storable(text))


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
    """Newest first."""
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
    """Proposals from a transcript, in place of those nobody has decided on.

    model: an LLM that picks out the general attributes; "" makes every sentence a proposal. A failure is kept on
    record. Raises what the model raises.
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
    """Make a proposal an attribute of the expert who spoke, in other words where `text` is given. Returns its id.

    Raises ConflictError where it was accepted already.
    """
    with workbench.database.write() as work:
        proposal, transcript = work.transcripts.proposal(proposed_id)
        if proposal.attribute_id is not None:
            raise ConflictError("This proposal has been accepted already.")
        project = work.projects.project_of(transcript.dimension_id)
        who = work.think_aloud.contributor(project.id, transcript.expert, ContributorKind.HUMAN)
        wording = text.strip() or proposal.text
        marked = spoken_passage(transcript.text, proposal.words)
        added = write_down(work, transcript.dimension_id, who, [wording], passages=[marked])[0]
        work.transcripts.decide(proposed_id, added, declined=False)
        return added


@use_case(Right.TAKE_PART)
def decline(workbench: Workbench, proposed_id: int, declined: bool = True) -> None:
    """It becomes no attribute; it stays on record, and `declined=False` opens it again."""
    with workbench.database.write() as work:
        proposal, _ = work.transcripts.proposal(proposed_id)
        if proposal.attribute_id is not None:
            raise ConflictError("This proposal has been accepted already.")
        work.transcripts.decide(proposed_id, None, declined)


@use_case(Right.TAKE_PART)
def ask_follow_up(workbench: Workbench, project: Project, dimension: Dimension, attribute_id: int) -> str:
    """One short question about an expert's own attribute, by the project's model for it. It is made of this attribute
    and the rubric: the stored prompt shows that nobody else's words were in it. A failure is kept on record.

    Raises NotReadyError where the project asks none, and what the model raises.
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
