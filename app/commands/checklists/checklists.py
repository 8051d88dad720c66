"""checklist list, show, export, import, publish and calls; lineage."""

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from app.commands.scoring.score import progress_printer
from app.commands.shared import (
    DimensionOption,
    EffortOption,
    JsonOption,
    ProjectOption,
    RoomOption,
    TimeoutOption,
    chosen_model_options,
    counted,
    echo,
    echo_file,
    open_dimension,
    open_dimensions,
    open_workbench,
    print_json,
    print_rows,
    runs_end_on_signals,
    say,
    shown_model,
    table,
)
from app.domain.checklist import Checklist, ChecklistStatus
from app.domain.run import AskingWay
from app.errors import InputError
from app.input_file import LARGEST_LIST, read_file
from app.limits import CONCURRENCY

if TYPE_CHECKING:
    from app.services.results.asking_cost import AskingResult
    from app.services.scoring.forecast import Estimate


def calls(
    project: ProjectOption,
    dimension: Annotated[str, typer.Option("--dimension", help="The dimension's name.")],
    judge: Annotated[str, typer.Option(help="provider:name")],
    version: Annotated[int | None, typer.Option(help="The published version; the newest without it.")] = None,
    texts: Annotated[int, typer.Option(min=1, help="So many are drawn: those experts answered first.")] = 40,
    seed: Annotated[int, typer.Option(help="Draws the texts.")] = 1,
    budget: Annotated[float | None, typer.Option(help="US dollars for the three runs together.")] = None,
    concurrency: Annotated[int, typer.Option(min=1, help="How many texts at a time.")] = CONCURRENCY,
    max_output_tokens: RoomOption = None,
    timeout: TimeoutOption = None,
    effort: EffortOption = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what it would ask and cost, and stop.")] = False,
    json_: JsonOption = False,
) -> None:
    """Compare one call for all questions with one call for each, and with the reversed order, on the same texts.

    Running the command again asks only what is missing, and shows the result.

    Example: interacteval checklist calls --project News --dimension coherence --judge openai:gpt-6-luna --dry-run
    """
    from app.services.data.projects import get_project
    from app.services.results.asking_cost import asking_result
    from app.services.scoring.asking_runs import (
        AskingOptions,
        asking_forecast,
        asking_runs,
        start_asking,
        work_on_asking,
    )

    workbench, on = open_dimension(project, dimension)
    target = get_project(workbench, project)
    model = chosen_model_options(max_output_tokens, timeout, effort)
    options = AskingOptions(on, judge, version, texts, seed, budget, model)
    if dry_run:
        _print_forecast(asking_forecast(workbench, target.id, options), json_)
        return
    runs = [run.id for run in start_asking(workbench, target.id, options).values()]
    with runs_end_on_signals() as interruption:
        reports = work_on_asking(
            workbench,
            runs,
            budget,
            concurrency,
            progress_printer(),
            stopped=lambda: interruption.signal_number is not None,
        )
    result = asking_result(workbench, target.id, on.id, asking_runs(workbench, target.id, options))
    if json_:
        print_json(result.to_json())
    else:
        _print(result)
    interruption.exit_if_any()
    for report in reports:
        if report.fatal is not None:
            raise report.fatal
    if not result.whole:
        say(f"Some texts lack a score; the same command on {shlex.quote(project)} scores them")
        raise typer.Exit(3)


def _print_forecast(found: "Mapping[AskingWay, Estimate]", json_: bool) -> None:
    costs = [each.cost_usd for each in found.values()]
    total = {
        "calls": sum(each.calls for each in found.values()),
        "calls_cached": sum(each.calls_cached for each in found.values()),
        "input_tokens": sum(each.input_tokens for each in found.values()),
        "output_tokens_estimate": sum(each.output_tokens_estimate for each in found.values()),
        "cost_usd": None if None in costs else sum(cost or 0.0 for cost in costs),
    }
    if json_:
        print_json(
            {"ways": {way.value: {name: each.to_json()[name] for name in total} for way, each in found.items()}} | total
        )
        return
    rows = [[way.words, *(each.to_json()[name] for name in total)] for way, each in found.items()]
    echo(
        table(
            ["asked", "calls", "answered before", "tokens in", "tokens out", "US dollars"],
            [*rows, ["all three", *total.values()]],
        )
    )


