"""Attribute clustering: each attribute under a component, or dropped on record (InteractEval, section 3.4.2).

Where the paper is silent: an attribute that the model places under two components stays under both, because one
consideration often raises two concerns and choosing between them would be our judgment, not the model's. One both
placed and dropped counts as placed. One neither placed nor dropped is recorded as dropped.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from app.construction.components import require_attributes
from app.construction.stage import (
    Numbering,
    StageContext,
    StageResult,
    ask_stage,
    first_problem,
    merged,
    unknown_numbers,
)
from app.domain.attribute import Attribute
from app.domain.build import Stage
from app.domain.checklist import Component, DroppedAttribute
from app.errors import NotReadyError
from app.providers.base import ChatModel

NOT_PLACED = "not placed by the model"


@dataclass(frozen=True, slots=True)
class Clusters:
    """`components` have at least one attribute each; those that received none are in `empty`."""

    components: tuple[Component, ...]
    dropped: tuple[DroppedAttribute, ...]
    empty: tuple[Component, ...] = ()


async def cluster_attributes(
    model: ChatModel,
    context: StageContext,
    components: Sequence[Component],
    attributes: Sequence[Attribute],
    may_drop_all: bool = False,
) -> StageResult[Clusters]:
    """Place `attributes` (distinct ids) under `components`, whose order is kept.

    may_drop_all: they are only some of the attributes, all of which may be left out. Raises NotReadyError without
    components or attributes, WrongSchemaError where the model keeps naming numbers that don't exist or places nothing.
    """
    require_attributes(context, attributes)
    if not components:
        raise NotReadyError(f"There are no components for {context.dimension.name}.", "Extract them first.")
    numbering = Numbering(attribute.id for attribute in attributes)
    variables = {
        "components": [
            {"id": number, "name": component.name, "description": component.description}
            for number, component in enumerate(components, start=1)
        ],
        "attributes": [{"id": numbering.number(a.id), "text": a.text} for a in attributes],
    }
    value, record = await ask_stage(
        Stage.CLUSTERS,
        model,
        context,
        variables,
        check=lambda answer: _problem(answer, numbering, len(components), may_drop_all),
        items=len(attributes),
    )
    return StageResult(_read(value, numbering, components, attributes), record)


def _problem(answer: dict[str, Any], numbering: Numbering, count: int, may_drop_all: bool) -> str | None:
    clusters, dropped = answer["clusters"], answer["dropped"]
    placed = [number for cluster in clusters for number in cluster["attributes"]]
    return first_problem(
        unknown_numbers((cluster["component"] for cluster in clusters), count, "component"),
        numbering.problem(placed, "note"),
        numbering.problem((entry["attribute"] for entry in dropped), "note"),
        None if placed or may_drop_all else "no note is placed under any component",
    )


def _read(
    value: dict[str, Any],
    numbering: Numbering,
    components: Sequence[Component],
    attributes: Sequence[Attribute],
) -> Clusters:
    filled = []
    for number, component in enumerate(components, start=1):
        own = (cluster["attributes"] for cluster in value["clusters"] if cluster["component"] == number)
        filled.append(replace(component, attributes=numbering.ids(merged(own))))
    placed = {id_ for component in filled for id_ in component.attributes}
    reasons = {
        id_: entry["reason"].strip() for entry in value["dropped"] for id_ in numbering.ids([entry["attribute"]])
    }
    dropped = tuple(
        DroppedAttribute(attribute.id, Stage.CLUSTERS, reasons.get(attribute.id) or NOT_PLACED)
        for attribute in attributes
        if attribute.id not in placed
    )
    kept = [component for component in filled if component.attributes]
    return Clusters(
        components=tuple(replace(component, position=position) for position, component in enumerate(kept)),
        dropped=dropped,
        empty=tuple(component for component in filled if not component.attributes),
    )
