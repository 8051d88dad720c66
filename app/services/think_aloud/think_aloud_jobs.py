"""Background jobs that ask LLMs to think aloud; answers are stored as they arrive."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from app.domain.model_call import OPEN
from app.domain.project import Dimension, Project
from app.domain.roles_and_rights import Right
from app.errors import StoppedError
from app.providers.batches.batch import BatchedModel
from app.providers.model_options import ModelOptions
from app.providers.registry import sells_batches
from app.services.background.jobs import is_active, start_job, stop_job
from app.services.background.progress import Progress, job_kind
from app.services.background.runner import is_ending
from app.services.runtime.batch_rounds import LIVE
from app.services.runtime.models import model_session
from app.services.runtime.prompts import own_wordings
from app.services.runtime.workbench import Workbench, use_case
from app.services.think_aloud.llm_think_aloud import (
    OnAnswer,
    ThinkAloudAnswer,
    ThinkAloudAsking,
    answer_counts,
    ask_models,
    batches_out,
    never,
    only_waiter,
    rounds_of,
)


@dataclass(frozen=True, slots=True)
class CollectedBatches:
    """The result of collecting batches: of `requests` at providers, `answered` are in the ledger; `ending` are in
    batches that haven't ended. `came_in`: the answers that became attributes."""

    requests: int
    answered: int
    ending: int
    came_in: tuple[ThinkAloudAnswer, ...] = ()

    def __str__(self) -> str:
        if not self.requests:
            return "Nothing was at a provider."
        attributes = sum(answer.attributes for answer in self.came_in)
        said = f"{self.answered:,} of {self.requests:,} requests were answered: {attributes:,} attributes came in."
        left = f" The provider is still ending {self.ending:,} of them; what they were answered can be collected later."
        return said + (left if self.ending else "")


@use_case(Right.FACILITATE, act="collected or cancelled batches of models that think aloud")
def collect_batches(
    workbench: Workbench,
    project: Project,
    models: Sequence[str] = (),
    cancel: bool = False,
    on_answer: OnAnswer = lambda _: None,
    ending: Callable[[], bool] = never,
    wished: Callable[[], bool] = never,
) -> CollectedBatches:
    """Wait for the batches of these models, or of all; with `cancel`, cancel them and store the answers received so
    far. Nothing is submitted or asked.

    `ending` and `wished` as in `ask_models`. Raises ConflictError if another process on this machine waits for them,
    and the ProviderError if the provider can't be asked.
    """
    before = [each for each in batches_out(workbench, project.id) if not models or each.model in models]
    asked = dict.fromkeys((each.model, each.effort) for each in before)
    came_in: list[ThinkAloudAnswer] = []
    with own_wordings(workbench, project.id):
        for name, effort in asked:
            of_model = replace(workbench, asking=replace(workbench.asking, effort=effort))
            asking = ThinkAloudAsking(of_model, project, {}, on_answer)
            came_in += asyncio.run(_collect_batch(asking, name, cancel, ending, wished))
    with workbench.database.read() as work:
        now = [work.provider_batches.one(each.id) for each in before]
    there = [each for each in now if each.handle]
    return CollectedBatches(
        sum(each.requests for each in there),
        sum(each.answered for each in there),
        sum(each.requests for each in there if each.status in OPEN),
        tuple(came_in),
    )


async def _collect_batch(
    asking: ThinkAloudAsking, name: str, cancel: bool, ending: Callable[[], bool], wished: Callable[[], bool]
) -> list[ThinkAloudAnswer]:
    project = asking.project.id
    async with model_session(asking.workbench, name, project=project, in_batches=True) as model:
        assert isinstance(model, BatchedModel)
        with only_waiter(project, model.name):
            about = asking.everything()
            numbers = await asking.rounds(name, about)

            def collect(awaiting: BatchedModel) -> Awaitable[None]:
                return asking.into_ledger(awaiting, about, numbers)

            rounds = rounds_of(asking.workbench, model, project, collect, LIVE, ending, wished)
            try:
                await (rounds.cancel() if cancel else rounds.collect_open())
            except StoppedError:
                if not wished():
                    return []
            return await asking.answers(model.awaiting({}), name, about, numbers)


@dataclass(frozen=True, slots=True)
class ThinkAloudJob:
    """The job that asks every model about every dimension. `answered` counts each model's earlier answers, so that
    another process that resumes the job asks nobody twice. batch: as in `ask_models`, for models that take batches."""

    project: Project
    dimensions: tuple[Dimension, ...]
    models: tuple[str, ...]
    asking: ModelOptions
    answered: Mapping[str, int]
    batch: str = ""


