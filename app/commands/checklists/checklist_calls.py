"""checklist calls: one call for all questions or one call each, compared on one draw of texts."""

import shlex
from typing import TYPE_CHECKING, Annotated

import typer

from app.commands.interruption import runs_end_on_signals
from app.commands.model_asking import EffortOption, RoomOption, TimeoutOption, chosen_model_options
from app.commands.output import JsonOption, ProjectOption, echo, print_json, say, table
from app.commands.scoring.score import progress_sayer
from app.scoring.concurrency import CONCURRENCY

if TYPE_CHECKING:
    from collections.abc import Mapping

    from app.domain.asking_way import AskingWay
    from app.services.results.asking.asking_comparison import AskingResult
    from app.services.scoring.forecast import Estimate


def register(checklists: typer.Typer) -> None:
    checklists.command()(calls)


def calls(
    project: ProjectOption,
    dimension: Annotated[str, typer.Option("--dimension", help="The dimension's name.")],
    judge: Annotated[str, typer.Option(help="provider:name")],
    version: Annotated[int | None, typer.Option(help="The published version; the newest without it.")] = None,
    texts: Annotated[int, typer.Option(min=1, help="So many are drawn: those experts answered first.")] = 40,
    seed: Annotated[int, typer.Option(help="Draws the texts.")] = 1,
    budget: Annotated[float | None, typer.Option(help="US dollars for the three runs together.")] = None,
    concurrency: Annotated[int, typer.Option(min=1, help="How many texts at a time.")] = CONCURRENCY,
    max_output_tokens: RoomOption = None,
    timeout: TimeoutOption = None,
    effort: EffortOption = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what it would ask and cost, and stop.")] = False,
    json_: JsonOption = False,
) -> None:
    """One call for all questions, or one call each? The same texts are asked both ways, and in reversed order.

    Given again it goes on with what is missing, pays nothing twice, and shows the result.

    Example: interacteval checklist calls --project News --dimension coherence --judge openai:gpt-4o-mini --dry-run
    """
    from app.services.data.projects import get_project, one_dimension
    from app.services.results.asking.asking_comparison import asking_result
    from app.services.runtime.workbench import open_workbench
    from app.services.scoring.asking_runs import (
        AskingOptions,
        asking_forecast,
        asking_runs,
        start_asking,
        work_on_asking,
    )

    workbench = open_workbench()
    target, on = get_project(workbench, project), one_dimension(workbench, project, dimension)
    model = chosen_model_options(max_output_tokens, timeout, effort)
    options = AskingOptions(on, judge, version, texts, seed, budget, model)
    if dry_run:
        _print_forecast(asking_forecast(workbench, target.id, options), json_)
        return
    runs = [run.id for run in start_asking(workbench, target.id, options).values()]
    with runs_end_on_signals() as interruption:
        reports = work_on_asking(
            workbench,
            runs,
            budget,
            concurrency,
            progress_sayer(),
            stopped=lambda: interruption.signal_number is not None,
        )
    result = asking_result(workbench, target.id, on.id, asking_runs(workbench, target.id, options))
    if json_:
        print_json(result.to_json())
    else:
        _print(result)
    interruption.exit_if_any()
    for report in reports:
        if report.fatal is not None:
            raise report.fatal
    if not result.whole:
        say(f"Some texts lack a score; the same command on {shlex.quote(project)} goes on with them")
        raise typer.Exit(3)


def _print_forecast(found: "Mapping[AskingWay, Estimate]", json_: bool) -> None:
    costs = [each.cost_usd for each in found.values()]
    total = {
        "calls": sum(each.calls for each in found.values()),
        "calls_cached": sum(each.calls_cached for each in found.values()),
        "input_tokens": sum(each.input_tokens for each in found.values()),
        "output_tokens_estimate": sum(each.output_tokens_estimate for each in found.values()),
        "cost_usd": None if None in costs else sum(cost or 0.0 for cost in costs),
    }
    if json_:
        print_json(
            {"ways": {way.value: {name: each.to_json()[name] for name in total} for way, each in found.items()}} | total
        )
        return
    rows = [[way.words, *(each.to_json()[name] for name in total)] for way, each in found.items()]
    echo(
        table(
            ["asked", "calls", "answered before", "tokens in", "tokens out", "US dollars"],
            [*rows, ["all three", *total.values()]],
        )
    )


def _print(found: "AskingResult") -> None:
    from app.domain.asking_way import AskingWay

    if found.verdict is None or found.comparison is None:
        echo(found.problem)
        return
    echo(found.verdict.sentence)
    rows = []
    for way in AskingWay:
        figures, cost = found.comparison.ways[way], found.costs[way]
        accuracy = figures.accuracy.percent if figures.accuracy else None
        of_people = [figures.spearman, figures.kendall, accuracy, figures.yes.percent]
        rows.append(
            [
                found.runs[way].id,
                way.words,
                *of_people,
                *_whole(cost.calls, cost.input_tokens, cost.output_tokens),
                cost.cost_usd,
            ]
        )
    headings = ["run", "asked", "Spearman", "Kendall", "as most experts", "yes"]
    echo("")
    echo(table([*headings, "calls", "tokens in", "tokens out", "US dollars"], rows))
    echo("Calls, tokens and dollars are for 1,000 texts.\n")
    echo(f"Asked alone, {found.comparison.changed.percent} of the answers change.")
    for said in (*found.beside, *found.cautions):
        echo(said)
    changes = [
        [question.text, change.alone.percent, change.reversed.percent]
        for question, change in zip(found.questions, found.comparison.by_question, strict=True)
    ]
    echo("")
    echo(table(["question", "changed alone", "changed in reversed order"], changes))


def _whole(*values: float | None) -> list[int | None]:
    return [None if value is None else round(value) for value in values]
