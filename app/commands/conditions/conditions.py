"""conditions run, show, effect: the same judge with checklists from single, several and all contributors."""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from app.commands.scoring.score import print_checks, read_draw
from app.commands.shared import (
    DaskOption,
    DimensionOption,
    EffortOption,
    JsonOption,
    ProjectOption,
    RoomOption,
    TimeoutOption,
    chosen_model_options,
    echo,
    open_project,
    p_cell,
    print_json,
    runs_end_on_signals,
    say,
    shown_model,
    table,
    warn_of_end,
)
from app.domain.condition import Family
from app.domain.project import Project
from app.errors import InputError, NotReadyError
from app.limits import CONCURRENCY
from app.meta_evaluation.score_matrix import Level, Measure

if TYPE_CHECKING:
    from app.meta_evaluation.comparison import TestedDifference
    from app.meta_evaluation.evaluation import Figure
    from app.services.conditions.condition_effect import ConditionEffect
    from app.services.conditions.study import StudyOptions, StudyPlan
    from app.services.conditions.study_figures import (
        ConditionFigures,
        FamilyDifference,
        Member,
        StudyFigures,
        TrialFigures,
        TrialMean,
    )
    from app.services.runtime.workbench import Workbench


def study_document(sweep: "Mapping[int, TrialFigures]") -> dict[str, Any]:
    """Return the study's figures as JSON; those of several numbers of components as a list under "components"."""
    documents = {number: _trials_document(found) for number, found in sweep.items()}
    if len(documents) == 1:
        return documents.popitem()[1]
    return {"components": [{"components": number, **document} for number, document in documents.items()]}


def _trials_document(found: "TrialFigures") -> dict[str, Any]:
    """Return one trial's figures; those of several trials under "trials", with their "means"."""
    if not found.several:
        return _document(found.trials[0])
    return {
        "level": found.trials[0].level,
        "trials": [_document(trial) for trial in found.trials],
        "means": [mean.to_json() for mean in found.means],
    }


def _document(found: "StudyFigures") -> dict[str, Any]:
    return {
        "level": found.level,
        "seed": found.seed,
        "conditions": [{**_row_document(row), "texts": found.shared[row.dimension.id]} for row in found.rows],
        "averages": [_row_document(row) for row in found.averages],
        "differences": [
            {
                "dimension": each.first.dimension.name,
                "first": each.first.key,
                "second": each.second.key,
                **{name: tested.to_json() for name, tested in each.tested.items()},
            }
            for each in found.differences
        ],
        "left_out": {row.dimension.name: found.left_out[row.dimension.id] for row in found.rows},
        "problems": list(found.problems),
        "cautions": [
            {"dimension": caution.dimension.name, "conditions": list(caution.about), "caution": caution.text}
            for caution in found.cautions
        ],
    }


def _row_document(row: "ConditionFigures") -> dict[str, Any]:
    return {
        "dimension": row.dimension.name,
        "condition": row.family.value,
        "left_out": row.name,
        **{name: figure.to_json() for name, figure in row.figures.items()},
        "members": [
            {
                "condition": member.condition.key,
                "run": member.run or None,
                "checklist_version": member.version or None,
                **{name: figure.to_json() for name, figure in member.figures.items()},
            }
            for member in row.members
        ],
    }


def print_figures(sweep: "Mapping[int, TrialFigures]", missing: int, elsewhere: int = 0) -> None:
    """Print the figures of a study. missing: number of cells without scores. elsewhere: cells scored only on other
    texts."""
    from app.services.conditions.study_figures import MEANS
    from app.services.conditions.study_tables import SWEEP, sweep_table

    if elsewhere:
        say(
            f"{elsewhere} of the conditions were scored on other texts than these: on another draw, or before "
            "documents were locked or texts came in. `interacteval conditions run` scores these; what was answered "
            "isn't paid again."
        )
    if missing:
        say(f"{missing} of the conditions are not scored yet: `interacteval conditions run` does it.")
    if len(sweep) > 1 and any(trial.rows for found in sweep.values() for trial in found.trials):
        echo(table(*sweep_table(sweep)))
        echo(SWEEP)
        return
    found = next(iter(sweep.values()))
    if not any(trial.rows for trial in found.trials):
        echo("Nothing has been scored for these conditions yet.")
        return
    if found.several:
        rows = [_mean_row(mean) for mean in found.means]
        headings = [
            "dimension",
            "condition",
            "Spearman, mean",
            "sd",
            "Kendall, mean",
            "sd",
            "MAE, mean",
            "sd",
            "trials",
        ]
        echo(table(headings, rows))
        echo(MEANS)
    for number, trial in enumerate(found.trials, 1):
        if found.several:
            echo(f"\nTrial {number}, drawn with seed {trial.seed}")
        _print_trial(trial)


