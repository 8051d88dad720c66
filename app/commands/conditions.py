"""conditions run, show: the same judge with checklists from single, several and all contributors."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from app.commands.output import DimensionOption, JsonOption, ProjectOption, echo, print_json, say, table
from app.meta_evaluation.choices import Level

if TYPE_CHECKING:
    from app.domain.project import Project
    from app.services.condition_figures import ConditionFigures, FamilyDifference, StudyFigures
    from app.services.condition_study import StudyOptions
    from app.services.workbench import Workbench

Families = Annotated[
    str, typer.Option("--conditions", help="Of sl, sh, ml, mh, comb, without (one contributor), with commas; all.")
]
ModelOption = Annotated[str, typer.Option(help="Builds the checklists: provider:name, or rules.")]
JudgeOption = Annotated[str, typer.Option(help="Answers them: provider:name, or rules.")]
SampleOption = Annotated[float, typer.Option(help="The share of the texts, stratified by human score.")]
SeedOption = Annotated[int, typer.Option(help="Draws the sample.")]
ComponentsOption = Annotated[int, typer.Option(help="At most so many components a checklist, 3 to 9.")]


def register(root: typer.Typer) -> None:
    conditions = typer.Typer(
        no_args_is_help=True, help="Compare checklists from single, several and all contributors with one judge."
    )
    conditions.command()(run)
    conditions.command()(show)
    root.add_typer(conditions, name="conditions")


def run(
    project: ProjectOption,
    dimension: DimensionOption = "all",
    conditions: Families = "all",
    model: ModelOption = "rules",
    judge: JudgeOption = "rules",
    sample: SampleOption = 1.0,
    seed: SeedOption = 1,
    components: ComponentsOption = 5,
    budget: Annotated[float | None, typer.Option(help="Stop at so many US dollars.")] = None,
    concurrency: Annotated[int, typer.Option(min=1, help="How many texts at a time.")] = 32,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what it would ask and cost, and stop.")] = False,
    json_: JsonOption = False,
) -> None:
    """Build and score what is missing; what is there already is neither made nor paid again.

    Example: interacteval conditions run --project News --model openai:gpt-4o --judge openai:gpt-4o --sample 0.1
    """
    from app.services.condition_estimate import estimate_study
    from app.services.condition_running import run_study
    from app.services.condition_study import plan_study

    workbench, target, options = _study(project, dimension, conditions, model, judge, sample, seed, components, budget)
    if dry_run:
        found = estimate_study(workbench, options, plan_study(workbench, target, options))
        print_json(found.to_json()) if json_ else echo(str(found))
        return
    report = run_study(
        workbench, target, options, lambda what, done, all_: say(f"{done}/{all_} {what}"), None, concurrency
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
    if report.missing:
        raise typer.Exit(3)


def show(
    project: ProjectOption,
    dimension: DimensionOption = "all",
    conditions: Families = "all",
    model: ModelOption = "rules",
    judge: JudgeOption = "rules",
    sample: SampleOption = 1.0,
    seed: SeedOption = 1,
    components: ComponentsOption = 5,
    level: Annotated[Level, typer.Option(help="per-source, dataset or system.")] = "per-source",
    permutations: Annotated[int, typer.Option(min=0, help="Of the permutation test.")] = 2000,
    json_: JsonOption = False,
) -> None:
    """Agreement with people by condition, and which conditions are told apart, of what has been scored.

    Example: interacteval conditions show --project News --model openai:gpt-4o --judge openai:gpt-4o --sample 0.1
    """
    from app.services.condition_figures import study_figures
    from app.services.condition_study import plan_study

    workbench, target, options = _study(project, dimension, conditions, model, judge, sample, seed, components, None)
    plan = plan_study(workbench, target, options)
    found = study_figures(workbench, plan, level, permutations)
    if json_:
        print_json(_document(found))
    else:
        _print(found, len(plan.to_score))


def _progress(what: str, done: int, steps: int) -> None:
    say(f"{done} of {steps}: {what}")


def _study(
    project: str,
    dimension: str,
    conditions: str,
    model: str,
    judge: str,
    sample: float,
    seed: int,
    components: int,
    budget: float | None,
) -> "tuple[Workbench, Project, StudyOptions]":
    from app.errors import InputError
    from app.services.condition_study import Family, StudyOptions
    from app.services.projects import dimensions_named, get_project
    from app.services.workbench import open_workbench

    known = {family.value: family for family in Family}
    names = list(known) if conditions == "all" else [name.strip() for name in conditions.split(",") if name.strip()]
    wrong = [name for name in names if name not in known]
    if wrong:
        raise InputError(f"“{wrong[0]}” is no kind of condition.", f"Use {', '.join(known)}, or all.")
    workbench = open_workbench()
    dimensions = tuple(dimensions_named(workbench, project, dimension))
    families = tuple(known[name] for name in names)
    options = StudyOptions(dimensions, model, judge, families, components, sample, seed, budget)
    return workbench, get_project(workbench, project), options


def _document(found: "StudyFigures") -> dict[str, Any]:
    return {
        "level": found.level,
        "conditions": [
            {
                "dimension": row.dimension.name,
                "condition": row.family.value,
                "left_out": row.name,
                "texts": found.shared[row.dimension.id],
                **{name: figure.to_json() for name, figure in row.figures.items()},
                "members": [
                    {
                        "condition": member.condition.key,
                        "run": member.run,
                        "checklist_version": member.version,
                        **{name: figure.to_json() for name, figure in member.figures.items()},
                    }
                    for member in row.members
                ],
            }
            for row in found.rows
        ],
        "differences": [
            {
                "dimension": each.first.dimension.name,
                "first": _key(each, first=True),
                "second": _key(each, first=False),
                **{name: tested.to_json() for name, tested in each.tested.items()},
            }
            for each in found.differences
        ],
        "left_out": {row.dimension.name: found.left_out[row.dimension.id] for row in found.rows},
        "problems": list(found.problems),
    }


def _key(each: "FamilyDifference", first: bool) -> str:
    row = each.first if first else each.second
    return f"{row.family.value}:{row.name}" if row.name else row.family.value


def _print(found: "StudyFigures", missing: int) -> None:
    from app.services.condition_figures import NOTES

    if missing:
        say(f"{missing} of the conditions are not scored yet: `interacteval conditions run` does it.")
    if not found.rows:
        echo("Nothing has been scored for these conditions yet.")
        return
    headings = ["dimension", "condition", "Spearman", "95 % from", "to", "Kendall", "checklists", "texts"]
    echo(table(headings, [_figures_row(row) for row in found.rows]))
    if found.differences:
        headings = ["dimension", "second less first", "Spearman", "95 % from", "to", "p", "p (Holm)", "z (Fisher)"]
        echo("\n" + table(headings, [_difference_row(each) for each in found.differences]))
    for note in (*found.problems, *NOTES):
        echo(f"- {note}")
    echo(str(found.rows[0].figures["spearman"].signature))


def _figures_row(row: "ConditionFigures") -> list[object]:
    name = f"{row.family.value.upper()}{f' {row.name}' if row.name else ''}"
    figure, kendall = row.figures["spearman"], row.figures["kendall"]
    counts = len(row.members), figure.n
    return [row.dimension.name, name, figure.value, figure.low, figure.high, kendall.value, *counts]


def _difference_row(each: "FamilyDifference") -> list[object]:
    tested = each.tested["spearman"]
    figure, fisher = tested.figure, tested.fisher
    return [
        each.first.dimension.name,
        f"{_key(each, first=True)} vs {_key(each, first=False)}",
        figure.difference,
        figure.low,
        figure.high,
        tested.permutation.p,
        None if tested.p_holm is None else f"{tested.p_holm:.4f}{tested.stars}",
        None if fisher.statistic is None else f"{fisher.statistic:.3f}{fisher.stars}",
    ]
