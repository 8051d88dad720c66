"""checklist questions, edit, add, remove, move, undo, history: edits of a draft."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from app.commands.shared import JsonOption, ProjectOption, echo, open_dimension, print_json, print_rows, say
from app.domain.checklist import Checklist, ChecklistStatus, Example, Question, QuestionKind
from app.domain.version_changes import word_changes
from app.errors import ConflictError, FileFormatError, NotFoundError
from app.input_file import LARGEST_LIST, read_file, read_yaml

if TYPE_CHECKING:
    from app.services.runtime.workbench import Workbench


OneDimensionOption = Annotated[str, typer.Option("--dimension", help="The dimension's name.")]
QuestionArgument = Annotated[int, typer.Argument(help="The question's number, as `checklist questions` lists it.")]
ByOption = Annotated[str, typer.Option("--by", help="Your name, for the draft's history.")]
_GRADE = "The quality of which it is one of two or three thresholds, lowest first; empty for none."
VersionOption = Annotated[int | None, typer.Option(help="The version; the newest without it.")]


def newest_version(project: str, dimension: str) -> "tuple[Workbench, Checklist]":
    """Return the newest version. Raises NotReadyError without a checklist."""
    from app.services.checklists.checklists import view_checklist

    workbench, on = open_dimension(project, dimension)
    return workbench, view_checklist(workbench, on.id).checklist


def newest_draft(project: str, dimension: str) -> "tuple[Workbench, Checklist]":
    """Return the newest version if it is a draft. Raises as `newest_version`, and ConflictError if it is published."""
    workbench, found = newest_version(project, dimension)
    if found.status is ChecklistStatus.PUBLISHED:
        raise ConflictError(
            f"Version {found.version} of {found.dimension} is published and stays as it is.",
            "Start a draft from it: `interacteval checklist restore`.",
        )
    return workbench, found


def question_of(checklist: "Checklist", number: int) -> "Question":
    """Return the question with this number. Raises NotFoundError."""
    from app.services.checklists.draft_edits import question_in

    found = question_in(checklist, number)
    if found is None:
        raise NotFoundError(
            f"Version {checklist.version} of {checklist.dimension} has no question {number}.",
            "`interacteval checklist questions` lists them.",
        )
    return found


def questions(
    project: ProjectOption, dimension: OneDimensionOption, version: VersionOption = None, json_: JsonOption = False
) -> None:
    """List enabled and disabled questions, with the numbers that other commands take.

    Example: interacteval checklist questions --project News --dimension coherence
    """
    from app.services.checklists.checklists import view_checklist

    workbench, on = open_dimension(project, dimension)
    _print(view_checklist(workbench, on.id, version).checklist, json_)


def edit(
    question: QuestionArgument,
    project: ProjectOption,
    dimension: OneDimensionOption,
    text: Annotated[str | None, typer.Option(help="The new wording.")] = None,
    guidance: Annotated[str | None, typer.Option(help="How to decide; the judge reads it.")] = None,
    weight: Annotated[float | None, typer.Option(help="1 counts like every other question.")] = None,
    component: Annotated[str | None, typer.Option(help="The component it goes under.")] = None,
    on: Annotated[bool | None, typer.Option("--on/--off", help="Whether the judge is asked it.")] = None,
    may_not_apply: Annotated[
        bool | None, typer.Option("--may-not-apply/--always-applies", help="Whether “does not apply” is an answer too.")
    ] = None,
    must_not: Annotated[
        bool | None, typer.Option("--must-not/--yes-is-good", help="Whether a yes costs the point.")
    ] = None,
    cap: Annotated[
        float | None, typer.Option(help="The question is required: a text that fails it scores this at most.")
    ] = None,
    no_cap: Annotated[bool, typer.Option("--no-cap", help="It is not required any more.")] = False,
    grade: Annotated[str | None, typer.Option(help=_GRADE)] = None,
    examples: Annotated[
        Path | None,
        typer.Option(
            help="A JSON or YAML list of up to four examples for the judge, in place of those it has: each with "
            "“text”, “answer” (as many yes as no) and, if you like, “reason”."
        ),
    ] = None,
    no_examples: Annotated[bool, typer.Option("--no-examples", help="Remove its examples.")] = False,
    by: ByOption = "",
    json_: JsonOption = False,
) -> None:
    """Change a question of the draft.

    Example: interacteval checklist edit 12 --project News --dimension coherence --text "Is it linked?" --weight 2
    """
    from app.services.checklists.draft_edits import QuestionWording, edit_question, switch_question, write_examples

    written = _examples(examples) if examples else ()
    workbench, draft = newest_draft(project, dimension)
    seen = question_of(draft, question)
    wording = QuestionWording(
        seen.text if text is None else text,
        seen.component if component is None else component,
        seen.guidance if guidance is None else guidance,
        seen.weight if weight is None else weight,
        seen.may_not_apply if may_not_apply is None else may_not_apply,
        seen.must_not if must_not is None else must_not,
        None if no_cap else seen.cap if cap is None else cap,
        seen.grade if grade is None else grade,
    )
    edit_question(workbench, seen, wording, by)
    if written or no_examples:
        write_examples(workbench, seen, written, by)
    if on is not None:
        switch_question(workbench, question, on, by)
    _print_draft(workbench, draft, json_)


def _examples(file: Path) -> "tuple[Example, ...]":
    import yaml

    from app.export.checklist_reading import read_examples

    try:
        found = read_examples("the question", read_yaml(read_file(file, LARGEST_LIST).decode()))
    except (UnicodeDecodeError, yaml.YAMLError) as error:
        raise FileFormatError(f"{file.name} is neither JSON nor YAML.", "Give a list of examples.") from error
    if not found:
        raise FileFormatError(f"{file.name} holds no examples.", "Give a list, or --no-examples to remove them.")
    return found


def add(
    text: Annotated[str, typer.Argument(help="The question.")],
    project: ProjectOption,
    dimension: OneDimensionOption,
    component: Annotated[str, typer.Option(help="The component it goes under; none without it.")] = "",
    guidance: Annotated[str, typer.Option(help="How to decide; the judge reads it.")] = "",
    weight: Annotated[float, typer.Option(help="1 counts like every other question.")] = 1.0,
    may_not_apply: Annotated[bool, typer.Option("--may-not-apply", help="“Does not apply” is an answer too.")] = False,
    must_not: Annotated[bool, typer.Option("--must-not", help="A yes costs the point.")] = False,
    cap: Annotated[
        float | None, typer.Option(help="The question is required: a text that fails it scores this at most.")
    ] = None,
    grade: Annotated[str, typer.Option(help=_GRADE)] = "",
    by: ByOption = "",
    json_: JsonOption = False,
) -> None:
    """Add a question of your own to the draft.

    Example: interacteval checklist add "Does each step follow?" --project News --dimension coherence --component Order
    """
    from app.services.checklists.draft_edits import QuestionWording, add_question

    workbench, draft = newest_draft(project, dimension)
    wording = QuestionWording(text, component, guidance, weight, may_not_apply, must_not, cap, grade)
    add_question(workbench, draft.id, wording, by)
    _print_draft(workbench, draft, json_)


def remove(
    question: QuestionArgument,
    project: ProjectOption,
    dimension: OneDimensionOption,
    by: ByOption = "",
    json_: JsonOption = False,
) -> None:
    """Remove a question from the draft; `checklist undo` restores it.

    Example: interacteval checklist remove 12 --project News --dimension coherence
    """
    from app.services.checklists.draft_edits import remove_question

    workbench, draft = newest_draft(project, dimension)
    remove_question(workbench, question_of(draft, question), by)
    _print_draft(workbench, draft, json_)


def move(
    question: QuestionArgument,
    project: ProjectOption,
    dimension: OneDimensionOption,
    places: Annotated[int, typer.Option(help="So many places down; up where negative.")],
    by: ByOption = "",
    json_: JsonOption = False,
) -> None:
    """Move a question up or down within its component.

    Example: interacteval checklist move 12 --places -1 --project News --dimension coherence
    """
    from app.services.checklists.draft_edits import move_question

    workbench, draft = newest_draft(project, dimension)
    move_question(workbench, question_of(draft, question).id, places, by)
    _print_draft(workbench, draft, json_)


def undo(
    project: ProjectOption,
    dimension: OneDimensionOption,
    change: Annotated[
        int | None, typer.Option(help="This change, as `checklist history` numbers it, by anybody.")
    ] = None,
    by: ByOption = "",
    json_: JsonOption = False,
) -> None:
    """Undo a change of the draft: the newest made under your name, or any change whose fields weren't changed since.

    Example: interacteval checklist undo --project News --dimension coherence --change 7
    """
    from app.services.checklists.draft_edits import history_of, last_change
    from app.services.checklists.draft_edits import undo as undo_change

    workbench, draft = newest_draft(project, dimension)
    made = history_of(workbench, draft.id)
    found = last_change(made, by) if change is None else next((c for c in made if c.id == change), None)
    if found is None:
        whose = f"by {by}" if by else "without a name"
        which = f"{whose} to undo" if change is None else f"{change} in the draft"
        raise NotFoundError(f"There is no change {which}.", "`checklist history` lists all changes.")
    undo_change(workbench, draft.id, found.id, by)
    say(f"Undone: {found.what}")
    _print_draft(workbench, draft, json_)


def history(
    project: ProjectOption, dimension: OneDimensionOption, version: VersionOption = None, json_: JsonOption = False
) -> None:
    """List who changed what in a version while it was a draft, newest first.

    Example: interacteval checklist history --project News --dimension coherence
    """
    from app.services.checklists.checklists import view_checklist
    from app.services.checklists.draft_edits import history_of

    workbench, on = open_dimension(project, dimension)
    found = view_checklist(workbench, on.id, version).checklist
    changes = [
        {
            "change": change.id,
            "at": change.at.isoformat(timespec="seconds"),
            "who": change.who,
            "what": change.what,
            "taken_back": change.undone,
            "steps": [{"before": dict(step.before), "after": dict(step.after)} for step in change.steps],
        }
        for change in history_of(workbench, found.id)
    ]
    shown = ("change", "at", "who", "what", "taken_back")
    print_rows(changes, json_, "Nothing was changed in this version since it was made.", shown)


def _print_draft(workbench: "Workbench", draft: "Checklist", json_: bool) -> None:
    from app.services.checklists.checklists import get_checklist

    _print(get_checklist(workbench, draft.id), json_)


def _print(checklist: "Checklist", json_: bool) -> None:
    from app.export.checklist import marks_of

    rows = [
        {
            "question": q.id,
            "on": q.enabled,
            "weight": q.weight,
            "component": q.component,
            "text": q.text,
            "guidance": q.guidance,
            "may_not_apply": q.may_not_apply,
            **({"not_apply_reason": q.not_apply_reason} if q.not_apply_reason else {}),
            **marks_of(q),
        }
        for q in checklist.questions
        if q.kind is QuestionKind.SUB
    ]
    marks = [name for name in ("may_not_apply", "must_not", "cap", "grade") if any(row.get(name) for row in rows)]
    print_rows(rows, json_, "This version has no questions.", ("question", "on", "weight", *marks, "component", "text"))


def diff(
    project: ProjectOption,
    dimension: OneDimensionOption,
    from_: Annotated[int, typer.Option("--from", help="The version before.")],
    to: Annotated[int | None, typer.Option(help="The version after; the newest without it.")] = None,
    json_: JsonOption = False,
) -> None:
    """Show the differences between two versions of a checklist, word by word.

    Example: interacteval checklist diff --project News --dimension coherence --from 1 --to 2
    """
    from app.domain.version_changes import compare_checklists
    from app.services.checklists.checklists import view_checklist

    workbench, on = open_dimension(project, dimension)
    before, after = (view_checklist(workbench, on.id, version).checklist for version in (from_, to))
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

    workbench, on = open_dimension(project, dimension)
    source = view_checklist(workbench, on.id, version).checklist
    draft = new_draft(workbench, source.id)
    if json_:
        print_json({"dimension": draft.dimension, "version": draft.version, "from": source.version})
    else:
        say(f"{draft.dimension}: version {draft.version} is a draft and starts as a copy of version {source.version}")
