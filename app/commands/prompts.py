"""prompts list, show, save, use."""

from pathlib import Path
from typing import Annotated

import typer

from app.commands.shared import JsonOption, ProjectOption, echo, open_project, print_json, table
from app.corpora.decoding import decode
from app.errors import InputError
from app.input_file import LARGEST_LIST, read_file

NameArgument = Annotated[str, typer.Argument(help="The prompt's name, as `prompts list` gives it.")]


def list_(project: ProjectOption, json_: JsonOption = False) -> None:
    """List every prompt with the wording that the project uses.

    Example: interacteval prompts list --project News
    """
    from app.services.runtime.prompts import project_prompts

    workbench, target = open_project(project)
    found = [
        {
            "prompt": prompt.name,
            "wording": prompt.in_use,
            "version": prompt.builtin.version,
            "wordings": len(prompt.own),
            "digest": prompt.wording(prompt.in_use).digest,
            "description": prompt.description,
        }
        for prompt in project_prompts(workbench, target.id)
    ]
    if json_:
        print_json(found)
        return
    rows = [[p["prompt"], p["wording"] or "built-in", p["version"], p["wordings"], p["description"]] for p in found]
    echo(table(["prompt", "in use", "built-in version", "own wordings", "what for"], rows))


def show(
    name: NameArgument,
    project: ProjectOption,
    wording: Annotated[int | None, typer.Option(help="0 for the built-in one; the one in use without it.")] = None,
    version: Annotated[int | None, typer.Option(help="A version of the built-in prompt, also an earlier one.")] = None,
    diff: Annotated[bool, typer.Option("--diff", help="Only what differs from the built-in wording.")] = False,
) -> None:
    """Print a prompt in the form that `prompts save` takes. An earlier version saved unchanged keeps its hash.

    Example: interacteval prompts show components --project News > components.md
    """
    from app.prompting import load_prompt
    from app.services.runtime.prompts import difference, project_prompt

    workbench, target = open_project(project)
    prompt = project_prompt(workbench, target.id, name)
    if version is not None and wording is not None:
        raise InputError("--version is of the built-in prompt, --wording one of the project's.", "Give one of them.")
    if version is not None:
        shown = load_prompt(name, version)
    else:
        shown = prompt.wording(prompt.in_use if wording is None else wording)
    echo("\n".join(difference(prompt.builtin, shown)) if diff else shown.source, nl=diff)


def save(
    name: NameArgument,
    file: Annotated[Path, typer.Argument(help="A file with a # System and a # User section.")],
    project: ProjectOption,
) -> None:
    """Store another wording and use it from now on; variables and the form of the answer stay.

    Example: interacteval prompts save components components.md --project News
    """
    from app.services.runtime.prompts import save_wording, sections_of

    workbench, target = open_project(project)
    number = save_wording(workbench, target.id, name, *sections_of(decode(read_file(file, LARGEST_LIST), file.name)))
    echo(f"{name}: wording {number} is in use from now on")


def use(
    name: NameArgument, wording: Annotated[int, typer.Argument(help="0 for the built-in one.")], project: ProjectOption
) -> None:
    """Set which wording is used from now on.

    Example: interacteval prompts use components 0 --project News
    """
    from app.services.runtime.prompts import use_wording

    workbench, target = open_project(project)
    use_wording(workbench, target.id, name, wording)
    echo(f"{name}: {f'wording {wording}' if wording else 'the built-in wording'} is in use from now on")
