"""A file's characters, or one clear sentence why it can't be read."""

import codecs
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO, TextIOWrapper
from pathlib import Path

from app.errors import FileFormatError
from app.input_file import read_file

_SURROGATES = range(0xD800, 0xE000)
_PART = 2**20
_BINARY_KINDS = {
    b"PK\x03\x04": "a zip archive",
    b"\xd0\xcf\x11\xe0": "an old Excel or Word file, or one with a password",
    b"%PDF": "a PDF",
    b"\x1f\x8b": "a gzip archive",
    b"SQLite format 3": "a SQLite database",
}
_SAVE_AS_TEXT = "Save the data as .xlsx without a password, CSV, JSON, JSON Lines or Parquet and import that."


def read_bytes(path: Path) -> bytes:
    """Return the file's bytes. Raises NotFoundError or FileFormatError (no file, too large, unreadable, empty)."""
    raw = read_file(path)
    if not raw or raw.isspace():
        raise FileFormatError(f"{path.name} is empty.", "Choose a file that holds data.")
    return raw


@dataclass(frozen=True, slots=True)
class Encoded:
    """A file's bytes and their encoding. A file is decoded line by line if possible: as one text it takes up to four
    times its size."""

    raw: bytes
    encoding: str
    errors: str = "strict"

    def text(self) -> str:
        return self.raw.decode(self.encoding, self.errors)

    def lines(self, newline: str = "") -> Iterator[str]:
        """Yield the lines with their ends. newline: "" for any kind of line end, or the only one."""
        return iter(TextIOWrapper(BytesIO(self.raw), self.encoding, self.errors, newline))


def decode(raw: bytes, name: str) -> str:
    """Return the file's characters, decoded as `encoded` says. Raises FileFormatError for binary files."""
    return encoded(raw, name).text()


def encoded(raw: bytes, name: str) -> Encoded:
    """Detect the encoding: UTF-8 with or without its mark, UTF-16 with its mark, else Windows-1252.

    A UTF-8 file that is damaged in places keeps each damaged byte as a lone surrogate, so that rows with one can be
    reported and left out. Raises FileFormatError for binary files.
    """
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return _checked(Encoded(raw, "utf-16"), f"{name} says it is UTF-16 text but breaks off or is damaged.")
    for mark, kind in _BINARY_KINDS.items():
        if raw.startswith(mark):
            raise FileFormatError(f"{name} is {kind}, which can't be read as data.", _SAVE_AS_TEXT)
    if b"\0" in raw:
        raise FileFormatError(f"{name} holds binary data, not text.", _SAVE_AS_TEXT)
    # Not "utf-8-sig": read in parts, it takes a file that is the start of a mark for an empty one.
    unmarked = raw.removeprefix(codecs.BOM_UTF8)
    if _fits(whole := Encoded(unmarked, "utf-8")):
        return whole
    damaged = Encoded(unmarked, "utf-8", "surrogateescape")
    lost = sound = 0
    for part in _parts(damaged):
        odd = [ord(character) for character in part if not character.isascii()]
        broken = sum(character in _SURROGATES for character in odd)
        lost, sound = lost + broken, sound + len(odd) - broken
    if sound > lost:
        return damaged
    why = f"{name} is text in an unknown encoding (neither UTF-8, UTF-16 nor Windows-1252)."
    return _checked(Encoded(raw, "cp1252"), why, "Save it as UTF-8.")


def _checked(file: Encoded, why: str, hint: str = _SAVE_AS_TEXT) -> Encoded:
    if not _fits(file):
        raise FileFormatError(why, hint)
    return file


def _fits(file: Encoded) -> bool:
    try:
        return all(True for _ in _parts(file))
    except UnicodeDecodeError:
        return False


def _parts(file: Encoded) -> Iterator[str]:
    decoder = codecs.getincrementaldecoder(file.encoding)(file.errors)
    for start in range(0, len(file.raw), _PART):
        yield decoder.decode(file.raw[start : start + _PART], final=start + _PART >= len(file.raw))
