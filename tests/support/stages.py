"""The stages of `make test` and, with --long, of `make test-all`.

Each stage runs, also after one that failed, and the last line sums them up.
"""

import compileall
import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from xml.etree import ElementTree

from tests.support.repository import PACKAGES, ROOT

RESULTS = ROOT / "test-results"
IN_PARALLEL = ("-n", "2", "--dist", "loadfile")
STAGES: Mapping[str, Sequence[str]] = {
    "Tests": (*IN_PARALLEL, "-m", "not long", "--ignore=tests/e2e", "--ignore=tests/tools"),
    "Tests in a browser": (*IN_PARALLEL, "-m", "not long", "tests/e2e"),
}
LONG_STAGES: Mapping[str, Sequence[str]] = {
    "Long tests": (*IN_PARALLEL, "-m", "long", "--ignore=tests/e2e", "--ignore=tests/tools"),
    "Long tests in a browser": (*IN_PARALLEL, "-m", "long", "tests/e2e"),
    "Exported files in other tools": ("tests/tools",),
}
NEEDS = {"Exported files in other tools": ROOT / ".venv-tools" / ".installed"}
MEMORY, ROOM = Path("/dev/shm"), 8 * 2**30


@contextmanager
def temporary_folder() -> Iterator[Mapping[str, str]]:
    """An environment whose temporary files lie in memory, where there is room: databases by the thousand wait for a
    disk otherwise."""
    if not MEMORY.is_dir() or shutil.disk_usage(MEMORY).free < ROOM:
        yield os.environ
        return
    with TemporaryDirectory(prefix="interacteval-tests-", dir=MEMORY, ignore_cleanup_errors=True) as folder:
        yield {**os.environ, "TMPDIR": folder}


def compile_code() -> None:
    """Our own code, as pip compiled the libraries: servers and commands are started by the hundred, and would compile
    it each for itself where PYTHONDONTWRITEBYTECODE is set."""
    for package in PACKAGES:
        compileall.compile_dir(ROOT / package, quiet=2)


def counts(report: Path) -> Counter[str]:
    """How many tests passed, failed (errors included) and were skipped, by pytest's JUnit report."""
    total: Counter[str] = Counter()
    for suite in ElementTree.parse(report).getroot().iter("testsuite"):
        found = {name: int(suite.get(name, 0)) for name in ("tests", "failures", "errors", "skipped")}
        failed = found["failures"] + found["errors"]
        total.update(passed=found["tests"] - failed - found["skipped"], failed=failed, skipped=found["skipped"])
    return total


def run_stage(title: str, arguments: Sequence[str]) -> tuple[Counter[str], bool]:
    """What its tests came to, and whether pytest was content."""
    print(title, flush=True)
    report = RESULTS / f"{title.lower().replace(' ', '-')}.xml"
    report.unlink(missing_ok=True)
    command = [sys.executable, "-m", "pytest", *arguments, f"--junitxml={report}"]
    with temporary_folder() as environment:
        status = subprocess.call(command, cwd=ROOT, env=environment)
    return (counts(report) if report.exists() else Counter()), status == 0


def main(stages: Mapping[str, Sequence[str]]) -> int:
    RESULTS.mkdir(exist_ok=True)
    compile_code()
    total, content = Counter(passed=0, failed=0, skipped=0), True
    for title, arguments in stages.items():
        if title in NEEDS and not NEEDS[title].exists():
            print(f"{title}: left out, because they are not installed (make test-tools installs them)")
            continue
        found, fine = run_stage(title, arguments)
        total.update(found)
        content = content and fine
    print(f"{total['passed']} passed, {total['failed']} failed, {total['skipped']} skipped")
    return 0 if content else 1


if __name__ == "__main__":
    sys.exit(main(LONG_STAGES if "--long" in sys.argv else STAGES))
