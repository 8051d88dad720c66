"""--dask beside the checklist's judge: conditions, and methods with networks on this computer."""

import asyncio
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytest.importorskip("distributed")

from app.domain.run import PlannedScore
from app.services.runtime.workbench import open_workbench
from app.services.scoring.blocks import dask_workers
from app.services.scoring.blocks.deck import Deck
from app.services.scoring.blocks.messages import Dealt
from tests.support.background import PATIENCE
from tests.support.dask_cluster import DaskCluster, dask_cluster
from tests.support.small_project import OPTIONS, small_csv
from tests.support.tiny_models import tiny_model

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


def scores_of_short(run: int) -> dict[int, float | None]:
    with open_workbench().database.read() as work:
        (dimension,) = work.projects.dimensions(work.projects.get("Short").id)
        return {row.text: row.score for row in work.results.scored(run, dimension.id)}


@pytest.mark.parametrize("evaluator", ["gptscore", "bartscore"])
def test_networks_of_this_computer_score_at_workers(
    run: Run, cluster: DaskCluster, dealt: list[int], tmp_path: Path, evaluator: str
) -> None:
    pytest.importorskip("torch")
    notes = tmp_path / "short.csv"  # a tiny model reads little at once
    notes.write_text("doc,text,c\n" + "".join(f"s{n},Ferry {n} sails.,{n % 5}\n" for n in range(12)), encoding="utf-8")
    mapped = ("--map", "text=text", "--map", "source=text", "--map", "doc_id=doc", "--rating", "warmth=c")
    assert run("import", notes, "--project", "Short", *mapped)[0] == 0
    folder = tmp_path / "model"
    tiny_model(folder, "gpt2" if evaluator == "gptscore" else "bart")
    network = ("--judge", f"local:{folder}", "--no-cache") if evaluator == "gptscore" else ("--set", f"model={folder}")
    command = ("score", "--project", "Short", "--dimension", "warmth", "--evaluator", evaluator, *network, "--json")
    status, out, err = run(*command, "--dask", cluster.address)
    assert (status, json.loads(out)["dimensions"]["warmth"]["scored"]) == (0, 12), err
    assert sum(dealt) > 0
    assert run(*command)[0] == 0
    alone = scores_of_short(2)
    assert scores_of_short(1) == pytest.approx(alone)
    assert len(set(alone.values())) > 3
