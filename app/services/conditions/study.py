"""A study of conditions: which checklists and scores it needs, and which of them exist.

A study stores only its builds, marked with the digest of their inputs (docs/adr/0011), and its runs. So results of one
study serve the next, and an interrupted one can be resumed.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import product
from typing import Any

from app.construction.components import DEFAULT, check_number
from app.domain.attribute import SampleExclusions
from app.domain.build import Stage
from app.domain.checklist import Checklist
from app.domain.condition import Family, StudyCondition, of_condition, study_conditions
from app.domain.project import Dimension, Project
from app.domain.roles_and_rights import Right
from app.domain.run import RunDimension, RunStatus, RunSummary
from app.errors import InputError, NotReadyError
from app.evaluators.checklist import PLAIN
from app.prompting import load_prompt
from app.providers.model_options import USUAL, ModelOptions, options_for
from app.services.runtime.prompts import own_wordings, planned_prompts
from app.services.runtime.workbench import Workbench, use_case
from app.services.scoring.draws import DrawCheck, check_drawn_texts
from app.services.scoring.evaluators import CHECKLIST
from app.services.scoring.runs import RunOptions
from app.services.think_aloud.samples import drawn
from db.unit_of_work import UnitOfWork

CHOICES = "study_choices"


@dataclass(frozen=True, slots=True)
class StudyOptions:
    """The options of a study. `model` builds every checklist, `judge` answers them all on the same texts.

    share, seed, draw, trials: which texts, as in RunOptions. components: maximum for each checklist; sweep: several
    such maxima, each tried on the same texts instead. budget: US dollars for all requests from now on, None for no
    limit. asking: options of every LLM, builder and judge.
    """

    dimensions: tuple[Dimension, ...]
    model: str
    judge: str
    families: tuple[Family, ...] = tuple(Family)
    components: int = DEFAULT
    share: float = 1.0
    seed: int = 1
    budget: float | None = None
    draw: tuple[int, int] | None = None
    trials: int = 1
    asking: ModelOptions = USUAL
    sweep: tuple[int, ...] = ()

    def asking_of(self, model: str) -> ModelOptions:
        """Return the options for `model` or `judge`; without effect for models that aren't LLMs."""
        return options_for(model, self.asking)

    def as_run(self) -> RunOptions:
        """Return the options of each condition's run. No answers of another checklist are reused: each is asked as a
        whole."""
        return RunOptions(
            self.dimensions,
            self.judge,
            share=self.share,
            seed=self.seed,
            draw=self.draw,
            trials=self.trials,
            model=self.asking_of(self.judge),
            reuse=False,
        )

    @property
    def words(self) -> str:
        """Return a phrase, for example "gpt-6-luna builds, rules judge, at most 5 components; 40 x 4 texts, seed 1"."""
        asked = self.as_run()
        texts = f"{self.draw[0]} x {self.draw[1]} texts" if self.draw else f"{self.share:.0%} of the texts"
        drawn = f", seed {self.seed}" if asked.drawn else ""
        trials = f", {self.trials} trials" if self.trials > 1 else ""
        most = ", ".join(map(str, self.sweep)) or str(self.components)
        made = f"{self.model} builds, {self.judge} judges, at most {most} components"
        effort = f", effort {self.asking.effort}" if self.asking.effort else ""
        return f"{made}{effort}; {texts}{drawn}{trials}"

    @property
    def asked(self) -> str:
        """Return a sentence on who builds and who judges, with a warning that rules aren't an LLM."""
        by_rules = "rules" in (self.model, self.judge)
        warning = " Rules are not an LLM; don't report these figures as an LLM's." if by_rules else ""
        return f"Builds: {self.model}, judges: {self.judge}.{warning}"

    def each_trial(self) -> "list[StudyOptions]":
        """Return the options of each number of components and trial, with the trial's seed. Raises as RunOptions."""
        return [
            replace(self, seed=trial.seed, trials=1, components=number, sweep=())
            for number in self.sweep or (self.components,)
            for trial in self.as_run().each_trial()
        ]


