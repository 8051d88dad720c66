"""--dask beside the checklist's judge: conditions, and methods with networks on this computer."""

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("distributed")

from app.cluster import Scheduler
from app.domain.run import ScoreStatus
from app.services.runtime.workbench import open_workbench
from app.services.scoring.block_scoring import score_block
from app.settings import settings
from tests.support.dask_cluster import DaskCluster, dask_cluster, forget_networks, hide, networks_loaded
from tests.support.small_project import OPTIONS, small_csv
from tests.support.tiny_models import MODELS, tiny_model

pytestmark = pytest.mark.long

Run = Callable[..., tuple[int, str, str]]
TEXTS = 12
NETWORKS = {"gptscore": "gpt2", "bartscore": "bart", "unieval": "t5", "bertscore": "roberta", "moverscore": "roberta"}
"""A method with a network on this computer -> the tiny one it computes with."""
HERE = ("--project", "Small", "--dimension", "coherence")


@pytest.fixture
def project(run: Run, tmp_path: Path) -> None:
    assert run("import", small_csv(tmp_path / "small.csv"), "--project", "Small", *OPTIONS)[0] == 0


@pytest.fixture(scope="module")
def two_workers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskCluster]:
    with dask_cluster(tmp_path_factory.mktemp("dask")) as found:
        yield found


@pytest.fixture
def cluster(two_workers: DaskCluster) -> DaskCluster:
    """Its workers have the test's home, and with it the same database and models, of which they have loaded none."""
    two_workers.have("one", "two")
    two_workers.give({"INTERACTEVAL_HOME": os.environ["INTERACTEVAL_HOME"], "INTERACTEVAL_DATABASE_URL": ""})
    for name in two_workers.workers:
        two_workers.ask(forget_networks, at=name)
    return two_workers


