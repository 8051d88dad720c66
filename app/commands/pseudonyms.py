"""people pseudonym: another name for somebody, wherever theirs stands in a project."""

from typing import Annotated

import typer

from app.commands.output import JsonOption, ProjectOption, echo, print_json


def replace_by_pseudonym(
    name: Annotated[str, typer.Argument(help="The name that is to go, as it is written in the project.")],
    project: ProjectOption,
    pseudonym: Annotated[
        str, typer.Option("--as", help="What to call them instead; without it Expert 1, Expert 2 ...")
    ] = "",
    json_: JsonOption = False,
) -> None:
    """Put a pseudonym in the place of somebody's name: beside what they wrote, in the trail, in conditions, everywhere.

    Nothing of what they did is lost, and nobody can tell any more who it was; it can't be taken back.

    Example: interacteval people pseudonym "Ana Silva" --project News
    """
    from dataclasses import asdict

    from app.services.data.projects import get_project
    from app.services.pseudonyms import proposed_pseudonym, replace_name, still_said
    from app.services.runtime.workbench import open_workbench

    workbench = open_workbench()
    project_id = get_project(workbench, project).id
    done = replace_name(workbench, project_id, name, pseudonym or proposed_pseudonym(workbench, project_id))
    if json_:
        print_json({"name": name, "project": project, **asdict(done)})
        return
    echo(f"{name} is {done.pseudonym} in {project} now, in {done.places:,} places")
    for line in still_said(done):
        echo(line, err=True)
