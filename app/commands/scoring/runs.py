"""runs list, show, compare, wait, cancel and record."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from app.commands.scoring.score import carry_out, wait_printer
from app.commands.shared import (
    JsonOption,
    ProjectOption,
    counts_table,
    echo,
    open_dimension,
    open_workbench,
    p_cell,
    print_json,
    runs_end_on_signals,
    say,
    table,
)
from app.domain.run import RunSummary
from app.errors import InputError, NotFoundError
from app.meta_evaluation.bootstrap import RESAMPLES
from app.meta_evaluation.score_matrix import COEFFICIENTS, Constant, Level

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
    """Test whether other runs agree better with people than a baseline, on the texts they share.

    Example: interacteval runs compare --project News --dimension coherence --baseline 3 --run 5 --run 6
    """
    from app.services.data.projects import get_project
    from app.services.results.result_files import write_comparisons
    from app.services.results.results import Choices
    from app.services.results.run_comparison import compare_runs, score_sets, sets_named

    workbench, on = open_dimension(project, dimension)
    target = get_project(workbench, project)
    everything = [found.run.id for found in score_sets(workbench, target.id, on.id)]
    wanted = [one for one in run or everything if one != baseline]
    first, *others = sets_named(workbench, target.id, on.id, [baseline, *wanted])
    choices = Choices(level, constant, resamples=resamples, seed=seed)
    found = compare_runs(workbench, on.id, first, others, choices, permutations)
    if output is not None and found:
        write_comparisons(output, found)
        say(f"Wrote {output}.")
    if json_:
        print_json([_comparison_document(each, on.name) for each in found])
    elif found:
        _print(found)
    else:
        echo("There is no other run with scores on this dimension.")


def _comparison_document(each: "RunComparison", dimension: str) -> dict[str, Any]:
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
                    *map(p_cell, (tested.permutation.p, tested.p_holm, tested.williams.p, tested.fisher.p)),
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


if TYPE_CHECKING:
    from app.domain.model_call import ProviderBatch
    from app.services.runtime.workbench import Workbench

RunArgument = Annotated[int, typer.Argument(help="The run's number.")]
AnyRunArgument = Annotated[int | None, typer.Argument(help="The run's number; the project's newest without it.")]
OfProjectOption = Annotated[str | None, typer.Option("--project", help="The project whose newest run is meant.")]


def _judge(run: "RunSummary") -> str:
    return "–" if run.judge == "none" else run.judge


def list_(
    project: Annotated[str | None, typer.Option(help="One project's runs; all without it.")] = None,
    json_: JsonOption = False,
) -> None:
    """List all runs, newest first.

    Example: interacteval runs list --project News
    """
    from app.services.data.projects import get_project
    from app.services.scoring.run_labels import method_label
    from app.services.scoring.runs import list_runs

    workbench = open_workbench()
    found = list_runs(workbench, get_project(workbench, project).id if project else None, anchors=True)
    if json_:
        print_json([_document(run) for run in found])
    else:
        rows = [
            [r.id, r.project, method_label(r), _judge(r), ", ".join(r.dimensions), r.status.value, r.done, r.all]
            for r in found
        ]
        echo(table(["run", "project", "evaluator", "judge", "dimensions", "status", "done", "all"], rows))


def show(run: AnyRunArgument = None, project: OfProjectOption = None, json_: JsonOption = False) -> None:
    """Show one run, dimension by dimension.

    Example: interacteval runs show 3
    """
    from app.domain.model_call import OPEN
    from app.services.results.result_texts import run_counts
    from app.services.runtime.spending import run_spending
    from app.services.scoring.run_labels import method_label
    from app.services.scoring.runs import get_run
    from app.services.scoring.scoring_jobs import batches_of_run

    workbench = open_workbench()
    run = _meant(workbench, run, project)
    found = get_run(workbench, run)
    counts, spent = run_counts(workbench, run), run_spending(workbench, run)
    batches = batches_of_run(workbench, run)
    if json_:
        print_json(
            {
                **_document(found),
                "failed": found.failed,
                "message": found.message,
                "calls": spent.calls,
                "calls_cached": spent.calls_cached,
                "maybe_paid_twice": found.maybe_paid_twice,
                "input_tokens": spent.input_tokens,
                "cached_tokens": spent.cached_tokens,
                "cache_write_tokens": spent.cache_write_tokens,
                "output_tokens": spent.output_tokens,
                "cost_usd": spent.cost_usd,
                "by_dimension": counts,
                **({"batches": [_batch_document(each) for each in batches]} if batches else {}),
            }
        )
        return
    echo(f"Run {found.id} of {found.project}: {method_label(found)}, {_judge(found)}, {found.status.value}")
    if found.message:
        echo(found.message)
    echo(counts_table(counts))
    cost = "an unknown price" if spent.cost_usd is None else f"${spent.cost_usd:,.4f}"
    echo(
        f"{spent.calls:,} calls paid, {spent.calls_cached:,} answered before: {spent.input_tokens:,} tokens in "
        f"({spent.cached_tokens:,} of them cached), {spent.output_tokens:,} out; {cost}"
    )
    if found.maybe_paid_twice:
        echo(f"May have been paid twice: {found.maybe_paid_twice:,} (under way when a program ended, and asked again)")
    for each in batches:
        since = f" since {each.out_at.astimezone():%Y-%m-%d %H:%M}" if each.out_at and each.status in OPEN else ""
        echo(f"Batch of {each.requests:,} requests: {each.status.value}{since}, {each.answered:,} back")


def wait(
    run: RunArgument,
    batch_fallback: Annotated[
        bool, typer.Option("--batch-fallback", help="Hand nothing more in: ask at once what isn't at the provider.")
    ] = False,
    json_: JsonOption = False,
) -> None:
    """Wait for a run's batch and score its answers; a run without a batch is resumed.

    Example: interacteval runs wait 3
    """
    from app.services.runtime.batch_rounds import AT_ONCE
    from app.services.scoring.runs import get_run, wait_until_free
    from app.services.scoring.scoring_jobs import ask_rest

    workbench = open_workbench()
    get_run(workbench, run)
    if batch_fallback:
        ask_rest(workbench, run, AT_ONCE)
    wait_until_free(workbench, run, wait_printer(run))
    carry_out(workbench, [run], json_=json_)


def cancel(run: AnyRunArgument = None, project: OfProjectOption = None) -> None:
    """Ask a run to stop; its scores are kept and it can be resumed.

    Its batches are cancelled at the provider, even if the program that submitted them has ended; answers received so
    far are kept.

    Example: interacteval runs cancel 3
    """
    from app.services.scoring.runs import get_run, stop_run
    from app.services.scoring.scoring_jobs import cancel_batches, has_open_batches

    workbench = open_workbench()
    run = _meant(workbench, run, project)
    found = get_run(workbench, run)
    if found.active:
        stop_run(workbench, run)
        echo(f"Asked run {run} to stop.", err=True)
        return
    echo(f"Run {run} isn't going on: it is {found.status.value}.", err=True)
    if not has_open_batches(workbench, run):
        return
    with runs_end_on_signals() as interruption:
        cancelled = cancel_batches(workbench, run)
    echo(str(cancelled), err=True)
    if cancelled.ending:
        echo(f"`interacteval runs cancel {run}` once more, or `runs wait {run}`, collects the rest.", err=True)
    interruption.exit_if_any()


def _meant(workbench: "Workbench", run: int | None, project: str | None) -> int:
    """Return the given run, by default the project's newest."""
    from app.services.data.projects import get_project
    from app.services.scoring.runs import list_runs

    if run is not None:
        return run
    if project is None:
        raise InputError("No run is named.", "Give its number, or --project for the project's newest.")
    runs = list_runs(workbench, get_project(workbench, project).id)
    if not runs:
        raise NotFoundError(f"“{project}” has no runs yet.", "`interacteval score` starts one.")
    return runs[0].id


