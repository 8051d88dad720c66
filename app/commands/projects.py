"""project list, show, delete."""

from typing import Annotated

import typer

from app.commands.output import JsonOption, print_json, table

NameArgument = Annotated[str, typer.Argument(help="The project's name.")]


def register(root: typer.Typer) -> None:
    projects = typer.Typer(no_args_is_help=True, help="Look at projects, or delete one.")
    projects.command("list")(list_)
    projects.command()(show)
    projects.command()(delete)
    root.add_typer(projects, name="project")


def list_(json_: JsonOption = False) -> None:
    """All projects, newest first.

    Example: interacteval project list
    """
    from app.services.projects import list_projects, overview
    from app.services.workbench import open_workbench

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
        typer.echo(table(["project", "texts", "dimensions", "created"], rows))
    else:
        typer.echo("No projects yet. `interacteval demo` makes one.")


def show(name: NameArgument, json_: JsonOption = False) -> None:
    """How far a project is, dimension by dimension.

    Example: interacteval project show Demo
    """
    from app.services.projects import get_project, next_step, overview
    from app.services.workbench import open_workbench

    workbench = open_workbench()
    progress = overview(workbench, get_project(workbench, name).id)
    dimensions = [
        {
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
        for d in progress.dimensions
    ]
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
    typer.echo(
        f"{progress.project.name}: {progress.texts} texts, {progress.sources} sources, {progress.systems} systems"
    )
    if progress.project.notice:
        typer.echo(progress.project.notice)
    if dimensions:
        typer.echo(table(list(dimensions[0]), [list(d.values()) for d in dimensions]))
    step = next_step(progress)
    typer.echo(f"Next: {step.verb}. {step.why}")


def delete(
    name: NameArgument, yes: Annotated[bool, typer.Option("--yes", help="Don't ask whether you are sure.")] = False
) -> None:
    """Delete a project with everything in it.

    Example: interacteval project delete Demo --yes
    """
    from app.services.projects import delete_project, get_project
    from app.services.workbench import open_workbench

    workbench = open_workbench()
    get_project(workbench, name)
    if not yes and not typer.confirm(f"Delete “{name}” with its texts, attributes, checklists and scores?", err=True):
        return
    delete_project(workbench, name)
    typer.echo(f"Deleted {name}.", err=True)