def _print_trial(found: "StudyFigures") -> None:
    from app.services.conditions.study_figures import NOTES, single_contributors

    if not found.rows:
        echo("Nothing has been scored yet.")
        return
    headings = ["dimension", "condition", "Spearman", "95 % from", "to", "Kendall", "MAE", "checklists", "texts"]
    rows = [
        line
        for row in found.with_averages
        for line in (_figures_row(row), *(_member_row(row, m) for m in single_contributors(row)))
    ]
    echo(table(headings, rows))
    for row in found.rows:
        for name, figure in ((row.label, row.figures["spearman"]), *_single(row)):
            if figure.reason:
                lacking = "coefficient" if figure.value is None else "interval"
                echo(f"- {row.dimension.name}, {name}: no {lacking}: {figure.reason}")
    if found.differences:
        headings = [
            "dimension",
            "difference (second − first)",
            "Spearman",
            "95 % from",
            "to",
            "p",
            "p (Holm)",
            "z (Fisher)",
            "Kendall",
            "z (Fisher)",
        ]
        echo("\n" + table(headings, [_difference_row(each) for each in found.differences]))
    for caution in found.cautions:
        about = f", {', '.join(caution.about)}" if caution.about else ""
        echo(f"- {caution.dimension.name}{about}: {caution.text}")
    for note in (*found.problems, *NOTES):
        echo(f"- {note}")
    echo(str(found.rows[0].figures["spearman"].signature))


def _mean_row(mean: "TrialMean") -> list[object]:
    name = f"  {mean.member.condition.name} alone" if mean.member else mean.row.label
    figures = [value for measure in ("spearman", "kendall", "mae") for value in mean.spread(measure)]
    trials = f"{len(mean.known('spearman'))} of {len(mean.values['spearman'])}"
    return [mean.row.dimension.name, name, *figures, trials]


def _figures_row(row: "ConditionFigures") -> list[object]:
    return [row.dimension.name, row.label, *_shown_figures(row.figures), row.checklists, row.figures["spearman"].n]


def _member_row(row: "ConditionFigures", member: "Member") -> list[object]:
    name = f"  {member.condition.name} alone"
    return [
        row.dimension.name,
        name,
        *_shown_figures(member.figures),
        1 if member.run else None,
        member.figures["spearman"].n,
    ]


def _shown_figures(figures: "Mapping[Measure, Figure]") -> list[float | None]:
    spearman = figures["spearman"]
    return [spearman.value, spearman.low, spearman.high, figures["kendall"].value, figures["mae"].value]


def _single(row: "ConditionFigures") -> "list[tuple[str, Figure]]":
    from app.services.conditions.study_figures import single_contributors

    return [(f"{member.condition.name} alone", member.figures["spearman"]) for member in single_contributors(row)]


def _difference_row(each: "FamilyDifference") -> list[object]:
    tested, kendall = each.tested["spearman"], each.tested["kendall"]
    figure = tested.figure
    return [
        each.first.dimension.name,
        f"{each.first.label} vs {each.second.label}",
        figure.difference,
        figure.low,
        figure.high,
        p_cell(tested.permutation.p),
        None if tested.p_holm is None else f"{tested.p_holm:.4f}{tested.stars}",
        _z(tested),
        kendall.figure.difference,
        _z(kendall),
    ]


def _z(tested: "TestedDifference") -> str | None:
    fisher = tested.fisher
    return None if fisher.statistic is None else f"{fisher.statistic:.3f}{fisher.stars}"


