"""Files that a user names, and YAML in them. Only ordinary files are opened, and they are read up to a limit.

A name can lead to anything: an endless device, a pipe without a writer, a folder, a disk image.
"""

import os
import re
import stat
from pathlib import Path
from typing import Any, BinaryIO

import yaml

from app.errors import FileFormatError, NotFoundError
from app.limits import DATA_FILE, LIST_FILE, MB, YAML

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_MOST_ALIASES = 20
_DEEPEST = 50
_MOST_PARTS = 200_000
_LONG_NUMBER = re.compile(r"[-+0-9a-fA-FxXob_:.]{200,}")  # a number to the base of 60 takes quadratic time
# What its constructors raise for a day that no calendar has, or a tag that doesn't fit its value.
_CONSTRUCTORS = (ValueError, TypeError, KeyError, IndexError, AttributeError, OverflowError, RecursionError)


def read_yaml(content: str) -> Any:
    """Parse YAML into plain data. Raises FileFormatError for a document over the limits, yaml.YAMLError for invalid
    YAML."""
    if len(content) > (YAML.size or 0):
        raise FileFormatError(f"YAML of more than {YAML.size // MB} MB is not read.", "Divide it, or save it as JSON.")
    try:
        _check_yaml(content)
        return yaml.load(content, Loader=_LOADER)  # noqa: S506 - both are safe loaders
    except _CONSTRUCTORS as error:
        raise yaml.YAMLError("a value that does not fit its kind") from error


def _check_yaml(content: str) -> None:
    aliases = depth = 0
    for number, event in enumerate(yaml.parse(content, Loader=_LOADER)):
        aliases += isinstance(event, yaml.AliasEvent)
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if aliases > _MOST_ALIASES:
            raise FileFormatError("The YAML repeats parts by aliases (*name).", "Write them out.")
        if depth > _DEEPEST:
            raise FileFormatError(f"The YAML is nested more than {_DEEPEST} deep.", "Use fewer levels.")
        if number > _MOST_PARTS:
            raise FileFormatError(f"The YAML has more than {_MOST_PARTS:,} parts.", "Divide it, or save it as JSON.")
        if isinstance(event, yaml.ScalarEvent) and len(event.value) > 200 and _LONG_NUMBER.fullmatch(event.value):
            raise FileFormatError(
                "The YAML holds a number of more than 200 digits.", "Write it in quotes, with a word."
            )


LARGEST_FILE = DATA_FILE.size
"""Bytes; as much as a browser may upload."""
LARGEST_LIST = LIST_FILE.size
"""Bytes, for what people write themselves: attributes, checklists, answers, prompts, transcripts."""
_SHOWN = 80
# Without it, opening a pipe waits for somebody who writes to it; systems without pipes in folders lack the flag.
_AT_ONCE = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)


def open_file(path: Path, largest: int = LARGEST_FILE) -> BinaryIO:
    """Open the file for reading. largest: in bytes.

    Raises NotFoundError; FileFormatError for a file that isn't ordinary, is too large or can't be opened.
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
    """Return the file's bytes. Raises what `open_file` raises, also if the file grows beyond the limit meanwhile."""
    with open_file(path, largest) as file:
        raw = file.read(os.fstat(file.fileno()).st_size + 1)  # makes room for so much at once
        while len(raw) <= largest and (more := file.read(2**20)):
            raw += more
    if len(raw) > largest:
        raise _too_large(shown_path(path), largest)
    return raw


def shown_path(path: Path) -> str:
    """Return the path for a message, only the end of a long one."""
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
