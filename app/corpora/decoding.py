"""From a path to the characters in the file, or to one clear sentence why not."""

import codecs
from pathlib import Path

from app.errors import FileFormatError, NotFoundError

_UTF_16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_SURROGATES = range(0xD800, 0xE000)
_BINARY_KINDS = {
    b"PK\x03\x04": "a zip archive or an Excel workbook",
    b"\xd0\xcf\x11\xe0": "an old Excel or Word file",
    b"%PDF": "a PDF",
    b"\x1f\x8b": "a gzip archive",
    b"SQLite format 3": "a SQLite database",
}
_SAVE_AS_TEXT = "Save the data as CSV, JSON, JSON Lines or Parquet and import that."


def read_bytes(path: Path) -> bytes:
    """The file's bytes. Raises NotFoundError or FileFormatError (a folder, unreadable, empty)."""
    if path.is_dir():
        raise FileFormatError(f"{path.name or path} is a folder, not a file.", "Name the data file inside it.")
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        raise NotFoundError(f"There is no file {path}.", "Check the path.") from None
    except OSError as error:
        raise FileFormatError(
            f"{path.name} can't be opened: {error.strerror or 'the system refuses it'}.", "Check who may read the file."
        ) from error
    if not raw.strip():
        raise FileFormatError(f"{path.name} is empty.", "Choose a file that holds data.")
    return raw


def decode(raw: bytes, name: str) -> str:
    """The file's characters: UTF-8 with or without its mark, UTF-16 with its mark, else Windows-1252.

    A UTF-8 file that is damaged in places keeps each damaged byte as a lone surrogate, so that the rows that hold
    one can be named and left out. Raises FileFormatError for binary files.
    """
    if raw.startswith(_UTF_16_MARKS):
        return _decode_utf_16(raw, name)
    _refuse_binary(raw, name)
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        return _decode_other(raw, name)


def _decode_utf_16(raw: bytes, name: str) -> str:
    try:
        return raw.decode("utf-16")
    except UnicodeDecodeError:
        raise FileFormatError(f"{name} says it is UTF-16 text but breaks off or is damaged.", _SAVE_AS_TEXT) from None


def _refuse_binary(raw: bytes, name: str) -> None:
    for mark, kind in _BINARY_KINDS.items():
        if raw.startswith(mark):
            raise FileFormatError(f"{name} is {kind}, which can't be read as data.", _SAVE_AS_TEXT)
    if b"\0" in raw:
        raise FileFormatError(f"{name} holds binary data, not text.", _SAVE_AS_TEXT)


def _decode_other(raw: bytes, name: str) -> str:
    damaged = raw.decode("utf-8-sig", "surrogateescape")
    lost = sum(ord(character) in _SURROGATES for character in damaged)
    sound = sum(not character.isascii() for character in damaged) - lost
    if sound > lost:
        return damaged
    try:
        return raw.decode("cp1252")
    except UnicodeDecodeError:
        raise FileFormatError(
            f"{name} is text in an unknown encoding (neither UTF-8, UTF-16 nor Windows-1252).", "Save it as UTF-8."
        ) from None
