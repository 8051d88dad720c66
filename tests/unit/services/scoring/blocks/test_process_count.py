"""How many texts at a time whoever helps with a run scores."""

import pytest

from app.services.scoring.blocks.process_count import worker_share


@pytest.mark.parametrize(
    ("texts", "workers", "share"),
    [(10_000, 2, 32), (400, 20, 5), (12, 2, 1), (3, 8, 1)],
)
def test_a_worker_computes_as_many_as_one_process_but_leaves_some_of_few(texts: int, workers: int, share: int) -> None:
    assert worker_share(texts, 32, workers) == share
