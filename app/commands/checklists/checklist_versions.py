"""checklist diff and restore."""

from typing import Annotated

import typer

from app.commands.checklists.checklist_edits import OneDimensionOption
from app.commands.output import JsonOption, ProjectOption, echo, print_json, say


def register(checklists: typer.Typer) -> None:
    checklists.command()(diff)
    checklists.command()(restore)


def diff(
    project: ProjectOption,
    dimension: OneDimensionOption,
    from_: Annotated[int, typer.Option("--from", help="The version before.")],
    to: Annotated[int | None, typer.Option(help="The version after; the newest without it.")] = None,
    json_: JsonOption = False,
) -> None:
    """What one version of a checklist changed against another, word by word.

    Example: interacteval checklist diff --project News --dimension coherence --from 1 --to 2
    """
    from app.domain.wording.wording_diff import word_changes
    from app.services.checklists.checklist_diff import compare_checklists
    from app.services.checklists.checklists import view_checklist
    from app.services.data.projects import one_dimension
    from app.services.runtime.workbench import open_workbench

    workbench = open_workbench()
    target = one_dimension(workbench, project, dimension).id
    before, after = (view_checklist(workbench, target, version).checklist for version in (from_, to))
    found = compare_checklists(before, after)
    if json_:
        changes = [
            {
                "changes": [kind.value for kind in change.kinds],
                "before": change.before.text if change.before else None,
                "after": change.after.text if change.after else None,
            }
            for change in found.questions
        ]
        print_json({"from": before.version, "to": after.version, "questions": changes})
        return
    echo(str(found))
    marks = {"same": "{}", "old": "[-{}-]", "new": "{{+{}+}}"}
    for change in found.questions:
        old, new = change.before, change.after
        pieces = word_changes(old.text if old else "", new.text if new else "")
        words = "".join(marks[piece.kind].format(piece.text) for piece in pieces)
        echo(f"{', '.join(kind.value for kind in change.kinds)}: {words}")


def restore(
    project: ProjectOption,
    dimension: OneDimensionOption,
    version: Annotated[int | None, typer.Option(help="The version to start from; the newest without it.")] = None,
    json_: JsonOption = False,
) -> None:
    """Start a new draft as a copy of a version; nothing is overwritten.

    Example: interacteval checklist restore --project News --dimension coherence --version 1
    """
    from app.services.checklists.checklists import new_draft, view_checklist
    from app.services.data.projects import one_dimension
    from app.services.runtime.workbench import open_workbench

    workbench = open_workbench()
    source = view_checklist(workbench, one_dimension(workbench, project, dimension).id, version).checklist
    draft = new_draft(workbench, source.id)
    if json_:
        print_json({"dimension": draft.dimension, "version": draft.version, "from": source.version})
    else:
        say(f"{draft.dimension}: version {draft.version} is a draft and starts as a copy of version {source.version}")