def study_options_of(work: UnitOfWork, project: Project, run: RunSummary) -> StudyOptions:
    """Return the options of the study that made the run."""
    parts = work.runs.parts(run.id)
    checklists = [work.checklists.get(part.checklist) for part in parts if part.checklist]
    there = {dimension.id: dimension for dimension in work.projects.dimensions(project.id)}
    chosen = run.params.get(CHOICES, {})
    dimensions = [there[i] for i in chosen.get("dimensions", [part.dimension for part in parts]) if i in there]
    draw = run.params.get("draw")
    return StudyOptions(
        tuple(dimensions),
        chosen.get("model") or (checklists[0].model if checklists else run.judge),
        run.judge,
        tuple(Family(family) for family in chosen.get("families", Family)),
        int(chosen.get("components", DEFAULT)),
        float(run.params.get("sample", 1.0)),
        int(chosen.get("seed", run.params.get("seed", 1))),
        draw=(int(draw[0]), int(draw[1])) if draw else None,
        trials=int(chosen.get("trials", 1)),
        # A judge that is no LLM has none of its own; in a resumed run its own are the newer ones.
        asking=ModelOptions.of_run({**chosen.get("asking", {}), **run.params}),
        sweep=tuple(map(int, chosen.get("sweep", ()))),
    )


BuiltFrom = tuple[StudyOptions, int, tuple[tuple[int, str], ...]]
"""The choices of a study for one dimension, its id, and the (id, wording) of each attribute."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One condition on one dimension. `build`, `checklist` and `run` are None if missing.

    attributes: (id, wording) of the condition's attributes. code: the condition as a build takes it. run: the newest
    that scored the study's texts with the checklist, perhaps unfinished. elsewhere: no such run, but one on other
    texts.
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
    """Return a cell for each chosen condition that the dimension's attributes allow. runs: those that ask as the study
    does."""
    everything = work.think_aloud.attributes(project.id, dimension.id)
    asked = {run.id: _asked(work, run, dimension.id, prompt) for run in runs}
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
        answered = [run for run in runs if made in asked[run.id]]
        run = next((r for r in answered if work.runs.texts_of(r.id, dimension.id) == texts), None)
        elsewhere = run is None and any(r.done for r in answered)
        checklist = work.checklists.get(made) if made else None
        cells.append(Cell(condition, dimension, code, digest, attributes, build, checklist, run, elsewhere))
    return cells


def builds_of_studies(workbench: Workbench, project: Project) -> Mapping[BuiltFrom, Cell]:
    """Return all builds of the project's studies, as far as runs record their options."""
    with own_wordings(workbench, project.id), workbench.database.read() as work:
        found = {}
        for options in dict.fromkeys(
            study_options_of(work, project, run) for run in work.runs.all(project.id) if run.study
        ):
            for dimension, number in product(options.dimensions, options.sweep or (options.components,)):
                alone = replace(options, dimensions=(dimension,), components=number, sweep=())
                for cell in cells_of(work, project, alone, dimension, (), frozenset(), ""):
                    found[alone, dimension.id, cell.attributes] = cell
        return found


def update_build_digests(workbench: Workbench, project: Project, before: Mapping[BuiltFrom, Cell]) -> None:
    """Update the digests of studies' builds after contributors were renamed, so that the builds are found again."""
    for made_from, now in builds_of_studies(workbench, project).items():
        then = before.get(made_from)
        if then is not None and then.build is not None and then.digest != now.digest:
            with workbench.database.write() as work:
                work.builds.set_study_digest(then.build, now.digest)


def same_way(run: RunSummary, options: StudyOptions) -> bool:
    """Return whether a run asked the study's judge in the study's way: once, all questions in one call."""
    plain = {name: getattr(PLAIN, name) for name in ("repeats", "soft", "per_question", "reversed_order")}
    asked = all(run.params.get(name, value) == value for name, value in plain.items())
    effort = ModelOptions.of_run(run.params).effort == options.asking_of(options.judge).effort
    return run.evaluator == CHECKLIST and run.judge == options.judge and not run.locked and asked and effort


def _asked(work: UnitOfWork, run: RunSummary, dimension: int, prompt: str) -> set[int]:
    """Return the checklists that the run asks with this prompt, on any texts. A stopped run counts too, since it can be
    resumed; one that failed at once doesn't."""
    if run.status is RunStatus.FAILED and not run.done:
        return set()
    parts = [part for part in work.runs.parts(run.id) if (part.dimension, part.prompt_digest) == (dimension, prompt)]
    return {part.checklist for part in parts if part.checklist is not None}


