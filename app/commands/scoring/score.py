"""score: start or resume runs of a method over texts."""

import shlex
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from app.commands.shared import (
    BatchFallbackOption,
    BatchOption,
    DaskOption,
    DimensionOption,
    EffortOption,
    JsonOption,
    ProjectOption,
    RoomOption,
    TierOption,
    TimeoutOption,
    chosen_batch,
    chosen_model_options,
    counted,
    counts_table,
    echo,
    open_project,
    print_json,
    read_date,
    runs_end_on_signals,
    say,
    say_where_of,
    table,
    warn_of_end,
)
from app.domain.project import Dimension
from app.domain.run import WARN_AFTER, RunSummary
from app.domain.text_filter import SystemChoice, TextFilter
from app.errors import InputError, NothingNewError
from app.limits import CONCURRENCY
from app.meta_evaluation.score_matrix import COEFFICIENTS

if TYPE_CHECKING:
    from app.services.results.results import Trials
    from app.services.runtime.workbench import Workbench
    from app.services.scoring.draws import DrawCheck
    from app.services.scoring.runs import RunOptions, RunReport


_SUMS_OF_MONEY = ("cost_usd", "cache_saves_usd", "batch_usd", "at_once_usd")


def read_draw(written: str | None) -> tuple[int, int] | None:
    """Return (documents, systems of each) from `40x4`, None for None. Raises InputError."""
    if written is None:
        return None
    parts = written.lower().replace("×", "x").split("x")
    if len(parts) != 2 or not all(part.strip().isdecimal() and int(part) > 0 for part in parts):
        raise InputError(f"“{written}” is no draw.", "Write documents x systems, for example 40x4.")
    return int(parts[0]), int(parts[1])


def print_estimate(workbench: "Workbench", project_id: int, options: "RunOptions", json_: bool) -> None:
    """Print what a run would ask and cost; for a draw, also how it compares with all texts."""
    from app.services.scoring.draws import check_draws
    from app.services.scoring.forecast import estimate

    trials = options.each_trial()
    found = [estimate(workbench, project_id, trial) for trial in trials]
    checks = check_draws(workbench, project_id, options)
    if json_:
        print_json(
            found[0].to_json()
            | {
                "calls": sum(each.calls for each in found),
                "calls_cached": sum(each.calls_cached for each in found),
                "input_tokens": sum(each.input_tokens for each in found),
                "output_tokens_estimate": sum(each.output_tokens_estimate for each in found),
                "cache_read_tokens": sum(each.cache_read_tokens for each in found),
                **{name: _together([getattr(each, name) for each in found]) for name in _SUMS_OF_MONEY},
                **({"samples": [check.to_json() for check in checks]} if options.drawn else {}),
            }
        )
        return
    for trial, each in zip(trials, found, strict=True):
        echo(f"Seed {trial.seed}: {each}" if len(trials) > 1 else str(each))
    print_checks(checks)


def _together(sums: "Sequence[float | None]") -> float | None:
    """Return the sum, None if a value is unknown."""
    return None if None in sums else sum(each or 0.0 for each in sums)


def print_checks(checks: "Sequence[DrawCheck]") -> None:
    """Print how each draw compares with all texts, and the worth of its figures."""
    for check in checks:
        ks = check.ks
        echo(
            f"{check.dimension.name}, seed {check.seed}: {ks.n_drawn} of {ks.n_all} rated texts, largest gap between "
            f"the distributions of ratings {ks.statistic:.3f} (Kolmogorov-Smirnov, p = {ks.p_value:.2f})"
        )
        for caution in check.cautions:
            echo(f"  {caution}")


def trials_of_runs(
    workbench: "Workbench", project_id: int, dimensions: "Sequence[Dimension]", runs: Sequence[int]
) -> dict[str, "Trials"]:
    """Return dimension -> the trials that include these runs."""
    from app.services.results.results import trials_of

    found = {}
    for dimension in dimensions:
        for group in trials_of(workbench, project_id, dimension):
            if {run.id for run in group.runs} & set(runs):
                found[dimension.name] = group
    return found


def spread_document(groups: dict[str, "Trials"]) -> dict[str, Any]:
    document: dict[str, Any] = {}
    for name, group in groups.items():
        document[name] = {"runs": [run.id for run in group.runs]}
        for coefficient in COEFFICIENTS:
            mean, sd = group.spread(coefficient) or (None, None)
            document[name][coefficient] = {"values": group.values(coefficient), "mean": mean, "sd": sd}
    return document


