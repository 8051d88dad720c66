"""The benchmark of plans compares a draw by doubts with one by chance on the same worlds."""

from pathlib import Path

import pytest

from app.benchmarks import answer_plans
from app.benchmarks.registry import run_benchmark
from app.errors import InputError


@pytest.fixture(autouse=True)
def _few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answer_plans, "DRAWS", 12)
    monkeypatch.setattr(answer_plans, "DOCUMENT_DRAWS", 40)
    monkeypatch.setattr(answer_plans, "ANSWERED", (60,))


def test_it_measures_the_table_it_is_given(tmp_path: Path) -> None:
    path = tmp_path / "answers.csv"
    yes = ("no", "yes")
    rows = [f"d{n // 5},{yes[n % 2]},{yes[(n % 3 == 0) ^ (n % 2)]},{yes[n % 2]}" for n in range(150)]
    path.write_text("\n".join(["doc_id,human,judge,judge_2", *rows, "d0,yes,n/a,yes"]), encoding="utf-8")
    found = run_benchmark("answer-plans", path)
    assert (found["rows"], found["judges"]) == (150, 2)
    assert set(found["60 answers"]) == {"by chance", "25% by doubts", "25% by doubts saves"}
    assert "% hold, width 0." in found["60 answers"]["by chance"]


def test_doubts_that_show_every_error_save_answers_and_doubts_that_show_none_do_not() -> None:
    found = run_benchmark("answer-plans")
    told, blind = (
        found[f"doubts tell {what}"]["60 answers"]["25% by doubts saves"]
        for what in ("where the judge errs", "nothing")
    )
    assert float(told.split()[2]) > float(blind.split()[2])


def test_a_table_with_one_judge_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "answers.csv"
    path.write_text("doc_id,human,judge\nd,yes,no\n", encoding="utf-8")
    with pytest.raises(InputError, match="one judge"):
        run_benchmark("answer-plans", path)
