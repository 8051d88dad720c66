"""checklist list, show, export, import, publish."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from app.commands.checklists import (
    checklist_calls,
    checklist_components,
    checklist_edits,
    checklist_models,
    checklist_versions,
    improvements,
    rubric_xray,
)
from app.commands.output import DimensionOption, JsonOption, ProjectOption, echo, echo_file, print_json, say, table

if TYPE_CHECKING:
    from app.domain.checklist import Checklist

VersionOption = Annotated[int | None, typer.Option(help="The version; the newest without it.")]
OneDimensionOption = Annotated[str, typer.Option("--dimension", help="The dimension's name.")]


def register(root: typer.Typer) -> None:
    checklists = typer.Typer(
        no_args_is_help=True, help="Look at checklists, edit drafts, publish them, take them out, bring them in."
    )
    checklists.command("list")(list_)
    checklists.command()(show)
    checklists.command()(export)
    checklists.command("import")(import_)
    checklists.command()(schema)
    checklists.command()(publish)
    checklist_edits.register(checklists)
    checklist_components.register(checklists)
    checklist_versions.register(checklists)
    checklist_models.register(checklists)
    checklist_calls.register(checklists)
    improvements.register(checklists)
    rubric_xray.register(checklists)
    root.add_typer(checklists, name="checklist")


def list_(
    project: ProjectOption,
    dimension: DimensionOption = "all",
    of_conditions: Annotated[
        bool, typer.Option("--of-conditions", help="Those that `conditions run` made, instead of those people work on.")
    ] = False,
    json_: JsonOption = False,
) -> None:
    """All versions, newest first.

    Example: interacteval checklist list --project News --dimension coherence
    """
    from app.services.checklists.checklists import versions_of
    from app.services.data.projects import dimensions_named
    from app.services.runtime.workbench import open_workbench

    workbench = open_workbench()
    dimensions = dimensions_named(workbench, project, dimension)
    found = [summary(c) for d in dimensions for c in versions_of(workbench, d.id, of_conditions)]
    if json_:
        print_json(found)
    elif found:
        echo(table(list(found[0]), [list(row.values()) for row in found]))
    else:
        echo("No checklists yet. `interacteval build` makes one.")


def show(
    project: ProjectOption, dimension: OneDimensionOption, version: VersionOption = None, json_: JsonOption = False
) -> None:
    """A checklist to read, each question with the attributes behind it.

    Example: interacteval checklist show --project News --dimension coherence
    """
    echo_file(_exported(project, dimension, version, "json" if json_ else "md").decode())


def export(
    project: ProjectOption,
    dimension: OneDimensionOption,
    version: VersionOption = None,
    format_: Annotated[
        str,
        typer.Option(
            "--format", help="json, yaml, md, csv; html, docx: paper; promptfoo, deepeval, inspect: run as they are."
        ),
    ] = "json",
    output: Annotated[Path | None, typer.Option(help="The file to write; stdout without it.")] = None,
) -> None:
    """A checklist as a file: to keep, to print and fill in, or for another evaluation tool to run.

    Example: interacteval checklist export --project News --dimension coherence --format yaml --output coherence.yaml
    """
    from app.errors import InputError
    from app.services.runtime.output_file import output_file

    if output is None and format_ == "docx":
        raise InputError("A Word file can't stand in a terminal.", "Name the file: --output rubric.docx")
    content = _exported(project, dimension, version, format_)
    if output is None:
        echo_file(content.decode())
    else:
        with output_file(output) as file:
            file.write_bytes(content)
        say(f"Wrote {output}")


def schema() -> None:
    """The JSON Schema of an exported checklist.

    Example: interacteval checklist schema > checklist.schema.json
    """
    from app.services.checklists.checklist_files import schema_text

    echo_file(schema_text())


def import_(
    file: Annotated[
        Path, typer.Argument(help="JSON or YAML as exported, a CSV with a column “text”, or one question per line.")
    ],
    project: ProjectOption,
    dimension: Annotated[str, typer.Option("--dimension", help="Without it the one that the file names.")] = "",
    rubric: Annotated[
        str,
        typer.Option(
            help="file or project: whose rubric, scale, kind of text and prompt hold where they differ. Without it the "
            "project's stay, and what differs is said."
        ),
    ] = "",
    json_: JsonOption = False,
) -> None:
    """Bring a checklist in as a new draft, with all that its judge was told.

    What isn't there is made as the file says it: project, dimension, rubric, kind of text.

    Example: interacteval checklist import coherence.yaml --project News --dimension coherence
    """
    from app.errors import InputError
    from app.input_file import LARGEST_LIST, read_file
    from app.services.checklists.checklist_import import Holds, import_checklist, project_for_checklist
    from app.services.runtime.workbench import open_workbench

    choices: dict[str, Holds] = {"": "", "file": "file", "project": "project"}
    if rubric not in choices:
        raise InputError(f"“{rubric}” says not whose rubric holds.", "Use --rubric file or --rubric project.")
    workbench = open_workbench()
    data = read_file(file, LARGEST_LIST)
    target, made = project_for_checklist(workbench, project, data, file.name)
    found = import_checklist(workbench, target.id, data, file.name, dimension, choices[rubric])
    if json_:
        print_json({**summary(found.checklist), "project_made": made, **found.to_json()})
        return
    saved = found.checklist
    echo(f"{found.dimension.name}: version {saved.version} (draft), {len(saved.asked)} questions")
    for sentence in ([f"The project {target.name} is new."] if made else []) + list(found.sentences):
        echo(sentence)
    if found.differs and not rubric:
        echo("--rubric file takes the file's, --rubric project keeps the project's without this remark.")


def publish(
    project: ProjectOption, dimension: DimensionOption = "all", version: VersionOption = None, json_: JsonOption = False
) -> None:
    """Publish a draft, so that texts can be scored with it; it can't be changed any more.

    Example: interacteval checklist publish --project News --dimension all
    """
    from app.domain.checklist import ChecklistStatus
    from app.errors import InputError
    from app.services.checklists.checklists import publish as publish_one
    from app.services.checklists.checklists import view_checklist
    from app.services.data.projects import dimensions_named
    from app.services.runtime.workbench import open_workbench

    workbench = open_workbench()
    # All are looked up before the first is published, which can't be taken back.
    dimensions = dimensions_named(workbench, project, dimension)
    drafts = [view_checklist(workbench, d.id, version).checklist for d in dimensions]
    for draft in drafts:
        if draft.status is ChecklistStatus.PUBLISHED:
            raise InputError(f"{draft.dimension}: version {draft.version} is published already.", "Name the others.")
    published = [publish_one(workbench, draft.id) for draft in drafts]
    if json_:
        print_json([summary(checklist) for checklist in published])
    else:
        for checklist in published:
            echo(f"{checklist.dimension}: version {checklist.version} is published")


def _exported(project: str, dimension: str, version: int | None, format_name: str) -> bytes:
    from app.services.checklists.checklist_files import export_file
    from app.services.checklists.checklists import view_checklist
    from app.services.data.projects import one_dimension
    from app.services.runtime.workbench import open_workbench

    workbench = open_workbench()
    view = view_checklist(workbench, one_dimension(workbench, project, dimension).id, version)
    return export_file(workbench, view, format_name)


def summary(checklist: "Checklist") -> dict[str, object]:
    return {
        "dimension": checklist.dimension,
        "version": checklist.version,
        "status": checklist.status.value,
        "condition": checklist.condition,
        "model": checklist.model,
        "components": len(checklist.components),
        "questions": len(checklist.asked),
    }
