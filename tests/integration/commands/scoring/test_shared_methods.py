"""--dask for a study: its runs are shared with the workers too."""

import asyncio
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytest.importorskip("distributed")

from app.domain.run import PlannedScore
from app.services.scoring.blocks import dask_workers
from app.services.scoring.blocks.deck import Deck
from app.services.scoring.blocks.messages import Dealt
from tests.support.background import PATIENCE
from tests.support.dask_cluster import DaskCluster, dask_cluster
from tests.support.small_project import OPTIONS, small_csv

Run = Callable[..., tuple[int, str, str]]
HERE = ("--project", "Small", "--dimension", "coherence")


@pytest.fixture
def project(run: Run, tmp_path: Path) -> None:
    assert run("import", small_csv(tmp_path / "small.csv"), "--project", "Small", *OPTIONS)[0] == 0


@pytest.fixture
def cluster(project: None, tmp_path: Path) -> Iterator[DaskCluster]:
    with dask_cluster(tmp_path, workers=2) as found:
        yield found


@pytest.fixture
def dealt(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many scores each block had that a worker was dealt. A run leaves at least one to them, however fast it is."""
    sizes: list[int] = []
    send, take = dask_workers._DaskHelper.send, Deck.take

    def noted(self: dask_workers._DaskHelper, message: object) -> None:
        if isinstance(message, Dealt):
            sizes.append(len(message.scores))
        send(self, message)

    async def patient(self: Deck) -> PlannedScore | None:
        until = time.monotonic() + PATIENCE
        while not (self._own or self.empty or self._out) and time.monotonic() < until:
            await asyncio.sleep(0.01)
        return await take(self)

    monkeypatch.setattr(dask_workers._DaskHelper, "send", noted)
    monkeypatch.setattr(Deck, "take", patient)
    return sizes


def test_conditions_are_scored_by_workers(run: Run, cluster: DaskCluster, dealt: list[int], tmp_path: Path) -> None:
    for name, words in {"Ana": "Sentences follow each other.", "Ben": "Nothing is said twice."}.items():
        notes = tmp_path / f"{name}.txt"
        notes.write_text(words, encoding="utf-8")
        assert run("attributes", "add", notes, *HERE, "--contributor", name, "--kind", "human")[0] == 0
    status, out, err = run("conditions", "run", *HERE, "--conditions", "sh", "--dask", cluster.address, "--json")
    assert (status, json.loads(out)["missing"]) == (0, 0), err
    assert sum(dealt) > 0
    listed = json.loads(run("runs", "list", "--project", "Small", "--json")[1])
    assert [(each["condition"], each["done"]) for each in listed] == [("sh:Ben", 18), ("sh:Ana", 18)]
