"""Output files of users: written completely or not at all."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from app.domain.storable_text import harmless
from app.errors import InputError

if TYPE_CHECKING:
    import pandas as pd


@contextmanager
def output_file(path: Path) -> Iterator[Path]:
    """Yield a new file that replaces `path` at the end of the block.

    Only its user can read it, unless it replaces a file, whose permissions it takes. If the block fails, nothing is
    left and an older file is unchanged. A pipe or terminal is written to directly. Raises InputError if it can't be
    written.
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
            with temporary.open("rb+") as file:
                os.fsync(file.fileno())  # a machine that goes down now leaves the old file or the new one
            with suppress(FileNotFoundError):
                temporary.chmod(target.stat().st_mode & 0o777)
            temporary.replace(target)
    except OSError as error:
        raise InputError(f"{path} can't be written: {error.strerror or error}.", "Choose another place.") from error


@contextmanager
def _beside(target: Path) -> Iterator[Path]:
    """Yield a temporary file in the same folder, which can replace the target in one step."""
    temporary = target.with_name(f".interacteval-{secrets.token_hex(6)}.part")
    try:
        os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        yield temporary
    finally:
        temporary.unlink(missing_ok=True)


def table_csv(rows: "pd.DataFrame") -> bytes:
    """Return UTF-8 with a byte order mark for spreadsheets; cells that they would run as a formula are marked as
    text."""
    return rows.rename(columns=harmless).map(harmless).to_csv(index=False).encode("utf-8-sig")
