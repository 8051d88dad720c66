"""attributes add, import, list, contributors and edits; think-aloud."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from app.commands.shared import (
    BatchFallbackOption,
    BatchOption,
    DimensionOption,
    EffortOption,
    JsonOption,
    ProjectOption,
    RoomOption,
    TimeoutOption,
    chosen_batch,
    chosen_model_options,
    counted,
    echo,
    echo_file,
    open_dimension,
    open_dimensions,
    open_project,
    open_workbench,
    print_json,
    print_rows,
    say,
    table,
    workbench_asking,
)
from app.domain.attribute import Attribute, AttributeStatus, ContributorKind
from app.errors import InputError, WorkbenchError
from app.input_file import LARGEST_FILE, LARGEST_LIST, read_file

if TYPE_CHECKING:
    from app.providers.model_options import ModelOptions
    from app.services.attributes.near_duplicates import NearDuplicate
    from app.services.runtime.workbench import Workbench


IdArgument = Annotated[int, typer.Argument(help="Its number, as `attributes list` shows it.")]
IdsArgument = Annotated[list[int], typer.Argument(help="Their numbers, as `attributes list` shows them.")]


def edit(
    id_: IdArgument,
    project: ProjectOption,
    text: Annotated[str, typer.Option(help="The new wording; the first one stays on record.")],
) -> None:
    """Correct the wording of an attribute.

    Example: interacteval attributes edit 12 --project News --text "Each sentence follows from the one before."
    """
    from app.services.attributes.attribute_changes import edit_attribute

    workbench, (found,) = _opened(project, [id_])
    edit_attribute(workbench, found.id, text)
    echo(f"Attribute {found.id} of {found.contributor} is reworded.")


def exclude(
    ids: IdsArgument,
    project: ProjectOption,
    reason: Annotated[str, typer.Option(help="Why it is left out; it stays on record with that.")],
) -> None:
    """Leave attributes out of checklists.

    Example: interacteval attributes exclude 12 14 --project News --reason "about one sample only"
    """
    from app.services.attributes.attribute_changes import exclude_attributes

    if not reason.strip():
        raise InputError("No reason is given.", "Say in a few words why it is left out.")
    workbench, found = _opened(project, ids)
    exclude_attributes(workbench, [attribute.id for attribute in found], reason)
    echo(f"{counted(len(found), 'attribute')} left out.")


def restore(ids: IdsArgument, project: ProjectOption) -> None:
    """Restore attributes that were excluded or merged.

    Example: interacteval attributes restore 12 --project News
    """
    from app.services.attributes.attribute_changes import restore_attributes

    workbench, found = _opened(project, ids)
    restore_attributes(workbench, [attribute.id for attribute in found])
    echo(f"{counted(len(found), 'attribute')} in use again.")


def move(
    ids: IdsArgument,
    project: ProjectOption,
    dimension: Annotated[str, typer.Option(help="The dimension they are about.")],
) -> None:
    """Move attributes to another dimension of the project; the original dimension stays on record.

    Example: interacteval attributes move 12 --project News --dimension fluency
    """
    from app.services.attributes.attribute_changes import move_attributes
    from app.services.data.projects import one_dimension

    workbench, found = _opened(project, ids)
    target = one_dimension(workbench, project, dimension)
    move_attributes(workbench, [attribute.id for attribute in found], target.id)
    echo(f"{counted(len(found), 'attribute')} moved to {target.name}.")


def merge(
    kept: Annotated[int, typer.Argument(help="The number of the one that stands for all.")],
    merged: Annotated[list[int], typer.Argument(help="The numbers of those that say the same.")],
    project: ProjectOption,
    reason: Annotated[str, typer.Option(help="Why they are one.")] = "says the same",
) -> None:
    """Merge attributes that say the same into the first one; `restore` undoes it.

    Example: interacteval attributes merge 12 14 --project News
    """
    from app.services.attributes.attribute_changes import merge_attributes

    workbench, (first, *others) = _opened(project, [kept, *merged])
    merge_attributes(workbench, first.id, [other.id for other in others], reason)
    echo(f"Attribute {first.id} stands for {counted(len(others), 'other')}.")


def alike(
    project: ProjectOption,
    dimension: Annotated[str, typer.Option(help="One dimension; all of them without it.")] = "all",
    least: Annotated[float | None, typer.Option(min=0.0, max=1.0, help="How alike at least, from 0 to 1.")] = None,
    by: Annotated[
        Literal["words", "order"],
        typer.Option(help="words: rare words they share; order: the same words in the same order."),
    ] = "words",
    json_: JsonOption = False,
) -> None:
    """List pairs that may say the same, most similar first. Nothing is merged automatically.

    Example: interacteval attributes alike --project News --dimension coherence
    """
    from app.services.attributes.attributes import attributes_of
    from app.services.attributes.near_duplicates import near_duplicates
    from app.services.data.projects import dimensions_named

    workbench, target = open_project(project)
    pairs = [
        pair
        for one in dimensions_named(workbench, project, dimension)
        for pair in near_duplicates(attributes_of(workbench, target.id, one.id), least, measure=by)
    ]
    if json_:
        print_json([{"ids": [p.first.id, p.second.id], "likeness": p.likeness, "texts": _texts(p)} for p in pairs])
        return
    rows = [[p.first.id, p.second.id, p.likeness, *_texts(p)] for p in pairs]
    echo(table(["first", "second", "alike", "the first says", "the second says"], rows))


def _texts(pair: "NearDuplicate") -> list[str]:
    return [pair.first.text, pair.second.text]


def _opened(project: str, ids: list[int]) -> "tuple[Workbench, list[Attribute]]":
    """Return the workbench and the attributes with these numbers, which must be the project's."""
    from app.services.attributes.attributes import attributes_numbered

    workbench, target = open_project(project)
    return workbench, attributes_numbered(workbench, target.id, ids)


