"""Component extraction: the recurring themes of all attributes (InteractEval, section 3.4.1)."""

from collections.abc import Sequence
from typing import Any

from app.construction.stage import StageContext, StageResult, ask_stage, tidy
from app.domain.attribute import Attribute
from app.domain.build import Stage
from app.domain.checklist import Component
from app.errors import InputError, NotReadyError
from app.providers.base import ChatModel

FEWEST, MOST, DEFAULT = 3, 9, 5  # the paper extracts at most 5 and studies 3 to 9 (sections 3.4.1 and 5.1.2)


async def extract_components(
    model: ChatModel, context: StageContext, attributes: Sequence[Attribute], max_components: int = DEFAULT
) -> StageResult[tuple[Component, ...]]:
    """At most `max_components` components, without attributes yet; never more than there are attributes.

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
        check=lambda answer: _problem(answer, limit),
        items=limit,
    )
    components = tuple(
        Component(tidy(entry["name"]), tidy(entry["description"]), position=position)
        for position, entry in enumerate(value["components"])
    )
    return StageResult(components, record)


def check_number(components: int) -> None:
    """Raises InputError for a number of components that can't be asked for."""
    if not FEWEST <= components <= MOST:
        raise InputError(f"{components} components can't be asked for.", f"Choose a number from {FEWEST} to {MOST}.")


def require_attributes(context: StageContext, attributes: Sequence[Attribute]) -> None:
    if not attributes:
        raise NotReadyError(
            f"There are no attributes for {context.dimension.name}.",
            "Add some by thinking aloud, ask an LLM, or tick more contributors.",
        )


def _problem(answer: dict[str, Any], limit: int) -> str | None:
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
