"""The command line as a shell runs it."""

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from app.corpora.mapping import ColumnMapping
from app.services.data.imports import import_file
from app.services.runtime.workbench import Workbench
from app.settings import settings
from tests.support.console import Run, console
from tests.support.prepared import Prepared, prepared
from tests.support.small_project import MAPPING, RATINGS, small_csv


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """The console entry with these words: (exit status, stdout, stderr)."""
    return console(monkeypatch, capsys)


@cache
def _small() -> Prepared[None]:
    def fill(workbench: Workbench) -> None:
        with TemporaryDirectory() as folder:
            mapping = ColumnMapping.parse(list(MAPPING), list(RATINGS), [])
            import_file(workbench, small_csv(Path(folder) / "small.csv"), "Small", mapping=mapping)

    return prepared(fill)


@pytest.fixture
def small() -> None:
    """Project “Small” in the home folder, as `import` makes it of `small_csv`."""
    settings().home.mkdir()
    _small().copy(settings().home)
