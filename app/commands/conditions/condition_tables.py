"""Tables of what a study of conditions found, and the same as a document."""

from typing import TYPE_CHECKING, Any

from app.commands.output import echo, say, table

if TYPE_CHECKING:
    from app.meta_evaluation.evaluation import Figure
    from app.services.conditions.study_figures import ConditionFigures, FamilyDifference, Member, StudyFigures
    from app.services.conditions.study_trials import TrialFigures, TrialMean


def study_document(found: "TrialFigures") -> dict[str, Any]:
    """One trial as it is; several under "trials", with their "means"."""
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


def print_figures(found: "TrialFigures", missing: int, elsewhere: int = 0) -> None:
    """missing: scored on no texts yet. elsewhere: scored, but on other texts than the study's."""
    from app.services.conditions.study_trials import MEANS

    if elsewhere:
        say(
            f"{elsewhere} of the conditions were scored on other texts than these: on another draw, or before "
            "documents were locked or texts came in. `interacteval conditions run` scores these; what was answered "
            "isn't paid again."
        )
    if missing:
        say(f"{missing} of the conditions are not scored yet: `interacteval conditions run` does it.")
    if not any(trial.rows for trial in found.trials):
        echo("Nothing has been scored for these conditions yet.")
        return
    if found.several:
        rows = [_mean_row(mean) for mean in found.means]
        echo(table(["dimension", "condition", "Spearman, mean", "sd", "Kendall, mean", "sd", "trials"], rows))
        echo(MEANS)
    for number, trial in enumerate(found.trials, 1):
        if found.several:
            echo(f"\nTrial {number}, drawn with seed {trial.seed}")
        _print_trial(trial)


def _print_trial(found: "StudyFigures") -> None:
    from app.services.conditions.study_figures import NOTES
    from app.services.conditions.study_trials import single_contributors

    if not found.rows:
        echo("Nothing has been scored yet.")
        return
    headings = ["dimension", "condition", "Spearman", "95 % from", "to", "Kendall", "checklists", "texts"]
    rows = [
        line
        for row in found.rows
        for line in (_figures_row(row), *(_member_row(row, m) for m in single_contributors(row)))
    ]
    echo(table(headings, rows))
    for row in found.rows:
        for name, figure in ((_label(row), row.figures["spearman"]), *_single(row)):
            if figure.reason:
                lacking = "coefficient" if figure.value is None else "interval"
                echo(f"- {row.dimension.name}, {name}: no {lacking}: {figure.reason}")
    if found.differences:
        headings = ["dimension", "second less first", "Spearman", "95 % from", "to", "p", "p (Holm)", "z (Fisher)"]
        echo("\n" + table(headings, [_difference_row(each) for each in found.differences]))
    for caution in found.cautions:
        about = f", {', '.join(caution.about)}" if caution.about else ""
        echo(f"- {caution.dimension.name}{about}: {caution.text}")
    for note in (*found.problems, *NOTES):
        echo(f"- {note}")
    echo(str(found.rows[0].figures["spearman"].signature))


def _mean_row(mean: "TrialMean") -> list[object]:
    name = f"  {mean.member.condition.name} alone" if mean.member else _label(mean.row)
    spearman, kendall = mean.spread("spearman"), mean.spread("kendall")
    trials = f"{len(mean.known('spearman'))} of {len(mean.values['spearman'])}"
    return [mean.row.dimension.name, name, *spearman, *kendall, trials]


def _figures_row(row: "ConditionFigures") -> list[object]:
    figure, kendall = row.figures["spearman"], row.figures["kendall"]
    counts = len(row.members), figure.n
    return [row.dimension.name, _label(row), figure.value, figure.low, figure.high, kendall.value, *counts]


def _member_row(row: "ConditionFigures", member: "Member") -> list[object]:
    figure, kendall = member.figures["spearman"], member.figures["kendall"]
    name = f"  {member.condition.name} alone"
    return [row.dimension.name, name, figure.value, figure.low, figure.high, kendall.value, 1, figure.n]


def _single(row: "ConditionFigures") -> "list[tuple[str, Figure]]":
    from app.services.conditions.study_trials import single_contributors

    return [(f"{member.condition.name} alone", member.figures["spearman"]) for member in single_contributors(row)]


def _label(row: "ConditionFigures") -> str:
    return f"{row.family.value.upper()}{f' {row.name}' if row.name else ''}"


def _difference_row(each: "FamilyDifference") -> list[object]:
    tested = each.tested["spearman"]
    figure, fisher = tested.figure, tested.fisher
    return [
        each.first.dimension.name,
        f"{each.first.key} vs {each.second.key}",
        figure.difference,
        figure.low,
        figure.high,
        tested.permutation.p,
        None if tested.p_holm is None else f"{tested.p_holm:.4f}{tested.stars}",
        None if fisher.statistic is None else f"{fisher.statistic:.3f}{fisher.stars}",
    ]