def effect(
    project: ProjectOption,
    dimension: DimensionOption = "all",
    level: Annotated[Level, typer.Option(help="per-source, dataset or system.")] = "per-source",
    embedding: Annotated[
        str,
        typer.Option(help="For the cosine: lsa (nothing leaves this machine), local, openai:MODEL or google:MODEL."),
    ] = "lsa",
    json_: JsonOption = False,
) -> None:
    """Show the similarity of each condition's attributes and its agreement with people, on the same texts.

    Example: interacteval conditions effect --project News --dimension coherence --json
    """
    from app.providers.credentials import Credentials
    from app.services.attributes.embedding_choice import open_embedding
    from app.services.conditions.condition_effect import condition_draws, effect_of_conditions
    from app.services.data.projects import dimensions_named
    from app.settings import settings

    workbench, target = open_project(project)
    space = open_embedding(embedding, Credentials.from_settings(settings()))
    found: dict[str, list[ConditionEffect]] = {}
    refused: dict[str, list[str]] = {}
    for each in dimensions_named(workbench, project, dimension):
        there = condition_draws(workbench, target.id, each.id)
        refused[each.name] = [refusal.sentence() for refusal in there.refused]
        found[each.name] = [
            effect_of_conditions(workbench, target.id, each.id, draw, level, space) for draw in there.draws
        ]
    if not any(found.values()):
        sentences = [f"{name}: {sentence}" for name, said in refused.items() for sentence in said]
        why = " ".join(sentences) or "No text was scored with the checklist of a condition yet."
        raise NotReadyError(why, "`interacteval conditions run` scores all conditions on the same texts.")
    if json_:
        print_json([_effect_document(name, level, embedding, found[name], refused[name]) for name in found])
        return
    for name, effects in found.items():
        for sentence in refused[name]:
            say(f"{name}: {sentence}")
        for one in effects:
            _print(name, one)
    echo(f"Likeness: 1 = the same, 0 = nothing in common. Cosine of {embedding}.")
    echo("So few points show a tendency at most.")


def _effect_document(
    dimension: str, level: Level, embedding: str, effects: "list[ConditionEffect]", refused: list[str]
) -> dict[str, Any]:
    return {
        "dimension": dimension,
        "level": level,
        "embedding": embedding,
        "draws": [one.to_json() for one in effects],
        "refused": refused,
    }


def _print(dimension: str, found: "ConditionEffect") -> None:
    from app.services.conditions.condition_effect import FEWEST_CONDITIONS, MEASURES

    echo(f"{dimension}, {shown_model(found.draw.judge)}: {found.shared:,} of {found.draw.words}")
    rows = []
    for point in found.points:
        alike = [getattr(point.similarity, measure) for measure in MEASURES]
        figure = point.spearman
        rows.append([point.condition, point.attributes, *alike, figure.value, figure.low, figure.high, point.run])
    headings = ["condition", "attributes", "ROUGE-L", "Jaccard", "cosine", "Spearman", "95 % from", "to", "run"]
    echo(table(headings, rows))
    values = [found.correlation(measure) for measure in MEASURES]
    if any(value is not None for value in values):
        said = zip(("ROUGE-L", "Jaccard", "cosine"), values, strict=True)
        over = ", ".join(f"{name} {'none' if value is None else f'{value:.2f}'}" for name, value in said)
        echo(f"Likeness with agreement over {len(found.points)} conditions (Spearman): {over}")
    else:
        echo(f"A correlation over conditions needs at least {FEWEST_CONDITIONS} that differ.")
    for remark in found.remarks():
        echo(f"- {remark}")


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
ComponentsOption = Annotated[
    str, typer.Option(help="At most so many components a checklist, 3 to 9; several as 3-9 or 3,5,7.")
]
AS_BEFORE = "As the last study of the project without it."


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
    components: ComponentsOption = "5",
    budget: Annotated[float | None, typer.Option(help="Stop at so many US dollars.")] = None,
    concurrency: Annotated[int, typer.Option(min=1, help="How many texts at a time.")] = CONCURRENCY,
    max_output_tokens: RoomOption = None,
    timeout: TimeoutOption = None,
    effort: EffortOption = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what it would ask and cost, and stop.")] = False,
    dask: DaskOption = None,
    json_: JsonOption = False,
) -> None:
    """Build and score what is missing; existing results are reused.

    Example: interacteval conditions run --project News --model openai:gpt-6-luna --judge openai:gpt-6-luna --draw 40x4
    """
    from app.services.conditions.study import StudyOptions, plan_trials
    from app.services.conditions.study_worker import run_study
    from app.services.data.projects import dimensions_to_use

    workbench, target = open_project(project)
    numbers = _numbers(components)
    options = StudyOptions(
        tuple(dimensions_to_use(workbench, project, dimension)),
        model,
        judge,
        _families(conditions),
        numbers[0],
        sample,
        seed,
        budget,
        read_draw(draw),
        trials,
        chosen_model_options(max_output_tokens, timeout, effort),
        numbers if len(numbers) > 1 else (),
    )
    say(options.asked)
    if dry_run:
        _print_estimate(workbench, target, options, plan_trials(workbench, target, options), json_)
        return
    for asked in dict.fromkeys((model, judge)):
        warn_of_end(asked)
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
    components: Annotated[
        str | None, typer.Option(help=f"At most so many a checklist, or several: 3-9. {AS_BEFORE}")
    ] = None,
    effort: Annotated[str | None, typer.Option(help=f"With which the LLMs were asked. {AS_BEFORE}")] = None,
    level: Annotated[Level, typer.Option(help="per-source, dataset or system.")] = "per-source",
    permutations: Annotated[int, typer.Option(min=0, help="Of the permutation test.")] = 2000,
    group: Annotated[
        list[str] | None,
        typer.Option(
            help="NAME=DIMENSION,DIMENSION: a mean over these as well; repeat for more. Without it InteractEval's "
            "groups, where they are there."
        ),
    ] = None,
    json_: JsonOption = False,
    output: Annotated[
        Path | None,
        typer.Option(
            help="Write every figure and comparison to FILE.csv, or as tables to FILE.tex; several numbers of "
            "components also as a picture to FILE.svg."
        ),
    ] = None,
) -> None:
    """Show agreement with people by condition and contributor, and which conditions differ significantly.

    Example: interacteval conditions show --project News --output conditions.csv
    """
    from app.services.conditions.study import plan_trials
    from app.services.conditions.study_figures import OF_THE_PAPER, sweep_figures
    from app.services.conditions.study_tables import study_csv, study_latex, sweep_svg
    from app.services.runtime.output_file import output_file

    written = {".csv": study_csv, ".tex": study_latex, ".svg": sweep_svg}
    if output is not None and output.suffix.lower() not in written:
        raise InputError(f"Figures can't be written as “{output.name}”.", "End the name in .csv, .tex or .svg.")
    workbench, target = open_project(project)
    given: dict[str, Any] = {"model": model, "judge": judge, "seed": seed, "trials": trials, "effort": effort}
    if components is not None:
        numbers = _numbers(components)
        given |= {"components": numbers[0], "sweep": numbers if len(numbers) > 1 else ()}
    options = _shown(workbench, target, dimension, conditions, sample, read_draw(draw), given)
    plans = plan_trials(workbench, target, options)
    groups = _groups(group, [dimension.name for dimension in options.dimensions]) if group else OF_THE_PAPER
    permutations = 0 if options.sweep else permutations
    found = sweep_figures(workbench, plans, level, permutations=permutations, groups=groups)
    if output is not None:
        with output_file(output) as path:
            path.write_bytes(written[output.suffix.lower()](found))
        say(f"Wrote {output}")
    if json_:
        print_json(study_document(found))
    elif output is None:
        elsewhere = sum(plan.elsewhere for plan in plans)
        print_figures(found, sum(len(plan.to_score) for plan in plans) - elsewhere, elsewhere)


