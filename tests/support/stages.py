"""The stages of `make test` and, with --long, of `make test-all`.

Each stage runs, also after one that failed, and the last line sums them up. Those of `make test` run at the same time,
each in one process: the first two take about as long as each other, and the third waits often. With --minutes no test
starts after that many minutes: what had no time is listed by file, and is no failure.
"""

import argparse
import os
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from xml.etree import ElementTree

from tests.support import deadline
from tests.support.repository import ROOT

RESULTS = ROOT / "test-results"
IN_PARALLEL = ("-n", "2", "--dist", "loadfile")
NOT_LONG = ("-m", "not long")
SERVICES = ("tests/integration", "tests/contract", "tests/db")
ENTRANCE = "tests/integration/entrance"  # with the screens, so that both stages take as long as each other
RULES = ("tests/unit", "tests/architecture", "tests/reference")
STAGES: Mapping[str, Sequence[str]] = {
    "Tests of services and the database": (*NOT_LONG, *SERVICES, f"--ignore={ENTRANCE}"),
    "Tests of the entrance, screens and rules": (*NOT_LONG, ENTRANCE, "tests/pages", *RULES),
    "Tests in a browser": (*NOT_LONG, "tests/e2e"),
}
LONG_STAGES: Mapping[str, Sequence[str]] = {
    "Long tests": (*IN_PARALLEL, "-m", "long", "--ignore=tests/e2e", "--ignore=tests/tools"),
    "Long tests in a browser": (*IN_PARALLEL, "-m", "long", "tests/e2e"),
    "Exported files in other tools": ("tests/tools",),
}
# Run first. The other stages go on meanwhile: what is installed waits for a network and a disk.
PREPARED_BY = {"Tests in a browser": "tests.support.browser"}
NEEDS = {"Exported files in other tools": ROOT / ".venv-tools" / ".installed"}
# As `python -m pytest`, but it exits at once: Python takes 5 to 10 s to free a million objects one by one.
PYTEST = "import os, sys, pytest; status = pytest.main(); sys.stdout.flush(); sys.stderr.flush(); os._exit(status)"
KEEP_COMPILED = {"PYTHONDONTWRITEBYTECODE": ""}
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


def counts(report: Path) -> Counter[str]:
    """How many tests passed, failed (errors included) and were skipped, by pytest's JUnit report."""
    total: Counter[str] = Counter()
    for suite in ElementTree.parse(report).getroot().iter("testsuite"):
        found = {name: int(suite.get(name, 0)) for name in ("tests", "failures", "errors", "skipped")}
        failed = found["failures"] + found["errors"]
        total.update(passed=found["tests"] - failed - found["skipped"], failed=failed, skipped=found["skipped"])
    return total


def out_of_time(report: Path) -> Counter[str]:
    """File -> how many of its tests were skipped because no time was left."""
    skips = [skipped.get("message", "") for skipped in ElementTree.parse(report).getroot().iter("skipped")]
    late = [message.removeprefix(f"{deadline.REASON} for ") for message in skips if message.startswith(deadline.REASON)]
    return Counter(node.partition("::")[0] for node in late)


def run_stage(title: str, arguments: Sequence[str], until: float | None, aside: bool) -> tuple[Counter[str], bool]:
    """Return the counts of its tests, and whether pytest ended without a failure. aside: print at its end, not before,
    what it says."""
    if not aside:
        print(title, flush=True)
    if title in PREPARED_BY:  # where that fails, the tests say what is missing
        subprocess.run([sys.executable, "-m", PREPARED_BY[title]], cwd=ROOT, check=False)
    report = RESULTS / f"{title.lower().replace(' ', '-')}.xml"
    report.unlink(missing_ok=True)
    command = [sys.executable, "-c", PYTEST, *arguments, f"--junitxml={report}"]
    if until is not None:
        command += ["-p", deadline.__name__]
    with temporary_folder() as environment:
        limit = {} if until is None else {deadline.UNTIL: str(until)}
        done = subprocess.run(
            command,
            cwd=ROOT,
            env={**environment, **KEEP_COMPILED, **limit},
            stdout=subprocess.PIPE if aside else None,
            stderr=subprocess.STDOUT if aside else None,
            text=True,
            check=False,
        )
    if aside:
        print(f"\n{title}\n{done.stdout}", flush=True)
    if not report.exists():
        return Counter(), done.returncode == 0
    found, late = counts(report), out_of_time(report)
    for file, number in sorted(late.items()):
        print(f"{file}: {number} not run, because {deadline.REASON}")
    found.subtract(skipped=late.total())
    return found + Counter({"not run": late.total()}), done.returncode == 0


def main(stages: Mapping[str, Sequence[str]], minutes: float | None = None, at_once: bool = False) -> int:
    """Run the stages one after the other, or all at once; return the exit status."""
    until = None if minutes is None else time.time() + 60 * minutes
    RESULTS.mkdir(exist_ok=True)
    total, passed = Counter(passed=0, failed=0, skipped=0), True
    there = [title for title in stages if title not in NEEDS or NEEDS[title].exists()]
    with ThreadPoolExecutor(len(there) if at_once else 1) as threads:
        runs = [
            threads.submit(run_stage, title, stages[title], until, aside=at_once and title != there[0])
            for title in there
        ]
    for found, fine in (run.result() for run in runs):
        total.update(found)
        passed = passed and fine
    for title in stages.keys() - there:
        print(f"{title}: left out, because they are not installed (make test-tools installs them)")
    print(", ".join(f"{number} {what}" for what, number in total.items()))
    return 0 if passed else 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--long", action="store_true", help="the stages of make test-all")
    parser.add_argument("--minutes", type=float, help="no test starts after this time")
    asked = parser.parse_args()
    sys.exit(main(LONG_STAGES, asked.minutes) if asked.long else main(STAGES, asked.minutes, at_once=True))
