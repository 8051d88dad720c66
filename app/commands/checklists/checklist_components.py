"""checklist component list, add, edit, move, remove: the components of a draft."""

from typing import TYPE_CHECKING, Annotated

import typer

from app.commands.checklists.checklist_edits import ByOption, OneDimensionOption, newest_draft
from app.commands.shared import JsonOption, ProjectOption, print_rows
from app.domain.checklist import Checklist, Component
from app.errors import NotFoundError

if TYPE_CHECKING:
    from app.services.runtime.workbench import Workbench

NameArgument = Annotated[str, typer.Argument(help="The component's name.")]


def list_(project: ProjectOption, dimension: OneDimensionOption, json_: JsonOption = False) -> None:
    """List the draft's components with their key questions.

    Example: interacteval checklist component list --project News --dimension coherence
    """
    workbench, draft = newest_draft(project, dimension)
    _print(workbench, draft, json_)


def add(
    name: NameArgument,
    project: ProjectOption,
    dimension: OneDimensionOption,
    description: Annotated[str, typer.Option(help="What it means.")] = "",
    key_question: Annotated[str, typer.Option(help="The question its sub-questions stand for.")] = "",
    by: ByOption = "",
    json_: JsonOption = False,
) -> None:
    """Add a component at the end of the draft.

    Example: interacteval checklist component add Order --project News --dimension coherence
    """
    from app.services.checklists.draft_edits import Heading, add_component

    workbench, draft = newest_draft(project, dimension)
    add_component(workbench, draft.id, Heading(name, description, key_question), by)
    _print(workbench, draft, json_)


def edit(
    name: NameArgument,
    project: ProjectOption,
    dimension: OneDimensionOption,
    new_name: Annotated[str | None, typer.Option("--name", help="The new name.")] = None,
    description: Annotated[str | None, typer.Option(help="What it means.")] = None,
    key_question: Annotated[str | None, typer.Option(help='The key question; "" for none.')] = None,
    by: ByOption = "",
    json_: JsonOption = False,
) -> None:
    """Change a component's name, description or key question.

    Example: interacteval checklist component edit Order --name "Order of events" --project News --dimension coherence
    """
    from app.services.checklists.draft_edits import Heading, edit_component

    workbench, draft = newest_draft(project, dimension)
    component = _named(draft, name)
    seen = Heading.of(draft, component)
    new = Heading(
        seen.name if new_name is None else new_name,
        seen.description if description is None else description,
        seen.key_question if key_question is None else key_question,
    )
    edit_component(workbench, draft.id, component.id, seen, new, by)
    _print(workbench, draft, json_)


def move(
    name: NameArgument,
    project: ProjectOption,
    dimension: OneDimensionOption,
    places: Annotated[int, typer.Option(help="So many places down; up where negative.")],
    by: ByOption = "",
    json_: JsonOption = False,
) -> None:
    """Move a component with all its questions.

    Example: interacteval checklist component move Order --places -1 --project News --dimension coherence
    """
    from app.services.checklists.draft_edits import move_component

    workbench, draft = newest_draft(project, dimension)
    move_component(workbench, draft.id, _named(draft, name).id, places, by)
    _print(workbench, draft, json_)


def remove(
    name: NameArgument,
    project: ProjectOption,
    dimension: OneDimensionOption,
    by: ByOption = "",
    json_: JsonOption = False,
) -> None:
    """Remove a component without questions; `checklist undo` restores it.

    Example: interacteval checklist component remove Order --project News --dimension coherence
    """
    from app.services.checklists.draft_edits import remove_component

    workbench, draft = newest_draft(project, dimension)
    remove_component(workbench, draft.id, _named(draft, name).id, by)
    _print(workbench, draft, json_)


def _named(draft: "Checklist", name: str) -> "Component":
    """Return the component with this name, ignoring case. Raises NotFoundError."""
    found = next((c for c in draft.components if c.name.casefold() == name.strip().casefold()), None)
    if found is None:
        names = ", ".join(c.name for c in draft.components)
        raise NotFoundError(f"There is no component “{name}”.", f"There are: {names}." if names else "")
    return found


def _print(workbench: "Workbench", draft: "Checklist", json_: bool) -> None:
    from app.services.checklists.checklists import get_checklist
    from app.services.checklists.draft_edits import Heading

    now = get_checklist(workbench, draft.id)
    headings = [Heading.of(now, component) for component in now.components]
    rows = [{"component": h.name, "description": h.description, "key_question": h.key_question} for h in headings]
    print_rows(rows, json_, "This draft has no components.")
