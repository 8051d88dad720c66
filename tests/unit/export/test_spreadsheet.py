"""Nothing in an exported table runs, and what is only a number stays one."""

import csv
import io

import pytest

from app.corpora.csv_file import parse_delimited
from app.domain.storable_text import harmless, restored
from app.export.spreadsheet import csv_bytes


@pytest.mark.parametrize(
    "cell", ["=1+1", "@SUM(A1)", "+cmd|' /C calc'!A0", "-2+3", "\tx", "\r=1", "=HYPERLINK(1)", "\n=1", "＝1+1", "'=1"]
)
def test_a_formula_is_marked_as_text(cell: str) -> None:
    assert harmless(cell) == f"'{cell}"
    assert restored(f"'{cell}") == cell


def test_a_csv_of_ours_is_read_back_as_it_was() -> None:
    cells = ["=1+1", "@x", "+cmd", "-a", "'=1", "''=1", "it's", "'quoted'", "-5", "plain"]
    rows = [{"=text": cell, "n": -1.5} for cell in cells]
    written = csv_bytes(("=text", "n"), rows, for_spreadsheets=False).decode()
    found, skipped = parse_delimited(written, "file")
    assert ([row["=text"] for _, row in found], skipped) == (cells, [])
    assert {row["n"] for _, row in found} == {"-1.5"}
    read = list(csv.reader(io.StringIO(written, newline="")))
    assert not [cell for row in read for cell in row[:1] if cell[0] in "=+@\t\r" or cell == "-a"]


@pytest.mark.parametrize("cell", ["-1", "+2.5", "-0,5", "a=b", "", "x@y", -1.5, 3, None, True])
def test_everything_else_stays_as_it_is(cell: object) -> None:
    assert harmless(cell) is cell


def test_only_spreadsheets_get_the_mark() -> None:
    rows = [{"a": 'é,\n"x"', "b": 1}]
    marked, bare = csv_bytes(("a", "b"), rows), csv_bytes(("a", "b"), rows, for_spreadsheets=False)
    assert marked == b"\xef\xbb\xbf" + bare
    assert list(csv.DictReader(io.StringIO(bare.decode(), newline=""))) == [{"a": 'é,\n"x"', "b": "1"}]


@pytest.mark.parametrize("cell", ["'", "'quoted'", "''", "'-5", "it's", "=1", ""])
def test_a_cell_that_nobody_marked_stays_as_it_is(cell: str) -> None:
    assert restored(str(harmless(cell))) == cell


def test_csv_bytes_of_marks_of_direction_shows_them_and_restores_them() -> None:
    content = csv_bytes(["text"], [{"text": "\u202e=a\u2069"}]).decode("utf-8-sig")
    assert content.splitlines()[1] == "⟨U+202E⟩=a⟨U+2069⟩"
    assert restored(content.splitlines()[1]) == "\u202e=a\u2069"
