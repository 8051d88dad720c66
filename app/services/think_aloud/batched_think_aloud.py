"""Think-alouds in batches: what a model is asked about several dimensions goes to its provider at once."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from filelock import FileLock, Timeout

from app.domain.batch import ProviderBatch
from app.errors import ConflictError
from app.providers.batches.batched_model import BatchedModel
from app.services.runtime.batch_rounds import BatchRounds, Collect
from app.services.runtime.workbench import Workbench
from app.settings import settings
from db.unit_of_work import UnitOfWork


class ProjectBatches:
    """The batches of one model in a project that are for no run."""

    def __init__(self, project_id: int, model: str) -> None:
        self._project, self._model = project_id, model

    def hold(self, work: UnitOfWork) -> None:
        """Nobody takes them over: see `only_waiter`."""

    async def may_ask(self) -> None:
        """Likewise."""

    def intend(self, work: UnitOfWork, token: str, requests: int) -> ProviderBatch:
        return work.provider_batches.intend_without_run(self._project, self._model, token, requests)

    def open(self, work: UnitOfWork) -> list[ProviderBatch]:
        return work.provider_batches.open_without_run(self._project, self._model)

    def stop_wished(self, work: UnitOfWork) -> bool:
        return False


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
            f"Another program waits for a batch of {model} in this project.", "Wait until it ends."
        ) from None
    try:
        yield
    finally:
        lock.release()


async def answer_in_batches(
    workbench: Workbench,
    model: BatchedModel,
    project_id: int,
    collect: Collect,
    rest: str,
    ending: Callable[[], bool] = lambda: False,
) -> None:
    """Until all that `collect` asks is in the ledger, or was in as many batches as it may.

    Ending the program leaves them at the provider; the same question finds them again."""
    holder = ProjectBatches(project_id, model.name)
    await BatchRounds(workbench, holder, model, collect, ending, rest, ending).until_answered()


def has_batch_out(workbench: Workbench, project_id: int, model: str) -> bool:
    """Whether something is at the provider, or may be."""
    with workbench.database.read() as work:
        return bool(work.provider_batches.open_without_run(project_id, model))
