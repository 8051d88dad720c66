"""Scores as Parquet: the columns with their types, however many parts they are written in."""

import io
from typing import Any

import pandas as pd
import pytest

from app.export import results
from app.export.results import COLUMNS, parquet_bytes

NUMBERS = {"run": 3, "score": 4.5, "coverage": 1.0, "human": 4.25, "raters": 2, "soft": 4.4}


def row(number: int, **other: Any) -> dict[str, Any]:
    return {name: NUMBERS.get(name, f"{name} {number}") for name in COLUMNS} | other


def test_written_in_parts_they_are_as_in_one(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [row(n) for n in range(5)] + [row(5, score=None, coverage=None, human=None)]
    whole = pd.read_parquet(io.BytesIO(parquet_bytes(iter(rows))))
    monkeypatch.setattr(results, "_ROWS_AT_A_TIME", 2)
    parts = pd.read_parquet(io.BytesIO(parquet_bytes(iter(rows))))
    pd.testing.assert_frame_equal(parts, whole)
    pd.testing.assert_frame_equal(whole, pd.DataFrame(rows, columns=list(COLUMNS)), check_dtype=False)
    kinds = {name: whole[name].dtype.kind for name in NUMBERS}
    assert kinds == {"run": "i", "score": "f", "coverage": "f", "human": "f", "raters": "i", "soft": "f"}


def test_without_scores_the_columns_are_there() -> None:
    assert tuple(pd.read_parquet(io.BytesIO(parquet_bytes([]))).columns) == COLUMNS
