"""answers draw, plan, list, export, import: experts' answers to a published checklist."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from app.commands.shared import (
    JsonOption,
    ProjectOption,
    counted,
    echo,
    echo_file,
    open_dimension,
    open_workbench,
    print_json,
    print_rows,
    say,
    table,
)
from app.domain.expert_answer import DEFAULT_MORE_TEXTS, DEFAULT_TEXTS, WaveRequest
from app.input_file import LARGEST_LIST, read_file

if TYPE_CHECKING:
    from app.meta_evaluation.judges.estimate import CorrectedEstimate
    from app.services.results.corrected_shares import AnswerForecasts, PlannedAnswers


OneDimensionOption = Annotated[str, typer.Option("--dimension", help="The dimension's name.")]
VersionOption = Annotated[int | None, typer.Option(help="A published version; the newest without it.")]


def draw(
    project: ProjectOption,
    dimension: OneDimensionOption,
    texts: Annotated[int, typer.Option(min=1, help="How many texts every expert answers on.")] = DEFAULT_TEXTS,
    seed: Annotated[int, typer.Option(help="The same seed draws the same texts.")] = 1,
    version: VersionOption = None,
    json_: JsonOption = False,
) -> None:
    """Draw the texts on which every expert answers. Drawing again replaces them until somebody has answered.

    Example: interacteval answers draw --project News --dimension coherence --texts 20 --seed 1
    """
    from app.services.checklists.answer_draws import draw_texts

    workbench = open_workbench()
    checklist_id, number = _checklist(project, dimension, version)
    drawn = draw_texts(workbench, checklist_id, texts, seed)
    if json_:
        print_json({"version": number, "texts": len(drawn.texts), "seed": seed, "stratified": drawn.stratified})
    else:
        how = "by chance, spread over the human scores" if drawn.stratified else "by chance, since no text is rated"
        echo(f"{counted(len(drawn.texts), 'text')} drawn for version {number}, {how}")


def plan(
    project: ProjectOption,
    dimension: OneDimensionOption,
    texts: Annotated[
        int | None,
        typer.Option(
            min=1, help=f"How many texts more; {DEFAULT_MORE_TEXTS} or all that are left.", show_default=False
        ),
    ] = None,
    draw_: Annotated[bool, typer.Option("--draw", help="Draw them; without it nothing changes.")] = False,
    seed: Annotated[int, typer.Option(min=0, help="The same seed draws the same texts.")] = 1,
    version: VersionOption = None,
    json_: JsonOption = False,
) -> None:
    """Show, or with --draw add, the next texts for experts; their answers stay.

    Example: interacteval answers plan --project News --dimension coherence --texts 60 --draw
    """
    from app.services.checklists.answer_draws import draw_of, draw_planned, drawable
    from app.services.results.corrected_shares import planned_answers

    workbench = open_workbench()
    checklist_id, number = _checklist(project, dimension, version)
    if texts is None:
        drawn = draw_of(workbench, checklist_id)
        left = drawable(workbench, checklist_id) - (len(drawn.texts) if drawn else 0)
        texts = min(DEFAULT_MORE_TEXTS, max(left, 1))
    wished = WaveRequest(texts, seed)
    found = planned_answers(workbench, checklist_id, wished)
    if draw_:
        draw_planned(workbench, checklist_id, wished)
    if json_:
        print_json({"version": number, **plan_json(found), "stored": draw_})
    else:
        echo(plan_page(found, number, draw_))


def list_(
    project: ProjectOption, dimension: OneDimensionOption, version: VersionOption = None, json_: JsonOption = False
) -> None:
    """Show each expert's progress.

    Example: interacteval answers list --project News --dimension coherence
    """
    from app.services.checklists.assignments import progress
    from app.services.checklists.expert_answers import expert_answers

    checklist_id, _ = _checklist(project, dimension, version)
    found = expert_answers(open_workbench(), checklist_id)
    may_not_apply = any(question.may_not_apply for question in found.checklist.asked)
    rows = [
        {
            "expert": one.expert,
            "texts_finished": one.texts,
            "texts": one.all,
            "answers": one.answers,
            "skipped": one.skipped,
            "notes": one.notes,
            **({"does_not_apply": one.does_not_apply} if may_not_apply or json_ else {}),
            **({"from_earlier_versions": one.carried} if found.carried.answers or json_ else {}),
        }
        for one in progress(found)
    ]
    print_rows(rows, json_, "Nobody has answered yet.")
    if rows and found.carried.answers and not json_:
        echo(str(found.carried))


def export(
    project: ProjectOption,
    dimension: OneDimensionOption,
    expert: Annotated[str, typer.Option(help="This expert's whole sheet, with blanks to fill in.")] = "",
    version: VersionOption = None,
    output: Annotated[Path | None, typer.Option(help="The CSV to write; stdout without it.")] = None,
) -> None:
    """Export all experts' answers as CSV, or one expert's sheet to fill in elsewhere.

    Example: interacteval answers export --project News --dimension coherence --expert Ana --output ana.csv
    """
    from app.services.checklists.answer_files import answers_csv
    from app.services.runtime.output_file import output_file

    checklist_id, _ = _checklist(project, dimension, version)
    content = answers_csv(open_workbench(), checklist_id, expert)
    if output is None:
        echo_file(content.decode("utf-8-sig"))
    else:
        with output_file(output) as file:
            file.write_bytes(content)
        say(f"Wrote {output}")


def import_(
    file: Annotated[Path, typer.Argument(help="CSV, Excel, JSON Lines or Parquet, as export writes it.")],
    project: ProjectOption,
    dimension: OneDimensionOption,
    expert: Annotated[str, typer.Option(help="Whose answers they are, where no column says it.")] = "",
    expert_column: Annotated[
        list[str] | None,
        typer.Option(help="A column with the answers of the expert of that name; once for each.", show_default=False),
    ] = None,
    judge: Annotated[str, typer.Option(help="The judge whose answers they are: a run comes of them.")] = "",
    judge_column: Annotated[
        list[str] | None,
        typer.Option(help="A column with the answers of the judge of that name; once for each.", show_default=False),
    ] = None,
    version: VersionOption = None,
    replace: Annotated[bool, typer.Option("--replace", help="Answers in the file win over those on record.")] = False,
    json_: JsonOption = False,
) -> None:
    """Import answers from a file: experts' from paper or a spreadsheet, or judges' from elsewhere.

    Example: interacteval answers import ana.csv --project News --dimension coherence --expert Ana

    One column for each expert or judge: interacteval answers import all.csv --project News --dimension coherence
    --expert-column Ana --expert-column Ben --judge-column gpt-6-luna
    """
    from app.services.data.uploads import Upload
    from app.services.scoring.own_scores import AnswerAuthors, import_answer_upload

    checklist_id, _ = _checklist(project, dimension, version)
    givers = AnswerAuthors(expert, judge, tuple(expert_column or ()), tuple(judge_column or ()))
    upload = Upload(file.name, read_file(file, LARGEST_LIST))
    found = import_answer_upload(open_workbench(), checklist_id, upload, givers, replace)
    if json_:
        print_json(found.to_json())
        return
    if people := found.experts:
        echo(f"{counted(people.kept, 'answer')} kept, {people.known} known already, {people.blank} blank")
        _echo_skipped(people.skipped)
    if judges := found.judges:
        for one in judges.judges:
            echo(f"Run {one.run}: {counted(one.answers, 'answer')} of {one.judge} on {counted(one.texts, 'text')}")
        for name, run in judges.known:
            echo(f"Run {run} holds the answers of {name} in this file already")
        _echo_skipped(judges.skipped)


def _echo_skipped(skipped: Sequence[tuple[int, str]]) -> None:
    for row, reason in skipped:
        echo(f"Row {row} skipped: {reason}")


def _checklist(project: str, dimension: str, version: int | None) -> tuple[int, int]:
    """Return id and number of a published version."""
    from app.services.checklists.checklists import published_checklist

    workbench, on = open_dimension(project, dimension)
    found = published_checklist(workbench, on.id, version)
    return found.id, found.version


_SHOWN = 10


def plan_json(planned: "PlannedAnswers") -> dict[str, Any]:
    """Return the next wave and its forecast as JSON."""
    found = planned.plan
    return {
        "wave": found.wave,
        "seed": found.seed,
        "left": found.left,
        "drawn_before": found.drawn,
        "texts": [
            {"doc_id": one.doc_id, "system_id": one.system_id, "item_id": one.item_id, "chance": found.chance}
            for one in found.texts
        ],
        "forecast": _forecast(planned.forecast),
    }


def _forecast(found: "AnswerForecasts") -> dict[str, Any]:
    return {
        "n_human": found.answers,
        "score": _bring(found.score),
        "widest_question": found.question or None,
        "widest": _bring(found.widest),
        "said": list(found.said),
    }


def _bring(found: "CorrectedEstimate | None") -> dict[str, Any] | None:
    if found is None or found.corrected.width is None:
        return None
    return {"reach_now": found.corrected.width / 2, "forecast": [asdict(each) for each in found.forecast]}


def plan_page(planned: "PlannedAnswers", version: int, stored: bool) -> str:
    """Return the forecast, then the texts."""
    found = planned.plan
    many = counted(len(found.texts), "text")
    does = f"{many} drawn" if stored else f"{many} would be drawn"
    more = f", after the {found.drawn} drawn before" if found.drawn else ""
    lines = [f"{does} of {found.left} for version {version}, by chance{more}."]
    if stored and found.drawn:
        lines.append("Every expert gets them after the texts they have; what they answered stays.")
    lines += planned.forecast.said
    rows = [[one.doc_id, one.system_id, found.chance] for one in found.texts[:_SHOWN]]
    listed = table(["document", "system", "chance"], rows)
    left = len(found.texts) - _SHOWN
    return "\n\n".join(["\n".join(lines), listed + (f"\nand {counted(left, 'text')} more" if left > 0 else "")])
