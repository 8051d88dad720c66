"""A study of conditions: which checklists and scores it takes, and which of them are there already.

Nothing is stored about a study but what it makes: builds marked with the digest of what they were made from
(docs/adr/0011), and runs. So what was made for one study serves the next, and an interrupted one goes on.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from app.construction.components import check_number
from app.domain.people.actor import Right
from app.domain.project import Project
from app.domain.run import RunDimension
from app.domain.study import Family, StudyCondition
from app.domain.think_aloud import HeldBack
from app.errors import InputError, NotReadyError
from app.evaluators.checklist import PLAIN
from app.prompting import load_prompt
from app.services.conditions.study_cells import Cell, cells_of, same_way
from app.services.conditions.study_options import CHOICES, StudyOptions, study_options_of
from app.services.runtime.prompts import own_wordings, planned_prompts
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench
from app.services.scoring.draws import DrawCheck, check_drawn_texts
from app.services.think_aloud.samples import drawn
from db.unit_of_work import UnitOfWork

__all__ = [
    "Cell",
    "Family",
    "StudyCondition",
    "StudyOptions",
    "StudyPlan",
    "checks_of",
    "last_study",
    "plan_study",
    "plan_trials",
]


@dataclass(frozen=True, slots=True)
class StudyPlan:
    """One trial of a study.

    `texts` maps a dimension's id to the texts scored on it, `left_out` to what was read as samples.
    prompt: the hash of the judge's.
    """

    options: StudyOptions
    cells: tuple[Cell, ...]
    texts: dict[int, tuple[int, ...]]
    left_out: dict[int, HeldBack]
    prompt: str

    @property
    def to_build(self) -> list[Cell]:
        return [cell for cell in self.cells if cell.checklist is None]

    @property
    def to_score(self) -> list[Cell]:
        return [cell for cell in self.cells if not cell.scored]

    @property
    def elsewhere(self) -> int:
        """How many are scored, but on texts of another draw."""
        return sum(cell.elsewhere for cell in self.cells)

    @property
    def conditions(self) -> list[StudyCondition]:
        """In the paper's order; leaving one out comes last."""
        order = list(Family)
        return sorted({cell.condition for cell in self.cells}, key=lambda c: (order.index(c.family), c.name))


@use_case(Right.READ)
def plan_trials(workbench: Workbench, project: Project, options: StudyOptions) -> tuple[StudyPlan, ...]:
    """One plan a trial; they share their checklists. Raises as plan_study, InputError for trials of all texts."""
    return tuple(plan_study(workbench, project, trial) for trial in options.each_trial())


@use_case(Right.READ)
def checks_of(workbench: Workbench, project: Project, plans: Sequence[StudyPlan]) -> list[DrawCheck]:
    """How the texts of each trial compare with all; none where all are scored."""
    return [
        check
        for plan in plans
        if plan.options.as_run().drawn
        for check in check_drawn_texts(
            workbench, project.id, [(d, plan.texts[d.id]) for d in plan.options.dimensions], plan.options.seed
        )
    ]


def plan_study(workbench: Workbench, project: Project, options: StudyOptions) -> StudyPlan:
    """Of the trial that draws with `options.seed`.

    Raises NotReadyError where there is nothing to compare, InputError for a choice that makes no sense.
    """
    check_number(options.components)
    if not options.dimensions or not options.families:
        raise InputError("Nothing is chosen.", "Choose a dimension and a condition.")
    texts, left_out = {}, {}
    for dimension in options.dimensions:
        found, left_out[dimension.id] = drawn(
            workbench, project.id, dimension.id, options.share, options.seed, draw=options.draw
        )
        texts[dimension.id] = tuple(text.id for text in found)
    with own_wordings(workbench, project.id), workbench.database.read() as work:
        prompt = load_prompt(PLAIN.prompt()).digest
        runs = [run for run in work.runs.all(project.id) if same_way(run, options)]
        cells = [
            cell
            for dimension in options.dimensions
            for cell in cells_of(work, project, options, dimension, runs, frozenset(texts[dimension.id]), prompt)
        ]
    if not cells:
        raise NotReadyError(
            "The chosen conditions have no attributes yet.", "Think aloud, or ask the LLMs, or choose other conditions."
        )
    return StudyPlan(options, tuple(cells), texts, left_out, prompt)


@use_case(Right.READ)
def last_study(workbench: Workbench, project: Project) -> StudyOptions | None:
    """The choices of the study that made the newest run, for a screen opened again; None before the first.

    Runs of earlier versions stored less: the families and the number of components are then the usual ones.
    """
    with workbench.database.read() as work:
        run = next((run for run in work.runs.all(project.id) if run.study), None)
        if run is None:
            return None
        return study_options_of(work, project, run)


def run_params(
    work: UnitOfWork, project: Project, study: StudyOptions, trial: StudyOptions, condition: StudyCondition
) -> dict[str, Any]:
    """What is stored with a run of a trial: what any run with a checklist stores, the condition, and what was chosen
    for the whole study."""
    chosen = {
        "dimensions": [dimension.id for dimension in study.dimensions],
        "families": [family.value for family in study.families],
        "model": study.model,
        "components": study.components,
        "seed": study.seed,
        "trials": study.trials,
        "asking": study.asking.params(),
    }
    return trial.as_run().params() | {"study": condition.key, CHOICES: chosen} | planned_prompts(work, project.id)


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
