"""What of a run is at the provider, for those who wait for it."""

from collections.abc import Sequence

from app.domain.people import Right
from app.domain.run import OPEN, BatchStatus, ProviderBatch
from app.errors import InputError
from app.providers.registry import sells_batches
from app.services.runtime.batch_rounds import AT_ONCE
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench

__all__ = [
    "AT_ONCE",
    "OPEN",
    "BatchStatus",
    "ProviderBatch",
    "ask_rest",
    "batches_of_run",
    "has_open_batches",
    "out_now",
    "sells_batches",
]


@use_case(Right.READ)
def batches_of_run(workbench: Workbench, run_id: int) -> list[ProviderBatch]:
    """Oldest first; none for a run that asks live."""
    with workbench.database.read() as work:
        return work.provider_batches.of_run(run_id)


@use_case(Right.READ)
def has_open_batches(workbench: Workbench, run_id: int) -> bool:
    """Whether something of it is at the provider, or may be, or was not collected there yet."""
    with workbench.database.read() as work:
        return bool(work.provider_batches.open(run_id))


@use_case(Right.FACILITATE, act="chose what becomes of what a run's batch didn't get to", about="rest")
def ask_rest(workbench: Workbench, run_id: int, rest: str) -> None:
    """For a run that is gone on with. rest: as in BatchRounds. Raises InputError for one that isn't in batches."""
    with workbench.database.write() as work:
        if not work.runs.get(run_id).params.get("batch"):
            raise InputError(f"Run {run_id} isn't in batches: it is asked at once anyway.", "Leave that out.")
        work.runs.set_param(run_id, "batch", rest)


def out_now(batches: Sequence[ProviderBatch]) -> tuple[int, int, ProviderBatch] | None:
    """Of what is at the provider how many are through, how many there are, and the batch that went first; None where
    nothing is there."""
    there = [each for each in batches if each.status in OPEN and each.out_at is not None]
    if not there:
        return None
    return sum(each.answered for each in there), sum(each.requests for each in there), there[0]
