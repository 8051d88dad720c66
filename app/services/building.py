"""From attributes to a draft checklist: the stages run in order, each kept on record as it ends."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from app.construction.components import DEFAULT, FEWEST, MOST
from app.construction.pipeline import STAGES, BuiltChecklist, build_checklist
from app.construction.stage import StageContext, StageRecord
from app.domain.attribute import Attribute
from app.domain.checklist import Checklist
from app.domain.condition import canonical, of_condition
from app.domain.project import Project
from app.domain.run import StageRun
from app.domain.task import Dimension
from app.errors import NotReadyError, ProviderError, WorkbenchError
from app.services.models import opened
from app.services.thinking import inputs_digest
from app.services.workbench import Workbench

COMBINED = "comb"
COMPONENTS = range(FEWEST, MOST + 1)


@dataclass(frozen=True, slots=True)
class BuildOutcome:
    """What came of one dimension: the new version, or why there is none."""

    dimension: str
    version: int | None = None
    error: str = ""


def build_all(
    workbench: Workbench,
    project: Project,
    dimensions: Sequence[Dimension],
    model: str,
    condition: str = COMBINED,
    max_components: int = DEFAULT,
    report: Callable[[str, int, int], None] = lambda *_: None,
) -> list[BuildOutcome]:
    """Build every dimension in turn; one that can't be built doesn't stop the others.

    report hears (what is being done, stages done, stages in all).
    """
    steps = len(STAGES) * len(dimensions)
    outcomes = []
    for number, dimension in enumerate(dimensions):
        before = number * len(STAGES)
        report(dimension.name, before, steps)

        def hear(stage: str, ended: int, _: int, name: str = dimension.name, before: int = before) -> None:
            report(f"{name}, {stage} done", before + ended, steps)

        try:
            made = build(workbench, project, dimension, model, condition, max_components, on_stage=hear)
            outcomes.append(BuildOutcome(dimension.name, made.version))
        except WorkbenchError as error:
            outcomes.append(BuildOutcome(dimension.name, error=str(error)))
    return outcomes


def build(
    workbench: Workbench,
    project: Project,
    dimension: Dimension,
    model: str,
    condition: str = COMBINED,
    max_components: int = DEFAULT,
    publish: bool = False,
    on_stage: Callable[[str, int, int], None] = lambda *_: None,
) -> Checklist:
    """Build a new version of the dimension's checklist from the attributes of a condition.

    on_stage hears (stage that ended, how many ended, of how many). A stage that fails is kept with its error; earlier
    versions stay as they are. Raises NotReadyError without attributes, and what the stages raise.
    """
    with workbench.database.read() as work:
        attributes = of_condition(work.think_aloud.attributes(project.id, dimension.id), condition)
    if not attributes:
        raise NotReadyError(
            f"Nobody has said yet what to look for in {dimension.name}.", "Think aloud, or ask the LLMs, first."
        )
    finished: list[StageRecord] = []

    def hear(record: StageRecord) -> None:
        finished.append(record)
        on_stage(record.stage, len(finished), len(STAGES))

    try:
        built = asyncio.run(_build(workbench, project, dimension, model, attributes, max_components, hear))
    except WorkbenchError as error:
        _keep_stages(workbench, dimension, [*map(_stage_run, finished), _failure(model, len(finished), error)])
        raise
    return _keep(workbench, dimension, built, canonical(condition), model, publish)


async def _build(
    workbench: Workbench,
    project: Project,
    dimension: Dimension,
    name: str,
    attributes: list[Attribute],
    max_components: int,
    hear: Callable[[StageRecord], None],
) -> BuiltChecklist:
    async with opened(workbench, name) as model:
        context = StageContext(project.task, dimension)
        return await build_checklist(model, context, attributes, max_components, hear)


def _keep(
    workbench: Workbench, dimension: Dimension, built: BuiltChecklist, condition: str, model: str, publish: bool
) -> Checklist:
    with workbench.database.write() as work:
        checklist_id = work.checklists.save(dimension.id, built.as_checklist(dimension.name, 0, condition, model))
        for record in built.records:
            work.runs.add_stage(dimension.id, _stage_run(record), checklist_id)
        return work.checklists.publish(checklist_id) if publish else work.checklists.get(checklist_id)


def _keep_stages(workbench: Workbench, dimension: Dimension, stages: list[StageRun]) -> None:
    with workbench.database.write() as work:
        for stage in stages:
            work.runs.add_stage(dimension.id, stage)


def _stage_run(record: StageRecord) -> StageRun:
    return StageRun(
        stage=record.stage,
        model=record.model,
        prompt=record.prompt,
        prompt_digest=record.digest,
        inputs_digest=inputs_digest(record.variables),
        inputs=record.variables,
        output=record.reply,
        input_tokens=record.usage.input_tokens,
        cached_tokens=record.usage.cached_tokens,
        output_tokens=record.usage.output_tokens,
    )


def _failure(model: str, ended: int, error: WorkbenchError) -> StageRun:
    kind = error.kind if isinstance(error, ProviderError) else "input"
    return StageRun(STAGES[min(ended, len(STAGES) - 1)], model, error_kind=kind, error=str(error))
