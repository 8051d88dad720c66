"""people assign, reassign: what is whose to do, and moving what lies idle."""

from typing import Annotated

import typer

from app.commands.output import JsonOption, ProjectOption, counted, echo, print_json


def assign_work(
    project: ProjectOption,
    name: Annotated[str, typer.Argument(help="The expert who is given the dimensions.")] = "",
    dimension: Annotated[
        list[str] | None, typer.Option("--dimension", help="A dimension; give it once for each.", show_default=False)
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="All dimensions, as for whoever was given none.")] = False,
    overlap: Annotated[
        int | None,
        typer.Option(min=0, help="How many experts answer each drawn text; 0: everybody.", show_default=False),
    ] = None,
    json_: JsonOption = False,
) -> None:
    """Give an expert dimensions to think aloud about and answer, or say how many experts answer each text.

    Example: interacteval people assign "Ana Silva" --project News --dimension coherence --dimension fluency
    Example: interacteval people assign --project News --dimension coherence --overlap 2
    """
    from app.errors import InputError

    named = dimension or []
    if bool(name) == (overlap is not None):
        raise InputError(
            "Give an expert's name or --overlap, not both.", "--overlap is for all experts of a dimension."
        )
    if bool(named) == everything or (everything and not name):
        raise InputError("Say which dimensions.", "Give --dimension, or --all for an expert to have all.")
    if overlap is None:
        _give(project, name, named, json_)
    else:
        _share(project, named, overlap, json_)


def reassign_texts(
    giver: Annotated[str, typer.Argument(metavar="FROM", help="Who doesn't get to their texts.")],
    taker: Annotated[str, typer.Argument(metavar="TO", help="The expert who answers them instead.")],
    project: ProjectOption,
    dimension: Annotated[str, typer.Option("--dimension", help="The dimension's name.")],
    json_: JsonOption = False,
) -> None:
    """Move the texts that one expert hasn't answered to another; every answer stays with whoever gave it.

    Example: interacteval people reassign "Ana Silva" "Ben Ode" --project News --dimension coherence
    """
    from app.services.checklists.assignments import move_texts
    from app.services.data.projects import one_dimension
    from app.services.runtime.workbench import open_workbench

    workbench = open_workbench()
    moved = move_texts(workbench, one_dimension(workbench, project, dimension).id, giver, taker)
    if json_:
        print_json({"from": giver, "to": taker, "moved": moved.moved, "left": moved.left})
        return
    left = f"; {moved.left} stay, since {taker} has them too" if moved.left else ""
    echo(f"{counted(moved.moved, 'text')} of {giver} went to {taker}{left}")


def _give(project: str, name: str, dimensions: list[str], json_: bool) -> None:
    from app.services.checklists.assignments import give_dimensions
    from app.services.data.projects import get_project, one_dimension
    from app.services.runtime.workbench import open_workbench

    workbench = open_workbench()
    found = list(dict.fromkeys(one_dimension(workbench, project, each) for each in dimensions))
    give_dimensions(workbench, get_project(workbench, project).id, name, [each.id for each in found])
    names = [each.name for each in found]
    if json_:
        print_json({"name": name, "dimensions": names or "all"})
    else:
        echo(f"{name} has {', '.join(names) or 'all dimensions'}")


def _share(project: str, dimensions: list[str], overlap: int, json_: bool) -> None:
    from app.services.checklists.assignments import share_texts
    from app.services.data.projects import one_dimension
    from app.services.runtime.workbench import open_workbench

    workbench = open_workbench()
    found = [share_texts(workbench, one_dimension(workbench, project, each).id, overlap) for each in dimensions]
    if json_:
        print_json(
            [
                {
                    "dimension": one.dimension.name,
                    "overlap": one.overlap,
                    "texts": one.texts,
                    "unanswered": dict(one.unanswered),
                    "without": list(one.without),
                }
                for one in found
            ]
        )
        return
    for one in found:
        who = f"{counted(one.overlap, 'expert')} a text" if one.overlap else "everybody answers every text"
        drawn = f", {counted(one.texts, 'text')} drawn" if one.texts else ", no texts drawn yet"
        echo(f"{one.dimension.name}: {who}{drawn}")
        for name, texts in one.unanswered.items():
            echo(f"  {name}: {counted(texts, 'text')} to answer")
