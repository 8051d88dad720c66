"""stage-outputs: what methods ask a judge once for a dimension."""

from pathlib import Path
from typing import Annotated

import typer

from app.commands.shared import JsonOption, ProjectOption, echo, open_dimension, print_json
from app.corpora.decoding import decode, read_bytes
from app.errors import NotFoundError

DimensionOption = Annotated[str, typer.Option("--dimension", help="The dimension it is written for.")]


def list_(project: ProjectOption, dimension: DimensionOption, json_: JsonOption = False) -> None:
    """List the stage outputs by judges and people for a dimension, newest first.

    Example: interacteval stage-outputs list --project News --dimension coherence
    """
    from app.services.scoring.stage_outputs import stage_outputs_of

    workbench, on = open_dimension(project, dimension)
    found = stage_outputs_of(workbench, on.id)
    if json_:
        print_json(
            [
                {
                    "stage": written.stage,
                    "judge": written.judge,
                    "versions": [{"version": v.number, "by": v.by, "lines": v.lines} for v in written.versions],
                }
                for written in found
            ]
        )
        return
    if not found:
        echo("No method has written anything for this dimension yet.")
    for written in found:
        newest = written.versions[0]
        asked = f", asked of {written.judge}" if written.judge else ""
        echo(f"{written.title} ({written.stage}{asked}), version {newest.number} by {newest.by}:")
        echo("\n".join(f"  {line}" for line in written.lines.splitlines()))


def edit(
    file: Annotated[Path, typer.Argument(help="The new wording, in lines as `stage-outputs list` shows them.")],
    project: ProjectOption,
    dimension: DimensionOption,
    stage: Annotated[str, typer.Option(help="g-eval-steps, coascore-aspects or check-eval-seeds.")],
    judge: Annotated[str, typer.Option(help="Whose; the newest without it.")] = "",
) -> None:
    """Replace a judge's stage output; later runs use yours, and earlier versions are kept.

    Example: interacteval stage-outputs edit steps.txt --project News --dimension coherence --stage g-eval-steps
    """
    from app.services.scoring.stage_outputs import save_edit, stage_outputs_of

    workbench, on = open_dimension(project, dimension)
    fitting = [w for w in stage_outputs_of(workbench, on.id) if w.stage == stage and judge in ("", w.judge)]
    if not fitting:
        raise NotFoundError(
            f"Nothing of the kind “{stage}” was written for {on.name} yet.",
            "`interacteval stage-outputs list` shows all.",
        )
    save_edit(workbench, on.id, fitting[0], decode(read_bytes(file), file.name))
    echo(f"{fitting[0].title} of {on.name}: your wording counts from now on.")


def seeds(
    file: Annotated[Path, typer.Argument(help="A line for each sub-aspect; below it its questions, behind dashes.")],
    project: ProjectOption,
    dimension: DimensionOption,
) -> None:
    """Store your own sub-aspects and seed questions for CheckEval, for use with --set seeds=own.

    Example: interacteval stage-outputs seeds seeds.txt --project News --dimension coherence
    """
    from app.services.scoring.stage_outputs import save_own_seeds

    workbench, on = open_dimension(project, dimension)
    save_own_seeds(workbench, on.id, decode(read_bytes(file), file.name))
    echo(f"Kept for {on.name}; use them with `score --evaluator check-eval --set seeds=own`.")
