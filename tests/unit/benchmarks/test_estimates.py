"""The benchmark of estimates reads a table and says how often each interval holds its truth."""

from pathlib import Path

import pytest

from app.errors import InputError
from tests.benchmarks import estimates
from tests.benchmarks.__main__ import run_benchmark


def test_it_measures_the_table_it_is_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(estimates, "DRAWS", 20)
    monkeypatch.setattr(estimates, "ANSWERED", (40,))
    path = tmp_path / "answers.csv"
    rows = [f"d{n // 5},{'yes' if n % 2 or n % 3 == 0 else 'no'},{'yes' if n % 2 else 'no'}" for n in range(100)]
    path.write_text("\n".join(["doc_id,judge,human", *rows, "d0,n/a,yes", "d0,yes,"]), encoding="utf-8")
    found = run_benchmark("estimates", path)
    assert (found["rows"], found["documents"], found["truth"], found["judge_alone"]) == (100, 20, 0.5, 0.67)
    assert found["40 rows one by one"]["judge alone, by document"].startswith("0.0% hold")
    assert found["40 rows in whole documents"].keys() == found["40 rows one by one"].keys()


def test_what_it_can_not_read_is_said(tmp_path: Path) -> None:
    path = tmp_path / "answers.csv"
    path.write_text("doc_id,judge\nd,yes\n", encoding="utf-8")
    with pytest.raises(InputError, match="no column 'human'"):
        run_benchmark("estimates", path)
    with pytest.raises(InputError, match="reads no answers"):
        run_benchmark("statistics", path)
