"""Think-alouds in batches: what a model is asked about several dimensions goes to its provider at once."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime

from filelock import FileLock, Timeout

from app.domain.batch import ProviderBatch
from app.domain.people.actor import Right
from app.errors import ConflictError
from app.providers.batches.batched_model import BatchedModel
from app.services.runtime.batch_rounds import BatchRounds, Collect
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench
from app.settings import settings
from db.unit_of_work import UnitOfWork


def never() -> bool:
    return False


class ProjectBatches:
    """The batches of one model in a project that are for no run. `wished`: whether a person asked to stop."""

    def __init__(self, project_id: int, model: str, effort: str, wished: Callable[[], bool] = never) -> None:
        self._project, self._model, self._effort = project_id, model, effort
        self._wished = wished

    def hold(self, work: UnitOfWork) -> None:
        """Nobody takes them over: see `only_waiter`."""

    async def may_ask(self) -> None:
        """Likewise."""

    def intend(self, work: UnitOfWork, token: str, requests: int) -> ProviderBatch:
        return work.provider_batches.intend_without_run(self._project, self._model, token, requests, self._effort)

    def open(self, work: UnitOfWork) -> list[ProviderBatch]:
        return work.provider_batches.open_without_run(self._project, self._model)

    def stop_wished(self, work: UnitOfWork) -> bool:
        return self._wished()


@contextmanager
def only_waiter(project_id: int, model: str) -> Iterator[None]:
    """Raises ConflictError where another program of this machine waits for the batches: it will keep their answers."""
    name = "".join(letter if letter.isalnum() else "-" for letter in model)
    folder = settings().home / "running"
    folder.mkdir(parents=True, exist_ok=True)
    lock = FileLock(folder / f"think-aloud-{project_id}-{name}.lock", thread_local=False)
    try:
        lock.acquire(blocking=False)
    except Timeout:
        raise ConflictError(
            f"Another program waits for a batch of {model} in this project.", "Wait until it ends, or stop it there."
        ) from None
    try:
        yield
    finally:
        lock.release()


def rounds_of(
    workbench: Workbench,
    model: BatchedModel,
    project_id: int,
    collect: Collect,
    rest: str,
    ending: Callable[[], bool] = never,
    wished: Callable[[], bool] = never,
) -> BatchRounds:
    """Ending the program leaves them at the provider; the same question finds them again. A wish to stop cancels them.

    Raises ConflictError where what is there was asked with another effort, for then its answers couldn't be found."""
    holder = ProjectBatches(project_id, model.name, model.effort, wished)
    with workbench.database.read() as work:
        others = {batch.effort for batch in holder.open(work)} - {model.effort}
    if others:
        raise ConflictError(
            f"A batch of {model.name} is at the provider that was asked with another reasoning effort.",
            "Go on with it, or cancel it, before you ask with this one.",
        )
    return BatchRounds(workbench, holder, model, collect, lambda: ending() or wished(), rest, ending)


def has_batch_out(workbench: Workbench, project_id: int, model: str) -> bool:
    """Whether something is at the provider, or may be."""
    with workbench.database.read() as work:
        return bool(work.provider_batches.open_without_run(project_id, model))


@use_case(Right.READ)
def batches_out(workbench: Workbench, project_id: int) -> list[ProviderBatch]:
    """Of all models that think aloud in the project, as last seen; those whose answers aren't in yet."""
    with workbench.database.read() as work:
        return work.provider_batches.open_without_run(project_id)


def first_out(batches: list[ProviderBatch]) -> datetime | None:
    """Since when something is there."""
    return min((batch.out_at for batch in batches if batch.out_at is not None), default=None)
