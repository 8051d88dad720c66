"""Our own benchmarks, by name: `make bench NAME=scale SIZES=10000`. Each prints one JSON document.

Only the one asked for is loaded: what it doesn't use would slow it down.
"""

import argparse
import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from app.errors import InputError, WorkbenchError

BENCHMARKS = {
    "scoring": "app.benchmarks.scoring",
    "statistics": "tests.benchmarks.statistics",
    "pages": "tests.benchmarks.pages",
    "attributes": "tests.benchmarks.attributes",
    "estimates": "tests.benchmarks.estimates",
    "drift": "tests.benchmarks.drift",
    "sessions": "app.benchmarks.sessions",
    "scale": "tests.benchmarks.scale",
    "hand-loop": "tests.benchmarks.hand_loop",
    "workers": "tests.benchmarks.workers",
}
READS_ANSWERS = ("estimates",)
HAS_SIZES = ("scale",)


def run_benchmark(name: str, answers: Path | None = None, sizes: str = "") -> dict[str, Any]:
    """`answers` is a table for those that read one, `sizes` are numbers of texts, as typed, for those that have them.

    Raises InputError for an unknown name, and for what the benchmark can't use.
    """
    if name not in BENCHMARKS:
        raise InputError(f"“{name}” is not a benchmark.", f"There are: {', '.join(BENCHMARKS)}.")
    if answers and name not in READS_ANSWERS:
        raise InputError(f"The benchmark “{name}” reads no answers.", "Leave out --answers.")
    if sizes and name not in HAS_SIZES:
        raise InputError(f"The benchmark “{name}” has but one size.", "Leave out --sizes.")
    chosen = [answers] if answers else [_sizes(sizes)] if sizes else []
    measured: dict[str, Any] = import_module(BENCHMARKS[name]).run(*chosen)
    return measured


def _sizes(typed: str) -> tuple[int, ...]:
    found = [part.strip().replace("_", "") for part in typed.split(",")]
    if not all(part.isdecimal() and int(part) for part in found):
        raise InputError(f"{typed!r} are no numbers of texts.", "Write them as 10000,100000.")
    return tuple(sorted(map(int, found)))


def main() -> int:
    arguments = argparse.ArgumentParser(prog="make bench", description=__doc__)
    arguments.add_argument("name", metavar="NAME", help=", ".join(BENCHMARKS))
    arguments.add_argument("--answers", type=Path, help="for estimates: a CSV with doc_id, human and judge (yes or no)")
    arguments.add_argument("--sizes", default="", help="for scale: how many texts, such as 10000,100000")
    chosen = arguments.parse_args()
    try:
        measured = run_benchmark(chosen.name, chosen.answers, chosen.sizes)
    except WorkbenchError as error:
        print(error.in_full, file=sys.stderr)
        return error.exit_status
    print(json.dumps(measured, indent=2, ensure_ascii=False))
    return 0


if __name__ == "__main__":
    sys.exit(main())
