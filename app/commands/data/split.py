"""split lock, show, look, open: documents held out for the last test."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from app.commands.shared import JsonOption, ProjectOption, confirmed, echo, open_project, print_json, table
from app.domain.project import HELD_OUT_SHARE
from app.meta_evaluation.score_matrix import Level

if TYPE_CHECKING:
    from app.services.data.held_out_split import SplitState

WhoOption = Annotated[str, typer.Option("--by", help="Who does it: the name stays with the split.")]


def lock(
    project: ProjectOption,
    by: WhoOption,
    share: Annotated[
        float, typer.Option(help="The share of the documents, stratified by human score.")
    ] = HELD_OUT_SHARE,
    seed: Annotated[int, typer.Option(help="Draws the documents.")] = 1,
    json_: JsonOption = False,
) -> None:
    """Hold out a share of the documents: from now on only the judge sees their texts.

    Lock before scoring: existing runs' figures lose the locked texts, and conditions draw new ones.

    Example: interacteval split lock --project News --share 0.2 --by Ana
    """
    from app.services.data.held_out_split import lock as lock_split

    workbench, target = open_project(project)
    _print_state(lock_split(workbench, target.id, share, seed, by), json_)


def show(project: ProjectOption, json_: JsonOption = False) -> None:
    """Show what is locked, and who looked at results on it.

    Example: interacteval split show --project News
    """
    from app.services.data.held_out_split import state_of

    workbench, target = open_project(project)
    _print_state(state_of(workbench, target.id), json_)


def look(
    project: ProjectOption,
    by: WhoOption,
    run: Annotated[list[int], typer.Option(help="A run that scored the locked texts; repeat for more.")],
    level: Annotated[Level, typer.Option(help="per-source, dataset or system.")] = "per-source",
    json_: JsonOption = False,
) -> None:
    """Show agreement with people on the locked texts. Each look is recorded with time and name.

    Example: interacteval split look --project News --run 7 --by Ana
    """
    from app.commands.results.results import print_results
    from app.services.data.held_out_split import state_of
    from app.services.results.results import open_held_out_results as look_at

    workbench, target = open_project(project)
    found = look_at(workbench, target.id, run, by, level)
    state = state_of(workbench, target.id)
    assert state is not None  # looked at a moment ago
    if json_:
        print_json({"split": _document(state), "results": [result.to_json() for result in found]})
        return
    echo(f"Held-out split. Looks so far: {len(state.split.looks)}.")
    print_results(found, target.notice)


def open_(
    project: ProjectOption,
    by: WhoOption,
    yes: Annotated[bool, typer.Option("--yes", help="Don't ask whether you are sure.")] = False,
) -> None:
    """Open the split: its texts become ordinary texts. The split and the looks stay on record.

    Example: interacteval split open --project News --by Ana --yes
    """
    from app.services.data.held_out_split import open_split

    workbench, target = open_project(project)
    if not yes and not confirmed("Open the split? Its texts can't serve as a test again."):
        return
    open_split(workbench, target.id, by)
    echo(f"Opened the held-out split of {target.name}.", err=True)


def _print_state(state: "SplitState | None", json_: bool) -> None:
    if json_:
        print_json(_document(state) if state else None)
    elif state is None:
        echo("Nothing is locked. `interacteval split lock` draws a held-out split.")
    else:
        split = state.split
        echo(
            f"Locked: {len(split.documents)} of {state.documents_all} documents with {state.texts} of "
            f"{state.texts_all} texts (share {split.share:g}, seed {split.seed}), by {split.locked_by} on "
            f"{split.locked_at:%Y-%m-%d %H:%M} UTC. Looks so far: {len(split.looks)}."
        )
        if state.scored_before:
            echo(f"{state.scored_before} of the texts had been scored before, so results on them may be known.")
        if split.looks:
            rows = [[f"{x.at:%Y-%m-%d %H:%M}", x.who, ", ".join(map(str, x.runs))] for x in split.looks]
            echo(table(["looked at (UTC)", "who", "runs"], rows))


def _document(state: "SplitState") -> dict[str, Any]:
    split = state.split
    return {
        "share": split.share,
        "seed": split.seed,
        "locked_by": split.locked_by,
        "locked_at": split.locked_at.isoformat(),
        "documents": len(split.documents),
        "documents_all": state.documents_all,
        "texts": state.texts,
        "texts_all": state.texts_all,
        "scored_before": state.scored_before,
        "looks": [{"who": x.who, "at": x.at.isoformat(), "runs": list(x.runs)} for x in split.looks],
        "opened_before": len(state.earlier),
    }
