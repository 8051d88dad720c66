"""The benchmarks run, and what they print is JSON that names what was measured."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from app.benchmarks import scoring
from app.errors import InputError, WorkbenchError
from tests.benchmarks import hand_loop, scale, scale_steps, turns, workers
from tests.benchmarks.__main__ import run_benchmark

pytestmark = pytest.mark.long


def test_scoring_asks_once_for_each_text_and_keeps_all(network_attempts: list[str]) -> None:
    measured = scoring.run(texts=24, delay=0.01, concurrency=8)
    json.dumps(measured, allow_nan=False)
    assert (measured["scored"], measured["requests"]) == (24, 24)
    assert 0 < measured["efficiency"] <= 1
    assert measured["cpu_ms_per_call"] > 0
    assert measured["peak_memory_mb"] > 0


def test_an_unknown_one_is_said() -> None:
    with pytest.raises(InputError, match=r"There are: .*pages"):
        run_benchmark("coffee")


def test_scale_measures_each_step_in_a_process_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scale, "STEPS", ("import csv", "overview"))
    measured = run_benchmark("scale", sizes="40, 1_00")
    json.dumps(measured, allow_nan=False)
    assert {"40", "100"} <= measured["import csv"].keys()
    assert measured["within_limits"]


@pytest.mark.parametrize("kind", ["jsonl", "parquet"])
def test_scale_brings_in_files_of_other_kinds_too(kind: str, tmp_path: Path) -> None:
    scale_steps.Steps(tmp_path, 40).prepare(f"import {kind}")()
    with closing(sqlite3.connect(tmp_path / f"{kind}.db")) as database:
        assert database.execute("SELECT count(*) FROM text").fetchone() == (40,)


def test_a_run_takes_turns_with_a_loop_written_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hand_loop, "SETTINGS", ((8, 4), (8, 2)))
    monkeypatch.setattr(hand_loop, "ROUNDS", 1)
    measured = run_benchmark("hand-loop")
    json.dumps(measured, allow_nan=False)
    assert set(measured) == {"4 in flight", "2 in flight"}
    for each in measured.values():
        assert float(each["times"]) > 0
        assert float(each["cpu_ms_per_call"]) > 0


def test_a_turn_that_fails_is_said() -> None:
    with pytest.raises(WorkbenchError, match=r"turns \(coffee 4 2 0\) failed"):
        turns.turn("coffee", 4, 2)


def test_workers_take_turns_with_one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr(workers, "SETTINGS", {"references": (turns.ROUGE, 4, 4)})
    monkeypatch.setattr(workers, "ROUNDS", 1)
    measured = run_benchmark("workers")
    json.dumps(measured, allow_nan=False)
    assert all(float(each["times"]) > 0 for each in measured.values())
    assert measured.keys() == {"references"}


@pytest.mark.parametrize(("name", "sizes"), [("scale", "many"), ("scale", "0"), ("statistics", "10")])
def test_sizes_are_numbers_for_a_benchmark_that_has_them(name: str, sizes: str) -> None:
    with pytest.raises(InputError):
        run_benchmark(name, sizes=sizes)
