"""The archive of a project: its names lead nowhere, and its tables are written while they are made."""

import csv
import io
from collections.abc import Iterator
from datetime import UTC, datetime
from zipfile import ZipFile

import pytest

from app.export.project_archive import ArchiveFile, ArchiveTable, safe_name, write_archive

MADE = datetime(2026, 3, 4, 5, 6, 8, tzinfo=UTC)


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("Summaries 2026", "Summaries-2026"),
        ("../../etc/passwd", "etc-passwd"),
        ("C:\\con", "C-con"),
        ("Überblick", "Überblick"),
        ("評価の一貫性", "評価の一貫性"),
        ("=1+1\u202egpj", "1-1-gpj"),
        ("***", ""),
        ("a" * 39 + " b" * 30, "a" * 39),
    ],
)
def test_a_name_is_letters_and_digits(words: str, name: str) -> None:
    assert safe_name(words) == name


def test_parts_come_out_as_they_went_in_and_tables_as_spreadsheets_read_them() -> None:
    stream = io.BytesIO()
    table = ArchiveTable("a/table.csv", ("x", "y"), iter([{"x": "=1", "y": "é"}, {"x": None, "y": 2}]))
    write_archive(stream, [ArchiveFile("note.txt", b"hello"), table], MADE)
    with ZipFile(stream) as archive:
        assert archive.testzip() is None
        assert archive.namelist() == ["note.txt", "a/table.csv"]
        assert {entry.date_time for entry in archive.infolist()} == {(2026, 3, 4, 5, 6, 8)}
        assert archive.read("note.txt") == b"hello"
        written = archive.read("a/table.csv")
    assert written.startswith(b"\xef\xbb\xbf")
    rows = list(csv.DictReader(io.StringIO(written.decode("utf-8-sig"), newline="")))
    assert rows == [{"x": "'=1", "y": "é"}, {"x": "", "y": "2"}]


def test_a_table_is_not_held_in_memory() -> None:
    """What is already in the archive grows while the rows are made."""
    stream, sizes = io.BytesIO(), []

    def rows() -> Iterator[dict[str, str]]:
        for number in range(20_000):
            sizes.append(stream.tell())
            yield {"x": f"{number * 7919 % 104_729} is a number"}

    write_archive(stream, [ArchiveTable("t.csv", ("x",), rows())], MADE)
    assert sizes[0] < sizes[10_000] < sizes[-1]


@pytest.mark.parametrize("name", ["../up.txt", "/root.txt", "a//b", "C:x", "a\\b", "", "."])
def test_a_name_that_leads_out_of_the_archive_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="name of a part"):
        write_archive(io.BytesIO(), [ArchiveFile(name, b"")], MADE)


def test_no_name_stands_twice() -> None:
    with pytest.raises(ValueError, match="name of a part"):
        write_archive(io.BytesIO(), [ArchiveFile("a", b"1"), ArchiveFile("a", b"2")], MADE)
