"""conditions effect: do checklists from more varied attributes agree better with people? (Fig. 10a of InteractEval)"""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from app.commands.output import DimensionOption, JsonOption, ProjectOption, echo, print_json, say, shown_model, table
from app.meta_evaluation.choices import Level

if TYPE_CHECKING:
    from app.services.conditions.condition_effect import ConditionEffect


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
    """Likeness of each condition's attributes beside its agreement with people, of conditions scored on the same texts.

    Example: interacteval conditions effect --project News --dimension coherence --json
    """
    from app.errors import NotReadyError
    from app.providers.credentials import Credentials
    from app.services.attributes.embedding import open_embedding
    from app.services.conditions.condition_effect import condition_draws, effect_of_conditions
    from app.services.data.projects import dimensions_named, get_project
    from app.services.runtime.workbench import open_workbench
    from app.settings import settings

    workbench = open_workbench()
    target = get_project(workbench, project)
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
        print_json([_document(name, level, embedding, found[name], refused[name]) for name in found])
        return
    for name, effects in found.items():
        for sentence in refused[name]:
            say(f"{name}: {sentence}")
        for one in effects:
            _print(name, one)
    echo(f"Likeness: 1 = the same, 0 = nothing in common. Cosine of {embedding}.")
    echo("So few points show a tendency at most.")


def _document(
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
