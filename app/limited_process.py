"""Subprocesses with limits: on memory and time for untrusted bytes, on time for long computations.

A small file can unpack to gigabytes, or keep a parser busy for hours; the subprocess is then ended. A long computation
for one person doesn't block other people's screens.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryFile
from threading import BoundedSemaphore, Timer
from typing import IO, Any, ParamSpec, TypeVar

from app.errors import FileFormatError, NotReadyError
from app.limits import COMPUTATION_SECONDS, COMPUTATIONS, Limits

Job = Callable[..., Iterator[Any]]
"""Takes the file, its name and more strings; yields JSON values, and may raise FileFormatError."""
_VALUE, _REFUSED, _END = "value", "refused", "end"
_NEEDED = ("PATH", "PYTHONPATH", "SYSTEMROOT", "TMPDIR", "TEMP", "TMP", "LANG", "LC_ALL", "HOME")
# One thread and one heap: each more would reserve address space that the limit counts.
_ONE_THREAD = {
    "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "ARROW_IO_THREADS": "1", "MALLOC_ARENA_MAX": "1",
    "ARROW_DEFAULT_MEMORY_POOL": "system",
}  # fmt: skip


def parse_apart(job: str, raw: bytes, name: str, limits: Limits, *arguments: str) -> Iterator[Any]:
    """Yield what a job yields for these bytes, run in a subprocess. job: "module:function", as in `Job`; name: of the
    file.

    The subprocess gets `limits.memory` bytes more than its program needs, and `limits.seconds` of CPU time. Raises
    FileFormatError: the job's own, or one that says that a limit was reached.
    """
    seconds = limits.seconds or 0
    command = [sys.executable, "-P", "-m", __name__, job, str(limits.memory or 0), str(int(seconds)), name, *arguments]
    environment = {key: os.environ[key] for key in _NEEDED if key in os.environ} | _ONE_THREAD  # no keys
    with TemporaryFile() as file:
        file.write(raw)
        file.seek(0)
        process = subprocess.Popen(  # noqa: S603 - our own words
            command, stdin=file, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment
        )
        timer = Timer(3 * seconds, process.kill)  # a busy machine gives a process a part of its time
        timer.start()
        try:
            assert process.stdout is not None
            yield from _values(process.stdout, name)
        finally:
            timer.cancel()
            process.kill()
            process.wait()
            if process.stdout is not None:
                process.stdout.close()


P = ParamSpec("P")
R = TypeVar("R")
_PLACES = BoundedSemaphore(COMPUTATIONS)
_screens_wait = False


def offload_large_work() -> None:
    """Declare that this process draws screens: from now on `computed_for_screens` moves large work to another
    process."""
    global _screens_wait  # noqa: PLW0603 - what a process is for
    _screens_wait = True


def computed_for_screens(large: bool, function: Callable[P, R], *arguments: P.args, **named: P.kwargs) -> R:
    """Call the function: with `computed_apart` if `large` and this process draws screens, else in this process.

    On the command line nobody else waits, so there is no time limit.
    """
    if large and _screens_wait:
        return computed_apart(COMPUTATION_SECONDS, function, *arguments, **named)
    return function(*arguments, **named)


def computed_apart(seconds: float, function: Callable[P, R], *arguments: P.args, **named: P.kwargs) -> R:
    """Call a module's function in a process of its own, so that other people's screens don't wait, and return its
    result.

    Function, arguments and result are pickled. Raises what the function raises, and NotReadyError after so many
    seconds, which include waiting for a free process.
    """
    from joblib.externals.loky.process_executor import ProcessPoolExecutor  # noqa: PLC0415 - takes a while

    too_long = NotReadyError(
        f"This would take longer than {seconds / 60:g} minutes, and was stopped.",
        "Choose fewer attributes, topics, starts or runs, or use the command line, where there is no limit.",
    )
    end = time.monotonic() + seconds
    if not _PLACES.acquire(timeout=seconds):
        raise too_long
    process = ProcessPoolExecutor(max_workers=1)
    try:
        found = process.submit(function, *arguments, **named)
        return found.result(timeout=max(end - time.monotonic(), 0.0))  # type: ignore[no-any-return]
    except TimeoutError:
        raise too_long from None
    finally:
        process.shutdown(wait=False, kill_workers=True)
        _PLACES.release()


def _values(lines: IO[bytes], name: str) -> Iterator[Any]:
    for line in lines:
        try:
            kind, *said = json.loads(line)
        except ValueError:
            break  # killed in the middle of a line
        if kind == _VALUE:
            yield said[0]
        elif kind == _REFUSED:
            raise FileFormatError(*said)
        else:
            return
    raise FileFormatError(
        f"{name} takes more memory or time to read than a file of its size may.",
        "Save it as CSV, or split it into smaller files.",
    )


def _main(job: str, memory: str, seconds: str, name: str, *arguments: str) -> None:
    module, _, function = job.partition(":")
    found: Job = getattr(import_module(module), function)
    with os.fdopen(0, "rb", closefd=False) as file:
        _limit(int(memory), int(seconds))
        try:
            for value in found(file, name, *arguments):
                _say(_VALUE, value)
        except FileFormatError as error:
            _say(_REFUSED, error.message, error.hint)
        else:
            _say(_END)
        sys.stdout.flush()
    os._exit(0)  # nothing is worth waiting for


def _say(kind: str, *values: Any) -> None:
    sys.stdout.write(json.dumps([kind, *values]) + "\n")


def _limit(memory: int, seconds: int) -> None:
    """Limit memory and CPU seconds of this process if the system supports it; otherwise the parent only limits the
    time."""
    try:
        import resource  # noqa: PLC0415 - POSIX only
    except ImportError:
        return
    if seconds:
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    statistics = Path("/proc/self/statm")
    if memory and statistics.exists():
        held = int(statistics.read_text(encoding="ascii").split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (held + memory, held + memory))


if __name__ == "__main__":
    _main(*sys.argv[1:])
