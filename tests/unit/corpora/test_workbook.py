"""Excel workbooks: what people put into them comes in, and what could do harm doesn't."""

import io
import zipfile
from collections.abc import Callable
from datetime import date, datetime
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from app.corpora import workbook
from app.corpora.own_score_tables import load_table
from app.corpora.records import read_records, sheets_of
from app.errors import FileFormatError, InputError, WorkbenchError
from tests.support.corpora import read_corpus
from tests.support.hostile_files import forked

Written = Callable[..., Path]


@pytest.fixture(autouse=True)
def _parsed_in_forks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Within the same limits; test_import_template.py reads a workbook in a new process."""
    monkeypatch.setattr(workbook, "parse_apart", forked)


@pytest.fixture
def written(tmp_path: Path) -> Written:
    """A workbook with one sheet a keyword."""

    def write(*rows: list[Any], **sheets: list[list[Any]]) -> Path:
        book = openpyxl.Workbook()
        book.remove(book.active)
        for name, listed in (sheets or {"Texts": list(rows)}).items():
            sheet = book.create_sheet(name)
            for row in listed:
                sheet.append(row)
        path = tmp_path / "class.xlsx"
        book.save(path)
        return path

    return write


def parts(path: Path, **changed: bytes) -> Path:
    """The same workbook with these parts (named by their path's end) written anew, and new ones added."""
    raw = io.BytesIO(path.read_bytes())
    with zipfile.ZipFile(raw) as old, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(
                name, next((body for end, body in changed.items() if name.endswith(f"{end}.xml")), old.read(name))
            )
    return path


def sheet_xml(rows: str) -> bytes:
    return (
        '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
        f"<sheetData>{rows}</sheetData></worksheet>"
    ).encode()


def rows_of(path: Path, sheet: str = "") -> list[dict[str, Any]]:
    return [row for _, row in read_records(path, sheet=sheet).items]


def test_numbers_words_and_dates_come_in_as_people_read_them(written: Written) -> None:
    path = written(
        ["essay", "clarity", "depth", "handed in", "at"],
        ["An essay.", 3, "4,5", date(2026, 5, 1), datetime(2026, 5, 1, 9, 30)],  # noqa: DTZ001 - cells have no zone,
    )
    assert rows_of(path) == [
        {"essay": "An essay.", "clarity": 3, "depth": "4,5", "handed in": "2026-05-01", "at": "2026-05-01 09:30:00"}
    ]
    corpus = read_corpus(path)
    assert corpus.format == "xlsx"
    assert [(r.dimension, r.value) for r in corpus.texts[0].ratings] == [("clarity", 3.0), ("depth", 4.5)]


def test_rows_have_the_numbers_that_their_program_shows(written: Written) -> None:
    path = written([], ["", "text", "score"], [], [None, "A", 3], [None, "B", "bad"], [None, "", 3])
    corpus = read_corpus(path)
    assert [(found.row, found.text.text) for found in corpus.texts] == [(4, "A")]
    assert [found.row for found in corpus.skipped] == [5, 6]


def test_the_first_sheet_is_read_unless_another_is_named(written: Written) -> None:
    path = written(Notes=[["a"], ["note"]], Ratings=[["text"], ["An essay."]])
    assert sheets_of(path) == ("Notes", "Ratings")
    assert rows_of(path) == [{"a": "note"}]
    assert rows_of(path, "Ratings") == [{"text": "An essay."}]
    with pytest.raises(FileFormatError, match=r"class\.xlsx has no sheet “Absent”\. It has: Notes, Ratings"):
        rows_of(path, "Absent")


def test_a_sheet_that_is_hidden_is_not_offered_but_can_be_named(written: Written) -> None:
    path = written(Key=[["a"], [1]], Shown=[["text"], ["An essay."]])
    book = openpyxl.load_workbook(path)
    book["Key"].sheet_state = "hidden"
    book.save(path)
    assert sheets_of(path) == ("Shown",)
    assert rows_of(path) == [{"text": "An essay."}]
    assert rows_of(path, "Key") == [{"a": 1}]


def test_an_empty_sheet_names_the_others(written: Written) -> None:
    path = written(Cover=[], Ratings=[["text"], ["An essay."]])
    with pytest.raises(FileFormatError, match=r"The sheet “Cover” of class\.xlsx is empty\. Choose another .* Ratings"):
        rows_of(path)


def test_a_sheet_of_what_is_no_workbook(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("text\nA\n")
    with pytest.raises(InputError, match="no Excel workbook"):
        read_records(tmp_path / "t.csv", sheet="Ratings")


def test_the_value_of_a_formula_counts_and_an_error_is_named(written: Written) -> None:
    path = written(["text", "score"], ["A", 1], ["B", 1])
    rows = sheet_xml(
        '<row r="1"><c r="A1" t="inlineStr"><is><t>text</t></is></c>'
        '<c r="B1" t="inlineStr"><is><t>score</t></is></c></row>'
        '<row r="2"><c r="A2" t="inlineStr"><is><t>A</t></is></c><c r="B2"><f>1+3</f><v>4</v></c></row>'
        '<row r="3"><c r="A3" t="e"><v>#NAME?</v></c><c r="B3"><f>1+1</f><v>2</v></c></row>'
    )
    corpus = read_corpus(parts(path, sheet1=rows))
    assert [(found.text.text, found.ratings[0].value) for found in corpus.texts] == [("A", 4.0)]
    assert [(found.row, found.reason) for found in corpus.skipped] == [
        (3, "The cell A3 shows the error #NAME?, so it counts as blank."),
        (3, "It has no text."),
    ]


def test_formulas_that_were_never_computed_are_no_blanks(written: Written) -> None:
    with pytest.raises(FileFormatError, match="formulas whose values were never saved"):
        read_corpus(written(["text", "score"], ["A", "=1+3"]))


def test_a_text_that_begins_like_a_formula_is_a_text(written: Written) -> None:
    path = written(["text", "score"], ["A", 1])
    rows = sheet_xml(
        '<row r="1"><c r="A1" t="inlineStr"><is><t>text</t></is></c></row>'
        '<row r="2"><c r="A2" t="inlineStr"><is><t>=) said she</t></is></c></row>'
    )
    assert rows_of(parts(path, sheet1=rows)) == [{"text": "=) said she"}]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ('<row r="1"><c r="A1"><v>1</v></c></row><row r="2000000000"><c r="A2000000000"><v>1</v></c></row>', "cells"),
        pytest.param(
            "".join(f'<row r="{n}"><c r="XFD{n}"><v>1</v></c></row>' for n in range(1, 1_400)),
            "cells",
            marks=pytest.mark.long,
        ),
        ('<row r="1"><c r="XFD1"><v>1</v></c></row>', "header row but no data|columns"),
        ('<row r="x"><c r="!"><v>1</v></c></row>', "not a complete"),
        ("<row", "not a complete"),
    ],
    ids=["a row far below", "cells far right", "one far right", "nonsense", "broken off"],
)
def test_a_sheet_that_claims_more_than_anybody_has_is_refused_in_a_sentence(
    written: Written, rows: str, said: str
) -> None:
    with pytest.raises(FileFormatError, match=said) as caught:
        load_table(parts(written(["text"], ["A"]), sheet1=sheet_xml(rows)))
    assert caught.value.hint
    assert "class.xlsx" in caught.value.message


