"""One condition on one dimension: what it is made from, and what of it is there already.

Builds of a study are found by the digest of all that they were made from (docs/adr/0011).
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

from app.domain.build import Stage
from app.domain.checklist import Checklist
from app.domain.condition import of_condition
from app.domain.project import Project
from app.domain.run import RunStatus, RunSummary
from app.domain.study import StudyCondition, study_conditions
from app.domain.task import Dimension
from app.evaluators.checklist import PLAIN
from app.prompting import load_prompt
from app.providers.model_options import ModelOptions
from app.services.conditions.study_options import StudyOptions, study_options_of
from app.services.runtime.prompts import own_wordings
from app.services.runtime.workbench import Workbench
from app.services.scoring.evaluators import CHECKLIST
from db.unit_of_work import UnitOfWork

BuiltFrom = tuple[StudyOptions, int, tuple[tuple[int, str], ...]]
"""The choices of a study for one dimension, its id, and the (id, wording) of each attribute."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One condition on one dimension. `build`, `checklist` and `run` are None where they have to be made.

    attributes: (id, wording) of those that feed it. code: the condition as a build takes it. run: the newest that
    scored the study's texts with the checklist; it may not have ended yet. elsewhere: there is none, but one that
    scored other texts with it.
    """

    condition: StudyCondition
    dimension: Dimension
    code: str
    digest: str
    attributes: tuple[tuple[int, str], ...]
    build: int | None
    checklist: Checklist | None
    run: RunSummary | None
    elsewhere: bool = False

    @property
    def scored(self) -> bool:
        return self.run is not None and self.run.done == self.run.all


def cells_of(
    work: UnitOfWork,
    project: Project,
    options: StudyOptions,
    dimension: Dimension,
    runs: Sequence[RunSummary],
    texts: frozenset[int],
    prompt: str,
) -> list[Cell]:
    """One for each chosen condition that the dimension's attributes allow. runs: those that ask as the study does."""
    everything = work.think_aloud.attributes(project.id, dimension.id)
    cells = []
    for condition, code in study_conditions(everything).items():
        if condition.family not in options.families:
            continue
        used = of_condition(everything, code)
        attributes = tuple((a.id, a.text) for a in used)
        digest = _digest(project, dimension, options, sorted((a.contributor, a.text) for a in used))
        with_ids = _digest(project, dimension, options, sorted(attributes))
        build = work.builds.of_study(dimension.id, digest) or work.builds.of_study(dimension.id, with_ids)
        made = work.builds.last_checklist(build) if build else None
        answered = [r for r in runs if made and _answered(work, r, dimension.id, made, prompt)]
        run = next((r for r in answered if work.runs.texts_of(r.id, dimension.id) == texts), None)
        elsewhere = run is None and any(r.done for r in answered)
        checklist = work.checklists.get(made) if made else None
        cells.append(Cell(condition, dimension, code, digest, attributes, build, checklist, run, elsewhere))
    return cells


def builds_of_studies(workbench: Workbench, project: Project) -> Mapping[BuiltFrom, Cell]:
    """All that the project's studies built, as far as a run says what was chosen."""
    with own_wordings(workbench, project.id), workbench.database.read() as work:
        found = {}
        for options in dict.fromkeys(
            study_options_of(work, project, run) for run in work.runs.all(project.id) if run.study
        ):
            for dimension in options.dimensions:
                alone = replace(options, dimensions=(dimension,))
                for cell in cells_of(work, project, alone, dimension, (), frozenset(), ""):
                    found[alone, dimension.id, cell.attributes] = cell
        return found


def keep_builds(workbench: Workbench, project: Project, before: Mapping[BuiltFrom, Cell]) -> None:
    """What was built is found under the names that contributors have now."""
    for made_from, now in builds_of_studies(workbench, project).items():
        then = before.get(made_from)
        if then is not None and then.build is not None and then.digest != now.digest:
            with workbench.database.write() as work:
                work.builds.set_study_digest(then.build, now.digest)


def same_way(run: RunSummary, options: StudyOptions) -> bool:
    """Whether a run asked the study's judge in the study's way: once, all questions in one call."""
    plain = {name: getattr(PLAIN, name) for name in ("repeats", "soft", "per_question", "reversed_order")}
    asked = all(run.params.get(name, value) == value for name, value in plain.items())
    effort = ModelOptions.of_run(run.params).effort == options.asking_of(options.judge).effort
    return run.evaluator == CHECKLIST and run.judge == options.judge and not run.locked and asked and effort


def _answered(work: UnitOfWork, run: RunSummary, dimension: int, checklist: int, prompt: str) -> bool:
    """Whether it asks the checklist's questions in these words, of whichever texts.
    A run that was stopped counts too: it is gone on with. One that failed at once is not."""
    if run.status is RunStatus.FAILED and not run.done:
        return False
    parts = work.runs.parts(run.id)
    return any((p.dimension, p.checklist, p.prompt_digest) == (dimension, checklist, prompt) for p in parts)


def _digest(project: Project, dimension: Dimension, options: StudyOptions, attributes: Sequence[Any]) -> str:
    """Of everything that decides what a build is asked. The condition's name is not part of it; an effort is where one
    is chosen, so that builds from before there was a choice still count. Ids of attributes were a part of it once: a
    project that is taken elsewhere has others there."""
    task, effort = project.task, options.asking_of(options.model).effort
    inputs = [
        [task.text_name, task.source_name, task.description, task.language],
        [dimension.name, dimension.rubric, dimension.low, dimension.high],
        attributes,
        [options.model, options.components, *([effort] if effort else [])],
        [load_prompt(stage.value).digest for stage in Stage],
    ]
    return sha256(json.dumps(inputs, ensure_ascii=False).encode()).hexdigest()
