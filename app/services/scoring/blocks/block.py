"""Block: scores of one run that are worked on together, wherever. Numbers and names alone: no key and no text."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from app.domain.run import Outcome, PlannedScore
from app.errors import ProviderError
from app.providers.recorded import Tally
from app.services.runtime.workbench import Workbench

BLOCK_TEXTS = 16  # so many at least, but at the end: a process that ends late keeps the others waiting for one block


@dataclass(frozen=True, slots=True)
class Block:
    """writer: the name of the process that has the run, which alone says how it ended. share: how many texts at a time.
    person, any_path: on whose behalf, as in Workbench; None is whoever runs the server.

    Scoring it twice is safe: what is scored already is left out, what was answered already stands in the ledger, and
    nothing is saved once the run is another's.
    """

    run: int
    writer: str
    scores: tuple[PlannedScore, ...]
    share: int
    person: int | None = None
    any_path: bool = True


def block_of(workbench: Workbench, run: int, writer: str, share: int = 1) -> Block:
    """Without scores yet, on behalf of the workbench's actor."""
    return Block(run, writer, (), share, workbench.actor.person, workbench.any_path)


@dataclass(frozen=True, slots=True)
class BlockReport:
    """What became of a block. `chance`: outcomes that are worth a second try. `fatal` as in EngineReport. `tally` and
    `retries` of what was asked for it; those of several blocks are added up."""

    done: int = 0
    failed: int = 0
    stopped: bool = False
    fatal: ProviderError | None = None
    chance: tuple[Outcome, ...] = ()
    tally: Tally = field(default_factory=Tally)
    retries: int = 0


def cut_blocks(
    planned: Sequence[PlannedScore], document_of: Mapping[int, str], size: int = BLOCK_TEXTS
) -> list[tuple[PlannedScore, ...]]:
    """Of one dimension each, in the order of the plan, and never within a document: equal texts are asked about once
    where one process has them, and a provider finds the document in its cache."""
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