def _numbers(written: str) -> tuple[int, ...]:
    """Return the distinct numbers in `5`, `3-9` or `3,5,7`."""
    found = [part.strip().partition("-") for part in written.split(",")]
    if not all(low.strip().isdigit() and (high.strip().isdigit() or not dash) for low, dash, high in found):
        raise InputError(f"“{written}” is no number of components.", "Give one, as 5, or several, as 3-9 or 3,5,7.")
    numbers = [n for low, _, high in found for n in range(int(low), min(int(high or low), 99) + 1)]
    return tuple(dict.fromkeys(numbers)) or (int(found[0][0]),)


def _groups(written: list[str], dimensions: list[str]) -> dict[str, list[str]]:
    groups = {}
    for entry in written:
        name, sign, names = (part.strip() for part in entry.partition("="))
        of = [each.strip() for each in names.split(",") if each.strip()]
        unknown = [each for each in of if each.casefold() not in {known.casefold() for known in dimensions}]
        if not (name and sign) or len(of) < 2 or unknown:
            raise InputError(
                f"“{unknown[0] if unknown else entry}” is no {'dimension' if unknown else 'group'} of the study.",
                f"Write NAME=DIMENSION,DIMENSION. The study has: {', '.join(dimensions)}.",
            )
        groups[name] = of
    return groups


def _families(written: str) -> "tuple[Family, ...]":
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
    given: "dict[str, Any]",
) -> "StudyOptions":
    """Return the options of the last study, overridden by those given; without a study the defaults of `run`."""

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
    from app.services.conditions.study_worker import estimate_study

    found, checks = estimate_study(workbench, options, plans), checks_of(workbench, project, plans)
    if json_:
        print_json(found.to_json() | ({"samples": [check.to_json() for check in checks]} if checks else {}))
        return
    echo(str(found))
    print_checks(checks)
