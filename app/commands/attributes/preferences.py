"""preferences import, show, draw, attributes."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from app.commands.shared import (
    DimensionOption,
    JsonOption,
    ProjectOption,
    counted,
    echo,
    interval_cell,
    open_dimensions,
    open_project,
    open_workbench,
    print_json,
    say,
    table,
)
from app.domain.expert_answer import DEFAULT_CONTRASTS, DEFAULT_PAIRS

if TYPE_CHECKING:
    from app.services.results.preferences import PreferenceSummary

_SHOWN = 20


def import_(
    file: Annotated[Path, typer.Argument(help="A table: two texts of one source a row, and who won.")],
    project: ProjectOption,
    dimension: Annotated[
        str, typer.Option(help="What the pairs are about, where no column says so and the project has several.")
    ] = "",
    map_: Annotated[
        list[str] | None,
        typer.Option(
            "--map",
            help="text_a=COL, text_b=COL, winner=COL, rater=COL, reason=COL, source=COL, doc_id=COL, system_a=COL, "
            "id_a=COL (of a text in the project), dimension=COL ...; the rest is guessed.",
        ),
    ] = None,
    by: Annotated[str, typer.Option(help="Who compared the texts, where no column says so.")] = "",
    format_: Annotated[str, typer.Option("--format", help="auto, csv, jsonl, json, parquet or xlsx.")] = "auto",
    json_: JsonOption = False,
) -> None:
    """Import pairs with their texts into a project; each reason becomes an attribute of the person who gave it.

    A winner is a, b or tie, or a system's name; with columns called chosen and rejected, chosen wins.

    Example: interacteval preferences import pairs.jsonl --project Chats --dimension helpfulness --by Ana
    """
    from app.corpora.formats.preferences import parse_pair_columns
    from app.services.attributes.preference_import import import_preferences

    columns = parse_pair_columns(map_ or [])
    report = import_preferences(open_workbench(), file, project, columns, dimension, by, format_)
    if json_:
        print_json(report.to_json())
        return
    echo(
        f"{report.project}: {counted(report.pairs, 'new pair')}, {report.known} there already; with them "
        f"{counted(report.texts, 'new text')} and {counted(report.attributes, 'new attribute')}"
    )
    echo(f"columns: {', '.join(f'{use.column} as {use.role}' for use in report.columns)}")
    for skipped in report.skipped[:_SHOWN]:
        say(f"left out, row {skipped.row}: {skipped.reason}")
    if len(report.skipped) > _SHOWN:
        say(f"... and {len(report.skipped) - _SHOWN} more; --json lists all")


def show(project: ProjectOption, dimension: DimensionOption = "all", json_: JsonOption = False) -> None:
    """Show the number of pairs, and each system's strength computed from them (Bradley-Terry).

    `results` shows how often a method's scores agree with them.

    Example: interacteval preferences show --project Chats --dimension helpfulness
    """
    from app.services.results.preferences import preference_summary

    workbench, dimensions = open_dimensions(project, dimension)
    summaries = [preference_summary(workbench, each) for each in dimensions]
    found = [summary for summary in summaries if summary]
    if json_:
        print_json([summary.to_json() for summary in found])
        return
    if not found:
        say("There are no preferences. Bring some in: interacteval preferences import FILE --project NAME")
    for summary in found:
        _show(summary)


def _show(summary: "PreferenceSummary") -> None:
    echo(
        f"{summary.dimension}: {counted(summary.pairs, 'pair')} of {counted(summary.sources, 'source')} by "
        f"{counted(len(summary.raters), 'rater')}; ties: {summary.ties}; reasons that are attributes: {summary.reasons}"
    )
    systems = summary.systems
    if systems.systems:
        rows = [
            [each.system, f"{each.strength:+.2f}", interval_cell(each.low, each.high), each.comparisons, each.wins]
            for each in systems.systems
        ]
        echo(table(["system", "strength", "95 %", "comparisons", "wins"], rows))
    if systems.reason:
        say(systems.reason)
    if systems.left_out:
        rare = ", ".join(f"{name} ({count})" for name, count in systems.left_out)
        say(f"Without a strength, because of too few comparisons: {rare}")
    if systems.same_or_unnamed:
        say(f"{counted(systems.same_or_unnamed, 'pair')} of one system, or of none that is named, say nothing of them.")


def draw(
    project: ProjectOption,
    dimension: DimensionOption = "all",
    pairs: Annotated[int, typer.Option(help="How many pairs each expert compares.")] = DEFAULT_PAIRS,
    seed: Annotated[int, typer.Option(help="Another seed draws other pairs.")] = 1,
) -> None:
    """Draw pairs of texts of one source for experts, who say on My work which is better and why.

    Example: interacteval preferences draw --project Chats --dimension helpfulness --pairs 20
    """
    from app.services.attributes.pairs import draw_pairs_for_experts

    workbench, dimensions = open_dimensions(project, dimension)
    for each in dimensions:
        found = draw_pairs_for_experts(workbench, each.id, pairs, seed)
        echo(f"{each.name}: {counted(len(found.pairs), 'pair')}")


def attributes(
    project: ProjectOption,
    model: Annotated[list[str], typer.Option(help="provider:name; give it several times for several.")],
    dimension: DimensionOption = "all",
    pairs: Annotated[int, typer.Option(min=1, help="How many pairs a model reads at most.")] = DEFAULT_CONTRASTS,
    seed: Annotated[int, typer.Option(help="Another seed takes other pairs.")] = 1,
    json_: JsonOption = False,
) -> None:
    """Ask models what the better text of each pair has that the other lacks; each answer becomes attributes.

    `build` uses them like all attributes.

    Example: interacteval preferences attributes --project Chats --model openai:gpt-6-luna --dimension helpfulness
    """
    from app.services.attributes.pairs import ask_contrasts
    from app.services.data.projects import dimensions_named

    workbench, of = open_project(project)
    found = [
        ask_contrasts(workbench, of, each, name, pairs, seed)
        for each in dimensions_named(workbench, project, dimension)
        for name in dict.fromkeys(model)
    ]
    if json_:
        print_json(
            [
                {"dimension": one.dimension, "model": one.model, "attributes": one.attributes, "repeated": one.repeated}
                for one in found
            ]
        )
        return
    for one in found:
        echo(f"{one.dimension}, {one.model}: {counted(one.attributes, 'new attribute')}, {one.repeated} said before")
