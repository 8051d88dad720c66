"""Files that a person asked for, where they asked for them."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from app.errors import InputError


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """What goes on while the file is written. Raises InputError where it can't be."""
    try:
        yield
    except OSError as error:
        raise InputError(f"{path} can't be written: {error.strerror}.", "Choose another place.") from error
