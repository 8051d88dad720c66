"""project list, show, experts, create, wording, export, import, delete."""

from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from app.commands.shared import (
    JsonOption,
    confirmed,
    counted,
    echo,
    open_project,
    open_workbench,
    print_json,
    print_rows,
    table,
)
from app.domain.project import Task

if TYPE_CHECKING:
    from app.services.data.projects import DimensionProgress

NameArgument = Annotated[str, typer.Argument(help="The project's name.")]


def list_(json_: JsonOption = False) -> None:
    """List all projects, newest first.

    Example: interacteval project list
    """
    from app.services.data.projects import list_projects, overview

    workbench = open_workbench()
    found = [overview(workbench, project.id) for project in list_projects(workbench)]
    rows = [
        [o.project.name, o.texts, len(o.dimensions), o.project.created_at.isoformat(timespec="minutes")] for o in found
    ]
    if json_:
        print_json(
            [
                {"project": name, "texts": texts, "dimensions": dimensions, "created": created}
                for name, texts, dimensions, created in rows
            ]
        )
    elif rows:
        echo(table(["project", "texts", "dimensions", "created"], rows))
    else:
        echo("No projects yet. `interacteval demo` makes one.")


def show(name: NameArgument, json_: JsonOption = False) -> None:
    """Show a project's progress, dimension by dimension.

    Example: interacteval project show Demo
    """
    from app.services.data.projects import overview
    from app.services.data.workflow_steps import next_step

    workbench, target = open_project(name)
    progress = overview(workbench, target.id)
    dimensions = [_dimension_document(d) for d in progress.dimensions]
    if json_:
        print_json(
            {
                "project": progress.project.name,
                "text": progress.project.task.text_name,
                "source": progress.project.task.source_name,
                "notice": progress.project.notice,
                "texts": progress.texts,
                "sources": progress.sources,
                "systems": progress.systems,
                "dimensions": dimensions,
            }
        )
        return
    echo(f"{progress.project.name}: {progress.texts} texts, {progress.sources} sources, {progress.systems} systems")
    if progress.project.notice:
        echo(progress.project.notice)
    if dimensions:
        echo(table(list(dimensions[0]), [list(d.values()) for d in dimensions]))
    step = next_step(progress)
    echo(f"Next: {step.verb}. {step.why}")


def _dimension_document(d: "DimensionProgress") -> dict[str, object]:
    return {
        "dimension": d.dimension.name,
        "low": d.dimension.low,
        "high": d.dimension.high,
        "ratings": d.ratings,
        "raters": d.raters,
        "samples": d.samples,
        "human_attributes": d.human_attributes,
        "llm_attributes": d.llm_attributes,
        "checklist_version": d.checklist.version if d.checklist else None,
        "checklist_status": d.checklist.status.value if d.checklist else None,
        "run": d.run.id if d.run else None,
    }


def experts(name: NameArgument, json_: JsonOption = False) -> None:
    """Show each expert's progress on each dimension, without their attributes.

    Example: interacteval project experts News
    """
    from app.services.think_aloud.independence import experts_progress

    workbench, target = open_project(name)
    found = [asdict(one) for one in experts_progress(workbench, target.id)]
    shown = ("expert", "role", "background", "dimension", "attributes", "done", "late")
    print_rows(found, json_, "No expert has begun yet.", shown)


def create(
    name: NameArgument,
    preset: Annotated[str, typer.Option(help="A kind of texts with wording and rubrics to start from; or blank.")] = "",
) -> None:
    """Create a project from a preset or blank; `import` adds its texts.

    Example: interacteval project create News --preset "news summaries"
    """
    from app.services.data.projects import create_from_preset, create_project

    workbench = open_workbench()
    if preset and preset != "blank":
        create_from_preset(workbench, name, preset)
    else:
        create_project(workbench, name, Task())
    echo(f"Created {name}.")


def wording(
    name: NameArgument,
    text: Annotated[str | None, typer.Option(help="What a text is called, for example summary.")] = None,
    source: Annotated[str | None, typer.Option(help="What its source is called, for example article.")] = None,
    writer: Annotated[str | None, typer.Option(help="What its writer is called, for example student.")] = None,
    about: Annotated[str | None, typer.Option(help="A sentence or two about the texts.")] = None,
    language: Annotated[str | None, typer.Option(help="The language of texts and questions.")] = None,
    json_: JsonOption = False,
) -> None:
    """Show or change what texts, sources and writers are called in prompts and on screens.

    Example: interacteval project wording News --text summary --source "news article" --language English
    """
    from app.services.data.projects import save_task

    workbench, project = open_project(name)
    old = project.task
    task = replace(
        old,
        text_name=old.text_name if text is None else text,
        source_name=old.source_name if source is None else source,
        writer_name=old.writer_name if writer is None else writer,
        description=old.description if about is None else about,
        language=old.language if language is None else language,
    )
    if task != old:
        save_task(workbench, project.id, task)
    if json_:
        print_json(asdict(task))
    else:
        echo(
            f"A text is called {task.text_name}, its source {task.source_name}, its writer {task.writer_name}; "
            f"language: {task.language}."
        )
        if task.description:
            echo(task.description)


def export(
    name: NameArgument, file: Annotated[Path, typer.Argument(help="The ZIP file to write.")], json_: JsonOption = False
) -> None:
    """Write a whole project into one file to continue elsewhere, with held-out texts, history and paid replies.

    Example: interacteval project export News news.zip
    """
    from app.services.data.project_transfer import export_project

    done = export_project(open_workbench(), name, file)
    if json_:
        print_json(done.to_json())
        return
    echo(f"Wrote {done.file}: {counted(done.texts, 'text')}, {counted(done.runs, 'run')}. It holds no keys.")


def import_(
    file: Annotated[Path, typer.Argument(help="A ZIP file that `project export` wrote.")],
    name: Annotated[str, typer.Option("--as", metavar="NAME", help="A name in place of the project's own.")] = "",
    json_: JsonOption = False,
) -> None:
    """Import a project from a file of `project export`.

    Example: interacteval project import news.zip --as "News, second try"
    """
    from app.services.data.project_transfer import import_project

    done = import_project(open_workbench(), file, name)
    if json_:
        print_json(done.to_json())
        return
    echo(f"{done.project} is here: {counted(done.texts, 'text')}, {counted(done.runs, 'run')}.")


def delete(
    name: NameArgument,
    yes: Annotated[bool, typer.Option("--yes", help="Don't ask whether you are sure.")] = False,
    archive: Annotated[
        Path | None,
        typer.Option(help="First write texts, ratings, attributes, checklists, scores and answers into this ZIP file."),
    ] = None,
) -> None:
    """Delete a project with everything in it.

    Example: interacteval project delete Demo --archive demo.zip
    """
    from app.services.data.projects import delete_project
    from app.services.results.archive import write_project_archive

    workbench, project = open_project(name)
    if archive:
        write_project_archive(workbench, project.id, archive)
        echo(f"Wrote {archive}.", err=True)
    if not yes and not confirmed(f"Delete “{name}” with its texts, attributes, checklists and scores?"):
        return
    delete_project(workbench, name)
    echo(f"Deleted {name}.", err=True)
