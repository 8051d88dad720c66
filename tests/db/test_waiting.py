"""Whoever only reads waits for no writer, not even while starting."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from app.cli import build
from app.domain.project import Task
from app.settings import settings
from db.unit_of_work import Database


def test_opening_and_reading_go_on_beside_a_long_writer(address: str) -> None:
    first = Database(address)
    with first.write() as work:
        work.projects.add("There", Task())
    with first.write() as work:
        work.projects.add("Unfinished", Task())
        second = Database(address)
        with second.read() as other:
            assert [project.name for project in other.projects.all()] == ["There"]
        second.close()
    first.close()


@pytest.mark.parametrize("words", [["project", "list"], ["runs", "list"], ["project", "show", "There"]])
def test_reading_commands_go_on_beside_a_long_writer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    monkeypatch.setenv("INTERACTEVAL_DATABASE_URL", f"sqlite:///{tmp_path}/busy.db")
    monkeypatch.setattr("db.engine.BUSY_TIMEOUT_MS", 100)
    settings.cache_clear()
    database = Database(settings().url)
    with database.write() as work:
        work.projects.add("There", Task())
    with database.write() as work:
        work.projects.add("Unfinished", Task())
        result = CliRunner().invoke(build(), words)
    assert result.exit_code == 0, result.output
    assert "Unfinished" not in result.output
    database.close()
