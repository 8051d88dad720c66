"""How many texts at a time a Dask worker scores, and how a run is cut into blocks."""

from datetime import UTC, datetime

import pytest

from app.domain.run import PlannedScore, RunStatus, RunSummary
from app.services.scoring.block_scoring import cut_blocks
from app.services.scoring.dask_workers import worker_share

BEGUN = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("judge", "texts", "workers", "share"),
    [
        ("none", 10_000, 2, 32),
        ("none", 400, 20, 5),
        ("none", 12, 2, 1),
        ("none", 3, 8, 1),
        ("openai:gpt-4o", 10_000, 2, 16),
        ("openai:gpt-4o", 10_000, 64, 1),
    ],
)
def test_worker_share_divides_requests_but_not_computing(judge: str, texts: int, workers: int, share: int) -> None:
    run = RunSummary(1, "N", "method", judge, ("a",), RunStatus.RUNNING, 0, 0, texts, BEGUN)
    assert worker_share(run, texts, 32, workers) == share


def test_cut_blocks_keeps_documents_and_dimensions_whole() -> None:
    documents = {number: f"d{number % 3}" for number in range(12)}
    plan = [PlannedScore(12 * dimension + text, dimension, text) for dimension in (1, 2) for text in documents]
    blocks = cut_blocks(plan, documents, size=5)
    assert sorted(each.id for block in blocks for each in block) == [each.id for each in plan]
    assert [[(each.dimension, documents[each.text]) for each in block][::4] for block in blocks] == [
        [(1, "d0"), (1, "d1")],
        [(1, "d2")],
        [(2, "d0"), (2, "d1")],
        [(2, "d2")],
    ]