def _print(found: "AskingResult") -> None:
    if found.verdict is None or found.comparison is None:
        echo(found.problem)
        return
    echo(found.verdict.sentence)
    rows = []
    for way in AskingWay:
        figures, cost = found.comparison.ways[way], found.costs[way]
        accuracy = figures.accuracy.percent if figures.accuracy else None
        of_people = [figures.spearman, figures.kendall, accuracy, figures.yes.percent]
        rows.append(
            [
                found.runs[way].id,
                way.words,
                *of_people,
                *_whole(cost.calls, cost.input_tokens, cost.output_tokens),
                cost.cost_usd,
            ]
        )
    headings = ["run", "asked", "Spearman", "Kendall", "as most experts", "yes"]
    echo("")
    echo(table([*headings, "calls", "tokens in", "tokens out", "US dollars"], rows))
    echo("Calls, tokens and dollars are for 1,000 texts.\n")
    echo(f"Asked alone, {found.comparison.changed.percent} of the answers change.")
    for said in (*found.beside, *found.cautions):
        echo(said)
    changes = [
        [question.text, change.alone.percent, change.reversed.percent]
        for question, change in zip(found.questions, found.comparison.by_question, strict=True)
    ]
    echo("")
    echo(table(["question", "changed alone", "changed in reversed order"], changes))


def _whole(*values: float | None) -> list[int | None]:
    return [None if value is None else round(value) for value in values]


VersionOption = Annotated[int | None, typer.Option(help="The version; the newest without it.")]
OneDimensionOption = Annotated[str, typer.Option("--dimension", help="The dimension's name.")]


def list_(
    project: ProjectOption,
    dimension: DimensionOption = "all",
    of_conditions: Annotated[
        bool, typer.Option("--of-conditions", help="Those that `conditions run` made, instead of those people work on.")
    ] = False,
    json_: JsonOption = False,
) -> None:
    """List all versions, newest first.

    Example: interacteval checklist list --project News --dimension coherence
    """
    from app.services.checklists.checklists import versions_of

    workbench, dimensions = open_dimensions(project, dimension)
    found = [summary(c) for d in dimensions for c in versions_of(workbench, d.id, of_conditions)]
    print_rows(found, json_, "No checklists yet. `interacteval build` makes one.")


def show(
    project: ProjectOption, dimension: OneDimensionOption, version: VersionOption = None, json_: JsonOption = False
) -> None:
    """Show a checklist, each question with the attributes behind it.

    Example: interacteval checklist show --project News --dimension coherence
    """
    echo_file(_exported(project, dimension, version, "json" if json_ else "md").decode())


def export(
    project: ProjectOption,
    dimension: OneDimensionOption,
    version: VersionOption = None,
    format_: Annotated[
        str,
        typer.Option(
            "--format",
            help="json, yaml, md, csv; html, docx: paper; promptfoo, deepeval, inspect: run as they are; "
            "reward: for TRL and verifiers; openai-grader.",
        ),
    ] = "json",
    output: Annotated[Path | None, typer.Option(help="The file to write; stdout without it.")] = None,
) -> None:
    """Export a checklist as a file: to archive, to print and fill in, or to run in another evaluation tool.

    Example: interacteval checklist export --project News --dimension coherence --format yaml --output coherence.yaml
    """
    from app.services.runtime.output_file import output_file

    if output is None and format_ == "docx":
        raise InputError("A Word file can't stand in a terminal.", "Name the file: --output rubric.docx")
    content = _exported(project, dimension, version, format_)
    if output is None:
        echo_file(content.decode())
    else:
        with output_file(output) as file:
            file.write_bytes(content)
        say(f"Wrote {output}")


def schema() -> None:
    """Print the JSON Schema of an exported checklist.

    Example: interacteval checklist schema > checklist.schema.json
    """
    from app.export.checklist import schema_text

    echo_file(schema_text())