def add(
    file: Annotated[Path, typer.Argument(help="One attribute per line (“- ” is stripped), or a JSON list or object.")],
    project: ProjectOption,
    dimension: Annotated[str, typer.Option(help="The dimension they are about.")],
    contributor: Annotated[str, typer.Option(help="Who said it.")],
    kind: Annotated[str, typer.Option(help="human or llm.")],
    role: Annotated[str, typer.Option(help="What a person does, for example: teacher of English.")] = "",
    background: Annotated[str, typer.Option(help="What else to know about a person.")] = "",
    json_: JsonOption = False,
) -> None:
    """Add one contributor's attributes: one on each line, or JSON.

    In JSON an attribute is a text, or an object with text and passage: {"text_id", "start", "end", "quote"} and, where
    the words are in the source, "part": "source". Offsets count Unicode code points.

    Example: interacteval attributes add ada.txt --project News --dimension coherence --contributor Ada --kind human
    """
    from app.services.attributes.attributes import import_attributes
    from app.services.data.projects import get_project
    from app.services.think_aloud.independence import add_expert

    if kind not in ("human", "llm"):
        raise InputError(f"“{kind}” is no kind of contributor.", "Use human or llm.")
    if kind == "llm" and (role or background):
        raise InputError("Role and background are a person's.", "Leave them out for an LLM.")
    workbench, target = open_dimension(project, dimension)
    ids = import_attributes(workbench, target.id, contributor, ContributorKind(kind), read_file(file, LARGEST_LIST))
    if role or background:
        add_expert(workbench, get_project(workbench, project).id, contributor, role, background)
    if json_:
        print_json({"dimension": target.name, "contributor": contributor, "kind": kind, "added": len(ids), "ids": ids})
    else:
        echo(f"Added {counted(len(ids), 'attribute')} of {contributor} to {target.name}.")


def import_(
    file: Annotated[Path, typer.Argument(help="A CSV or JSON table with the columns text, contributor and kind.")],
    project: ProjectOption,
    dimension: Annotated[str, typer.Option(help="The dimension of rows that name none.")] = "",
    json_: JsonOption = False,
) -> None:
    """Import attributes of several contributors from a table, such as `attributes list --format csv` writes.

    Example: interacteval attributes import attributes.csv --project News
    """
    from app.services.attributes.attributes import import_attribute_table

    workbench, target = open_project(project)
    report = import_attribute_table(workbench, target, read_file(file, LARGEST_LIST), dimension)
    if json_:
        print_json(asdict(report))
        return
    echo(f"Added {counted(report.added, 'attribute')}; {report.there} were there already.")
    if report.passages_left_out:
        lost = counted(report.passages_left_out, "passage")
        echo(f"Without {lost}: no text here has these words at that place.")
    for skipped in report.skipped:
        say(f"left out, row {skipped.row}: {skipped.reason}")


