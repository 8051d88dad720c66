"""runs quality, bias and failures: each method's agreement and cost, its bias, and rates of failure."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from app.commands.shared import (
    JsonOption,
    ProjectOption,
    echo,
    open_dimension,
    open_workbench,
    print_json,
    shown_model,
    table,
)
from app.errors import NotReadyError
from app.meta_evaluation.bootstrap import RESAMPLES
from app.meta_evaluation.score_matrix import COEFFICIENTS, Coefficient
from app.meta_evaluation.writer_bias import By

if TYPE_CHECKING:
    from app.meta_evaluation.writer_bias import Mean
    from app.services.results.quality_cost import QualityCost

DimensionOption = Annotated[str, typer.Option("--dimension", help="The dimension whose scores are meant.")]
PREFERRED = {"person": "the person's text", "alike": "neither", "llm": "the LLM's text"}


def quality(
    project: ProjectOption,
    dimension: DimensionOption,
    coefficient: Annotated[Coefficient, typer.Option(help=f"{', '.join(COEFFICIENTS)}.")] = "spearman",
    json_: JsonOption = False,
) -> None:
    """Show each method's agreement with people, its cost for 1,000 texts, and its difference to the checklist.

    Example: interacteval runs quality --project News --dimension coherence
    """
    from app.services.data.projects import get_project
    from app.services.results.quality_cost import quality_and_cost

    workbench, on = open_dimension(project, dimension)
    target = get_project(workbench, project)
    found = quality_and_cost(workbench, target.id, on.id, coefficient)
    if json_:
        print_json([_quality_document(each, coefficient) for each in found])
    elif found:
        rows = [_quality_row(each, coefficient) for each in found]
        headings = ["run", "evaluator", "judge", coefficient, "95 % from", "to", "groups", "$ per 1,000 texts"]
        echo(table([*headings, "difference to checklist", "95 % from", "to"], rows))
        for each in found:
            if each.cost.reason:
                echo(f"  run {each.run.id}: {each.cost.reason}")
    else:
        echo("There is no run with scores on this dimension.")


def bias(
    run: Annotated[int, typer.Argument(help="The run's number.")],
    dimension: DimensionOption,
    people: Annotated[
        list[str] | None, typer.Option(help="A system that is a person; repeat for more. Kept for the project.")
    ] = None,
    resamples: Annotated[int, typer.Option(min=0, help="Bootstrap resamples of sources.")] = RESAMPLES,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same figures.")] = 0,
    partial: Annotated[bool, typer.Option("--partial", help="Texts with unanswered questions count too.")] = False,
    by: Annotated[
        By | None,
        typer.Option(help="ratings or preferences; without it ratings, and preferences where there are none."),
    ] = None,
    json_: JsonOption = False,
) -> None:
    """Test whether the judge scores people's texts lower than LLMs' texts that people like no better.

    Example: interacteval runs bias 3 --dimension coherence --people writer_1 --people writer_2
    """
    from app.services.data.projects import get_project, one_dimension
    from app.services.results.results import Choices
    from app.services.results.writer_bias import bias_of, mark_people
    from app.services.scoring.runs import get_run

    workbench = open_workbench()
    found = get_run(workbench, run)
    on = one_dimension(workbench, found.project, dimension)
    if people:
        mark_people(workbench, get_project(workbench, found.project).id, people)
    study = bias_of(workbench, run, on.id, Choices(include_partial=partial, resamples=resamples, seed=seed), by)
    if json_:
        print_json({"run": run, "dimension": on.name, **asdict(study)})
    else:
        rows = [
            [PREFERRED[g.preference], g.pairs, g.sources, _mean(g.person), _mean(g.llm), _mean(g.difference)]
            for g in study.groups
        ]
        headings = ["people preferred", "pairs", "sources", "mean score: person", "LLM", "difference"]
        echo(table(headings, rows))
        echo(f"By people's {study.by}.")
        if study.unpaired:
            lacking = "texts have no counterpart of the same source" if study.by == "ratings" else "pairs lack a score"
            echo(f"{study.unpaired} {lacking}.")


def failures(
    run: Annotated[int, typer.Argument(help="The run's number.")],
    dimension: DimensionOption,
    resamples: Annotated[int, typer.Option(min=0, help="Bootstrap resamples of sources.")] = RESAMPLES,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same figures.")] = 0,
    json_: JsonOption = False,
) -> None:
    """Show how often texts are not good and each question fails, corrected by experts' answers. Needs a range of 0 to
    1.

    Example: interacteval runs failures 3 --dimension helpful
    """
    from app.services.data.projects import one_dimension
    from app.services.results.failure_rates import failure_rates
    from app.services.results.results import Choices, cached_results
    from app.services.scoring.runs import get_run

    workbench = open_workbench()
    on = one_dimension(workbench, get_run(workbench, run).project, dimension)
    choices = Choices("dataset", resamples=resamples, seed=seed)
    result = next((one for one in cached_results(workbench, [run], choices) if one.dimension.id == on.id), None)
    found = failure_rates(workbench, result) if result else None
    if found is None:
        raise NotReadyError(
            f"Run {run} has no failure rates on {on.name}.",
            "They are of checklist runs, on a dimension from 0 to 1 (good or not good).",
        )
    if json_:
        print_json({"run": run, "dimension": on.name, **found.to_json()})
        return
    whole = found.whole
    echo(f"Not good: {whole.figure.percent} of the texts, {whole.rests_on}" if not whole.reason else whole.reason)
    rows = [
        [rate.question.text, rate.figure.percent, rate.rests_on, f"{rate.answered} of {rate.of}"]
        for rate in found.questions
        if rate.question
    ]
    echo("\n" + table(["question", "fails", "rests on", "experts' texts"], rows))


def _quality_document(each: "QualityCost", coefficient: Coefficient) -> dict[str, Any]:
    from app.services.scoring.run_labels import variant_words

    difference = each.against.comparison.differences[coefficient].figure if _compared(each) else None  # type: ignore[union-attr]
    return {
        "run": each.run.id,
        "evaluator": each.run.evaluator,
        "variant": variant_words(each.run),
        "judge": each.run.judge,
        "checklist_version": each.scores.version,
        "coefficient": coefficient,
        "value": each.figure.value,
        "low": each.figure.low,
        "high": each.figure.high,
        "n": each.figure.n,
        "groups": each.groups,
        "cost_per_1000_texts_usd": each.cost.per_1000,
        "cost_note": each.cost.reason,
        "less_checklist": {"value": difference.difference, "low": difference.low, "high": difference.high}
        if difference
        else None,
    }


def _compared(each: "QualityCost") -> bool:
    return each.against is not None and each.against.comparison is not None


def _quality_row(each: "QualityCost", coefficient: Coefficient) -> list[object]:
    from app.services.scoring.run_labels import method_label

    document = _quality_document(each, coefficient)
    less = document["less_checklist"] or {"value": None, "low": None, "high": None}
    cost = None if each.cost.per_1000 is None else f"{each.cost.per_1000:,.2f}"
    figures = [document["value"], document["low"], document["high"], each.groups, cost]
    return [each.run.id, method_label(each.run), shown_model(each.run.judge), *figures, *less.values()]


def _mean(mean: "Mean | None") -> str | None:
    if mean is None:
        return None
    interval = "" if mean.low is None else f" [{mean.low:.2f}, {mean.high:.2f}]"
    return f"{mean.value:.2f}{interval}"