@pytest.fixture
def dealt(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many scores each block had that a worker was given."""
    sizes: list[int] = []
    submit = Scheduler.submit

    def noted(self: Scheduler, work: Callable[..., Any], *given: Any, at: str = "") -> Any:
        if work is score_block:
            sizes.append(len(given[0].scores))
        return submit(self, work, *given, at=at)

    monkeypatch.setattr(Scheduler, "submit", noted)
    return sizes


def test_conditions_are_scored_by_workers(
    run: Run, project: None, cluster: DaskCluster, dealt: list[int], tmp_path: Path
) -> None:
    for name, words in {"Ana": "Sentences follow each other.", "Ben": "Nothing is said twice."}.items():
        notes = tmp_path / f"{name}.txt"
        notes.write_text(words, encoding="utf-8")
        assert run("attributes", "add", notes, *HERE, "--contributor", name, "--kind", "human")[0] == 0
    status, out, err = run("conditions", "run", *HERE, "--conditions", "sh", "--dask", cluster.address, "--json")
    assert (status, json.loads(out)["missing"]) == (0, 0), err
    assert sum(dealt) > 0
    listed = json.loads(run("runs", "list", "--project", "Small", "--json")[1])
    assert [(each["condition"], each["done"]) for each in listed] == [("sh:Ben", 18), ("sh:Ana", 18)]


@pytest.fixture(scope="module")
def tiny_models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("torch", reason="torch isn't installed: make test without NEURAL=no")
    folder = tmp_path_factory.mktemp("models")
    for name in MODELS:
        tiny_model(folder / name, name)
    return folder


@pytest.fixture
def short(run: Run, tiny_models: Path, tmp_path: Path) -> None:
    """A project of twelve texts, for a tiny model reads little at once."""
    home = Path(os.environ["INTERACTEVAL_HOME"])
    home.mkdir(parents=True, exist_ok=True)
    (home / "models").symlink_to(tiny_models)
    rows = [f"s{n},Ferry {n} sails.,It sails {n} times.,{n % 5}\n" for n in range(TEXTS)]
    written = tmp_path / "short.csv"
    written.write_text("doc,text,other,c\n" + "".join(rows), encoding="utf-8")
    mapped = ("text=text", "source=other", "reference=other", "doc_id=doc")
    words = [word for each in mapped for word in ("--map", each)]
    status, _, err = run("import", written, "--project", "Short", *words, "--rating", "coherence=c")
    assert status == 0, err


def scoring(evaluator: str) -> tuple[object, ...]:
    network = NETWORKS[evaluator]
    chosen = ("--judge", f"local:{network}", "--no-cache") if evaluator == "gptscore" else ("--set", f"model={network}")
    return ("score", "--project", "Short", "--dimension", "coherence", "--evaluator", evaluator, *chosen, "--json")


def scores_of_short(run: int) -> dict[int, float | None]:
    with open_workbench().database.read() as work:
        (dimension,) = work.projects.dimensions(work.projects.get("Short").id)
        return {row.text: row.score for row in work.results.scored(run, dimension.id)}


@pytest.mark.parametrize("evaluator", NETWORKS)
def test_networks_score_at_workers_as_they_do_here(
    run: Run, short: None, cluster: DaskCluster, dealt: list[int], evaluator: str
) -> None:
    """Each worker loads the network once."""
    status, out, err = run(*scoring(evaluator), "--dask", cluster.address)
    assert (status, json.loads(out or "{}").get("status")) == (0, "done"), err
    assert json.loads(out)["dimensions"]["coherence"]["scored"] == TEXTS
    assert sum(dealt) > 0
    assert [cluster.ask(networks_loaded, at=name) for name in cluster.workers] == [1, 1]
    assert run(*scoring(evaluator))[0] == 0
    alone = scores_of_short(2)
    assert scores_of_short(1) == pytest.approx(alone)
    assert len(set(alone.values())) > 3


@pytest.mark.parametrize("evaluator", ["gptscore", "bertscore"])
def test_a_worker_without_the_network_says_so_before_anything_begins(
    run: Run, short: None, cluster: DaskCluster, dealt: list[int], evaluator: str, tmp_path: Path
) -> None:
    cluster.give({}, two={"INTERACTEVAL_HOME": str(tmp_path / "other"), "INTERACTEVAL_DATABASE_URL": settings().url})
    status, _, err = run(*scoring(evaluator), "--dask", cluster.address)
    assert status != 0
    assert f"can't score this run. The model “{NETWORKS[evaluator]}” is not on this computer." in err
    assert not dealt
    with open_workbench().database.read() as work:
        assert not [row for row in work.results.scored(1, 1) if row.status is not ScoreStatus.PENDING]


@pytest.mark.parametrize("evaluator", ["gptscore", "bertscore"])
def test_a_worker_without_the_extra_says_so_before_anything_begins(
    run: Run, short: None, cluster: DaskCluster, dealt: list[int], evaluator: str
) -> None:
    cluster.ask(hide, "torch", at="two")
    try:
        status, _, err = run(*scoring(evaluator), "--dask", cluster.address)
    finally:
        cluster.have("one")
    assert status != 0
    extra = "local" if evaluator == "gptscore" else "neural"
    assert "torch and transformers are missing" in err
    assert f"interacteval-workbench[{extra}]" in err
    assert not dealt


def test_a_worker_whose_network_is_damaged_says_so_before_anything_begins(
    run: Run, short: None, cluster: DaskCluster, dealt: list[int], tiny_models: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    (other / "models" / "gpt2").mkdir(parents=True)
    (other / "models" / "gpt2" / "config.json").write_bytes((tiny_models / "gpt2" / "config.json").read_bytes())
    cluster.give({}, two={"INTERACTEVAL_HOME": str(other), "INTERACTEVAL_DATABASE_URL": settings().url})
    status, _, err = run(*scoring("gptscore"), "--dask", cluster.address)
    assert status != 0
    assert "can't score this run. “gpt2” can't be loaded as a causal model" in err
    assert not dealt