def list_(
    project: ProjectOption,
    dimension: Annotated[str, typer.Option(help="One dimension; all of them without it.")] = "all",
    format_: Annotated[str, typer.Option("--format", help="table, text, json or csv.")] = "table",
    json_: JsonOption = False,
) -> None:
    """List all attributes with their contributors.

    Example: interacteval attributes list --project Demo --dimension coherence
    """
    from app.services.attributes.attribute_export import FORMATS, attribute_file, passage_document
    from app.services.attributes.attributes import attributes_of, contributors_of
    from app.services.data.projects import get_project

    workbench, dimensions = open_dimensions(project, dimension)
    wanted = {d.name for d in dimensions}
    target = get_project(workbench, project)
    found = [a for a in attributes_of(workbench, target.id) if a.dimension in wanted]
    if format_ != "table":
        if format_ not in FORMATS:
            raise InputError(f"“{format_}” is no format.", f"Use table, {', '.join(FORMATS)}.")
        echo_file(attribute_file(found, contributors_of(workbench, target.id), format_))
    elif json_:
        print_json(
            [
                {
                    "id": a.id,
                    "dimension": a.dimension,
                    "contributor": a.contributor,
                    "kind": a.kind.value,
                    "text": a.text,
                    "status": a.status.value,
                    "round": a.round,
                    "passage": passage_document(a),
                    "pair": asdict(a.pair) if a.pair else None,
                }
                for a in found
            ]
        )
    else:
        rows = [[a.id, a.dimension, a.contributor, a.kind.value, a.status.value, a.text] for a in found]
        echo(table(["id", "dimension", "contributor", "kind", "status", "attribute"], rows))


def contributors(project: ProjectOption, json_: JsonOption = False) -> None:
    """List the contributors: people with role and background, and LLMs, with their numbers of attributes in use.

    Example: interacteval attributes contributors --project News
    """
    from app.services.attributes.attributes import attributes_of, contributors_of

    workbench, target = open_project(project)
    said = attributes_of(workbench, target.id)
    in_use = Counter(a.contributor for a in said if a.status is AttributeStatus.ACTIVE)
    everybody = Counter(a.contributor for a in said)
    rows = [
        {
            "contributor": who.name,
            "kind": who.kind.value,
            "role": who.role,
            "background": who.background,
            "in_use": in_use[who.name],
            "all": everybody[who.name],
        }
        for who in contributors_of(workbench, target.id)
    ]
    print_rows(rows, json_, "Nobody has said yet what to look for. `interacteval think-aloud` asks LLMs.")


