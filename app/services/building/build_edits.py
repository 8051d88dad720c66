"""Edits of a build by people, one verb each. Every one is saved at once as the build's next state.

Each returns the number of that state and raises InputError for what can't be, NotFoundError for what is gone. `who` is
the name that the build's history gives.
"""

from collections.abc import Sequence
from dataclasses import replace

from app.construction.steps import edits
from app.construction.steps.inputs import kept_as_they_are
from app.construction.steps.offers import keep_mine as kept_mine
from app.construction.steps.offers import take_new as taken_new
from app.domain.build import ChangeDecision, Stage
from app.domain.people.actor import Right
from app.services.building.build_state import edit_build
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench


@use_case(Right.FACILITATE, act="edited a build")
def describe_component(
    workbench: Workbench, build_id: int, component: int, name: str, description: str, who: str = ""
) -> int:
    return edit_build(
        workbench,
        build_id,
        f"Component described: {name}",
        who,
        lambda build, _: edits.describe_component(build, component, name, description),
    )


@use_case(Right.FACILITATE, act="edited a build")
def add_build_component(workbench: Workbench, build_id: int, name: str, description: str = "", who: str = "") -> int:
    return edit_build(
        workbench,
        build_id,
        f"Component added: {name}",
        who,
        lambda build, _: edits.add_component(build, name, description),
    )


@use_case(Right.FACILITATE, act="edited a build")
def remove_build_component(workbench: Workbench, build_id: int, component: int, who: str = "") -> int:
    return edit_build(
        workbench, build_id, "Component removed", who, lambda build, _: edits.remove_component(build, component)
    )


@use_case(Right.FACILITATE, act="edited a build")
def place_attributes(
    workbench: Workbench,
    build_id: int,
    attributes: Sequence[int],
    component: int | None,
    reason: str = "",
    who: str = "",
) -> int:
    """All of them under a component, or left out (None), with the reason where one is given."""
    several = f"{len(attributes)} attributes" if len(attributes) > 1 else "Attribute"
    return edit_build(
        workbench,
        build_id,
        f"{several} left out" if component is None else f"{several} moved",
        who,
        lambda build, inputs: edits.place_attributes(build, inputs, attributes, component, reason),
    )


@use_case(Right.FACILITATE, act="edited a build")
def reword_question(workbench: Workbench, build_id: int, stage: Stage, question: int, text: str, who: str = "") -> int:
    return edit_build(
        workbench,
        build_id,
        f"Question reworded: {text}",
        who,
        lambda build, _: edits.reword_question(build, stage, question, text),
    )


@use_case(Right.FACILITATE, act="edited a build")
def add_build_question(
    workbench: Workbench, build_id: int, stage: Stage, component: int, text: str, who: str = ""
) -> int:
    return edit_build(
        workbench,
        build_id,
        f"Question added: {text}",
        who,
        lambda build, inputs: edits.add_question(build, inputs, stage, component, text),
    )


@use_case(Right.FACILITATE, act="edited a build")
def remove_build_question(workbench: Workbench, build_id: int, question: int, who: str = "") -> int:
    return edit_build(
        workbench, build_id, "Question removed", who, lambda build, _: edits.remove_question(build, question)
    )


@use_case(Right.FACILITATE, act="decided on a proposed change")
def decide(workbench: Workbench, build_id: int, change: int, decision: ChangeDecision, who: str = "") -> int:
    return edit_build(
        workbench,
        build_id,
        f"Change {decision.value}",
        who,
        lambda build, _: edits.decide(build, change, decision),
    )


@use_case(Right.FACILITATE, act="decided on all proposed changes")
def decide_all(workbench: Workbench, build_id: int, decision: ChangeDecision, who: str = "") -> int:
    return edit_build(
        workbench, build_id, f"Changes {decision.value}", who, lambda build, _: edits.decide_all(build, decision)
    )


@use_case(Right.FACILITATE, act="edited a build")
def reword_change(workbench: Workbench, build_id: int, change: int, text: str, who: str = "") -> int:
    return edit_build(
        workbench, build_id, f"Change reworded: {text}", who, lambda build, _: edits.reword_change(build, change, text)
    )


@use_case(Right.FACILITATE, act="edited a build")
def keep_mine(workbench: Workbench, build_id: int, stage: Stage, item: int, who: str = "") -> int:
    return edit_build(workbench, build_id, "Own edit kept", who, lambda build, _: kept_mine(build, stage, item))


@use_case(Right.FACILITATE, act="edited a build")
def take_new(workbench: Workbench, build_id: int, stage: Stage, item: int, who: str = "") -> int:
    return edit_build(workbench, build_id, "New output taken", who, lambda build, _: taken_new(build, stage, item))


@use_case(Right.FACILITATE, act="edited a build")
def keep_stage(workbench: Workbench, build_id: int, stage: Stage, who: str = "") -> int:
    """Take the stage as up to date although its input was edited."""
    return edit_build(
        workbench,
        build_id,
        f"{stage.value} kept as they are",
        who,
        lambda build, inputs: replace(build, made_from=kept_as_they_are(build, inputs, stage)),
    )


@use_case(Right.FACILITATE, act="edited a build")
def set_model(workbench: Workbench, build_id: int, model: str, stage: Stage | None = None, who: str = "") -> int:
    """Which model a stage asks from now on; None for all stages."""
    return edit_build(
        workbench,
        build_id,
        f"Model chosen: {model}",
        who,
        lambda build, _: replace(
            build, models={s: model if stage in (None, s) else asked for s, asked in build.models.items()}
        ),
    )
