"""A study of conditions: which checklists and scores it takes, and which of them are there already.

Nothing is stored about a study but what it makes: builds marked with the digest of what they were made from
(docs/adr/0011), and runs. So what was made for one study serves the next, and an interrupted one goes on.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from app.construction.components import DEFAULT
from app.domain.build import Stage
from app.domain.checklist import Checklist
from app.domain.condition import of_condition
from app.domain.project import Project
from app.domain.run import RunDimension, RunStatus, RunSummary
from app.domain.sample import LeftOut
from app.domain.study import Family, StudyCondition, study_conditions
from app.domain.task import Dimension
from app.errors import InputError, NotReadyError
from app.evaluators.checklist import PLAIN
from app.prompting import load_prompt
from app.services.evaluating import CHECKLIST
from app.services.prompts import in_force, own_wordings
from app.services.samples import drawn
from app.services.scoring import RunOptions
from app.services.workbench import Workbench
from db.unit_of_work import UnitOfWork

__all__ = ["Cell", "Family", "StudyCondition", "StudyOptions", "StudyPlan", "last_study", "plan_study"]


@dataclass(frozen=True, slots=True)
class StudyOptions:
    """`model` builds every checklist, `judge` answers them all for the same texts.

    budget: US dollars for what the study asks from now on, None for no limit.
    """

    dimensions: tuple[Dimension, ...]
    model: str
    judge: str
    families: tuple[Family, ...] = tuple(Family)
    components: int = DEFAULT
    sample: float = 1.0
    seed: int = 1
    budget: float | None = None


@dataclass(frozen=True, slots=True)
class Cell:
    """One condition on one dimension. `build`, `checklist` and `run` are None where they have to be made.

    attributes: (id, wording) of those that feed it. code: the condition as a build takes it. run: the newest that
    scored the study's texts with the checklist; it may not have ended yet.
    """

    condition: StudyCondition
    dimension: Dimension
    code: str
    digest: str
    attributes: tuple[tuple[int, str], ...]
    build: int | None
    checklist: Checklist | None
    run: RunSummary | None

    @property
    def scored(self) -> bool:
        return self.run is not None and self.run.done == self.run.all


@dataclass(frozen=True, slots=True)
class StudyPlan:
    """`texts` maps a dimension's id to the texts scored on it, `left_out` to what was read as samples.

    prompt: the hash of the judge's.
    """

    options: StudyOptions
    cells: tuple[Cell, ...]
    texts: dict[int, tuple[int, ...]]
    left_out: dict[int, LeftOut]
    prompt: str

    @property
    def to_build(self) -> list[Cell]:
        return [cell for cell in self.cells if cell.checklist is None]

    @property
    def to_score(self) -> list[Cell]:
        return [cell for cell in self.cells if not cell.scored]

    @property
    def conditions(self) -> list[StudyCondition]:
        """In the paper's order; leaving one out comes last."""
        order = list(Family)
        return sorted({cell.condition for cell in self.cells}, key=lambda c: (order.index(c.family), c.name))


def plan_study(workbench: Workbench, project: Project, options: StudyOptions) -> StudyPlan:
    """Raises NotReadyError where there is nothing to compare, InputError for a choice that makes no sense."""
    if not options.dimensions or not options.families:
        raise InputError("Nothing is chosen.", "Choose a dimension and a condition.")
    texts, left_out = {}, {}
    for dimension in options.dimensions:
        found, left_out[dimension.id] = drawn(workbench, project.id, dimension.id, options.sample, options.seed)
        texts[dimension.id] = tuple(text.id for text in found)
    with own_wordings(workbench, project.id), workbench.database.read() as work:
        prompt = load_prompt(PLAIN.prompt()).digest
        runs = [run for run in work.runs.all(project.id) if _same_way(run, options)]
        cells = [
            cell
            for dimension in options.dimensions
            for cell in _cells(work, project, options, dimension, runs, frozenset(texts[dimension.id]), prompt)
        ]
    if not cells:
        raise NotReadyError(
            "The chosen conditions have no attributes yet.", "Think aloud, or ask the LLMs, or choose other conditions."
        )
    return StudyPlan(options, tuple(cells), texts, left_out, prompt)


