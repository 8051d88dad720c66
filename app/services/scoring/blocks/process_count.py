"""In how many processes a run is scored."""

from app.cluster.parts import cluster_address
from app.domain.run import RunSummary
from app.providers.credentials import Credentials
from app.providers.model_name import parse_model_name
from app.providers.specs import spec_of
from app.services.runtime.workbench import Workbench
from app.services.scoring.evaluators import NO_JUDGE
from app.settings import settings

FEWEST_TEXTS = 400
"""The Dask workers that the settings name share runs of so many texts or more: they have to load first."""


def processes_for(workbench: Workbench, run: RunSummary, concurrency: int, wished: int) -> int:
    """Return in how many processes a run is scored, this one included: as many as a person asked for.

    One where others could not ask as this one does: with a key that was typed for a browser session, or in batches.
    """
    if not others_can_score(workbench) or run.params.get("batch"):
        return 1
    return max(1, min(wished, concurrency))


def shares_of(run: RunSummary, concurrency: int, processes: int) -> tuple[int, int]:
    """How many texts at a time each process beside this one scores, and how many this one. What computes is for the
    others: they were chosen for that."""
    if computes(run):
        return max(1, (concurrency - 1) // max(processes - 1, 1)), 1
    share = concurrency // processes
    return share, concurrency - share * (processes - 1)


def worker_share(texts: int, concurrency: int, workers: int) -> int:
    """How many texts at a time each of so many Dask workers computes: as many as one process, but each worker shall get
    some of few texts, several times."""
    return max(1, min(concurrency, texts // (4 * workers)))


def computes(run: RunSummary) -> bool:
    """Whether its texts are scored by whatever process works on it, not by a server that is asked."""
    return run.judge == NO_JUDGE or not spec_of(parse_model_name(run.judge).provider).speaks_http


def cluster_for(workbench: Workbench, run: RunSummary) -> str:
    """The address of the Dask scheduler whose workers score it too; "" for none.

    One of the settings is for runs that are worth it; one that was named for this run holds whatever its size.
    """
    if run.params.get("batch") or not others_can_score(workbench):
        return ""
    return cluster_address(worth_it=run.all - run.done >= FEWEST_TEXTS)


def others_can_score(workbench: Workbench) -> bool:
    """Whether a process with the same environment has the same database and keys; nothing else tells it any."""
    here = settings()
    return workbench.database.address == here.url and workbench.credentials == Credentials.from_settings(here)