def test_workbook_unpacking_to_too_much_is_refused_unread(written: Written, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workbook, "parse_apart", lambda *_: pytest.fail("It was parsed."))
    path = parts(written(["text"], ["A"]), sheet1=sheet_xml(" " * 2**23))
    assert path.stat().st_size < 2**15
    with pytest.raises(FileFormatError):
        load_table(path)


@pytest.mark.long
def test_workbook_of_a_hundred_thousand_texts_is_read(tmp_path: Path) -> None:
    path = tmp_path / "large.xlsx"
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet()
    sheet.append(["text", "clarity"])
    for n in range(100_000):
        sheet.append([f"Text {n} of a learner, who says that {n % 977} and {n % 89} are numbers.", n % 5 + 1])
    book.save(path)
    assert len(load_table(path).rows) == 100_000


def test_entities_that_multiply_are_refused(written: Written) -> None:
    lines = [f'<!ENTITY e{n} "{f"&e{n - 1};" * 10 if n else "laughs"}">' for n in range(12)]
    bomb = f"<!DOCTYPE x [{''.join(lines)}]>".encode() + sheet_xml(
        '<row r="1"><c r="A1" t="inlineStr"><is><t>&e11;</t></is></c></row>'
    )
    with pytest.raises(FileFormatError, match="not a complete"):
        load_table(parts(written(["text"], ["A"]), sheet1=bomb))


def test_a_file_outside_is_not_read(written: Written, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("do not show this")
    asked = f'<!DOCTYPE x [<!ENTITY e SYSTEM "file://{secret}">]>'.encode() + sheet_xml(
        '<row r="1"><c r="A1" t="inlineStr"><is><t>text</t></is></c></row>'
        '<row r="2"><c r="A2" t="inlineStr"><is><t>&e;A</t></is></c></row>'
    )
    try:
        found = str(rows_of(parts(written(["text"], ["A"]), sheet1=asked)))
    except WorkbenchError as error:
        found = str(error)
    assert "do not show" not in found


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"PK\x03\x04 xl/workbook.xml and no more", "not a complete Excel workbook"),
        (b"\xd0\xcf\x11\xe0 old", "an old Excel or Word file, or one with a password"),
    ],
)
def test_what_is_no_workbook_any_more(tmp_path: Path, raw: bytes, said: str) -> None:
    path = tmp_path / "class.xlsx"
    path.write_bytes(raw)
    with pytest.raises(FileFormatError, match=f"class.xlsx is {said}") as caught:
        read_records(path)
    assert "xlsx" in caught.value.hint


def test_another_archive_is_no_workbook(tmp_path: Path) -> None:
    path = tmp_path / "letter.xlsx"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("word/document.xml", "<a/>")
    with pytest.raises(FileFormatError, match="zip archive"):
        read_records(path)
    with pytest.raises(FileFormatError, match="not a complete"):
        read_records(path, "xlsx")
