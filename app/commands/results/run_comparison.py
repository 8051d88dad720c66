"""runs compare: which of several runs agrees better with people."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from app.commands.output import JsonOption, ProjectOption, echo, print_json, say, table
from app.meta_evaluation.score_matrix import COEFFICIENTS, RESAMPLES, Constant, Level

if TYPE_CHECKING:
    from app.services.results.run_comparison import RunComparison

DimensionOption = Annotated[str, typer.Option("--dimension", help="The dimension whose scores are compared.")]


def compare(
    project: ProjectOption,
    dimension: DimensionOption,
    baseline: Annotated[int, typer.Option(help="The run the others are compared with.")],
    run: Annotated[list[int] | None, typer.Option(help="A run to compare; repeat for more. All others without it.")] = (
        None
    ),
    level: Annotated[Level, typer.Option(help="per-source, dataset or system.")] = "per-source",
    constant: Annotated[Constant, typer.Option(help="Sources without an order: left out, or counted as 0.")] = "skip",
    resamples: Annotated[int, typer.Option(min=0, help="Bootstrap resamples; 0 for no intervals.")] = RESAMPLES,
    permutations: Annotated[int, typer.Option(min=0, help="Of the permutation test.")] = 10_000,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same figures.")] = 0,
    output: Annotated[Path | None, typer.Option(help="Write the table too (.csv, .tex).", show_default=False)] = None,
    json_: JsonOption = False,
) -> None:
    """Do other runs agree better with people than a baseline, on the texts they share?

    Example: interacteval runs compare --project News --dimension coherence --baseline 3 --run 5 --run 6
    """
    from app.services.data.projects import get_project, one_dimension
    from app.services.results.result_files import write_comparisons
    from app.services.results.results import Choices
    from app.services.results.run_comparison import compare_runs, score_sets, sets_named
    from app.services.runtime.workbench import open_workbench

    workbench = open_workbench()
    target, on = get_project(workbench, project), one_dimension(workbench, project, dimension)
    everything = [found.run.id for found in score_sets(workbench, target.id, on.id)]
    wanted = [one for one in run or everything if one != baseline]
    first, *others = sets_named(workbench, target.id, on.id, [baseline, *wanted])
    choices = Choices(level, constant, resamples=resamples, seed=seed)
    found = compare_runs(workbench, on.id, first, others, choices, permutations)
    if output is not None and found:
        write_comparisons(output, found)
        say(f"Wrote {output}.")
    if json_:
        print_json([_document(each, on.name) for each in found])
    elif found:
        _print(found)
    else:
        echo("There is no other run with scores on this dimension.")


def _document(each: "RunComparison", dimension: str) -> dict[str, Any]:
    return {
        "dimension": dimension,
        "baseline": each.baseline.run.id,
        "run": each.other.run.id,
        "shared": each.shared,
        "only_baseline": each.only_baseline,
        "only_run": each.only_other,
        "problem": each.problem,
        **(each.comparison.to_json() if each.comparison else {}),
    }


def _print(found: "list[RunComparison]") -> None:
    made = sum(1 for each in found if each.comparison is not None)
    for each in found:
        names = f"run {each.other.run.id}", f"run {each.baseline.run.id}"
        left = each.only_baseline + each.only_other
        out = f"; {left} texts scored in only one of the two are left out" if left else ""
        echo(f"A = {names[0]}, B = {names[1]}")
        if each.comparison is not None:
            echo(f"{each.comparison.caption}{out}")
            rows = [
                [
                    name.capitalize(),
                    tested.figure.a,
                    tested.figure.b,
                    tested.figure.difference,
                    tested.figure.low,
                    tested.figure.high,
                    tested.permutation.p,
                    tested.p_holm,
                    tested.williams.p,
                    tested.fisher.p,
                ]
                for name in COEFFICIENTS
                for tested in [each.comparison.differences[name]]
            ]
            headings = ["", "A", "B", "A - B", "from", "to", "p", "p (Holm)", "p (Williams)", "p (Fisher)"]
            echo(table(headings, rows))
            echo(str(each.comparison.signature))
        echo(f"Spearman: {each.verdict('spearman', *names, made)}\n")
    for caution in dict.fromkeys(caution for each in found if each.comparison for caution in each.comparison.cautions):
        echo(f"- {caution}")
