"""Temporary files of the tests lie in memory only where a machine has room for them."""

import os
from pathlib import Path

import pytest

from tests.support import stages


def test_with_room_they_lie_in_a_folder_that_is_gone_afterwards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stages, "MEMORY", tmp_path)
    monkeypatch.setattr(stages, "ROOM", 0)
    with stages.temporary_folder() as environment:
        folder = Path(environment["TMPDIR"])
        (folder / "database.db").touch()
        assert folder.parent == tmp_path
        assert {**environment, "TMPDIR": ""} == {**os.environ, "TMPDIR": ""}
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("elsewhere", [False, True])
def test_without_room_they_lie_where_they_always_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, elsewhere: bool
) -> None:
    monkeypatch.setattr(stages, "MEMORY", tmp_path / "none" if elsewhere else tmp_path)
    monkeypatch.setattr(stages, "ROOM", 2**80)
    with stages.temporary_folder() as environment:
        assert environment is os.environ
    assert not list(tmp_path.iterdir())