_COMPARED = ("evaluator", "judge", "checklist", "sample", "seed", "draw", "locked", "trials", "dry_run", "reuse")


def ready_to_resume(
    context: typer.Context, workbench: "Workbench", project_id: int, run_id: int, options: "RunOptions"
) -> None:
    """Prepare a run to be resumed, waiting until nobody else works on it. Raises InputError for options that differ
    from the run's."""
    from app.services.runtime.judges import set_model_options
    from app.services.scoring.runs import check_can_resume, set_budget, wait_until_free
    from app.services.scoring.scoring_jobs import check_same_run

    check_can_resume(workbench, project_id, run_id)
    check_same_run(workbench, run_id, _given(context, options))
    if options.budget is not None:
        set_budget(workbench, run_id, options.budget)
    set_model_options(workbench, run_id, options.model)
    wait_until_free(workbench, run_id, wait_printer(run_id))


def _given(context: typer.Context, options: "RunOptions") -> dict[str, Any]:
    """Return the options that were typed, without defaults."""
    typed = {name for name in context.params if _is_typed(context, name)}
    given = {name: context.params[name] for name in _COMPARED if name in typed} | {"settings": options.settings}
    if "dimension" in typed:
        given["dimension"] = {dimension.name for dimension in options.dimensions}
    if "no_cache" in typed:
        given["use_cache"] = options.use_cache
    if options.batch:
        given["batch"] = options.batch
    if options.model.effort:
        given["effort"] = options.model.effort
    return given


