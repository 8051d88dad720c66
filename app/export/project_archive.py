"""Everything of a project as one ZIP file that can be read without this program."""

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import IO, Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from app.export.spreadsheet import write_csv

LONGEST_NAME = 40  # letters; four bytes each still fit what file systems allow


@dataclass(frozen=True, slots=True)
class ArchiveFile:
    """A file of the archive. `name` is its path there, with / between its parts, each made by us or by `safe_name`."""

    name: str
    content: bytes


@dataclass(frozen=True, slots=True)
class ArchiveTable:
    """A CSV file whose rows are made while they are written."""

    name: str
    columns: Sequence[str]
    rows: Iterable[Mapping[str, Any]]


def write_archive(target: IO[bytes], parts: Iterable[ArchiveFile | ArchiveTable], made: datetime) -> None:
    """Write the parts one after the other, and tables row by row. `target` need not be seekable.

    Raises ValueError for a duplicate name or one that leads out of the archive.
    """
    names: set[str] = set()
    with ZipFile(target, "w", ZIP_DEFLATED) as archive:
        for part in parts:
            _check(part.name, names)
            entry = ZipInfo(part.name, made.timetuple()[:6])
            entry.compress_type = ZIP_DEFLATED
            with archive.open(entry, "w", force_zip64=isinstance(part, ArchiveTable)) as file:
                if isinstance(part, ArchiveTable):
                    write_csv(file, part.columns, part.rows)
                else:
                    file.write(part.content)


def safe_name(words: str) -> str:
    """Return a name that people gave as a part of a file's name: letters and digits of any script, the rest as dashes.

    "" if nothing is left. It isn't unique, nor a safe name alone (it may be reserved in Windows, as CON): add a number
    or a word of our own.
    """
    letters = "".join(one if one.isalnum() else " " for one in unicodedata.normalize("NFC", words))
    return "-".join(letters.split())[:LONGEST_NAME].strip("-")


def _check(name: str, names: set[str]) -> None:
    """Raise ValueError for a duplicate or unsafe name. A second check: no name may lead out of the folder it is
    unpacked to."""
    parts = name.split("/")
    if name in names or any(part in ("", ".", "..") or "\\" in part or ":" in part for part in parts):
        raise ValueError(f"{name!r} can't be the name of a part")
    names.add(name)
