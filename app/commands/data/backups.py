"""backup and restore."""

from pathlib import Path
from typing import Annotated

import typer

from app.commands.shared import JsonOption, counted, echo, open_workbench, print_json


def backup(
    file: Annotated[
        Path, typer.Argument(help="The file to write; an older one is replaced when the new one is whole.")
    ],
    json_: JsonOption = False,
) -> None:
    """Write all projects (but no keys) into one file, while others continue to work.

    Example: interacteval backup workbench-friday.db
    """
    from app.services.runtime.backups import back_up

    older = file.is_file()
    made = back_up(open_workbench(), file)
    if json_:
        print_json(made.to_json())
        return
    in_place = "; it took the place of an older file" if older else ""
    echo(f"Wrote {made.file}: {counted(made.projects, 'project')}, {made.size / 1e6:,.1f} MB, checked{in_place}")


def restore(
    file: Annotated[Path, typer.Argument(help="A file that `backup` wrote, or a copy made before an update.")],
    anyway: Annotated[
        bool, typer.Option("--anyway", help="Also while web processes or workers have the data open.")
    ] = False,
    json_: JsonOption = False,
) -> None:
    """Replace all data by a backup; the earlier data stay beside it as a copy. Stop web processes and workers first.

    Example: interacteval restore workbench-friday.db
    """
    from app.services.runtime.backups import restore as put_back

    done = put_back(file, anyway)
    if json_:
        print_json(done.to_json())
        return
    echo(f"{done.file} holds {counted(done.projects, 'project')} again")
    if done.replaced:
        echo(f"What was there before is kept as {done.replaced}")
