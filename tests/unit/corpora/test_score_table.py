"""Scores from elsewhere joined with texts: each row fits exactly one, or says why not."""

from typing import Any

import pytest

from app.corpora.own_score_tables import ScoreColumns, TableData, find_columns, match_scores
from app.errors import InputError, NotFoundError

KEYS = [("d1", "s1", ""), ("d1", "s2", ""), ("d2", "s1", ""), ("d2", "s2", "")]


def table(*rows: dict[str, Any]) -> TableData:
    columns = tuple(dict.fromkeys(name for row in rows for name in row))
    filled = tuple({name: row.get(name) for name in columns} for row in rows)
    return TableData(columns, filled, tuple(range(1, len(rows) + 1)))


def matched(given: TableData, keys: list[tuple[str, str, str]] = KEYS, **named: str) -> Any:
    return match_scores(given, find_columns(given, ScoreColumns("m", **named)), keys)


def test_rows_find_their_texts_by_source_and_system() -> None:
    found = matched(table({"doc_id": "d1", "model_id": "s2", "m": "0.5"}, {"doc_id": "d2", "model_id": "s1", "m": 1}))
    assert found.scores == {("d1", "s2", ""): (1, 0.5), ("d2", "s1", ""): (2, 1.0)}
    assert (found.left_out, found.duplicates) == ((), 0)


def test_numbers_that_name_documents_are_the_same_however_they_are_written() -> None:
    found = matched(table({"doc_id": 7.0, "m": "0,25"}), [("7", "", "")])
    assert found.scores == {("7", "", ""): (1, 0.25)}


def test_what_is_left_out_says_why() -> None:
    found = matched(
        table(
            {"doc_id": "d1", "system_id": "s1", "m": "0.5"},
            {"doc_id": "d1", "system_id": "s1", "m": "0.50"},
            {"doc_id": "d1", "system_id": "s1", "m": "0.6"},
            {"doc_id": "d9", "system_id": "s1", "m": "0.5"},
            {"doc_id": "d2", "system_id": "s1", "m": ""},
            {"doc_id": "d2", "system_id": "s1", "m": "good"},
            {"doc_id": "d2", "system_id": "s2", "m": "inf"},
            {"doc_id": "d2", "system_id": "s2", "m": ["1"]},
        )
    )
    assert found.scores == {("d1", "s1", ""): (1, 0.5)}
    assert found.duplicates == 1
    reasons = {skipped.row: skipped.reason for skipped in found.left_out}
    assert set(reasons) == {3, 4, 5, 6, 7, 8}
    assert reasons[3] == "Row 1 already gives this text 0.5, this one 0.6."
    assert "no text “d9” / “s1”" in reasons[4]
    assert reasons[5] == "It has no score."
    assert reasons[6] == "The score is not a number ('good')."
    assert reasons[7] == "The score is not a finite number."


def test_a_name_that_fits_several_texts_fits_none() -> None:
    found = matched(table({"doc_id": "d1", "m": 1}))
    assert found.scores == {}
    assert found.left_out[0].reason == "2 texts are called “d1”; the file doesn't give system_id."
    apart = [("d1", "", "1"), ("d1", "", "2")]
    assert "doesn't give item_id" in matched(table({"doc_id": "d1", "m": 1}), apart).left_out[0].reason
    assert matched(table({"item_id": "2", "m": 1}), apart).scores == {("d1", "", "2"): (1, 1.0)}


def test_columns_are_named_or_found() -> None:
    given = table({"article": "d1", "who": "s1", "m": 1}, {"article": "d2", "who": "s1", "m": 2})
    assert len(matched(given, doc_id="article", system_id="who").scores) == 2
    with pytest.raises(InputError, match=r"no column that names the texts.*article, who, m"):
        matched(given)
    with pytest.raises(NotFoundError, match="no column “wo”"):
        matched(given, doc_id="wo")
