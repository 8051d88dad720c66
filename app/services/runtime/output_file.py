"""Files that a person asked for, where they asked for them: there whole, or not at all."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pandas as pd

from app.domain.storable_text import harmless
from app.errors import InputError


@contextmanager
def output_file(path: Path) -> Iterator[Path]:
    """A new file to write to, which takes the place of `path` at the end of the block.

    Its user alone can read it; one that takes an older file's place has the older one's rights. Where the block fails,
    nothing is left, and an older file stays as it was. What is no file (a pipe, a terminal) is written to as it stands.
    Raises InputError where there is no writing.
    """
    try:
        target = path.resolve()  # a link keeps pointing where it did
        if target.exists() and not target.is_file():
            if target.is_dir():
                raise InputError(f"{path} is a folder.", "Name a file in it.")
            yield path
            return
        with _beside(target) as temporary:
            yield temporary
            _replace(target, temporary)
    except OSError as error:
        raise InputError(f"{path} can't be written: {error.strerror or error}.", "Choose another place.") from error


@contextmanager
def _beside(target: Path) -> Iterator[Path]:
    """A name in the same folder, so that the file can take the other's place in one step."""
    temporary = target.with_name(f".interacteval-{secrets.token_hex(6)}.part")
    try:
        os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        yield temporary
    finally:
        temporary.unlink(missing_ok=True)


def _replace(target: Path, temporary: Path) -> None:
    with temporary.open("rb+") as file:
        os.fsync(file.fileno())  # a machine that goes down now leaves the old file or the new one
    with suppress(FileNotFoundError):
        temporary.chmod(target.stat().st_mode & 0o777)
    temporary.replace(target)


def table_csv(rows: pd.DataFrame) -> bytes:
    """UTF-8 with a mark that spreadsheets understand; what they would run as a formula is marked as text."""
    return rows.rename(columns=harmless).map(harmless).to_csv(index=False).encode("utf-8-sig")
