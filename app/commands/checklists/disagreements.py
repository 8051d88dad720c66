"""disagreements list, show, decide, undo, rooms: where experts, judges and a judge's repeats differ, and decisions."""

import re
from typing import TYPE_CHECKING, Annotated, Any

import typer

from app.commands.shared import (
    JsonOption,
    ProjectOption,
    counted,
    echo,
    open_dimension,
    open_dimensions,
    open_workbench,
    print_json,
    table,
)
from app.domain.checklist_score import Answer
from app.domain.improvement import Decision, reference
from app.errors import InputError, NotFoundError

if TYPE_CHECKING:
    from app.services.disagreements.queue import DisagreementQueue

OneDimensionOption = Annotated[str, typer.Option("--dimension", help="The dimension's name.")]
VersionOption = Annotated[
    int | None, typer.Option(help="A published version; without it the newest that anybody answered.")
]
PairArgument = Annotated[str, typer.Argument(metavar="ID", help="As list shows it.")]
ByOption = Annotated[str, typer.Option("--by", help="Who decides; it stays with the decision.")]


def list_(
    project: ProjectOption,
    dimension: OneDimensionOption,
    kind: Annotated[str, typer.Option(help="experts, judge or repeats; all without it.")] = "",
    question: Annotated[int | None, typer.Option(help="A question's number.")] = None,
    judge: Annotated[str, typer.Option(help="A judge that parts from experts or from itself.")] = "",
    component: Annotated[str, typer.Option(help="A component's name.")] = "",
    state: Annotated[str, typer.Option(help="open, decided, contradicting or all.")] = "all",
    version: VersionOption = None,
    json_: JsonOption = False,
) -> None:
    """List disagreements, first those with the largest effect on the figures; with --json an entry for each kind and
    judge.

    Example: interacteval disagreements list --project News --dimension coherence --kind experts --state open
    """
    from app.services.disagreements.queue import QueueFilter

    found = _queue(project, dimension, version)
    wanted = {"kind": _kind(kind), "question": question, "judge": judge, "component": component}
    states = ["open", "contradicting", "decided"]
    if state not in (*states, "all"):
        raise InputError(f"“{state}” is no state.", f"Choose {', '.join(states)} or all.")
    wished: list[Any] = states if state == "all" else [state]
    pairs = [pair for each in wished for pair in found.matching(QueueFilter(**wanted, state=each))]
    if json_:
        entries = [entry for pair in pairs for entry in pair.to_json()]
        print_json([one for one in entries if kind in ("", one["kind"]) and judge in ("", one["judge"])])
        return
    if not pairs:
        echo("No disagreement.")
        return
    rows = [
        [
            pair.id,
            " · ".join(part for part in pair.key if part),
            pair.number,
            ", ".join(sorted(each.value for each in pair.kinds)),
            "/".join(str(count) for count in pair.people.values()),
            ", ".join(dict.fromkeys((*pair.judges, *pair.wavering))),
            pair.decision.answer.value if pair.decision else None,
        ]
        for pair in pairs
    ]
    echo(table(["id", "text", "question", "kinds", "yes/no/na", "judges", "decided"], rows))
    echo(f"{counted(len(pairs), 'disagreement')} in version {found.checklist.version}")


def show(
    pair: PairArgument,
    project: ProjectOption,
    dimension: OneDimensionOption,
    version: VersionOption = None,
    json_: JsonOption = False,
) -> None:
    """Show the text and all answers; experts' names are hidden until a decision.

    Example: interacteval disagreements show 12-340 --project News --dimension coherence
    """
    from app.services.disagreements.queue import sides_of_pair

    found = _queue(project, dimension, version)
    question, text = _ids(pair)
    sides = sides_of_pair(open_workbench(), found.checklist.id, question, text)
    people = [
        {"who": one.who, "answer": one.answer, "note": one.note, "from_version": one.from_version}
        for one in sides.people
    ]
    judges = [
        {
            "judge": one.judge,
            "run": one.run,
            "answers": [
                {"repeat": said.repeat, "answer": said.answer, "reason": said.rationale} for said in one.judgments
            ],
        }
        for one in sides.judges
    ]
    if json_:
        document, system, item = sides.text.key
        print_json(
            {
                "id": pair,
                "version": found.checklist.version,
                "question": found.checklist.numbers[question],
                "question_text": sides.question.text,
                "guidance": sides.question.guidance,
                "doc_id": document,
                "system_id": system,
                "item_id": item,
                "text": sides.text.text,
                "people": people,
                "judges": judges,
                "decisions": [_decision_json(one) for one in sides.decisions],
            }
        )
        return
    echo(f"{found.checklist.numbers[question]}. {sides.question.text}")
    echo(sides.text.text)
    for one in sides.people:
        origin = f" (from version {one.from_version})" if one.from_version else ""
        echo(f"{one.who}: {one.answer or 'only a note'}{f' ({one.note})' if one.note else ''}{origin}")
    for each in sides.judges:
        echo(f"{each.judge}: {', '.join(said.answer for said in each.judgments)}")
    for decision in sides.decisions:
        echo(_decision_line(decision))


