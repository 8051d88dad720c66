"""Damaged files, and the limited subprocess as a fork, without the time that starting Python takes."""

import json
import logging
import os
import re
import resource
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from io import BytesIO
from itertools import count
from pathlib import Path
from time import process_time
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

from hypothesis import given, settings
from hypothesis import strategies as st

from app import limited_process
from app.errors import WorkbenchError
from app.limits import Limits

_LOG = logging.getLogger(__name__)
LONGEST_CASE = 5.0  # seconds of the processor
MOST_MEMORY = 500 * 2**20

TOKENS = (
    *(b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b'"', b"'", b"\r", b"\n", b"\t", b",", b";", b"{", b"}", b"[", b"]", b":"),
    *(b"|", b"%", b"true", b"\\u0000", b"\\ud800"),
    *(b"[" * 700 + b"]" * 700, b'{"a":' * 300 + b"1" + b"}" * 300),
    *(b"NaN", b"1e999", b"-1", b"9" * 5000, b"[" * 2000, b'{"a":' * 600, b"null"),
    *(b"&a ", b"*a ", b"<<: ", b"!!int ", b"!!timestamp ", b"!!python/object:os.system ", b"- " * 200, b"---\n"),
    *(b"1" + b":00" * 300, b"=1+1", b"x" * 200_000, b"2001-99-99", b"\x1a", b"\x85", b"\xc3"),
    *(b"\xf0\x9f\x99\x82", b"\xe2\x80\xae"),
)  # fmt: skip
_PLACE = st.floats(0, 1, exclude_max=True)
_CHANGES = st.lists(
    st.tuples(
        st.sampled_from(["insert", "delete", "repeat", "flip", "cut", "swap"]),
        _PLACE,
        st.integers(0, 255),
        st.sampled_from(TOKENS),
    ),
    min_size=1,
    max_size=6,
)


class File(bytes):
    """Bytes that a failed test shows up to a length."""

    def __repr__(self) -> str:
        return f"File({bytes(self[:400])!r}…)" if len(self) > 400 else f"File({bytes(self)!r})"


def damaged(*sound: bytes) -> st.SearchStrategy[bytes]:
    """One of these files with some changes; at times tokens or bytes without any order."""
    changed = st.builds(_changed, st.sampled_from([File(each) for each in sound]), _CHANGES)
    soup = st.lists(st.sampled_from(TOKENS), max_size=30).map(b"".join)
    return st.one_of(changed, changed, changed, soup, st.binary(max_size=300)).map(File)


def damaged_archive(sound: bytes) -> st.SearchStrategy[bytes]:
    """An archive one part of which is damaged, or which is damaged itself."""
    with ZipFile(BytesIO(sound)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    inside = st.builds(lambda name, changes: _packed({**parts, name: _changed(parts[name], changes)}),
                       st.sampled_from(sorted(parts)), _CHANGES)  # fmt: skip
    return st.one_of(inside, inside, damaged(sound)).map(File)


def _changed(raw: bytes, changes: Sequence[tuple[str, float, int, bytes]]) -> bytes:
    for kind, place, size, token in changes:
        at = int(place * len(raw))
        match kind:
            case "insert":
                raw = raw[:at] + token + raw[at:]
            case "delete":
                raw = raw[:at] + raw[at + size :]
            case "repeat":
                raw = raw[:at] + raw[at : at + size] * 40 + raw[at:]
            case "flip":
                raw = raw[:at] + bytes([size]) + raw[at + 1 :]
            case "cut":
                raw = raw[:at] if size < 50 else raw
            case _:
                raw = raw[at:] + raw[:at] if size < 50 else raw
    return raw


def _packed(parts: dict[str, bytes]) -> bytes:
    file = BytesIO()
    with ZipFile(file, "w", ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return file.getvalue()


@dataclass
class Cases:
    """How many there were, how many were refused, the slowest in seconds of the processor, the most bytes of one.

    Time and memory are those of this process and of the subprocesses that it started.
    """

    count: int = 0
    refused: int = 0
    slowest: float = 0.0
    peak: int = 0


ENOUGH_CASES = 1_000  # of damaged files, so that some of them are sound enough to come in


def try_all(files: st.SearchStrategy[Any], read: Callable[[Any], object], examples: int) -> None:
    """Read so many files. Each ends in data or in a sentence of the program's own, in bounded time and memory."""
    cases = Cases()

    def seconds_of(file: Any) -> float:
        begun = _processor_seconds()
        try:
            read(file)
        except WorkbenchError as error:
            assert error.message
            cases.refused += 1
        return _processor_seconds() - begun

    @settings(max_examples=examples)
    @given(file=files)
    def one(file: Any) -> None:
        _of_forks.clear()
        before = _peak_from_now()
        taken = seconds_of(file)
        if taken >= LONGEST_CASE:  # libraries that are loaded with this case take their time once
            taken = seconds_of(file)
        memory = max(_peak() - before, *_of_forks, 0)
        cases.count += 1
        cases.slowest, cases.peak = max(cases.slowest, taken), max(cases.peak, memory)
        assert taken < LONGEST_CASE
        assert memory < MOST_MEMORY

    one()
    assert examples < ENOUGH_CASES or cases.refused < cases.count, "No file came in, so the reader was hardly tried."
    _LOG.info("%s", cases)


def _processor_seconds() -> float:
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return process_time() + ended.ru_utime + ended.ru_stime


def _peak_from_now() -> int:
    """Forget the largest memory of this process until now, where the system can; return it in bytes."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    return _peak()


def _peak() -> int:
    return _status("VmHWM") or resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _held() -> int:
    return _status("VmRSS") or _peak()


def _status(name: str) -> int:
    """A size of this process in bytes, 0 where the system doesn't say it."""
    status = Path("/proc/self/status")
    found = re.search(rf"{name}:\s+(\d+)", status.read_text(encoding="ascii")) if status.exists() else None
    return 1024 * int(found[1]) if found else 0


_PARSES = count(1)
_of_forks: list[int] = []  # bytes that each needed beside what this process holds


def forked(job: str, raw: bytes, name: str, limits: Limits, *arguments: str) -> Iterator[Any]:
    """As `parse_apart`, in a fork of this process: a crash or too much memory ends the fork alone.

    One in a hundred files goes through `parse_apart` itself.
    """
    if next(_PARSES) % 100 == 0:
        yield from limited_process.parse_apart(job, raw, name, limits, *arguments)
        return
    module, _, function = job.partition(":")
    found = getattr(import_module(module), function)
    with tempfile.TemporaryFile() as file, tempfile.TemporaryDirectory() as folder:
        file.write(raw)
        file.flush()
        file.seek(0)
        said = Path(folder) / "said"
        held = _held()
        child = os.fork()
        if not child:
            _in_child(found, file, name, arguments, said, limits)
        _, _, used = os.wait4(child, 0)
        _of_forks.append(used.ru_maxrss * 1024 - held)
        with said.open("rb") as lines:
            yield from limited_process._values(lines, name)


def _in_child(found: Any, file: Any, name: str, arguments: Sequence[str], said: Path, limits: Limits) -> None:
    try:
        with said.open("w", encoding="utf-8") as lines:
            limited_process._limit(limits.memory or 0, int(limits.seconds or 0))
            try:
                for value in found(file, name, *arguments):
                    lines.write(json.dumps([limited_process._VALUE, value]) + "\n")
            except limited_process.FileFormatError as error:
                lines.write(json.dumps([limited_process._REFUSED, error.message, error.hint]) + "\n")
            else:
                lines.write(json.dumps([limited_process._END]) + "\n")
    finally:
        os._exit(0)