def record(
    run: RunArgument,
    output: Annotated[Path, typer.Option(help="Where to write the calls, one JSON object per line.")],
    json_: JsonOption = False,
) -> None:
    """Write a run's calls to a file, from which the judge replay:FILE answers without a network.

    Example: interacteval runs record 3 --output calls.jsonl
    """
    from app.services.scoring.recordings import record_run

    calls = record_run(open_workbench(), run, output)
    if json_:
        print_json({"run": run, "output": str(output), "calls": calls})
    else:
        echo(f"Wrote {calls:,} calls of run {run}. Use them with --judge replay:{output}")


def _batch_document(batch: "ProviderBatch") -> dict[str, object]:
    return {
        "status": batch.status.value,
        "requests": batch.requests,
        "answered": batch.answered,
        "out_at": batch.out_at.isoformat() if batch.out_at else None,
    }


def _document(run: "RunSummary") -> dict[str, object]:
    from app.services.scoring.run_labels import variant_words

    return {
        "run": run.id,
        "project": run.project,
        "evaluator": run.evaluator,
        "variant": variant_words(run),
        **({"condition": run.study} if run.study else {}),
        **({"asking_way": run.asking_way.value} if run.asking_way else {}),
        "judge": run.judge,
        "dimensions": list(run.dimensions),
        "status": run.status.value,
        "done": run.done,
        "all": run.all,
        "started": run.started.isoformat(),
    }
