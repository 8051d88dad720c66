"""What is chosen for a study of conditions, and read again from a run that it made."""

from dataclasses import dataclass, replace

from app.construction.components import DEFAULT
from app.domain.project import Project
from app.domain.run import RunSummary
from app.domain.study import Family
from app.domain.task import Dimension
from app.providers.model_options import USUAL, ModelOptions, options_for
from app.services.scoring.runs import RunOptions
from db.unit_of_work import UnitOfWork

CHOICES = "study_choices"


@dataclass(frozen=True, slots=True)
class StudyOptions:
    """`model` builds every checklist, `judge` answers them all for the same texts.

    share, seed, draw, trials: which texts, as RunOptions has them. components: at most so many a checklist.
    budget: US dollars for what the study asks from now on, None for no limit.
    asking: how every LLM of it is asked, builder and judge.
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

    def asking_of(self, model: str) -> ModelOptions:
        """How `model` or `judge` is asked; what is no LLM is always asked alike."""
        return options_for(model, self.asking)

    def as_run(self) -> RunOptions:
        """How each condition is scored. No answer is taken over from another checklist: each is asked as a whole."""
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
        """For a person, for example "gpt-4o builds, gpt-4o judges, at most 5 components; 40 x 4 texts, seed 1"."""
        asked = self.as_run()
        texts = f"{self.draw[0]} x {self.draw[1]} texts" if self.draw else f"{self.share:.0%} of the texts"
        drawn = f", seed {self.seed}" if asked.drawn else ""
        trials = f", {self.trials} trials" if self.trials > 1 else ""
        made = f"{self.model} builds, {self.judge} judges, at most {self.components} components"
        effort = f", effort {self.asking.effort}" if self.asking.effort else ""
        return f"{made}{effort}; {texts}{drawn}{trials}"

    @property
    def asked(self) -> str:
        """Who builds and who judges, for a person: figures of rules are not to be taken for an LLM's."""
        by_rules = "rules" in (self.model, self.judge)
        warning = " Rules are not an LLM; don't report these figures as an LLM's." if by_rules else ""
        return f"Builds: {self.model}, judges: {self.judge}.{warning}"

    def each_trial(self) -> "list[StudyOptions]":
        """The same study once for each trial, with the trial's seed. Raises as RunOptions."""
        return [replace(self, seed=trial.seed, trials=1) for trial in self.as_run().each_trial()]


def study_options_of(work: UnitOfWork, project: Project, run: RunSummary) -> StudyOptions:
    """The choices of the study that made the run."""
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
        # A judge that is no LLM has none of its own; where a run is gone on with, its own are the newer ones.
        asking=ModelOptions.of_run({**chosen.get("asking", {}), **run.params}),
    )