def import_(
    file: Annotated[
        Path, typer.Argument(help="JSON or YAML as exported, a CSV with a column “text”, or one question per line.")
    ],
    project: ProjectOption,
    dimension: Annotated[str, typer.Option("--dimension", help="Without it the one that the file names.")] = "",
    rubric: Annotated[
        str,
        typer.Option(
            help="file or project: whose rubric, scale, kind of text and prompt hold where they differ. Without it the "
            "project's stay, and what differs is said."
        ),
    ] = "",
    publish_: Annotated[
        bool, typer.Option("--publish", help="Publish it at once, so that texts can be scored with it.")
    ] = False,
    json_: JsonOption = False,
) -> None:
    """Import a checklist as a new draft, with everything its judge was told.

    A missing project, dimension, rubric or kind of text is created as the file says.

    Example: interacteval checklist import coherence.yaml --project News --dimension coherence
    """
    from app.services.checklists.checklist_files import Holds, import_checklist, project_for_checklist
    from app.services.checklists.checklists import publish as publish_one

    choices: dict[str, Holds] = {"": "", "file": "file", "project": "project"}
    if rubric not in choices:
        raise InputError(f"“{rubric}” says not whose rubric holds.", "Use --rubric file or --rubric project.")
    workbench = open_workbench()
    data = read_file(file, LARGEST_LIST)
    target, made = project_for_checklist(workbench, project, data, file.name)
    found = import_checklist(workbench, target.id, data, file.name, dimension, choices[rubric])
    saved = publish_one(workbench, found.checklist.id) if publish_ else found.checklist
    if json_:
        print_json({**summary(saved), "project_made": made, **found.to_json()})
        return
    echo(f"{found.dimension.name}: version {saved.version} ({saved.status.value}), {len(saved.asked)} questions")
    for sentence in ([f"The project {target.name} is new."] if made else []) + list(found.sentences):
        echo(sentence)
    if found.differs and not rubric:
        echo("--rubric file takes the file's, --rubric project keeps the project's without this remark.")


def publish(
    project: ProjectOption, dimension: DimensionOption = "all", version: VersionOption = None, json_: JsonOption = False
) -> None:
    """Publish a draft, so that texts can be scored with it; it can't be changed any more.

    Example: interacteval checklist publish --project News --dimension all
    """
    from app.services.checklists.checklists import publish as publish_one
    from app.services.checklists.checklists import view_checklist
    from app.services.data.projects import dimensions_named

    workbench = open_workbench()
    # All are looked up before the first is published, which can't be undone.
    dimensions = dimensions_named(workbench, project, dimension)
    drafts = [view_checklist(workbench, d.id, version).checklist for d in dimensions]
    for draft in drafts:
        if draft.status is ChecklistStatus.PUBLISHED:
            raise InputError(f"{draft.dimension}: version {draft.version} is published already.", "Name the others.")
    published = [publish_one(workbench, draft.id) for draft in drafts]
    if json_:
        print_json([summary(checklist) for checklist in published])
    else:
        for checklist in published:
            echo(f"{checklist.dimension}: version {checklist.version} is published")


def _exported(project: str, dimension: str, version: int | None, format_name: str) -> bytes:
    from app.services.checklists.checklist_files import export_file
    from app.services.checklists.checklists import view_checklist

    workbench, on = open_dimension(project, dimension)
    view = view_checklist(workbench, on.id, version)
    return export_file(workbench, view, format_name)


def summary(checklist: "Checklist") -> dict[str, object]:
    return {
        "dimension": checklist.dimension,
        "version": checklist.version,
        "status": checklist.status.value,
        "condition": checklist.condition,
        "model": checklist.model,
        "components": len(checklist.components),
        "questions": len(checklist.asked),
    }


def lineage(
    project: ProjectOption, dimension: OneDimensionOption, version: VersionOption = None, json_: JsonOption = False
) -> None:
    """Show the attributes and contributors behind each question, and the attributes behind no question.

    Example: interacteval lineage --project News --dimension coherence --json
    """
    from app.services.checklists.lineage import lineage_document, lineage_of_version

    workbench, on = open_dimension(project, dimension)
    found = lineage_document(lineage_of_version(workbench, on.id, version))
    if json_:
        print_json(found)
        return
    for branch in found["components"]:
        echo(f"{branch['component'] or 'Without a component'}: {branch['key_question']}")
        for question in branch["questions"]:
            echo(f"  {question['question']}. {question['text']}")
            for attribute in question["attributes"]:
                quote = f", about “{' '.join(attribute['passage']['quote'].split())}”" if attribute["passage"] else ""
                echo(f"     - {attribute['text']} ({shown_model(attribute['contributor'])}{quote})")
            for example in question.get("examples", ()):
                why = f" ({example['reason']})" if example["reason"] else ""
                echo(f"     Example: {example['answer']}: {example['text']}{why}")
    if found["unserved"]:
        echo(f"{counted(len(found['unserved']), 'attribute')} behind no question:")
        for attribute in found["unserved"]:
            where = attribute["stage"] or (
                f"under {attribute['component']}" if attribute["component"] else "came later"
            )
            echo(f"  - {attribute['text']} ({where}{': ' if attribute['reason'] else ''}{attribute['reason']})")
