"""attributes add, import, list and contributors; think-aloud."""

from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from app.commands.attributes import attribute_edits
from app.commands.model_asking import (
    BatchOption,
    EffortOption,
    RestLiveOption,
    RoomOption,
    TimeoutOption,
    chosen_batch,
    chosen_model_options,
    workbench_asking,
)
from app.commands.output import (
    DimensionOption,
    JsonOption,
    ProjectOption,
    counted,
    echo,
    echo_file,
    print_json,
    say,
    table,
)


def register(root: typer.Typer) -> None:
    attributes = typer.Typer(no_args_is_help=True, help="What people and LLMs said to look for.")
    attributes.command()(add)
    attributes.command("import")(import_)
    attributes.command("list")(list_)
    attributes.command()(contributors)
    attribute_edits.register(attributes)
    root.add_typer(attributes, name="attributes")
    root.command("think-aloud")(think_aloud)


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
    """Add what one contributor said.

    Example: interacteval attributes add ada.txt --project News --dimension coherence --contributor Ada --kind human
    """
    from app.domain.attribute import ContributorKind
    from app.errors import InputError
    from app.input_file import LARGEST_LIST, read_file
    from app.services.attributes.attributes import import_attributes
    from app.services.data.projects import get_project, one_dimension
    from app.services.runtime.workbench import open_workbench
    from app.services.think_aloud.independence import add_expert

    if kind not in ("human", "llm"):
        raise InputError(f"“{kind}” is no kind of contributor.", "Use human or llm.")
    if kind == "llm" and (role or background):
        raise InputError("Role and background are a person's.", "Leave them out for an LLM.")
    workbench = open_workbench()
    target = one_dimension(workbench, project, dimension)
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
    """Attributes of several contributors out of a table, such as `attributes list --format csv` writes.

    Example: interacteval attributes import attributes.csv --project News
    """
    from app.input_file import LARGEST_LIST, read_file
    from app.services.attributes.attribute_table import import_attribute_table
    from app.services.data.projects import get_project
    from app.services.runtime.workbench import open_workbench

    workbench = open_workbench()
    report = import_attribute_table(
        workbench, get_project(workbench, project), read_file(file, LARGEST_LIST), dimension
    )
    if json_:
        print_json(asdict(report))
        return
    echo(f"Added {counted(report.added, 'attribute')}; {report.there} were there already.")
    for skipped in report.skipped:
        say(f"left out, row {skipped.row}: {skipped.reason}")


def list_(
    project: ProjectOption,
    dimension: Annotated[str, typer.Option(help="One dimension; all of them without it.")] = "all",
    format_: Annotated[str, typer.Option("--format", help="table, text, json or csv.")] = "table",
    json_: JsonOption = False,
) -> None:
    """All attributes with who said them.

    Example: interacteval attributes list --project Demo --dimension coherence
    """
    from app.errors import InputError
    from app.services.attributes.attribute_files import FORMATS, attribute_file
    from app.services.attributes.attributes import attributes_of, contributors_of
    from app.services.data.projects import dimensions_named, get_project
    from app.services.runtime.workbench import open_workbench

    workbench = open_workbench()
    wanted = {d.name for d in dimensions_named(workbench, project, dimension)}
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
                }
                for a in found
            ]
        )
    else:
        rows = [[a.id, a.dimension, a.contributor, a.kind.value, a.status.value, a.text] for a in found]
        echo(table(["id", "dimension", "contributor", "kind", "status", "attribute"], rows))


def contributors(project: ProjectOption, json_: JsonOption = False) -> None:
    """Who said it: people with role and background, LLMs, and how many of their attributes are in use.

    Example: interacteval attributes contributors --project News
    """
    from app.domain.attribute import AttributeStatus
    from app.services.attributes.attributes import attributes_of, contributors_of
    from app.services.data.projects import get_project
    from app.services.runtime.workbench import open_workbench

    workbench = open_workbench()
    target = get_project(workbench, project)
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
    if json_:
        print_json(rows)
    elif rows:
        echo(table(list(rows[0]), [list(row.values()) for row in rows]))
    else:
        echo("Nobody has said yet what to look for. `interacteval think-aloud` asks LLMs.")


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
    transcriber: Annotated[str, typer.Option(help="Transcribes audio.")] = "openai:gpt-4o-transcribe",
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
    rest_live: RestLiveOption = False,
    cancel_batch: Annotated[
        bool,
        typer.Option("--cancel-batch", help="Cancel at the provider what --batch left there, of --model or of all."),
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what asking would cost, and stop.")] = False,
    json_: JsonOption = False,
) -> None:
    """Ask LLMs what to look for, or keep what a person said aloud.

    Asking a model again adds a round, at temperature 1 from the second on; what it said before about the dimension is
    dropped and counted. With --transcript attributes are proposed by --model, or sentence by sentence without one.
    With --done a person is done on the dimension. With --batch the first of several dimensions is asked at once, the
    others in a batch; Ctrl-C leaves it at the provider, and the same command collects it. With --cancel-batch it is
    cancelled there, and what was answered until then is kept.

    Example: interacteval think-aloud --project News --dimension all --model openai:gpt-4o --model rules
    """
    from app.errors import InputError

    if transcript is not None:
        from app.commands.attributes.transcripts import from_transcript

        options = chosen_model_options(max_output_tokens, timeout, effort)
        from_transcript(
            project, dimension, contributor, transcript, transcriber, model or [], accept_all, options, json_
        )
    if done:
        from app.commands.attributes.transcripts import finish

        finish(project, dimension, contributor, json_ and transcript is None)
    if transcript is not None or done:
        return
    if cancel_batch:
        _cancel_batches(project, model or [], json_)
        return
    if not model:
        raise InputError("No model is named.", "Give --model, or --transcript with what a person said, or --done.")
    from app.services.data.projects import dimensions_to_use, get_project
    from app.services.runtime.workbench import open_workbench
    from app.services.think_aloud.forecast import forecast_think_aloud
    from app.services.think_aloud.llm_think_aloud import ThinkAloudAnswer, ask_models

    rest = chosen_batch(batch, rest_live)

    def on_answer(asked: ThinkAloudAnswer) -> None:
        what = asked.error or counted(asked.attributes, "new attribute")
        if asked.repeated:
            what += f", {asked.repeated} dropped: this model said the same before"
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
    from app.services.data.projects import get_project
    from app.services.runtime.workbench import open_workbench
    from app.services.think_aloud.batch_collecting import collect_batches

    workbench = open_workbench()
    found = collect_batches(workbench, get_project(workbench, project), models, cancel=True)
    if json_:
        print_json({"requests": found.requests, "answered": found.answered, "ending": found.ending})
    else:
        echo(str(found))
    if found.ending:
        raise typer.Exit(3)