def last_study(workbench: Workbench, project: Project) -> StudyOptions | None:
    """The choices of the newest run of a study, so that a screen opened again shows it; None before the first."""
    with workbench.database.read() as work:
        run = next((run for run in work.runs.all(project.id) if "study" in run.params), None)
        if run is None:
            return None
        parts = work.runs.parts(run.id)
        checklists = [work.checklists.get(part.checklist) for part in parts if part.checklist]
        dimensions = tuple(work.projects.dimension_by_id(part.dimension) for part in parts)
    model = checklists[0].model if checklists else run.judge
    sample, seed = float(run.params.get("sample", 1.0)), int(run.params.get("seed", 1))
    return StudyOptions(dimensions, model, run.judge, sample=sample, seed=seed)


def _cells(
    work: UnitOfWork,
    project: Project,
    options: StudyOptions,
    dimension: Dimension,
    runs: Sequence[RunSummary],
    texts: frozenset[int],
    prompt: str,
) -> list[Cell]:
    everything = work.think_aloud.attributes(project.id, dimension.id)
    cells = []
    for condition, code in study_conditions(everything).items():
        if condition.family not in options.families:
            continue
        attributes = tuple((a.id, a.text) for a in of_condition(everything, code))
        digest = _digest(project, dimension, options, attributes)
        build = work.builds.of_study(dimension.id, digest)
        made = work.builds.last_checklist(build) if build else None
        run = next((r for r in runs if made and _scored_with(work, r, dimension.id, made, texts, prompt)), None)
        checklist = work.checklists.get(made) if made else None
        cells.append(Cell(condition, dimension, code, digest, attributes, build, checklist, run))
    return cells


def run_params(work: UnitOfWork, project: Project, options: StudyOptions, condition: StudyCondition) -> dict[str, Any]:
    """What is stored with a run of the study: what any run with a checklist stores, and the condition.

    No answer is taken over from another checklist: each is asked as a whole.
    """
    own = in_force(work, project.id)
    asked = RunOptions(options.dimensions, options.judge, sample=options.sample, seed=options.seed, reuse=False)
    return asked.params() | {"study": condition.key} | ({"prompts": own} if own else {})


def run_plan(plan: StudyPlan, cells: Sequence[Cell]) -> list[RunDimension]:
    """One run over the dimensions of one condition; each cell has its checklist."""
    return [
        RunDimension(
            cell.dimension.id,
            cell.checklist.id,
            plan.left_out[cell.dimension.id].documents,
            plan.texts[cell.dimension.id],
            cell.dimension.name,
            plan.prompt,
            plan.left_out[cell.dimension.id].texts,
        )
        for cell in cells
        if cell.checklist is not None
    ]


def _same_way(run: RunSummary, options: StudyOptions) -> bool:
    """Whether a run asked the study's judge in the study's way: once, all questions in one call."""
    plain = {"repeats": PLAIN.repeats, "soft": PLAIN.soft, "per_question": PLAIN.per_question}
    asked = all(run.params.get(name, value) == value for name, value in plain.items())
    return run.evaluator == CHECKLIST and run.judge == options.judge and not run.locked and asked


def _scored_with(
    work: UnitOfWork, run: RunSummary, dimension: int, checklist: int, texts: frozenset[int], prompt: str
) -> bool:
    """A run that was stopped counts too: it is gone on with. One that failed at once is not."""
    parts = work.runs.parts(run.id)
    if run.status is RunStatus.FAILED and not run.done:
        return False
    return any(
        (part.dimension, part.checklist, part.prompt_digest) == (dimension, checklist, prompt)
        and work.runs.texts_of(run.id, dimension) == texts
        for part in parts
    )


def _digest(
    project: Project, dimension: Dimension, options: StudyOptions, attributes: Sequence[tuple[int, str]]
) -> str:
    """Of everything that decides what a build is asked. The condition's name is not part of it."""
    task = project.task
    inputs = [
        [task.text_name, task.source_name, task.description, task.language],
        [dimension.name, dimension.rubric, dimension.low, dimension.high],
        sorted(attributes),
        [options.model, options.components],
        [load_prompt(stage.value).digest for stage in Stage],
    ]
    return sha256(json.dumps(inputs, ensure_ascii=False).encode()).hexdigest()
