"""Which Dask workers score a run, and how many texts at a time each of them scores."""

from app.cluster import cluster_address
from app.domain.run import RunSummary
from app.providers.credentials import Credentials
from app.services.runtime.workbench import Workbench
from app.services.scoring.blocks.dask_workers import Workers
from app.services.scoring.evaluators import NO_JUDGE
from app.settings import settings

FEWEST_TEXTS = 400
"""The Dask workers that the settings name share runs of so many texts or more: they have to load first."""


def workers_for(workbench: Workbench, run: RunSummary, processes: int = 1) -> Workers:
    """Return the Dask workers that score a run: those of the scheduler, else `processes` of this machine if there shall
    be several; none where they could not ask as this process does.

    A scheduler of the settings is for runs that are worth it; one that was named for this run holds whatever its size.
    """
    if run.params.get("batch") or not others_can_score(workbench):
        return Workers()
    address = cluster_address(worth_it=run.all - run.done >= FEWEST_TEXTS and processes < 2)
    return Workers(address, 0 if address or processes < 2 else processes)


def worker_share(run: RunSummary, texts: int, concurrency: int, workers: int) -> int:
    """Return how many texts at a time each of so many workers scores.

    Of requests in flight each has its part. A worker computes as many texts at a time as one process does, but each
    worker shall get some of few texts, several times.
    """
    if run.judge != NO_JUDGE:
        return max(1, concurrency // workers)
    return max(1, min(concurrency, texts // (4 * workers)))


def others_can_score(workbench: Workbench) -> bool:
    """Whether a process with the same environment has the same database and keys; nothing else tells it any."""
    here = settings()
    return workbench.database.address == here.url and workbench.credentials == Credentials.from_settings(here)
