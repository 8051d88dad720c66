"""A damaged database is a sentence and a 2 in every command, and nothing is written into it."""

import hashlib
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from app.cli import build
from app.errors import DatabaseError
from app.services.runtime import workbench
from app.settings import settings
from db.unit_of_work import Database
from tests.support.small_project import OPTIONS, small_csv

Run = Callable[..., tuple[int, str, str]]
WITHOUT_A_DATABASE = {
    *("meta-eval", "compare", "similarity", "topics", "bench", "restore", "checklist schema"),
    *("estimate", "alt-test", "panel"),
}
PAGE = 4096


def _header(file: Path) -> None:
    file.write_bytes(b"no database at all, only words" + file.read_bytes()[30:])


def _tables(file: Path) -> None:
    """The names of the tables can still be read, and the revision, but no rows."""
    with closing(sqlite3.connect(file)) as database:
        roots = database.execute(
            "SELECT rootpage FROM sqlite_schema WHERE rootpage > 0 AND tbl_name <> 'alembic_version'"
        )
        pages = [root for (root,) in roots]
    with file.open("rb+") as opened:
        for page in pages:
            opened.seek((page - 1) * PAGE)
            opened.write(bytes([0xA5]) * PAGE)


def _cut(file: Path) -> None:
    os.truncate(file, file.stat().st_size // 2 // PAGE * PAGE)


@pytest.fixture(params=[_cut, *(pytest.param(way, marks=pytest.mark.long) for way in (_header, _tables))])
def damaged(request: pytest.FixtureRequest, run: Run, tmp_path: Path) -> Path:
    assert run("import", small_csv(tmp_path / "small.csv"), "--project", "Small", *OPTIONS)[0] == 0
    file = settings().home / "workbench.db"
    _close()
    request.param(file)
    for beside in file.parent.glob("workbench.db-*"):
        beside.unlink()
    yield file
    _close()


def _close() -> None:
    workbench._database(settings().url).close() if workbench._database.cache_info().currsize else None
    workbench._database.cache_clear()


def _commands(group: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    for name, command in sorted(group.commands.items()):
        if hasattr(command, "commands"):
            yield from _commands(command, (*path, name))
        else:
            yield (*path, name), command


def _words(command: Any, file: Path) -> list[str]:
    """What the command can't do without."""
    words: list[str] = []
    for parameter in command.params:
        if parameter.required or parameter.name in {"project", "dimension"}:
            kind = str(parameter.bare_type).lower()
            value = str(file) if "path" in kind else "1" if "int" in kind else "coherence"
            words += [value] if parameter.param_type_name == "argument" else [parameter.opts[0], value]
    return words


@pytest.mark.long
def test_every_command_says_so_and_writes_nothing(
    run: Run, damaged: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("runpy.run_path", lambda *_, **__: pytest.fail("the server started"))
    before = hashlib.sha256(damaged.read_bytes()).digest()
    wrong, tried = {}, 0
    for path, command in _commands(typer.main.get_command(build())):
        if " ".join(path) in WITHOUT_A_DATABASE or path[0] in WITHOUT_A_DATABASE:
            continue
        status, _, err = run(*path, *_words(command, tmp_path / "small.csv"))
        tried += "is damaged" in err
        if status != 2 or "Traceback" in err or err.count("\n") != 1:
            wrong[" ".join(path)] = (status, err[-300:])
        assert hashlib.sha256(damaged.read_bytes()).digest() == before, path
    assert wrong == {}
    assert tried > 20


def test_a_large_file_that_was_not_looked_through_is_not_written_to(
    damaged: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("db.unit_of_work.SMALL_BYTES", 0)
    before = damaged.read_bytes()
    with pytest.raises(DatabaseError, match=r"is damaged.*interacteval restore FILE"):
        opened = Database(settings().url)
        with opened.write() as work:
            work.projects.find("Small")
    assert damaged.read_bytes() == before


def test_the_sentence_names_the_way_back(damaged: Path) -> None:
    result = CliRunner().invoke(build(), ["project", "list"])
    assert isinstance(result.exception, DatabaseError)
    assert "interacteval restore FILE" in str(result.exception)
