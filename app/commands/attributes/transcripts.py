"""think-aloud for people: --transcript makes proposals of what was said aloud, --done says that it was everything."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from app.commands.model_asking import workbench_asking
from app.commands.output import echo, print_json, say, table

if TYPE_CHECKING:
    from app.services.runtime.model_options import ModelOptions


def from_transcript(
    project_name: str,
    dimension_name: str,
    contributor: str,
    file: Path,
    transcriber: str,
    models: Sequence[str],
    accept_all: bool,
    options: "ModelOptions",
    json_: bool,
) -> None:
    """Raises InputError for what a person has to correct; a recording that can't be transcribed is kept."""
    from app.attribute_analysis.attribute_file import decode_attributes
    from app.errors import InputError, WorkbenchError
    from app.input_file import LARGEST_FILE, LARGEST_LIST, read_file
    from app.services.data.projects import get_project, one_dimension
    from app.services.runtime.voice_recordings import AUDIO_FORMATS, voice_recording_path
    from app.services.runtime.workbench import open_workbench
    from app.services.think_aloud.transcripts import (
        accept,
        keep_recording,
        keep_transcript,
        propose_attributes,
        transcribe,
        transcripts_of,
    )

    if not contributor.strip():
        raise InputError("Nobody is named as the one who spoke.", "Give --contributor NAME.")
    if dimension_name == "all":
        raise InputError("What a person said is about one dimension.", "Name it with --dimension.")
    if len(models) > 1:
        raise InputError("Several models are named.", "One picks the points out of a transcript.")
    spoken = file.suffix.lower().removeprefix(".") in AUDIO_FORMATS
    content = read_file(file, LARGEST_FILE if spoken else LARGEST_LIST)
    workbench = workbench_asking(open_workbench(), models, options)
    project, dimension = get_project(workbench, project_name), one_dimension(workbench, project_name, dimension_name)
    if spoken:
        number = keep_recording(workbench, dimension.id, contributor, content, file.name)
        try:
            transcribe(workbench, number, transcriber)
        except WorkbenchError:
            kept = transcripts_of(workbench, dimension.id, contributor.strip())[0]
            say(f"The recording is kept as {voice_recording_path(kept.audio)}.")
            raise
    else:
        number = keep_transcript(workbench, dimension.id, contributor, decode_attributes(content))
    found = propose_attributes(workbench, project, dimension, number, models[0] if models else "")
    ids = [accept(workbench, proposal.id) for proposal in found] if accept_all else []
    if json_:
        proposals = [{"attribute": proposal.text, "words": proposal.words} for proposal in found]
        print_json({"transcript": number, "contributor": contributor, "proposals": proposals, "accepted": ids})
        return
    echo(table(["proposed", "from the words"], [[proposal.text, proposal.words] for proposal in found]))
    said = f"{len(ids)} accepted" if accept_all else "none accepted yet: decide on Think aloud, or give --accept-all"
    echo(f"{len(found)} proposals from what {contributor} said about {dimension.name}; {said}.")


def finish(project_name: str, dimension_name: str, contributor: str, json_: bool) -> None:
    """Raises InputError where nobody is named, NotReadyError where they have said nothing yet on a dimension."""
    from app.errors import InputError
    from app.services.data.projects import dimensions_to_use
    from app.services.runtime.workbench import open_workbench
    from app.services.think_aloud.independence import mark_done

    if not contributor.strip():
        raise InputError("Nobody is named as the one who is done.", "Give --contributor NAME.")
    workbench = open_workbench()
    dimensions = dimensions_to_use(workbench, project_name, dimension_name)
    for dimension in dimensions:
        mark_done(workbench, dimension.id, contributor.strip())
        say(f"{contributor.strip()} is done with {dimension.name}.")
    if json_:
        print_json({"contributor": contributor.strip(), "done": [dimension.name for dimension in dimensions]})
