"""attributes edit, exclude, restore, move, merge, alike: what the Attributes screen does to one or many."""

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from app.commands.output import JsonOption, ProjectOption, counted, echo, print_json, table

if TYPE_CHECKING:
    from app.domain.attribute import Attribute
    from app.services.attributes.near_duplicates import NearDuplicate
    from app.services.runtime.workbench import Workbench


IdArgument = Annotated[int, typer.Argument(help="Its number, as `attributes list` shows it.")]
IdsArgument = Annotated[list[int], typer.Argument(help="Their numbers, as `attributes list` shows them.")]


def register(attributes: typer.Typer) -> None:
    for command in (edit, exclude, restore, move, merge, alike):
        attributes.command()(command)


def edit(
    id_: IdArgument,
    project: ProjectOption,
    text: Annotated[str, typer.Option(help="The new wording; the first one stays on record.")],
) -> None:
    """Correct the wording of an attribute.

    Example: interacteval attributes edit 12 --project News --text "Each sentence follows from the one before."
    """
    from app.services.attributes.attribute_changes import edit_attribute

    workbench, (found,) = _opened(project, [id_])
    edit_attribute(workbench, found.id, text)
    echo(f"Attribute {found.id} of {found.contributor} is reworded.")


def exclude(
    ids: IdsArgument,
    project: ProjectOption,
    reason: Annotated[str, typer.Option(help="Why it is left out; it stays on record with that.")],
) -> None:
    """Leave attributes out of checklists.

    Example: interacteval attributes exclude 12 14 --project News --reason "about one sample only"
    """
    from app.errors import InputError
    from app.services.attributes.attribute_changes import exclude_attributes

    if not reason.strip():
        raise InputError("No reason is given.", "Say in a few words why it is left out.")
    workbench, found = _opened(project, ids)
    exclude_attributes(workbench, [attribute.id for attribute in found], reason)
    echo(f"{counted(len(found), 'attribute')} left out.")


def restore(ids: IdsArgument, project: ProjectOption) -> None:
    """Take back in what was excluded or merged.

    Example: interacteval attributes restore 12 --project News
    """
    from app.services.attributes.attribute_changes import restore_attributes

    workbench, found = _opened(project, ids)
    restore_attributes(workbench, [attribute.id for attribute in found])
    echo(f"{counted(len(found), 'attribute')} in use again.")


def move(
    ids: IdsArgument,
    project: ProjectOption,
    dimension: Annotated[str, typer.Option(help="The dimension they are about.")],
) -> None:
    """Move attributes to another dimension of the project; where they were said stays on record.

    Example: interacteval attributes move 12 --project News --dimension fluency
    """
    from app.services.attributes.attribute_changes import move_attributes
    from app.services.data.projects import one_dimension

    workbench, found = _opened(project, ids)
    target = one_dimension(workbench, project, dimension)
    move_attributes(workbench, [attribute.id for attribute in found], target.id)
    echo(f"{counted(len(found), 'attribute')} moved to {target.name}.")


def merge(
    kept: Annotated[int, typer.Argument(help="The number of the one that stands for all.")],
    merged: Annotated[list[int], typer.Argument(help="The numbers of those that say the same.")],
    project: ProjectOption,
    reason: Annotated[str, typer.Option(help="Why they are one.")] = "says the same",
) -> None:
    """Let one attribute stand for others that say the same; `restore` takes it back.

    Example: interacteval attributes merge 12 14 --project News
    """
    from app.services.attributes.attribute_changes import merge_attributes

    workbench, (first, *others) = _opened(project, [kept, *merged])
    merge_attributes(workbench, first.id, [other.id for other in others], reason)
    echo(f"Attribute {first.id} stands for {counted(len(others), 'other')}.")


def alike(
    project: ProjectOption,
    dimension: Annotated[str, typer.Option(help="One dimension; all of them without it.")] = "all",
    least: Annotated[float | None, typer.Option(min=0.0, max=1.0, help="How alike at least, from 0 to 1.")] = None,
    by: Annotated[
        Literal["words", "order"],
        typer.Option(help="words: rare words they share; order: the same words in the same order."),
    ] = "words",
    json_: JsonOption = False,
) -> None:
    """Pairs that may say the same, the most alike first. Nothing is merged by itself.

    Example: interacteval attributes alike --project News --dimension coherence
    """
    from app.services.attributes.attributes import attributes_of
    from app.services.attributes.near_duplicates import near_duplicates
    from app.services.data.projects import dimensions_named, get_project
    from app.services.runtime.workbench import open_workbench

    workbench = open_workbench()
    target = get_project(workbench, project)
    pairs = [
        pair
        for one in dimensions_named(workbench, project, dimension)
        for pair in near_duplicates(attributes_of(workbench, target.id, one.id), least, measure=by)
    ]
    if json_:
        print_json([{"ids": [p.first.id, p.second.id], "likeness": p.likeness, "texts": _texts(p)} for p in pairs])
        return
    rows = [[p.first.id, p.second.id, p.likeness, *_texts(p)] for p in pairs]
    echo(table(["first", "second", "alike", "the first says", "the second says"], rows))


def _texts(pair: "NearDuplicate") -> list[str]:
    return [pair.first.text, pair.second.text]


def _opened(project: str, ids: list[int]) -> "tuple[Workbench, list[Attribute]]":
    """The workbench and the attributes of these numbers, which must be the project's own."""
    from app.services.attributes.attributes import attributes_numbered
    from app.services.data.projects import get_project
    from app.services.runtime.workbench import open_workbench

    workbench = open_workbench()
    return workbench, attributes_numbered(workbench, get_project(workbench, project).id, ids)
