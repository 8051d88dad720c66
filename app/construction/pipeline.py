"""All stages in order, from attributes to a checklist (InteractEval, section 3.4)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from app.construction.clusters import cluster_attributes
from app.construction.components import DEFAULT, extract_components
from app.construction.key_questions import write_key_questions
from app.construction.stage import Stage, StageContext, StageRecord
from app.construction.sub_questions import write_sub_questions
from app.construction.validation import Change, validate_questions
from app.domain.attribute import Attribute
from app.domain.checklist import Checklist, ChecklistStatus, Component, DroppedAttribute, Question
from app.providers.base import ChatModel

STAGES = tuple(Stage)


@dataclass(frozen=True, slots=True)
class BuiltChecklist:
    """Everything the stages made. `questions` are the validated sub-questions, `changes` what validation did.

    `empty_components` were extracted but received no attribute. `records` hold one entry per stage, in order.
    """

    components: tuple[Component, ...]
    key_questions: tuple[Question, ...]
    questions: tuple[Question, ...]
    dropped: tuple[DroppedAttribute, ...]
    empty_components: tuple[Component, ...]
    changes: tuple[Change, ...]
    records: tuple[StageRecord, ...]

    def as_checklist(self, dimension: str, version: int, condition: str, model: str) -> Checklist:
        """A draft: key questions first, then sub-questions, positions counted through."""
        questions = (*self.key_questions, *self.questions)
        return Checklist(
            dimension=dimension,
            version=version,
            status=ChecklistStatus.DRAFT,
            condition=condition,
            model=model,
            components=self.components,
            questions=tuple(replace(q, position=position) for position, q in enumerate(questions)),
            dropped=self.dropped,
        )


async def build_checklist(
    models: ChatModel | Mapping[Stage, ChatModel],
    context: StageContext,
    attributes: Sequence[Attribute],
    max_components: int = DEFAULT,
    on_stage: Callable[[StageRecord], None] | None = None,
) -> BuiltChecklist:
    """Run every stage; each takes the output of those before.

    models: one for all stages, or one per stage. on_stage hears of each finished stage, so that what was done is on
    record when a later stage fails. Raises what the stages raise.
    """
    records: list[StageRecord] = []

    def finished(record: StageRecord) -> None:
        records.append(record)
        if on_stage is not None:
            on_stage(record)

    def model(stage: Stage) -> ChatModel:
        return models[stage] if isinstance(models, Mapping) else models

    extracted = await extract_components(model(Stage.COMPONENTS), context, attributes, max_components)
    finished(extracted.record)
    clustered = await cluster_attributes(model(Stage.CLUSTERS), context, extracted.output, attributes)
    finished(clustered.record)
    components = clustered.output.components
    keys = await write_key_questions(model(Stage.KEY_QUESTIONS), context, components, attributes)
    finished(keys.record)
    subs = await write_sub_questions(model(Stage.SUB_QUESTIONS), context, components, keys.output, attributes)
    finished(subs.record)
    validated = await validate_questions(model(Stage.VALIDATION), context, subs.output)
    finished(validated.record)
    return BuiltChecklist(
        components=components,
        key_questions=keys.output,
        questions=validated.output.questions,
        dropped=(*clustered.output.dropped, *validated.output.dropped_attributes),
        empty_components=clustered.output.empty,
        changes=validated.output.changes,
        records=tuple(records),
    )