@dataclass(frozen=True, slots=True)
class CollectingJob:
    """The job that waits for batches at providers, or cancels them."""

    project: Project
    cancel: bool


def think_aloud_job_key(project_id: int, dimensions: Sequence[Dimension]) -> str:
    """Return the job's key: one for each single dimension, another for several."""
    return f"ask-{project_id}-{dimensions[0].id if len(dimensions) == 1 else 'all'}"


@use_case(Right.FACILITATE)
def begin_think_aloud(
    workbench: Workbench, project: Project, dimensions: Sequence[Dimension], models: Sequence[str], batch: str = ""
) -> None:
    """Start asking models. batch: as in `ask_models`; models without batches are asked directly. Raises ConflictError
    while models are asked about the same."""
    before = answer_counts(workbench, dimensions, models)
    job = ThinkAloudJob(project, tuple(dimensions), tuple(models), workbench.asking, before, batch)
    key = think_aloud_job_key(project.id, dimensions)
    start_job(workbench, key, f"Asking {_several(len(models), 'model')}", job)


@use_case(Right.FACILITATE)
def begin_collecting(workbench: Workbench, project: Project, cancel: bool) -> None:
    """Start waiting for batches at providers, or cancelling them. Raises ConflictError while models are asked about all
    dimensions."""
    title = "Cancelling the batch" if cancel else "Waiting for the batch"
    start_job(workbench, think_aloud_job_key(project.id, ()), title, CollectingJob(project, cancel))


@use_case(Right.FACILITATE, act="stopped asking models in batches")
def stop_think_aloud(workbench: Workbench, project_id: int) -> bool:
    """Stop all think-aloud jobs of the project: batches are cancelled, and answers received so far are stored. Returns
    whether any job was active."""
    dimensions = [[], *([one] for one in _dimensions(workbench, project_id))]
    keys = [think_aloud_job_key(project_id, one) for one in dimensions]
    going = [key for key in keys if is_active(workbench, key)]
    for key in going:
        stop_job(workbench, key)
    return bool(going)


def _dimensions(workbench: Workbench, project_id: int) -> Sequence[Dimension]:
    with workbench.database.read() as work:
        return work.projects.dimensions(project_id)


@job_kind(CollectingJob)
def _collect(workbench: Workbench, job: CollectingJob, progress: Progress) -> str:
    progress.report("at the provider")
    found = collect_batches(
        workbench, job.project, (), job.cancel, ending=_ends(progress), wished=lambda: progress.wished
    )
    if found.ending or found.answered < found.requests:
        progress.mark_incomplete()
    return str(found)


def _ends(progress: Progress) -> Callable[[], bool]:
    """Return a function that tells whether the program ends, or another process has the job."""
    return lambda: is_ending() or (progress.is_set() and not progress.wished)


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
    asking, wished, ends = replace(workbench, asking=job.asking), lambda: progress.wished, _ends(progress)
    for dimensions, models in left.items():
        patient = [name for name in models if job.batch and sells_batches(name)]
        at_once = [name for name in models if name not in patient]
        if at_once:
            ask_models(asking, job.project, dimensions, at_once, listen)
        if patient:
            ask_models(asking, job.project, dimensions, patient, listen, job.batch, ends, wished)
    if progress.wished:
        progress.mark_incomplete()
        return f"Cancelled at the provider. {_ending(answers, progress)}"
    if len(answers) < planned and ends():
        progress.mark_incomplete()
    return _ending(answers, progress)


def _ending(answers: Sequence[ThinkAloudAnswer], progress: Progress) -> str:
    failed = sum(1 for asked in answers if asked.error)
    if failed:
        progress.mark_incomplete()
    said = f"{_several(sum(asked.attributes for asked in answers), 'attribute')} came in."
    repeated = sum(asked.repeated for asked in answers)
    if repeated:
        said += f" {repeated:,} left out: the same model said the same before."
    if absent := sum(asked.quotes_absent for asked in answers):
        said += f" {_several(absent, 'quote')} left out: in no sample."
    return f"{said} {_several(failed, 'answer')} did not come: the reasons are below the list." if failed else said


def _outcome(asked: ThinkAloudAnswer) -> str:
    if asked.error:
        return "did not answer"
    again = f" and {asked.repeated:,} it gave before" if asked.repeated else ""
    return f"gave {_several(asked.attributes, 'attribute')}{again} on {asked.dimension}"


def _several(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
