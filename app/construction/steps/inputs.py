"""Inputs of each unit of work, as digests: a unit whose inputs changed since it was made is stale.

Taking an edit back gives the old digest again, so the unit is no longer stale. Names and wordings are inputs, ids and
the model are not.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.domain.attribute import Attribute
from app.domain.build import Build, BuildComponent, Stage, item_of, stage_of, unit
from app.domain.checklist import QuestionOrigin
from app.domain.task import Dimension, Task

DIGEST_LENGTH = 16


@dataclass(frozen=True, slots=True)
class Inputs:
    """What a build starts from: the task, the dimension, and the attributes in use under its condition."""

    task: Task
    dimension: Dimension
    attributes: Sequence[Attribute]

    @property
    def texts(self) -> dict[int, str]:
        return {attribute.id: attribute.text for attribute in self.attributes}


@dataclass(frozen=True, slots=True)
class StageState:
    """`missing` units were never made, `edited` ones were made from other inputs, `gone` ones have lost theirs.

    ready: the stages before have made what this one needs. made: there is anything to show.
    """

    stage: Stage
    ready: bool
    made: bool
    missing: tuple[str, ...]
    edited: tuple[str, ...]
    gone: tuple[str, ...] = ()

    @property
    def to_ask(self) -> tuple[str, ...]:
        """The units to ask a model about."""
        return (*self.missing, *self.edited)

    @property
    def stale(self) -> bool:
        return self.made and bool(self.to_ask or self.gone)


def digests(build: Build, inputs: Inputs) -> dict[str, str]:
    """Every unit that should be there, with the digest of its inputs as they are now."""
    texts = inputs.texts
    about = [
        inputs.task.text_name,
        inputs.task.source_name,
        inputs.task.description,
        inputs.task.language,
        inputs.dimension.name,
        inputs.dimension.rubric,
    ]
    found = {unit(Stage.COMPONENTS): _digest(about, build.max_components, list(texts.values()))}
    if not build.components:
        return found
    named = [[c.name, c.description] for c in build.components]
    found |= {unit(Stage.CLUSTERS, id_): _digest(about, named, text) for id_, text in texts.items()}
    keys = {question.component: question.text for question in build.key_questions}
    for component in with_members(build, inputs):
        noted = sorted(texts[id_] for id_ in build.members(component.id, texts))
        key = unit(Stage.KEY_QUESTIONS, component.id)
        found[key] = _digest(about, component.name, component.description, noted)
        if component.id in keys:
            sub = unit(Stage.SUB_QUESTIONS, component.id)
            found[sub] = _digest(about, component.name, keys[component.id], noted)
    if build.sub_questions:
        found[unit(Stage.VALIDATION)] = _digest(about, reviewed(build))
    return found


def with_members(build: Build, inputs: Inputs) -> list[BuildComponent]:
    """The components that questions are written for: those with attributes in use."""
    texts = inputs.texts
    return [component for component in build.components if build.members(component.id, texts)]


def reviewed(build: Build) -> list[tuple[str, str]]:
    """What the validator reads: (component, question), in order."""
    names = {component.id: component.name for component in build.components}
    return [(names.get(question.component, ""), question.text) for question in build.sub_questions]


def states(build: Build, inputs: Inputs) -> dict[Stage, StageState]:
    """How every stage stands. A stage before which something is missing is not ready."""
    wanted = digests(build, inputs)
    by_stage: dict[Stage, list[str]] = {stage: [] for stage in Stage}
    for name in wanted:
        by_stage[stage_of(name)].append(name)
    made = {
        Stage.COMPONENTS: bool(build.components),
        Stage.CLUSTERS: bool(build.placements),
        Stage.KEY_QUESTIONS: bool(build.key_questions),
        Stage.SUB_QUESTIONS: bool(build.sub_questions),
        Stage.VALIDATION: bool(build.changes),
    }
    return {
        stage: StageState(
            stage,
            ready=bool(by_stage[stage]),
            made=made[stage],
            missing=tuple(name for name in by_stage[stage] if name not in build.made_from),
            edited=tuple(name for name in by_stage[stage] if build.made_from.get(name, wanted[name]) != wanted[name]),
            gone=_gone(build, stage, wanted),
        )
        for stage in Stage
    }


def _gone(build: Build, stage: Stage, wanted: Mapping[str, str]) -> tuple[str, ...]:
    """Components that lost all their attributes but still have generated questions."""
    if stage not in (Stage.KEY_QUESTIONS, Stage.SUB_QUESTIONS):
        return ()
    generated = (q.component for q in build.questions(stage) if q.origin is QuestionOrigin.GENERATED)
    return tuple(name for name in dict.fromkeys(unit(stage, id_) for id_ in generated) if name not in wanted)


def items(units: Sequence[str]) -> set[int]:
    return {item_of(name) for name in units}


def kept_as_they_are(build: Build, inputs: Inputs, stage: Stage) -> Mapping[str, str]:
    """`made_from` with the stage's units taken as made from what there is now: what a person looked at and kept."""
    now = {name: digest for name, digest in digests(build, inputs).items() if stage_of(name) is stage}
    return {**build.made_from, **now}


def _digest(*parts: Any) -> str:
    canonical = json.dumps(parts, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()[:DIGEST_LENGTH]
