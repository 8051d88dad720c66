"""Projects that the built-in rules have scored, to look at their results."""

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

from app.services.runtime.workbench import Workbench
from app.services.scoring.runs import RunOptions, start_run, work_on
from tests.support.prepared import Prepared, prepared
from tests.support.projects import ready_to_score, workbench_at

Scored = Callable[[int], Workbench]


@cache
def _scored(texts: int) -> Prepared[None]:
    def fill(workbench: Workbench) -> None:
        dimension = ready_to_score(workbench, texts)
        work_on(workbench, start_run(workbench, 1, RunOptions((dimension,), "rules")))

    return prepared(fill)


@pytest.fixture
def scored_by_rules(tmp_path: Path) -> Iterator[Scored]:
    """Opens a copy of the project “Ready” with so many texts, which its run 1 has scored."""
    opened = []

    def open_copy(texts: int) -> Workbench:
        _scored(texts).copy(tmp_path)
        opened.append(workbench_at(tmp_path))
        return opened[-1]

    yield open_copy
    for workbench in opened:
        workbench.database.close()
