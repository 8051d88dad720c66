"""conditions run, show, effect: the same judge with checklists from single, several and all contributors."""

import threading
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from app.commands.conditions.condition_effect import effect
from app.commands.conditions.condition_tables import print_figures, study_document
from app.commands.interruption import runs_end_on_signals
from app.commands.model_asking import EffortOption, RoomOption, TimeoutOption, chosen_model_options
from app.commands.output import DimensionOption, JsonOption, ProjectOption, echo, print_json, say
from app.commands.scoring.trials import print_checks, read_draw
from app.commands.shared_work import DaskOption
from app.meta_evaluation.choices import Level
from app.scoring.concurrency import CONCURRENCY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.domain.project import Project
    from app.domain.study import Family
    from app.services.conditions.study import StudyOptions, StudyPlan
    from app.services.runtime.workbench import Workbench

Families = Annotated[
    str, typer.Option("--conditions", help="Of sl, sh, ml, mh, comb, without (one contributor), with commas; all.")
]
ModelOption = Annotated[str, typer.Option(help="Builds the checklists: provider:name, or rules.")]
JudgeOption = Annotated[str, typer.Option(help="Answers them: provider:name, or rules.")]
ShareOption = Annotated[
    float,
    typer.Option(help="A share of the texts, stratified by human score; --draw keeps several texts of each document."),
]
SeedOption = Annotated[int, typer.Option(help="Draws the texts.")]
DrawOption = Annotated[str | None, typer.Option(help="Documents x systems of each, as the paper's code draws: 40x4.")]
TrialsOption = Annotated[int, typer.Option(min=1, help="So often, each on a draw of its own: trial t with seed + t.")]
ComponentsOption = Annotated[int, typer.Option(help="At most so many components a checklist, 3 to 9.")]
AS_BEFORE = "As the last study of the project without it."


def register(root: typer.Typer) -> None:
    conditions = typer.Typer(
        no_args_is_help=True, help="Compare checklists from single, several and all contributors with one judge."
    )
    conditions.command()(run)
    conditions.command()(show)
    conditions.command()(effect)
    root.add_typer(conditions, name="conditions")


def run(
    project: ProjectOption,
    dimension: DimensionOption = "all",
    conditions: Families = "all",
    model: ModelOption = "rules",
    judge: JudgeOption = "rules",
    sample: ShareOption = 1.0,
    seed: SeedOption = 1,
    draw: DrawOption = None,
    trials: TrialsOption = 1,
    components: ComponentsOption = 5,
    budget: Annotated[float | None, typer.Option(help="Stop at so many US dollars.")] = None,
    concurrency: Annotated[int, typer.Option(min=1, help="How many texts at a time.")] = CONCURRENCY,
    max_output_tokens: RoomOption = None,
    timeout: TimeoutOption = None,
    effort: EffortOption = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what it would ask and cost, and stop.")] = False,
    dask: DaskOption = None,
    json_: JsonOption = False,
) -> None:
    """Build and score what is missing; what is there already is neither made nor paid again.

    Example: interacteval conditions run --project News --model openai:gpt-4o --judge openai:gpt-4o --draw 40x4
    """
    from app.services.conditions.study import StudyOptions, plan_trials
    from app.services.conditions.study_worker import run_study
    from app.services.data.projects import dimensions_to_use, get_project
    from app.services.runtime.workbench import open_workbench

    workbench = open_workbench()
    target = get_project(workbench, project)
    options = StudyOptions(
        tuple(dimensions_to_use(workbench, project, dimension)),
        model,
        judge,
        _families(conditions),
        components,
        sample,
        seed,
        budget,
        read_draw(draw),
        trials,
        chosen_model_options(max_output_tokens, timeout, effort),
    )
    say(options.asked)
    if dry_run:
        _print_estimate(workbench, target, options, plan_trials(workbench, target, options), json_)
        return
    stop = threading.Event()
    with runs_end_on_signals(stop.set) as interruption:
        report = run_study(
            workbench, target, options, lambda what, done, all_: say(f"{done}/{all_} {what}"), stop, concurrency
        )
    if json_:
        print_json(
            {
                "built": report.built,
                "scored": report.scored,
                "missing": report.missing,
                "stopped": report.stopped,
                "cost_usd": report.cost_usd,
                "problems": list(report.problems),
            }
        )
    else:
        echo(str(report))
    interruption.exit_if_any()
    if report.missing:
        raise typer.Exit(3)


