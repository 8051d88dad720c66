"""score, and runs list, show, cancel, record."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from app.commands.method_comparison import bias, quality
from app.commands.output import DimensionOption, JsonOption, ProjectOption, print_json, say, table
from app.commands.run_comparison import compare
from app.commands.trials import print_estimate, print_spread, read_draw, spread_document, trials_of_runs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.domain.run import RunSummary
    from app.services.scoring import RunReport
    from app.services.workbench import Workbench

RunArgument = Annotated[int, typer.Argument(help="The run's number.")]
AnyRunArgument = Annotated[int | None, typer.Argument(help="The run's number; the project's newest without it.")]
OfProjectOption = Annotated[str | None, typer.Option("--project", help="The project whose newest run is meant.")]
_SHOWN = 10


def register(root: typer.Typer) -> None:
    root.command()(score)
    runs = typer.Typer(no_args_is_help=True, help="Look at scoring runs, or stop one.")
    runs.command("list")(list_)
    runs.command()(show)
    runs.command()(cancel)
    runs.command()(record)
    runs.command()(compare)
    runs.command()(quality)
    runs.command()(bias)
    root.add_typer(runs, name="runs")


def score(
    project: ProjectOption,
    dimension: DimensionOption = "all",
    evaluator: Annotated[str, typer.Option(help="The method; a wrong name lists them all.")] = "checklist",
    judge: Annotated[str, typer.Option(help="provider:name, or rules; methods without a judge ignore it.")] = "rules",
    checklist: Annotated[int | None, typer.Option(help="The published version; the newest without it.")] = None,
    sample: Annotated[float, typer.Option(help="The share of the texts, stratified by human score.")] = 1.0,
    seed: Annotated[int, typer.Option(help="Draws the sample.")] = 1,
    draw: Annotated[str | None, typer.Option(help="Documents x systems of each instead of a share: 40x4.")] = None,
    trials: Annotated[int, typer.Option(min=1, help="So many runs; trial t draws with seed + t.")] = 1,
    locked: Annotated[bool, typer.Option("--locked", help="Score the locked test split, and only that.")] = False,
    concurrency: Annotated[int, typer.Option(min=1, help="How many texts at a time.")] = 32,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what it would ask and cost, and stop.")] = False,
    reasons: Annotated[bool, typer.Option("--reasons", help="Ask for a short reason with each answer.")] = False,
    repeats: Annotated[int, typer.Option(min=1, help="Ask each question so often; above 1 at temperature 1.")] = 1,
    soft: Annotated[bool, typer.Option("--soft", help="Also P(yes) from log-probabilities.")] = False,
    per_question: Annotated[bool, typer.Option("--per-question", help="One call per question, not per text.")] = False,
    budget: Annotated[float | None, typer.Option(help="Stop at so many US dollars; with --resume, raise it.")] = None,
    no_cache: Annotated[bool, typer.Option("--no-cache", help="Ask again what was answered before.")] = False,
    reuse: Annotated[
        bool,
        typer.Option(help="Of a newer checklist version, ask only the questions that changed since an earlier run."),
    ] = True,
    setting: Annotated[
        list[str] | None, typer.Option("--set", help="An option of the method, as name=value; repeat for more.")
    ] = None,
    resume: Annotated[int | None, typer.Option(help="Go on with this run: only what is missing or failed.")] = None,
    json_: JsonOption = False,
) -> None:
    """Score every text: a judge answers the checklist, or another method does its work.

    Example: interacteval score --project News --dimension all --evaluator checklist --judge openai:gpt-4o --sample 0.1
    """
    from app.services.projects import dimensions_named, get_project
    from app.services.scoring import JudgeOptions, RunOptions, check_can_resume, set_budget, start_runs, work_on
    from app.services.workbench import open_workbench

    workbench = open_workbench()
    target = get_project(workbench, project)
    dimensions = tuple(dimensions_named(workbench, project, dimension))
    asking = JudgeOptions(reasons, repeats, soft, per_question)
    given = read_settings(setting or ())
    options = RunOptions(
        dimensions=dimensions,
        judge=judge,
        evaluator=evaluator,
        version=checklist,
        sample=sample,
        seed=seed,
        asking=asking,
        budget=budget,
        use_cache=not no_cache,
        settings=given,
        locked=locked,
        reuse=reuse,
        draw=read_draw(draw),
        trials=trials,
    )
    if dry_run:
        print_estimate(workbench, target.id, options, json_)
        return
    if resume is not None:
        check_can_resume(workbench, target.id, resume)
        if budget is not None:
            set_budget(workbench, resume, budget)
    run_ids = [resume] if resume is not None else start_runs(workbench, target.id, (options,))
    reports = []
    for run_id in run_ids:
        reports.append(work_on(workbench, run_id, concurrency, _progress))
        if not json_:
            _print_report(workbench, reports[-1])
    groups = trials_of_runs(workbench, target.id, dimensions, run_ids) if len(run_ids) > 1 else {}
    if json_:
        documents = [_report_document(workbench, report) for report in reports]
        for report in reports:
            _say_failures(workbench, report.run)
        print_json({"trials": documents, "spread": spread_document(groups)} if len(run_ids) > 1 else documents[0])
    elif groups:
        print_spread(groups)
    if any(report.run.failed or report.run.done < report.run.all for report in reports):
        raise typer.Exit(3)


def read_settings(written: "Sequence[str]") -> tuple[tuple[str, str], ...]:
    """(name, value) of each `name=value`. Raises InputError."""
    from app.errors import InputError

    pairs = [entry.partition("=") for entry in written]
    for entry, (name, sign, value) in zip(written, pairs, strict=True):
        if not (name and sign and value):
            raise InputError(f"“{entry}” is not an option of a method.", "Write it as name=value.")
    return tuple((name.strip(), value.strip()) for name, _, value in pairs)


def _progress(run: "RunSummary") -> None:
    failed = f", {run.failed} failed" if run.failed else ""
    say(f"run {run.id}: {run.done} of {run.all}{failed}")


def _report_document(workbench: "Workbench", report: "RunReport") -> dict[str, object]:
    from app.services.results import run_counts

    run, tally = report.run, report.tally
    return {
        "run": run.id,
        "evaluator": run.evaluator,
        "judge": run.judge,
        "status": run.status.value,
        "dimensions": run_counts(workbench, run.id),
        "calls": tally.calls,
        "calls_cached": tally.cached,
        "retries": report.retries,
        "input_tokens": tally.usage.input_tokens,
        "output_tokens": tally.usage.output_tokens,
        "cost_usd": tally.cost_usd,
        "seconds": round(report.seconds, 3),
    }


def _print_report(workbench: "Workbench", report: "RunReport") -> None:
    from app.services.results import run_counts

    run = report.run
    typer.echo(f"Run {run.id} ({run.evaluator}, {run.judge}): {run.done} of {run.all} scored, {run.status.value}")
    rows = [[name, *counts.values()] for name, counts in run_counts(workbench, run.id).items()]
    typer.echo(table(["dimension", "scored", "failed", "unanswered", "coverage"], rows))
    _say_failures(workbench, run)


def _say_failures(workbench: "Workbench", run: "RunSummary") -> None:
    from app.services.scoring import failures_of

    if run.message:
        say(run.message)
    failures = failures_of(workbench, run.id)
    for text, _, kind, message in failures[:_SHOWN]:
        say(f"text {text} failed ({kind}): {message}")
    if failures:
        say(f"{len(failures)} failed; `interacteval score --project {run.project} --resume {run.id}` tries them again")


def list_(
    project: Annotated[str | None, typer.Option(help="One project's runs; all without it.")] = None,
    json_: JsonOption = False,
) -> None:
    """All runs, newest first.

    Example: interacteval runs list --project News
    """
    from app.services.projects import get_project
    from app.services.scoring import list_runs
    from app.services.workbench import open_workbench

    workbench = open_workbench()
    found = list_runs(workbench, get_project(workbench, project).id if project else None)
    if json_:
        print_json([_document(run) for run in found])
    else:
        rows = [
            [r.id, r.project, r.evaluator, r.judge, ", ".join(r.dimensions), r.status.value, r.done, r.all]
            for r in found
        ]
        typer.echo(table(["run", "project", "evaluator", "judge", "dimensions", "status", "done", "all"], rows))


def show(run: AnyRunArgument = None, project: OfProjectOption = None, json_: JsonOption = False) -> None:
    """One run, dimension by dimension.

    Example: interacteval runs show 3
    """
    from app.services.results import run_counts
    from app.services.scoring import get_run
    from app.services.spending import run_spending
    from app.services.workbench import open_workbench

    workbench = open_workbench()
    run = _meant(workbench, run, project)
    found = get_run(workbench, run)
    counts, spent = run_counts(workbench, run), run_spending(workbench, run)
    if json_:
        print_json(
            {
                **_document(found),
                "failed": found.failed,
                "message": found.message,
                "calls": spent.calls,
                "calls_cached": spent.calls_cached,
                "input_tokens": spent.input_tokens,
                "cached_tokens": spent.cached_tokens,
                "cache_write_tokens": spent.cache_write_tokens,
                "output_tokens": spent.output_tokens,
                "cost_usd": spent.cost_usd,
                "by_dimension": counts,
            }
        )
        return
    typer.echo(f"Run {found.id} of {found.project}: {found.evaluator}, {found.judge}, {found.status.value}")
    typer.echo(
        table(
            ["dimension", "scored", "failed", "unanswered", "coverage"], [[n, *c.values()] for n, c in counts.items()]
        )
    )
    cost = "an unknown price" if spent.cost_usd is None else f"${spent.cost_usd:,.4f}"
    typer.echo(
        f"{spent.calls:,} calls paid, {spent.calls_cached:,} answered before: {spent.input_tokens:,} tokens in "
        f"({spent.cached_tokens:,} of them cached), {spent.output_tokens:,} out; {cost}"
    )


def cancel(run: AnyRunArgument = None, project: OfProjectOption = None) -> None:
    """Ask a run to stop; what it has is kept and it can be resumed.

    Example: interacteval runs cancel 3
    """
    from app.services.scoring import get_run, stop_run
    from app.services.workbench import open_workbench

    workbench = open_workbench()
    run = _meant(workbench, run, project)
    found = get_run(workbench, run)
    if found.active:
        stop_run(workbench, run)
        typer.echo(f"Asked run {run} to stop.", err=True)
    else:
        typer.echo(f"Run {run} isn't going on: it is {found.status.value}.", err=True)


def _meant(workbench: "Workbench", run: int | None, project: str | None) -> int:
    """The run that was named, else the newest of the project."""
    from app.errors import InputError, NotFoundError
    from app.services.projects import get_project
    from app.services.scoring import list_runs

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
    output: Annotated[Path, typer.Option(help="Where to write the calls, one JSON object a line.")],
    json_: JsonOption = False,
) -> None:
    """Write a run's calls to a file that answers again without a network, as the judge replay:FILE.

    Example: interacteval runs record 3 --output calls.jsonl
    """
    from app.services.recordings import record_run
    from app.services.workbench import open_workbench

    calls = record_run(open_workbench(), run, output)
    if json_:
        print_json({"run": run, "output": str(output), "calls": calls})
    else:
        typer.echo(f"Wrote {calls:,} calls of run {run}. Use them with --judge replay:{output}")


def _document(run: "RunSummary") -> dict[str, object]:
    return {
        "run": run.id,
        "project": run.project,
        "evaluator": run.evaluator,
        "judge": run.judge,
        "dimensions": list(run.dimensions),
        "status": run.status.value,
        "done": run.done,
        "all": run.all,
        "started": run.started.isoformat(),
    }
