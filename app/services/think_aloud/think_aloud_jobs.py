"""Asking LLMs to think aloud in the background; what they answer is saved as it comes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from app.domain.people.actor import Right
from app.domain.project import Project
from app.domain.task import Dimension
from app.providers.model_options import ModelOptions
from app.services.background.jobs import start_job
from app.services.background.kinds import job_kind
from app.services.background.progress import Progress
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench
from app.services.think_aloud.llm_think_aloud import ThinkAloudAnswer, answer_counts, ask_models


@dataclass(frozen=True, slots=True)
class ThinkAloudJob:
    """Every model is asked about every dimension. `answered` says how often each had answered before, so that another
    process asks nobody again whom this job has asked."""

    project: Project
    dimensions: tuple[Dimension, ...]
    models: tuple[str, ...]
    asking: ModelOptions
    answered: Mapping[str, int]


def think_aloud_job_key(project_id: int, dimensions: Sequence[Dimension]) -> str:
    """Asking about one dimension is one job, about several another."""
    return f"ask-{project_id}-{dimensions[0].id if len(dimensions) == 1 else 'all'}"


@use_case(Right.FACILITATE)
def begin_think_aloud(
    workbench: Workbench, project: Project, dimensions: Sequence[Dimension], models: Sequence[str]
) -> None:
    """Raises ConflictError while models are asked about the same."""
    before = answer_counts(workbench, dimensions, models)
    job = ThinkAloudJob(project, tuple(dimensions), tuple(models), workbench.asking, before)
    key = think_aloud_job_key(project.id, dimensions)
    start_job(workbench, key, f"Asking {_several(len(models), 'model')}", job)


@job_kind(ThinkAloudJob)
def _ask(workbench: Workbench, job: ThinkAloudJob, progress: Progress) -> str:
    now = answer_counts(workbench, job.dimensions, job.models)
    left: dict[tuple[Dimension, ...], list[str]] = {}
    for model in job.models:
        unasked = tuple(one for one in job.dimensions if now[f"{one.id} {model}"] <= job.answered[f"{one.id} {model}"])
        if unasked:
            left.setdefault(unasked, []).append(model)
    planned = sum(len(dimensions) * len(models) for dimensions, models in left.items())
    answers: list[ThinkAloudAnswer] = []

    def listen(asked: ThinkAloudAnswer) -> None:
        answers.append(asked)
        done = sum(1 if one.dimension else len(job.dimensions) for one in answers)
        progress.report(f"{asked.model} {_outcome(asked)}", min(done, planned), planned)

    progress.report("waiting for the first answer", 0, planned)
    for dimensions, models in left.items():
        ask_models(replace(workbench, asking=job.asking), job.project, dimensions, models, listen)
    return _ending(answers, progress)


def _ending(answers: Sequence[ThinkAloudAnswer], progress: Progress) -> str:
    failed = sum(1 for asked in answers if asked.error)
    if failed:
        progress.fell_short()
    said = f"{_several(sum(asked.attributes for asked in answers), 'attribute')} came in."
    repeated = sum(asked.repeated for asked in answers)
    if repeated:
        said += f" {repeated:,} left out: the same model said the same before."
    return f"{said} {_several(failed, 'answer')} did not come: the reasons are below the list." if failed else said


def _outcome(asked: ThinkAloudAnswer) -> str:
    if asked.error:
        return "did not answer"
    again = f" and {asked.repeated:,} it gave before" if asked.repeated else ""
    return f"gave {_several(asked.attributes, 'consideration')}{again} on {asked.dimension}"


def _several(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
