"""The table of tasks walked in a browser: `make walks` runs them and writes docs/walks.md."""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.support.repository import ROOT

WALKS = ROOT / "test-results" / "walks"
TABLE = ROOT / "docs" / "walks.md"
HEAD = """# What a task takes

Each task is walked in a real browser by a test in `tests/e2e/`, from its first screen to its end. Its clicks are
held to a limit there, keys pressed beside them are counted; the seconds are those of the machine that made this table
(`make walks`), with a browser that clicks as soon as it can.

| Task | Clicks at most | Clicks | Keys | Seconds |
|---|---|---|---|---|
"""


def file_name(task: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", task.lower()).strip("-") + ".json"


def table(walked: Sequence[dict[str, Any]]) -> str:
    """One row a task, in the order given."""
    rows = (f"| {w['task']} | {w['limit']} | {w['clicks']} | {w['keys']} | {w['seconds']:.1f} |\n" for w in walked)
    return HEAD + "".join(rows)


def walked_tasks(folder: Path) -> list[dict[str, Any]]:
    """What the last walks left, by name."""
    return [json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json"))]


if __name__ == "__main__":
    TABLE.write_text(table(walked_tasks(WALKS)), encoding="utf-8")