def _digest(project: Project, dimension: Dimension, options: StudyOptions, attributes: Sequence[Any]) -> str:
    """Return the digest of everything that a build depends on, except the condition's name and attribute ids, which
    differ between projects. An effort is part of it only if chosen, so that older builds still count."""
    task, effort = project.task, options.asking_of(options.model).effort
    inputs = [
        [task.text_name, task.source_name, task.description, task.language],
        [dimension.name, dimension.rubric, dimension.low, dimension.high],
        attributes,
        [options.model, options.components, *([effort] if effort else [])],
        [load_prompt(stage.value).digest for stage in Stage],
    ]
    return sha256(json.dumps(inputs, ensure_ascii=False).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class StudyPlan:
    """The plan of one trial. `texts`: dimension's id -> texts scored on it; `left_out`: dimension's id -> what its
    samples keep out. prompt: the digest of the judge's prompt."""

    options: StudyOptions
    cells: tuple[Cell, ...]
    texts: dict[int, tuple[int, ...]]
    left_out: dict[int, SampleExclusions]
    prompt: str

    @property
    def to_build(self) -> list[Cell]:
        return [cell for cell in self.cells if cell.checklist is None]

    @property
    def to_score(self) -> list[Cell]:
        return [cell for cell in self.cells if not cell.scored]

    @property
    def elsewhere(self) -> int:
        """Return how many cells are scored only on texts of another draw."""
        return sum(cell.elsewhere for cell in self.cells)

    @property
    def conditions(self) -> list[StudyCondition]:
        """Return the conditions in the paper's order, those that leave one contributor out last."""
        order = list(Family)
        return sorted({cell.condition for cell in self.cells}, key=lambda c: (order.index(c.family), c.name))


@use_case(Right.READ)
def plan_trials(workbench: Workbench, project: Project, options: StudyOptions) -> tuple[StudyPlan, ...]:
    """Return a plan for each trial and number of components; trials share their checklists.

    Raises as `plan_study`, and InputError for several trials of all texts.
    """
    return tuple(plan_study(workbench, project, trial) for trial in options.each_trial())


@use_case(Right.READ)
def checks_of(workbench: Workbench, project: Project, plans: Sequence[StudyPlan]) -> list[DrawCheck]:
    """Return how the texts of each trial compare with all texts; [] if all are scored."""
    return [
        check
        for plan in {plan.options.seed: plan for plan in plans}.values()
        if plan.options.as_run().drawn
        for check in check_drawn_texts(
            workbench, project.id, [(d, plan.texts[d.id]) for d in plan.options.dimensions], plan.options.seed
        )
    ]


def plan_study(workbench: Workbench, project: Project, options: StudyOptions) -> StudyPlan:
    """Return the plan of the trial that draws with `options.seed`.

    Raises NotReadyError if there is nothing to compare, InputError for invalid options.
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
    """Return the options of the study that made the newest run, for a reopened screen; None before the first.

    Runs of earlier versions recorded less: families and number of components are then the defaults.
    """
    with workbench.database.read() as work:
        run = next((run for run in work.runs.all(project.id) if run.study), None)
        if run is None:
            return None
        return study_options_of(work, project, run)


def run_params(
    work: UnitOfWork, project: Project, study: StudyOptions, trial: StudyOptions, condition: StudyCondition
) -> dict[str, Any]:
    """Return what is stored with a run of a trial: the parameters of any checklist run, the condition, and the study's
    options."""
    chosen = {
        "dimensions": [dimension.id for dimension in study.dimensions],
        "families": [family.value for family in study.families],
        "model": study.model,
        "components": trial.components,
        "seed": study.seed,
        "trials": study.trials,
        "asking": study.asking.params(),
        **({"sweep": list(study.sweep)} if study.sweep else {}),
    }
    return trial.as_run().params() | {"study": condition.key, CHOICES: chosen} | planned_prompts(work, project.id)


def run_plan(plan: StudyPlan, cells: Sequence[Cell]) -> list[RunDimension]:
    """Return the plan of one run over the dimensions of a condition. Cells without a checklist are left out."""
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