def show(
    project: ProjectOption,
    dimension: Annotated[str | None, typer.Option(help=f"A name; several with commas; all. {AS_BEFORE}")] = None,
    conditions: Annotated[str | None, typer.Option("--conditions", help=f"As in run. {AS_BEFORE}")] = None,
    model: Annotated[str | None, typer.Option(help=f"Built the checklists. {AS_BEFORE}")] = None,
    judge: Annotated[str | None, typer.Option(help=f"Answered them. {AS_BEFORE}")] = None,
    sample: Annotated[float | None, typer.Option(help=f"The share of the texts. {AS_BEFORE}")] = None,
    seed: Annotated[int | None, typer.Option(help=f"Drew the texts. {AS_BEFORE}")] = None,
    draw: Annotated[str | None, typer.Option(help=f"Documents x systems of each: 40x4. {AS_BEFORE}")] = None,
    trials: Annotated[int | None, typer.Option(min=1, help=f"How many. {AS_BEFORE}")] = None,
    components: Annotated[int | None, typer.Option(help=f"At most so many a checklist. {AS_BEFORE}")] = None,
    effort: Annotated[str | None, typer.Option(help=f"With which the LLMs were asked. {AS_BEFORE}")] = None,
    level: Annotated[Level, typer.Option(help="per-source, dataset or system.")] = "per-source",
    permutations: Annotated[int, typer.Option(min=0, help="Of the permutation test.")] = 2000,
    json_: JsonOption = False,
    output: Annotated[
        Path | None, typer.Option(help="Write every figure and comparison to FILE.csv, or as tables to FILE.tex.")
    ] = None,
) -> None:
    """Agreement with people by condition and contributor, and which conditions are told apart, of what has been scored.

    Example: interacteval conditions show --project News --output conditions.csv
    """
    from app.errors import InputError
    from app.services.conditions.study import plan_trials
    from app.services.conditions.study_trials import trial_figures, trial_figures_csv, trial_figures_latex
    from app.services.data.projects import get_project
    from app.services.runtime.output_file import output_file
    from app.services.runtime.workbench import open_workbench

    written = {".csv": trial_figures_csv, ".tex": trial_figures_latex}
    if output is not None and output.suffix.lower() not in written:
        raise InputError(f"Figures can't be written as “{output.name}”.", "End the name in .csv or .tex.")
    workbench = open_workbench()
    target = get_project(workbench, project)
    given = {
        "model": model,
        "judge": judge,
        "seed": seed,
        "trials": trials,
        "components": components,
        "effort": effort,
    }
    options = _shown(workbench, target, dimension, conditions, sample, read_draw(draw), given)
    plans = plan_trials(workbench, target, options)
    found = trial_figures(workbench, plans, level, permutations=permutations)
    if output is not None:
        with output_file(output) as path:
            path.write_bytes(written[output.suffix.lower()](found))
        say(f"Wrote {output}")
    if json_:
        print_json(study_document(found))
    elif output is None:
        elsewhere = sum(plan.elsewhere for plan in plans)
        print_figures(found, sum(len(plan.to_score) for plan in plans) - elsewhere, elsewhere)


def _families(written: str) -> "tuple[Family, ...]":
    from app.domain.study import Family
    from app.errors import InputError

    known = {family.value: family for family in Family}
    names = list(known) if written == "all" else [name.strip() for name in written.split(",") if name.strip()]
    wrong = [name for name in names if name not in known]
    if wrong:
        raise InputError(f"“{wrong[0]}” is no kind of condition.", f"Use {', '.join(known)}, or all.")
    return tuple(known[name] for name in names)


def _shown(
    workbench: "Workbench",
    project: "Project",
    dimension: str | None,
    conditions: str | None,
    sample: float | None,
    draw: "tuple[int, int] | None",
    given: "dict[str, str | int | None]",
) -> "StudyOptions":
    """The last study with what was given in its place; without one, what `run` does by itself."""
    from dataclasses import replace

    from app.services.conditions.study import StudyOptions, last_study
    from app.services.data.projects import dimensions_named

    last = last_study(workbench, project)
    dimensions = (
        () if last and dimension is None else tuple(dimensions_named(workbench, project.name, dimension or "all"))
    )
    options = last or StudyOptions(dimensions, "rules", "rules")
    changed: dict[str, object] = {name: value for name, value in given.items() if value is not None}
    if "effort" in changed:
        changed["asking"] = replace(options.asking, effort=str(changed.pop("effort")))
    if dimension is not None:
        changed["dimensions"] = dimensions
    if conditions is not None:
        changed["families"] = _families(conditions)
    if sample is not None or draw is not None:  # the one takes the other's place
        changed |= {"share": 1.0 if sample is None else sample, "draw": draw}
    if not replace(options, **changed, trials=1).as_run().drawn and given["trials"] is None:  # type: ignore[arg-type]
        changed["trials"] = 1
    options = replace(options, **changed)  # type: ignore[arg-type]
    if last:
        say(f"Shown: {options.words}")
    return options


def _print_estimate(
    workbench: "Workbench", project: "Project", options: "StudyOptions", plans: "Sequence[StudyPlan]", json_: bool
) -> None:
    from app.services.conditions.study import checks_of
    from app.services.conditions.study_forecast import estimate_study

    found, checks = estimate_study(workbench, options, plans), checks_of(workbench, project, plans)
    if json_:
        print_json(found.to_json() | ({"samples": [check.to_json() for check in checks]} if checks else {}))
        return
    echo(str(found))
    print_checks(checks)