def think_aloud(
    project: ProjectOption,
    model: Annotated[
        list[str] | None, typer.Option(help="provider:name, or rules; give it several times for several.")
    ] = None,
    dimension: DimensionOption = "all",
    transcript: Annotated[
        Path | None, typer.Option(help="What a person said: a text file, or audio to be transcribed.")
    ] = None,
    contributor: Annotated[str, typer.Option(help="Who said it (with --transcript or --done).")] = "",
    transcriber: Annotated[str, typer.Option(help="Transcribes audio.")] = "openai:gpt-transcribe",
    accept_all: Annotated[
        bool, typer.Option("--accept-all", help="Make every proposal an attribute; without it they wait on the screen.")
    ] = False,
    done: Annotated[
        bool, typer.Option("--done", help="The contributor has said everything, and may see what others said.")
    ] = False,
    max_output_tokens: RoomOption = None,
    timeout: TimeoutOption = None,
    effort: EffortOption = "",
    batch: BatchOption = False,
    batch_fallback: BatchFallbackOption = False,
    cancel_batch: Annotated[
        bool,
        typer.Option("--cancel-batch", help="Cancel at the provider what --batch left there, of --model or of all."),
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what asking would cost, and stop.")] = False,
    json_: JsonOption = False,
) -> None:
    """Ask LLMs for attributes, or store what a person said aloud.

    Asking a model again adds a round, at temperature 1 from the second on; attributes it said before are dropped and
    counted. With --transcript attributes are proposed by --model, or sentence by sentence without one. --done marks a
    person as done on the dimension. With --batch the first of several dimensions is asked directly, the others in a
    batch; Ctrl-C leaves it at the provider, and the same command collects it. --cancel-batch cancels it there and
    stores the answers received so far.

    Example: interacteval think-aloud --project News --dimension all --model openai:gpt-6-luna --model rules
    """
    if transcript is not None:
        options = chosen_model_options(max_output_tokens, timeout, effort)
        from_transcript(
            project, dimension, contributor, transcript, transcriber, model or [], accept_all, options, json_
        )
    if done:
        finish(project, dimension, contributor, json_ and transcript is None)
    if transcript is not None or done:
        return
    if cancel_batch:
        _cancel_batches(project, model or [], json_)
        return
    if not model:
        raise InputError("No model is named.", "Give --model, or --transcript with what a person said, or --done.")
    from app.services.data.projects import dimensions_to_use, get_project
    from app.services.think_aloud.llm_think_aloud import ThinkAloudAnswer, ask_models, forecast_think_aloud

    rest = chosen_batch(batch, batch_fallback)

    def on_answer(asked: ThinkAloudAnswer) -> None:
        what = asked.error or counted(asked.attributes, "new attribute")
        if asked.repeated:
            what += f", {asked.repeated} dropped: this model said the same before"
        if asked.quotes_absent:
            what += f", {counted(asked.quotes_absent, 'quote')} left out: in no sample"
        say(f"{asked.model} on {asked.dimension}: {what}" if asked.dimension else f"{asked.model}: {what}")

    workbench = workbench_asking(open_workbench(), model, chosen_model_options(max_output_tokens, timeout, effort))
    dimensions = dimensions_to_use(workbench, project, dimension)
    target = get_project(workbench, project)
    if dry_run:
        ahead = forecast_think_aloud(workbench, target, dimensions, model, bool(rest))
        if json_:
            print_json([asdict(each) for each in ahead])
        else:
            for each in ahead:
                echo(str(each))
        return
    answers = ask_models(workbench, target, dimensions, model, on_answer, rest)
    if json_:
        print_json(
            [
                {
                    "dimension": a.dimension,
                    "model": a.model,
                    "attributes": a.attributes,
                    "repeated": a.repeated,
                    "round": a.round or None,
                    "quotes": a.quotes,
                    "quotes_absent": a.quotes_absent,
                    "error": a.error or None,
                }
                for a in answers
            ]
        )
    if all(a.error and not a.dimension for a in answers):
        raise typer.Exit(2)  # no model could even be opened: a name or a key is wrong
    if any(a.error for a in answers):
        raise typer.Exit(3)


def _cancel_batches(project: str, models: list[str], json_: bool) -> None:
    from app.services.think_aloud.think_aloud_jobs import collect_batches

    workbench, target = open_project(project)
    found = collect_batches(workbench, target, models, cancel=True)
    if json_:
        print_json({"requests": found.requests, "answered": found.answered, "ending": found.ending})
    else:
        echo(str(found))
    if found.ending:
        raise typer.Exit(3)


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
    """Store a transcript or recording and propose attributes. Raises InputError for invalid options; a recording that
    can't be transcribed is stored."""
    from app.attribute_analysis.attribute_reading import decode_attributes
    from app.services.data.projects import get_project, one_dimension
    from app.services.runtime.voice_recordings import AUDIO_FORMATS, voice_recording_path
    from app.services.think_aloud.transcripts import (
        accept,
        propose_attributes,
        save_recording,
        save_transcript,
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
        number = save_recording(workbench, dimension.id, contributor, content, file.name)
        try:
            transcribe(workbench, number, transcriber)
        except WorkbenchError:
            kept = transcripts_of(workbench, dimension.id, contributor.strip())[0]
            say(f"The recording is kept as {voice_recording_path(kept.audio)}.")
            raise
    else:
        number = save_transcript(workbench, dimension.id, contributor, decode_attributes(content))
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
    """Mark a person as done. Raises InputError without a name, NotReadyError if they have no attributes on a
    dimension."""
    from app.services.data.projects import dimensions_to_use
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
