"""results."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from app.commands.results.meta_eval import AtLevel, Resample, Resamples, Seed, WithConstant, WithDuplicates
from app.commands.shared import (
    DimensionOption,
    IntervalsDaskOption,
    JsonOption,
    ProjectOption,
    echo,
    open_project,
    print_json,
    read_date,
    say,
    shown_model,
    table,
)
from app.domain.quotes import QuoteCounts
from app.domain.text_filter import SystemChoice
from app.errors import InputError
from app.meta_evaluation.bootstrap import RESAMPLES
from app.meta_evaluation.score_matrix import COEFFICIENTS

if TYPE_CHECKING:
    from app.meta_evaluation.agreement_verdict import AgreementVerdict
    from app.meta_evaluation.preferences import PairwiseAccuracy
    from app.services.results.contribution import Aspects, AspectWorth
    from app.services.results.gates import GateResult
    from app.services.results.results import DimensionResult
    from app.services.runtime.workbench import Workbench


def results(
    project: ProjectOption,
    dimension: DimensionOption = "all",
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
    require: Annotated[
        list[str] | None,
        typer.Option(
            help="Exit with status 4 where this isn't reached, by the worse end of the interval: spearman>=.6, "
            "yes(3)>=.9 (the share of yes to question 3), score>=3.5, mae<=1; repeat for more."
        ),
    ] = None,
    nightly: Annotated[
        bool,
        typer.Option(
            "--nightly",
            help="With --require: fail only where all runs together prove it, so that looking every night fails an "
            "unchanged judge in at most 5 % of projects.",
        ),
    ] = False,
    since: Annotated[
        str, typer.Option(metavar="DATE", help="With --nightly: runs from then on alone, as after a repair.")
    ] = "",
    resample: Resample = None,
    resamples: Resamples = RESAMPLES,
    seed: Seed = 0,
    dask: IntervalsDaskOption = None,
    json_: JsonOption = False,
    output: Annotated[
        Path | None, typer.Option(help="Write every score to FILE.csv or .parquet, an .html report, or a .tex table.")
    ] = None,
) -> None:
    """Show how well scores agree with people; for CoAScore also each aspect.

    Example: interacteval results --project News --level per-source --output scores.csv
    """
    from app.services.data.projects import dimensions_named, overview
    from app.services.results.method_grid import result_words
    from app.services.results.preferences import accuracy_on_pairs
    from app.services.results.result_files import verdicts_of, write_results
    from app.services.results.result_texts import quote_counts, report_evidence
    from app.services.results.results import Choices, left_out_words, newer_trial_words, results_of, runs_to_show
    from app.services.results.rubric_xray import rubric_xray
    from app.services.results.writer_bias import writers

    workbench, target = open_project(project)
    if level == "system" and not overview(workbench, target.id).systems:
        raise InputError("The texts of this project name no system.", "Use --level per-source or --level dataset.")
    runs = runs_to_show(workbench, target.id, run)
    systems = SystemChoice(without=tuple(without_system or ()))
    if without_system:
        systems.check(writers(workbench, target.id)[0])
    choices = Choices(level, constant, duplicates, partial, soft, resample, resamples, seed, systems)
    names = {each.name for each in dimensions_named(workbench, project, dimension)}
    found = [
        result for run_id in runs for result in results_of(workbench, run_id, choices) if result.dimension.name in names
    ]
    gates = _gates(workbench, found, require or (), nightly, since)
    if soft:
        _check_soft(found)
    verdicts = verdicts_of(workbench, found)
    quotes = [quote_counts(workbench, result.run.id, result.dimension.id) for result in found]
    pairs = [accuracy_on_pairs(workbench, result) for result in found]
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
        print_json(_documents(workbench, found, verdicts, quotes, pairs, gates if require else {}))
    else:
        _print(workbench, found, verdicts, quotes, target.notice)
        for result, accuracy in zip(found, pairs, strict=True):
            if accuracy:
                echo(f"{result_words(result, found)}: {accuracy.words}")
    for name in dict.fromkeys(result.dimension.name for result in found):
        shown = [result.run for result in found if result.dimension.name == name]
        if trial := newer_trial_words(workbench, target.id, shown, name):
            say(trial)
    if not run and (left_out := left_out_words(workbench, target.id)):
        say(left_out)
    _end(gates)


def _end(gates: "dict[tuple[int, str], list[GateResult]]") -> None:
    held = [gate for each in gates.values() for gate in each]
    for gate in held:
        say(gate.words)
    if not all(gate.passed for gate in held):
        raise typer.Exit(4)


def _print(
    workbench: "Workbench",
    found: "list[DimensionResult]",
    verdicts: "list[AgreementVerdict]",
    quotes: "list[QuoteCounts]",
    notice: str,
) -> None:
    from app.services.results.contribution import aspects_of
    from app.services.results.method_grid import result_words
    from app.services.results.raters import scores_on_rating_scale

    for result, verdict in zip(found, verdicts, strict=True):
        echo(verdict.about(result_words(result, found)))
    echo("")
    print_results(found, notice)
    for result, counted in zip(found, quotes, strict=True):
        if counted:
            echo(f"{result.dimension.name}, {shown_model(result.run.judge)}: quotes: {counted}")
    for result in found:
        if scale := scores_on_rating_scale(workbench, result):
            echo(f"{result_words(result, found)}: {scale.sentence}")
    for result in found:
        _print_aspects(result, aspects_of(workbench, result))


def _documents(
    workbench: "Workbench",
    found: "list[DimensionResult]",
    verdicts: "list[AgreementVerdict]",
    quotes: "list[QuoteCounts]",
    pairs: "list[PairwiseAccuracy | None]",
    gates: "dict[tuple[int, str], list[GateResult]]",
) -> list[dict[str, Any]]:
    """Return the results as JSON. gates: {} without gates."""
    from app.services.results.contribution import aspects_of
    from app.services.results.method_grid import dimension_means, method_labels
    from app.services.results.raters import scores_on_rating_scale

    about = [aspects_of(workbench, result) for result in found]
    scales = [scores_on_rating_scale(workbench, result) for result in found]
    means = {mean.result.run.id: {"mean_over_dimensions": mean.to_json()} for mean in dimension_means(found)}
    labels = method_labels(found)
    held = {place: {"gates": [gate.to_json() for gate in each]} for place, each in gates.items()}
    return [
        r.to_json()
        | {"method": labels[r.run.id]}
        | {"verdict": v.to_json(r.dimension.name)}
        | (a.to_json() if a else {})
        | means.get(r.run.id, {})
        | ({"quotes": q.to_json()} if q else {})
        | ({"preferences": p.to_json()} if p else {})
        | ({"peoples_scale": s.found.to_json()} if s else {})
        | held.get((r.run.id, r.dimension.name), {})
        for r, v, a, q, p, s in zip(found, verdicts, about, quotes, pairs, scales, strict=True)
    ]


def _gates(
    workbench: "Workbench", found: "list[DimensionResult]", require: "Sequence[str]", nightly: bool, since: str
) -> "dict[tuple[int, str], list[GateResult]]":
    """Return the checked gates. Raises InputError for an invalid gate, or one that doesn't fit these results."""
    from app.meta_evaluation.gates import Gate
    from app.services.results.gates import check_gates, check_nightly

    if (nightly and not require) or (since and not nightly):
        raise InputError("--nightly is about gates, and --since about nights.", "Give --require, and --nightly.")
    gates = [Gate.read(each) for each in require]
    if nightly:
        return check_nightly(workbench, found, gates, read_date(since) if since else None)
    return check_gates(workbench, found, gates)


def _check_soft(found: "list[DimensionResult]") -> None:
    """Raise InputError if no run has probabilities; name the runs without them if only some do."""
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
    spearman, kendall, pearson = (aspect.figures[name] for name in COEFFICIENTS)
    figures = spearman.value, spearman.low, spearman.high, kendall.value, pearson.value
    return [aspect.name, aspect.texts, *figures, aspect.with_score]


def print_results(found: "list[DimensionResult]", notice: str) -> None:
    """Print the grid of methods and dimensions for each figure, then what each result rests on."""
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
