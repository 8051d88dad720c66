"""Block: scores of one run that a Dask worker scores in one task. It holds numbers and names: no key and no text."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from app.domain.run import Outcome, PlannedScore
from app.errors import ProviderError
from app.providers.recorded import Tally
from app.services.runtime.workbench import Workbench

BLOCK_TEXTS = 16  # at least so many but at the end: larger blocks would keep the run waiting for one worker


@dataclass(frozen=True, slots=True)
class Block:
    """writer: the name of the process that has the run. share: how many texts the worker scores at a time.
    budget: US dollars that the worker may spend on the run; None for no budget.
    taken_back: whether another worker had some of it, and may have asked about its texts.
    person, any_path: on whose behalf, as in Workbench; None for the owner.

    Scoring a block twice is safe: scored texts are left out, answered requests stand in the ledger, and nothing is
    saved once another writer has the run.
    """

    run: int
    writer: str
    scores: tuple[PlannedScore, ...]
    share: int
    budget: float | None = None
    taken_back: bool = False
    person: int | None = None
    any_path: bool = True


def block_of(workbench: Workbench, run: int, writer: str, share: int = 1, budget: float | None = None) -> Block:
    """Return a block without scores, on behalf of the workbench's actor."""
    return Block(run, writer, (), share, budget, person=workbench.actor.person, any_path=workbench.any_path)


@dataclass(frozen=True, slots=True)
class BlockReport:
    """saved: ids of the scores that are in the database. chance: outcomes that are worth a second try.
    fatal, stopped: as in EngineReport.

    tally, retries: of everything that the worker's session asked so far, for all of its blocks. session: its name;
    number: of the session's report, from 1.
    """

    session: str
    number: int = 0
    saved: frozenset[int] = frozenset()
    chance: tuple[Outcome, ...] = ()
    stopped: bool = False
    fatal: ProviderError | None = None
    tally: Tally = field(default_factory=Tally)
    retries: int = 0


def cut_blocks(
    planned: Sequence[PlannedScore], document_of: Mapping[int, str], size: int = BLOCK_TEXTS
) -> list[tuple[PlannedScore, ...]]:
    """Cut the plan into blocks of one dimension each, in its order, and never within a document: equal texts are asked
    about once within a process, and a provider finds the document in its cache."""
    documents: dict[tuple[int, str], list[PlannedScore]] = {}
    for score in planned:
        documents.setdefault((score.dimension, document_of[score.text]), []).append(score)
    blocks: list[list[PlannedScore]] = []
    for scores in documents.values():
        if blocks and len(blocks[-1]) < size and blocks[-1][0].dimension == scores[0].dimension:
            blocks[-1] += scores
        else:
            blocks.append(list(scores))
    return [tuple(block) for block in blocks]
