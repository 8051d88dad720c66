"""results."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from app.commands.model_asking import IntervalsDaskOption
from app.commands.output import JsonOption, ProjectOption, echo, print_json, say, shown_model, table
from app.commands.results.meta_eval import AtLevel, Resample, Resamples, Seed, WithConstant, WithDuplicates
from app.meta_evaluation.score_matrix import RESAMPLES

if TYPE_CHECKING:
    from app.services.results.contribution import Aspects, AspectWorth
    from app.services.results.results import DimensionResult


def register(root: typer.Typer) -> None:
    root.command()(results)


def results(
    project: ProjectOption,
    run: Annotated[
        list[int] | None,
        typer.Option(help="A run's number, repeatable; without it that with most texts of each method and judge."),
    ] = None,
    level: AtLevel = "per-source",
    duplicates: WithDuplicates = "once",
    constant: WithConstant = "skip",
    partial: Annotated[bool, typer.Option("--partial", help="texts with unanswered questions count too")] = False,
    soft: Annotated[
        bool, typer.Option("--soft", help="scores from the judge's P(yes), of runs that asked for it with --soft")
    ] = False,
    without_system: Annotated[
        list[str] | None, typer.Option(help="A system whose texts are not compared; repeat for more.")
    ] = None,
    resample: Resample = None,
    resamples: Resamples = RESAMPLES,
    seed: Seed = 0,
    dask: IntervalsDaskOption = None,
    json_: JsonOption = False,
    output: Annotated[
        Path | None, typer.Option(help="Write every score to FILE.csv or .parquet, an .html report, or a .tex table.")
    ] = None,
) -> None:
    """How well the scores agree with people; of CoAScore also what each aspect is worth.

    Example: interacteval results --project News --level per-source --output scores.csv
    """
    from app.domain.run import SystemChoice
    from app.errors import InputError
    from app.services.data.projects import get_project, overview
    from app.services.results.contribution import aspects_of
    from app.services.results.method_grid import dimension_means, method_labels, result_words
    from app.services.results.quality_cost import writers
    from app.services.results.result_files import verdict_of, write_results
    from app.services.results.results import Choices, newer_trial_words, results_of, runs_to_show
    from app.services.results.rubric_xray import rubric_xray
    from app.services.results.run_answers import quote_counts, report_evidence
    from app.services.runtime.workbench import open_workbench

    workbench = open_workbench()
    target = get_project(workbench, project)
    if level == "system" and not overview(workbench, target.id).systems:
        raise InputError("The texts of this project name no system.", "Use --level per-source or --level dataset.")
    runs = runs_to_show(workbench, target.id, run)
    systems = SystemChoice(without=tuple(without_system or ()))
    if without_system:
        systems.check(writers(workbench, target.id)[0])
    choices = Choices(level, constant, duplicates, partial, soft, resample, resamples, seed, systems)
    found = [result for run_id in runs for result in results_of(workbench, run_id, choices)]
    if soft:
        _check_soft(found)
    verdicts = [verdict_of(workbench, result) for result in found]
    quotes = [quote_counts(workbench, result.run.id, result.dimension.id) for result in found]
    if output is not None:
        write_results(
            output,
            target,
            found,
            verdicts,
            lambda: [rubric_xray(workbench, each) for each in found],
            lambda: [report_evidence(workbench, each) for each in found],
        )
        say(f"Wrote {output}")
    if json_:
        about = [aspects_of(workbench, result) for result in found]
        means = {mean.result.run.id: {"mean_over_dimensions": mean.to_json()} for mean in dimension_means(found)}
        labels = method_labels(found)
        print_json(
            [
                r.to_json()
                | {"method": labels[r.run.id]}
                | {"verdict": v.to_json(r.dimension.name)}
                | (a.to_json() if a else {})
                | means.get(r.run.id, {})
                | ({"quotes": q.to_json()} if q else {})
                for r, v, a, q in zip(found, verdicts, about, quotes, strict=True)
            ]
        )
    else:
        for result, verdict in zip(found, verdicts, strict=True):
            echo(verdict.about(result_words(result, found)))
        echo("")
        print_results(found, target.notice)
        for result, counted in zip(found, quotes, strict=True):
            if counted:
                echo(f"{result.dimension.name}, {shown_model(result.run.judge)}: quotes: {counted}")
        for result in found:
            _print_aspects(result, aspects_of(workbench, result))
    for name in dict.fromkeys(result.dimension.name for result in found):
        shown = [result.run for result in found if result.dimension.name == name]
        if trial := newer_trial_words(workbench, target.id, shown, name):
            say(trial)


def _check_soft(found: "list[DimensionResult]") -> None:
    """Raises InputError where no run can do it; says which can't where some can."""
    from app.errors import InputError

    without = sorted({result.run.id for result in found if not result.soft})
    if found and all(not result.soft for result in found):
        raise InputError(
            "None of these runs asked its judge for probabilities.", "Score with `score --soft`, or leave --soft out."
        )
    if without:
        say(f"Without probabilities, so still from the answers: run {', '.join(map(str, without))}.")


def _print_aspects(result: "DimensionResult", found: "Aspects | None") -> None:
    if found is None:
        return
    echo(f"\nAspects of {result.dimension.name}, run {result.run.id}, {found.level}: agreement with people")
    headings = ["aspect", "texts", "Spearman", "95 % from", "to", "Kendall", "Pearson", "with the score"]
    echo(table(headings, [_aspect_row(aspect) for aspect in found.aspects]))
    if found.pairs:
        echo("Aspects with each other:")
        echo(table(["aspect", "and", "Spearman"], [[pair.a, pair.b, pair.spearman] for pair in found.pairs]))


def _aspect_row(aspect: "AspectWorth") -> list[object]:
    from app.meta_evaluation.score_matrix import COEFFICIENTS

    spearman, kendall, pearson = (aspect.figures[name] for name in COEFFICIENTS)
    figures = spearman.value, spearman.low, spearman.high, kendall.value, pearson.value
    return [aspect.name, aspect.texts, *figures, aspect.with_score]


def print_results(found: "list[DimensionResult]", notice: str) -> None:
    """The grid of methods and dimensions for each figure, then what each result rests on."""
    from app.services.results.method_grid import (
        FIGURES,
        METHOD,
        cell,
        defined_figures,
        grid_notes,
        method_grid,
        result_words,
    )

    grid = method_grid(found)
    names = defined_figures(grid) or ["spearman"]
    for name in names:
        rows = [
            [row.label, ", ".join(map(str, row.runs)), *(cell(row.figure(column, name)) for column in grid.columns)]
            for row in grid.rows
        ]
        echo(FIGURES[name])
        echo(f"{table([METHOD, 'Runs', *grid.columns], rows)}\n")
    for note in grid_notes(grid, names):
        echo(note)
    echo("")
    for result in found:
        echo(f"{result_words(result, found)}: {result.meta.caption}")
        spearman = result.meta.figures["spearman"]
        if spearman.reason:
            lacking = "coefficient" if spearman.value is None else "interval"
            hint = " Try --level dataset." if result.dataset_may_help else ""
            echo(f"  No {lacking}: {spearman.reason}{hint}")
        for caution in result.meta.cautions:
            echo(f"  {caution}")
        echo(f"  {result.meta.signature}")
    if notice:
        echo(notice)
