"""Components of a dimension, and attributes clustered by component."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from app.construction.stage import (
    Numbering,
    StageContext,
    StageResult,
    ask_stage,
    first_problem,
    merged,
    tidy,
    unknown_numbers,
)
from app.domain.attribute import Attribute
from app.domain.build import Stage
from app.domain.checklist import Component, DroppedAttribute
from app.errors import InputError, NotReadyError
from app.providers.base import ChatModel

FEWEST, MOST, DEFAULT = 3, 9, 5  # the paper extracts at most 5 and studies 3 to 9 (sections 3.4.1 and 5.1.2)


async def extract_components(
    model: ChatModel, context: StageContext, attributes: Sequence[Attribute], max_components: int = DEFAULT
) -> StageResult[tuple[Component, ...]]:
    """Return at most `max_components` components, without attributes yet; never more than there are attributes.

    Raises InputError for a number outside 3 to 9, NotReadyError without attributes, WrongSchemaError where the model
    insists on too many, none, unnamed or equally named ones.
    """
    check_number(max_components)
    require_attributes(context, attributes)
    limit = min(max_components, len(attributes))
    numbered = [{"id": number, "text": a.text} for number, a in enumerate(attributes, start=1)]
    value, record = await ask_stage(
        Stage.COMPONENTS,
        model,
        context,
        {"attributes": numbered, "max_components": limit},
        check=lambda answer: _component_problem(answer, limit),
        items=limit,
    )
    components = tuple(
        Component(tidy(entry["name"]), tidy(entry["description"]), position=position)
        for position, entry in enumerate(value["components"])
    )
    return StageResult(components, record)


def check_number(components: int) -> None:
    """Raise InputError for an impossible number of components."""
    if not FEWEST <= components <= MOST:
        raise InputError(f"{components} components can't be asked for.", f"Choose a number from {FEWEST} to {MOST}.")


def require_attributes(context: StageContext, attributes: Sequence[Attribute]) -> None:
    if not attributes:
        raise NotReadyError(
            f"There are no attributes for {context.dimension.name}.",
            "Add some by thinking aloud, ask an LLM, or tick more contributors.",
        )


def _component_problem(answer: dict[str, Any], limit: int) -> str | None:
    names = [tidy(entry["name"]).casefold() for entry in answer["components"]]
    if not names:
        return "it holds no component"
    if len(names) > limit:
        return f"it holds {len(names)} components where at most {limit} are wanted"
    if not all(names):
        return "a component has no name"
    if len(set(names)) < len(names):
        return "two components have the same name"
    return None


NOT_PLACED = "not placed by the model"


@dataclass(frozen=True, slots=True)
class Clusters:
    """Clustered components. `components` have at least one attribute each; those without are in `empty`."""

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

    may_drop_all: whether every attribute may be left out, as these are only some of the build's. Raises NotReadyError
    without components or attributes, WrongSchemaError if the model keeps naming numbers that don't exist or places
    nothing.
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
        check=lambda answer: _cluster_problem(answer, numbering, len(components), may_drop_all),
        items=len(attributes),
    )
    return StageResult(_read(value, numbering, components, attributes), record)


def _cluster_problem(answer: dict[str, Any], numbering: Numbering, count: int, may_drop_all: bool) -> str | None:
    clusters, dropped = answer["clusters"], answer["dropped"]
    placed = [number for cluster in clusters for number in cluster["attributes"]]
    return first_problem(
        unknown_numbers((cluster["component"] for cluster in clusters), count, "component"),
        numbering.problem(placed, "note"),
        numbering.problem((entry["attribute"] for entry in dropped), "note"),
        None if placed or may_drop_all else "no note is placed under any component",
    )


def _read(
    value: dict[str, Any], numbering: Numbering, components: Sequence[Component], attributes: Sequence[Attribute]
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