def decide(
    pair: PairArgument,
    project: ProjectOption,
    dimension: OneDimensionOption,
    answer: Annotated[str, typer.Option(help="yes, no, or na for does not apply.")],
    why: Annotated[str, typer.Option(help="A line that says why.")] = "",
    guidance: Annotated[str, typer.Option(help="A line that says why and becomes guidance of the question.")] = "",
    by: ByOption = "",
    again: Annotated[bool, typer.Option("--again", help="Also where something was decided already.")] = False,
    version: VersionOption = None,
    json_: JsonOption = False,
) -> None:
    """Decide the answer that holds for a question and a text; nobody's own answer changes.

    Example: interacteval disagreements decide 12-340 --project News --dimension coherence --answer no --by Ana
    """
    from app.services.disagreements.decisions import decide_answer
    from app.services.disagreements.queue import sides_of_pair

    if why and guidance:
        raise InputError("--why and --guidance are both given.", "The line with --guidance says why, too.")
    read = {"yes": Answer.YES, "no": Answer.NO, "na": Answer.NOT_APPLICABLE}
    if answer not in read:
        raise InputError(f"“{answer}” is no answer.", "Give yes, no or na.")
    given = read[answer]
    workbench, found = open_workbench(), _queue(project, dimension, version)
    question, text = _ids(pair)
    standing = reference(sides_of_pair(workbench, found.checklist.id, question, text).decisions).get(text)
    made = decide_answer(
        workbench,
        found.checklist.id,
        question,
        text,
        given,
        by,
        why=why or guidance,
        seen=standing.id if standing and again else None,
        as_guidance=bool(guidance),
        run_id=found.runs[0].id if found.runs else None,
    )
    if json_:
        print_json({"id": pair, **_decision_json(made.decision), "guidance_in_draft": made.draft})
        return
    echo(_decision_line(made.decision))
    if made.draft:
        echo(f"The line is guidance in draft {made.draft} now.")


def undo(
    pair: PairArgument,
    project: ProjectOption,
    dimension: OneDimensionOption,
    by: ByOption = "",
    version: VersionOption = None,
    json_: JsonOption = False,
) -> None:
    """Undo the decision that holds; it stays on record, and the one before holds again.

    Example: interacteval disagreements undo 12-340 --project News --dimension coherence --by Ana
    """
    from app.services.disagreements.decisions import undo_decision
    from app.services.disagreements.queue import sides_of_pair

    workbench, found = open_workbench(), _queue(project, dimension, version)
    question, text = _ids(pair)
    standing = reference(sides_of_pair(workbench, found.checklist.id, question, text).decisions).get(text)
    if standing is None:
        raise NotFoundError(f"Nothing is decided about {pair}.", "`interacteval disagreements list` shows what is.")
    undone = undo_decision(workbench, standing.id, by)
    if json_:
        print_json({"id": pair, **_decision_json(undone)})
    else:
        echo(_decision_line(undone))


def _queue(project: str, dimension: str, version: int | None) -> "DisagreementQueue":
    from app.services.checklists.checklists import published_checklist
    from app.services.disagreements.queue import decidable_versions, disagreement_queue

    workbench, on = open_dimension(project, dimension)
    of = on.id
    there = decidable_versions(workbench, of)
    checklist = there[0] if there and version is None else published_checklist(workbench, of, version)
    return disagreement_queue(workbench, checklist.id)


def _ids(pair: str) -> tuple[int, int]:
    found = re.fullmatch(r"(\d{1,18})-(\d{1,18})", pair.strip())
    if not found:
        raise InputError(f"“{pair}” is no disagreement.", "`interacteval disagreements list` shows their ids.")
    return int(found[1]), int(found[2])


def _kind(kind: str) -> Any:
    from app.meta_evaluation.questions.question_agreement import DisagreementKind

    if kind and kind not in list(DisagreementKind):
        raise InputError(f"“{kind}” is no kind of disagreement.", f"The kinds are {', '.join(DisagreementKind)}.")
    return DisagreementKind(kind) if kind else None


def _decision_json(one: "Decision") -> dict[str, Any]:
    return {
        "decision": one.id,
        "answer": one.answer.value,
        "who": one.who,
        "at": one.at,
        "version": one.version,
        "why": one.why,
        "guidance": one.guided,
        "run": one.run,
        "undone_by": one.undone_by,
        "undone_at": one.undone_at,
    }


def _decision_line(one: "Decision") -> str:
    why = f": {one.why}" if one.why else ""
    undone = "" if one.stands else f" Undone by {one.undone_by or 'somebody without a name'}."
    return f"Decided: {one.answer} by {one.who or 'somebody without a name'}, version {one.version}{why}{undone}"


def rooms(project: ProjectOption, dimension: OneDimensionOption, json_: JsonOption = False) -> None:
    """List rooms in which experts decided together: agreement before and after, their lines and the agreed line.

    Example: interacteval disagreements rooms --project News --dimension coherence
    """
    from app.services.disagreements.rooms import room_view, rooms_of

    workbench, dimensions = open_dimensions(project, dimension)
    (one,) = dimensions
    found = [room_view(workbench, room.id).to_json() for room in rooms_of(workbench, one.id)]
    if json_:
        print_json(found)
        return
    if not found:
        echo("No room.")
        return
    names = ("room", "question", "stage", "texts", "alpha_before", "alpha_after", "agreed")
    echo(table([name.replace("_", " ") for name in names], [[one[name] for name in names] for one in found]))
