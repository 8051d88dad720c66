"""Files that a person names: plain ones of a bearable size are opened, everything else is refused in a sentence.

A name can stand for anything: a device that never ends, a pipe to which nobody writes, a folder, a disk image.
"""

import os
import stat
from pathlib import Path
from typing import BinaryIO

from app.errors import FileFormatError, NotFoundError
from app.limits import DATA_FILE, LIST_FILE

LARGEST_FILE = DATA_FILE.size
"""Bytes; as much as a browser may upload."""
LARGEST_LIST = LIST_FILE.size
"""Bytes, for what people write themselves: attributes, checklists, answers, prompts, transcripts."""
_SHOWN = 80
# Without it, opening a pipe waits for somebody who writes to it; systems without pipes in folders lack the flag.
_AT_ONCE = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)


def open_file(path: Path, largest: int = LARGEST_FILE) -> BinaryIO:
    """The file, open for reading. largest: in bytes.

    Raises NotFoundError; FileFormatError for what is no plain file, is too large or can't be opened.
    """
    name = shown_path(path)
    try:
        _check(path.stat(), name, largest)  # before it is opened: opening a device can already do something
        handle = os.open(path, os.O_RDONLY | _AT_ONCE)
    except (FileNotFoundError, NotADirectoryError):
        raise NotFoundError(f"There is no file {name}.", "Check the path.") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", "") or "the system refuses the name"
        raise FileFormatError(f"{name} can't be opened: {reason}.", "Check its name and who may read it.") from None
    file = os.fdopen(handle, "rb")
    try:
        _check(os.fstat(file.fileno()), name, largest)
    except FileFormatError:
        file.close()
        raise
    return file


def read_file(path: Path, largest: int = LARGEST_FILE) -> bytes:
    """The file's bytes. Raises what `open_file` raises, also where the file grows beyond the limit meanwhile."""
    with open_file(path, largest) as file:
        raw = file.read(os.fstat(file.fileno()).st_size + 1)  # makes room for so much at once
        while len(raw) <= largest and (more := file.read(2**20)):
            raw += more
    if len(raw) > largest:
        raise _too_large(shown_path(path), largest)
    return raw


def shown_path(path: Path) -> str:
    """The path in a message, of a long one the end."""
    name = str(path)
    return name if len(name) <= _SHOWN else f"…{name[-_SHOWN:]}"


def _check(found: os.stat_result, name: str, largest: int) -> None:
    if stat.S_ISDIR(found.st_mode):
        raise FileFormatError(f"{name} is a folder, not a file.", "Name the file inside it.")
    if not stat.S_ISREG(found.st_mode):
        raise FileFormatError(f"{name} is a device or a pipe, not a file.", "Save the data as a file.")
    if found.st_size > largest:
        raise _too_large(name, largest)


def _too_large(name: str, largest: int) -> FileFormatError:
    return FileFormatError(
        f"{name} is larger than {largest // 2**20} MB, which is the most that is read.", "Split it into smaller files."
    )
