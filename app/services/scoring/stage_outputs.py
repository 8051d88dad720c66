"""Outputs of stages that a judge writes once for a dimension (steps, aspects, seeds): listing and editing all
versions."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from app.domain.roles_and_rights import Right
from app.domain.run import StageRun
from app.errors import NotFoundError
from app.evaluators.check_eval import OWN_SEEDS
from app.evaluators.registry import STAGE_OUTPUTS, as_lines, from_lines
from app.services.runtime.workbench import Workbench, use_case

__all__ = ["OWN_SEEDS"]
PERSON = "a person"


@dataclass(frozen=True, slots=True)
class Version:
    """One version of an output. `number` counts from 1; `by` is the model that wrote it, or PERSON."""

    number: int
    by: str
    lines: str
    at: datetime | None


@dataclass(frozen=True, slots=True)
class StageOutput:
    """One output with its versions, newest first; runs use the newest. `judge` is the model that was asked, "" for a
    person's own. `request` identifies outputs of the same kind: another judge, rubric or option is another request."""

    stage: str
    request: str
    title: str
    how: str
    judge: str
    versions: tuple[Version, ...]

    @property
    def lines(self) -> str:
        return self.versions[0].lines


@use_case(Right.READ)
def stage_outputs_of(workbench: Workbench, dimension_id: int) -> list[StageOutput]:
    """Return the stage outputs of a dimension, newest first, without failures."""
    with workbench.database.read() as work:
        stages = work.stages.of(dimension_id)
    kept: dict[tuple[str, str], list[StageRun]] = {}
    for stage in stages:
        if stage.stage in STAGE_OUTPUTS and not stage.error_kind:
            kept.setdefault((stage.stage, stage.inputs_digest), []).append(stage)
    found = [_written(*key, versions) for key, versions in kept.items()]
    return sorted(found, key=lambda written: max(s.id for s in kept[written.stage, written.request]), reverse=True)


@use_case(Right.FACILITATE, act="edited a stage of a method")
def save_edit(workbench: Workbench, dimension_id: int, written: StageOutput, lines: str) -> None:
    """Store a new version, which later runs use, unless nothing changed. Texts scored before keep their scores.

    Raises InputError for lines that can't be parsed, NotFoundError if the output was deleted.
    """
    output = from_lines(written.stage, lines)
    with workbench.database.write() as work:
        versions = [
            s for s in work.stages.of(dimension_id) if (s.stage, s.inputs_digest) == (written.stage, written.request)
        ]
        if not versions:
            raise NotFoundError("This is no longer there.", "Reload the page.")
        if versions[-1].output != output:
            work.stages.add(dimension_id, _by_person(written.stage, output, versions[-1]))


@use_case(Right.FACILITATE, act="edited the seeds of a method")
def save_own_seeds(workbench: Workbench, dimension_id: int, lines: str) -> None:
    """Store a person's sub-aspects and seed questions for CheckEval. Raises InputError."""
    output = from_lines(OWN_SEEDS, lines)
    with workbench.database.write() as work:
        work.stages.add(dimension_id, StageRun(OWN_SEEDS, PERSON, output=output))


def _by_person(stage: str, output: str, before: StageRun) -> StageRun:
    """Return a person's version that answers the same request as the version before."""
    return StageRun(
        stage, PERSON, before.prompt, before.prompt_digest, before.inputs_digest, dict(before.inputs), output
    )


def _written(stage: str, request: str, runs: Sequence[StageRun]) -> StageOutput:
    shape = STAGE_OUTPUTS[stage]
    versions = [Version(n, r.model, as_lines(stage, r.output), r.created_at) for n, r in enumerate(runs, start=1)]
    judge = "" if runs[0].model == PERSON else runs[0].model
    return StageOutput(stage, request, shape.title, shape.how, judge, tuple(reversed(versions)))