def _is_typed(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def wait_printer(run_id: int) -> "Callable[[float], None]":
    """Return a function that prints how long another program may still work on the run."""

    def say_seconds(seconds: float) -> None:
        say(f"Run {run_id} may still be worked on elsewhere. Going on in {seconds:.0f} s without a sign of life.")

    return say_seconds


_SHOWN = 10
PANELS = {
    "What is scored": {
        *("project", "dimension", "checklist", "sample", "seed", "draw", "system", "without_system", "new", "since"),
        *("filter_", "trials", "locked", "resume"),
    },
    "How": {
        *("evaluator", "judge", "reasons", "repeats", "soft", "per_question", "setting", "effort"),
        *("max_output_tokens", "timeout", "check_drift", "warn_after"),
    },
    "Cost": {"dry_run", "budget", "no_cache", "reuse", "batch", "batch_fallback", "tier"},
    "Where": {"concurrency", "processes", "dask", "json_"},
}


def score(
    context: typer.Context,
    project: ProjectOption,
    dimension: DimensionOption = "all",
    evaluator: Annotated[str, typer.Option(help="The method; a wrong name lists them all.")] = "checklist",
    judge: Annotated[
        str | None, typer.Option(help="provider:name; rules without it. Methods that ask no judge say so and go on.")
    ] = None,
    checklist: Annotated[int | None, typer.Option(help="The published version; the newest without it.")] = None,
    sample: Annotated[
        float,
        typer.Option(help="A share of the texts, stratified by human score; --draw keeps several of each document."),
    ] = 1.0,
    seed: Annotated[int, typer.Option(help="Draws the texts.")] = 1,
    draw: Annotated[str | None, typer.Option(help="Documents x systems of each instead of a share: 40x4.")] = None,
    system: Annotated[list[str] | None, typer.Option(help="Only the texts of this system; repeat for more.")] = None,
    without_system: Annotated[
        list[str] | None, typer.Option(help="A system whose texts are not scored; repeat for more.")
    ] = None,
    new: Annotated[
        bool, typer.Option("--new", help="Only texts without a score of this method, judge and checklist version.")
    ] = False,
    since: Annotated[
        str, typer.Option(metavar="DATE", help="Only texts that were imported on this day or later: 2026-11-26.")
    ] = "",
    filter_: Annotated[
        list[str] | None,
        typer.Option(
            "--filter",
            help="Only texts whose doc_id, system_id, item_id or column of their file fits: doc_id=night-*; repeat.",
        ),
    ] = None,
    trials: Annotated[int, typer.Option(min=1, help="So many runs; trial t draws with seed + t.")] = 1,
    locked: Annotated[bool, typer.Option("--locked", help="Score the held-out split, and only that.")] = False,
    concurrency: Annotated[int, typer.Option(min=1, help="How many texts at a time.")] = CONCURRENCY,
    processes: Annotated[int, typer.Option(min=1, help="With so many Dask workers on this machine.")] = 1,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what it would ask and cost, and stop.")] = False,
    reasons: Annotated[
        bool, typer.Option("--reasons", help="Checklist: ask for a short reason with each answer.")
    ] = False,
    repeats: Annotated[
        int | None, typer.Option(min=1, help="Checklist: ask each question so often; above 1 at temperature 1.")
    ] = None,
    soft: Annotated[bool, typer.Option("--soft", help="Checklist: also P(yes) from log-probabilities.")] = False,
    per_question: Annotated[
        bool, typer.Option("--per-question", help="Checklist: one call per question, not per text.")
    ] = False,
    max_output_tokens: RoomOption = None,
    timeout: TimeoutOption = None,
    effort: EffortOption = "",
    tier: TierOption = "",
    budget: Annotated[float | None, typer.Option(help="Stop at so many US dollars; with --resume, raise it.")] = None,
    no_cache: Annotated[bool, typer.Option("--no-cache", help="Ask again what was answered before.")] = False,
    reuse: Annotated[
        bool,
        typer.Option(help="Of a newer checklist version, ask only the questions that changed since an earlier run."),
    ] = True,
    setting: Annotated[
        list[str] | None, typer.Option("--set", help="An option of the method, as name=value; repeat for more.")
    ] = None,
    resume: Annotated[
        int | None, typer.Option(help="Go on with this run, as it was started: only what is missing or failed.")
    ] = None,
    batch: BatchOption = False,
    batch_fallback: BatchFallbackOption = False,
    check_drift: Annotated[
        bool, typer.Option("--check-drift", help="First ask the judge about its anchors: did it change? (See `drift`.)")
    ] = False,
    warn_after: Annotated[
        int, typer.Option(min=1, help="Texts after which a judge is named that gives every text the same answers.")
    ] = WARN_AFTER,
    dask: DaskOption = None,
    json_: JsonOption = False,
) -> None:
    """Score every text: a judge answers the checklist, or another method does its work.

    Example: interacteval score --project News --dimension all --judge openai:gpt-6-luna --draw 40x4
    """
    from app.cluster import check_dask
    from app.services.data.projects import dimensions_named, dimensions_to_use
    from app.services.scoring.evaluators import asks_a_judge
    from app.services.scoring.runs import RunOptions, start_runs

    if processes > 1:
        if dask is not None:
            raise InputError("--processes and --dask name different workers.", "Give one of the two.")
        check_dask()
    flags = {"reasons": reasons, "soft": soft, "per_question": per_question}
    written = [(name, "yes") for name, wanted in flags.items() if wanted]
    if repeats is not None:
        written.append(("repeats", str(repeats)))
    if judge is not None and not asks_a_judge(evaluator):
        say(f"{evaluator} asks no judge: {judge} is not used.")
    workbench, target = open_project(project)
    find_dimensions = dimensions_to_use if resume is None else dimensions_named
    options = RunOptions(
        dimensions=tuple(find_dimensions(workbench, project, dimension)),
        judge=judge or "rules",
        evaluator=evaluator,
        version=checklist,
        share=sample,
        seed=seed,
        budget=budget,
        use_cache=not no_cache,
        settings=(*written, *read_settings(setting or ())),
        locked=locked,
        reuse=reuse,
        draw=read_draw(draw),
        systems=SystemChoice(tuple(system or ()), tuple(without_system or ())),
        filter=TextFilter(new, read_date(since) if since else None, read_settings(filter_ or (), "a filter")),
        trials=trials,
        model=chosen_model_options(max_output_tokens, timeout, effort, tier),
        batch=chosen_batch(batch, batch_fallback),
    )
    if resume is not None and options.filter.params():
        raise InputError(
            f"Run {resume} has its texts already: --resume can't choose others.",
            "Leave out --new, --since and --filter.",
        )
    if resume is not None:
        ready_to_resume(context, workbench, target.id, resume, options)
    elif options.filter.params() and _nothing_new(workbench, target.id, options, dry_run, json_):
        return
    if dry_run:
        print_estimate(workbench, target.id, options, json_)
        return
    if check_drift:
        _look_ahead(workbench, target.id, options)
    if resume is None and options.judge.startswith("llama:"):
        _warn_of_window(workbench, target.id, options)
    run_ids = [resume] if resume is not None else start_runs(workbench, target.id, (options,))
    if judge is not None and asks_a_judge(evaluator):
        warn_of_end(judge)
    if resume is None:
        _say_samples(workbench, target.id, options.dimensions)
    trials_of = (target.id, options.dimensions)
    carry_out(
        workbench, run_ids, concurrency, json_=json_, trials_of=trials_of, processes=processes, warn_after=warn_after
    )


def _nothing_new(workbench: "Workbench", project_id: int, options: "RunOptions", dry_run: bool, json_: bool) -> bool:
    """Return whether no text fits the filter. It is printed and counts as success, so that a nightly script
    continues."""
    from app.services.scoring.runs import plan_run

    try:
        plan_run(workbench, project_id, options.each_trial()[0])
    except NothingNewError as error:
        say(error.message)
        asked = {"calls": 0, "calls_cached": 0, "input_tokens": 0, "cost_usd": 0.0}
        run: dict[str, Any] = {
            **{"run": None, "evaluator": options.evaluator, "variant": "", "judge": options.judge, "status": "done"},
            **{"dimensions": {}, "maybe_paid_twice": 0, "retries": 0, "output_tokens": 0, "replies_mended": 0},
            **{"logprobs": None, "warnings": [], "seconds": 0.0},
        }
        if json_:
            print_json(asked | {"output_tokens_estimate": 0} if dry_run else run | asked)
        return True
    return False


def _warn_of_window(workbench: "Workbench", project_id: int, options: "RunOptions") -> None:
    """Warn of requests that are longer than the model's context, without stopping."""
    from app.services.scoring.forecast import forecast

    said = {forecast(workbench, project_id, trial).estimate.too_long for trial in options.each_trial()}
    for warning in sorted(filter(None, said)):
        say(warning)


def _say_samples(workbench: "Workbench", project_id: int, dimensions: "Sequence[Dimension]") -> None:
    """Print why a run has fewer texts than the project."""
    from app.services.think_aloud.samples import sample_exclusion_counts

    for dimension in dimensions:
        out = sample_exclusion_counts(workbench, project_id, dimension.id)
        if out.texts:
            whole = "" if out.alone else ", or share their source with one that was"
            say(f"{dimension.name}: {out.texts} of {out.all} texts stay out: they were shown as samples{whole}")


def _look_ahead(workbench: "Workbench", project_id: int, options: "RunOptions") -> None:
    """Print whether the judge changed, without stopping; the user decides whether to score anyway."""
    from app.services.drift.drift_checks import anchors_ahead, look_ahead

    asked = anchors_ahead(workbench, (options,))
    none = f"{options.judge} has no anchors here. `interacteval drift --freeze` makes them."
    with runs_end_on_signals() as interruption:
        say(look_ahead(workbench, project_id, asked) if asked else none)
    interruption.exit_if_any()


def carry_out(
    workbench: "Workbench",
    run_ids: "Sequence[int]",
    concurrency: int = CONCURRENCY,
    *,
    json_: bool,
    trials_of: "tuple[int, Sequence[Dimension]] | None" = None,
    processes: int = 1,
    warn_after: int = WARN_AFTER,
) -> None:
    """Work on the runs one after the other, and report. Exits with status 3 if a text has no score; raises the error if
    nothing can be scored until the user changes something.

    trials_of: the project and dimensions of which the runs are trials.
    """
    from app.services.scoring.runs import work_on

    reports = []
    with runs_end_on_signals() as interruption:
        for run_id in run_ids:
            on_progress = _with_warning(progress_printer(), workbench, warn_after)
            reports.append(work_on(workbench, run_id, concurrency, on_progress, processes))
            if not json_:
                _print_report(workbench, reports[-1])
            if interruption.signal_number is not None:
                break
    groups = trials_of_runs(workbench, *trials_of, run_ids) if trials_of and len(run_ids) > 1 else {}
    if json_:
        documents = [_report_document(workbench, report) for report in reports]
        for report in reports:
            _say_failures(workbench, report.run, _for_the_person(report))
        print_json({"trials": documents, "spread": spread_document(groups)} if len(run_ids) > 1 else documents[0])
    elif groups:
        rows: list[list[object]] = []
        for name, group in groups.items():
            mean, sd = group.spread("spearman") or (None, None)
            values = group.values("spearman")
            lowest, highest = (min(values), max(values)) if values else (None, None)
            rows.append([name, ", ".join(str(run.id) for run in group.runs), mean, sd, lowest, highest])
        echo(table(["dimension", "runs", "Spearman, mean", "sd over trials", "lowest", "highest"], rows))
    interruption.exit_if_any()
    for report in reports:
        if report.fatal is not None and _for_the_person(report):
            raise report.fatal
    if any(report.run.failed or report.run.done < report.run.all for report in reports):
        raise typer.Exit(3)


def _for_the_person(report: "RunReport") -> bool:
    """Return whether the run ended with an error that only the user can fix, such as a key or an address."""
    return report.fatal is not None and report.fatal.exit_status == InputError.exit_status


def read_settings(written: "Sequence[str]", what: str = "an option of a method") -> tuple[tuple[str, str], ...]:
    """Return (name, value) of each `name=value`. Raises InputError."""
    pairs = [entry.partition("=") for entry in written]
    for entry, (name, sign, value) in zip(written, pairs, strict=True):
        if not (name and sign and value):
            raise InputError(f"“{entry}” is not {what}.", "Write it as name=value.")
    return tuple((name.strip(), value.strip()) for name, _, value in pairs)


def progress_printer() -> "Callable[[RunSummary], None]":
    """Return a function that prints a run's progress whenever it has changed."""
    said = ""

    def on_progress(run: "RunSummary") -> None:
        nonlocal said
        now = f"run {run.id}: {run.done} of {run.all}" + (f", {run.failed} failed" if run.failed else "")
        if now + run.message != said:
            say(f"{now}. {run.message}" if run.message else now)
        said = now + run.message

    return on_progress


def _with_warning(
    on_progress: "Callable[[RunSummary], None]", workbench: "Workbench", warn_after: int
) -> "Callable[[RunSummary], None]":
    """Return `on_progress` extended by one warning about the run's first answers, while it can still be stopped."""
    from app.services.scoring.runs import answer_warnings

    looked = False

    def warn(run: "RunSummary") -> None:
        nonlocal looked
        on_progress(run)
        if looked or run.done < warn_after * len(run.dimensions) or run.done == run.all:
            return
        looked = True
        for warning in answer_warnings(workbench, run.id, warn_after):
            say(f"{warning.message} Ctrl-C stops the run before the rest is paid.")

    return warn


def _report_document(workbench: "Workbench", report: "RunReport") -> dict[str, object]:
    from app.services.results.result_texts import run_counts
    from app.services.scoring.run_labels import LOGPROBS, variant_words
    from app.services.scoring.runs import answer_warnings

    run, tally = report.run, report.tally
    return {
        "run": run.id,
        "evaluator": run.evaluator,
        "variant": variant_words(run),
        "judge": run.judge,
        "status": run.status.value,
        "dimensions": run_counts(workbench, run.id),
        "calls": tally.calls,
        "calls_cached": tally.cached,
        "maybe_paid_twice": run.maybe_paid_twice,
        "retries": report.retries,
        "input_tokens": tally.usage.input_tokens,
        "output_tokens": tally.usage.output_tokens,
        "replies_mended": tally.mended,
        "logprobs": run.params.get(LOGPROBS),
        "cost_usd": tally.cost_usd,
        "warnings": [warning.to_json() for warning in answer_warnings(workbench, run.id)],
        "seconds": round(report.seconds, 3),
    }


def _print_report(workbench: "Workbench", report: "RunReport") -> None:
    from app.services.results.result_texts import run_counts
    from app.services.scoring.run_labels import logprobs_remark, method_label
    from app.services.scoring.runs import answer_warnings

    run = report.run
    echo(f"Run {run.id} ({method_label(run)}, {run.judge}): {run.done} of {run.all} scored, {run.status.value}")
    echo(counts_table(run_counts(workbench, run.id)))
    if remark := logprobs_remark(run):
        say(remark)
    for warning in answer_warnings(workbench, run.id):
        say(warning.message)
    if run.maybe_paid_twice:
        say(f"may have been paid twice: {run.maybe_paid_twice:,} calls, under way when a program ended")
    if mended := report.tally.mended:
        say(f"{counted(mended, 'reply', 'replies')} held characters that can't be stored; \ufffd stands in their place")
    _say_failures(workbench, run, _for_the_person(report))


def _say_failures(workbench: "Workbench", run: "RunSummary", raised: bool = False) -> None:
    from app.services.scoring.runs import failures_of

    if run.message and not raised:  # else it is said last
        say(run.message)
    failures = failures_of(workbench, run.id)
    for text, _, kind, message in failures[:_SHOWN]:
        say(f"text {text} failed ({kind}): {message}")
    say_where_of(kind for _, _, kind, _ in failures[:_SHOWN])
    again = f"`interacteval score --project {shlex.quote(run.project)} --resume {run.id}`"
    if failures:
        say(f"{len(failures)} failed; {again} tries them again")
    if waiting := run.all - run.done - run.failed:
        say(f"{waiting} not scored yet; {again} scores them")
