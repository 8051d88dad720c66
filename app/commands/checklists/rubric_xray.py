"""checklist xray: what a run's answers show against the questions of its checklist."""

from typing import TYPE_CHECKING, Annotated

import typer

from app.commands.checklists.checklist_edits import OneDimensionOption
from app.commands.output import JsonOption, ProjectOption, counted, echo, print_json, shown_model, table
from app.commands.results.meta_eval import Resamples, Seed
from app.meta_evaluation.choices import RESAMPLES

if TYPE_CHECKING:
    from app.services.results.rubric.rubric_xray import RubricXray


def register(checklists: typer.Typer) -> None:
    checklists.command()(xray)


def xray(
    project: ProjectOption,
    dimension: OneDimensionOption,
    run: Annotated[
        int | None, typer.Option(help="A run's number; without it that with most texts of the newest version.")
    ] = None,
    resamples: Resamples = RESAMPLES,
    seed: Seed = 0,
    json_: JsonOption = False,
) -> None:
    """Which questions the answers at hand speak against, by what evidence, and what to do.

    Example: interacteval checklist xray --project News --dimension coherence
    """
    from app.services.data.projects import get_project, one_dimension
    from app.services.results.results import Choices
    from app.services.results.rubric.rubric_xray import result_with_questions, rubric_xray
    from app.services.runtime.workbench import open_workbench

    workbench = open_workbench()
    target, on = get_project(workbench, project), one_dimension(workbench, project, dimension)
    result = result_with_questions(workbench, target.id, on, run, Choices(resamples=resamples, seed=seed))
    found = rubric_xray(workbench, result)
    assert found is not None  # it asked questions
    if json_:
        where = {"dimension": on.name, "run": result.run.id, "judge": result.run.judge, "version": result.version}
        print_json(where | found.to_json())
        return
    echo(found.summary)
    echo(f"Run {result.run.id}, {shown_model(result.run.judge)}, checklist version {result.version}; {found.basis}")
    _print_findings(found)
    _print_unserved(found)
    if found.further:
        echo(f"\nTo look further: {'; '.join(found.further)}.")


def _print_findings(found: "RubricXray") -> None:
    about = [(finding, finding.question) for finding in found.findings]
    shown = [(finding, place + 1) for finding, place in about if place is not None]
    if not shown:
        return
    headings = ["question", "badge", "failure mode", "figure", "95 % from", "to", "limit", "texts"]
    rows = [
        [number, each.badge, each.mode, each.value, each.low, each.high, each.limit, each.n] for each, number in shown
    ]
    echo("")
    echo(table(headings, rows))
    for each, number in shown:
        echo(f"\n{number}. {found.questions[number - 1].text}\n   {each.evidence}\n   {each.advice}")


def _print_unserved(found: "RubricXray") -> None:
    if not found.unserved:
        return
    echo(f"\nMissing criteria: {counted(len(found.unserved), 'attribute')} no question serves.")
    for each in found.unserved:
        reason = f": {each.reason}" if each.reason else ""
        echo(f"  - {each.text} ({shown_model(each.contributor)}; {each.where}{reason})")
