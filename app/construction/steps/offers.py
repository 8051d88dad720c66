"""Offers: where a stage now makes something else of what a person edited, both are kept until the person decides."""

from dataclasses import dataclass, replace

from app.construction.steps.edits import free_name, remove_component
from app.domain.build import Build, BuildComponent, BuildQuestion, Stage
from app.domain.checklist import QuestionOrigin
from app.errors import NotFoundError


@dataclass(frozen=True, slots=True)
class Offer:
    """`mine` and `new` in words; `new` is "" where the stage does without the item now."""

    stage: Stage
    item: int
    mine: str
    new: str


def offers(build: Build) -> list[Offer]:
    """Everything a person has to decide about, in the order of the stages."""
    names = {component.id: component.name for component in build.components}
    found = [
        Offer(Stage.COMPONENTS, c.id, _described(c.name, c.description), _described(*c.offered))
        for c in build.components
        if c.offered is not None
    ]
    found += [
        Offer(Stage.CLUSTERS, p.attribute, _place(p.components, p.reason, names), _place(o.components, o.reason, names))
        for p in build.placements
        if (o := p.offered) is not None
    ]
    for stage in (Stage.KEY_QUESTIONS, Stage.SUB_QUESTIONS):
        found += [Offer(stage, q.id, q.text, q.offered) for q in build.questions(stage) if q.offered is not None]
    return found


def keep_mine(build: Build, stage: Stage, item: int) -> Build:
    """The person's stays, the offer goes."""
    if not any((o.stage, o.item) == (stage, item) for o in offers(build)):
        raise NotFoundError("This was decided already.", "Reload the page.")
    match stage:
        case Stage.COMPONENTS:
            return replace(
                build, components=tuple(replace(c, offered=None) if c.id == item else c for c in build.components)
            )
        case Stage.CLUSTERS:
            placements = (replace(p, offered=None) if p.attribute == item else p for p in build.placements)
            return replace(build, placements=tuple(placements))
    kept = tuple(replace(q, offered=None) if q.id == item else q for q in build.questions(stage))
    return build.with_questions(stage, kept)


def take_new(build: Build, stage: Stage, item: int) -> Build:
    """What the stage made replaces the person's, which stays on record in the build's history."""
    offer = next((o for o in offers(build) if (o.stage, o.item) == (stage, item)), None)
    if offer is None:
        raise NotFoundError("This was decided already.", "Reload the page.")
    match stage:
        case Stage.COMPONENTS:
            if not offer.new:
                return remove_component(build, item)
            return replace(build, components=tuple(_renamed(build, c) if c.id == item else c for c in build.components))
        case Stage.CLUSTERS:
            return replace(
                build,
                placements=tuple(
                    p.offered if p.attribute == item and p.offered is not None else p for p in build.placements
                ),
            )
    taken = [_taken(q) if q.id == item else q for q in build.questions(stage)]
    return build.with_questions(stage, (q for q in taken if q is not None))


def _renamed(build: Build, component: BuildComponent) -> BuildComponent:
    name, description = component.offered or (component.name, component.description)
    return replace(
        component,
        name=free_name(build, name, component.id),
        description=description,
        origin=QuestionOrigin.GENERATED,
        first=name,
        offered=None,
    )


def _taken(question: BuildQuestion) -> BuildQuestion | None:
    if not question.offered:
        return None
    return replace(
        question, text=question.offered, first=question.offered, origin=QuestionOrigin.GENERATED, offered=None
    )


def _described(name: str, description: str) -> str:
    return f"{name}: {description}" if description else name


def _place(components: tuple[int, ...], reason: str, names: dict[int, str]) -> str:
    where = ", ".join(names.get(id_, "") for id_ in components)
    return where or f"left out: {reason}"
