"""A file that a person asked for is there whole, or not at all."""

import os
import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest

from app.domain.project import Project, Task
from app.errors import InputError
from app.services.results.result_files import write_results
from app.services.runtime.output_file import output_file

PROJECT = Project(1, "News", Task(), "", False, datetime(2026, 11, 1, tzinfo=UTC))
NAMES = ("results.csv", "results.parquet", "results.html", "results.tex")


@contextmanager
def full_disk() -> Iterator[None]:
    """No file gets longer than ten bytes."""
    before, ignored = resource.getrlimit(resource.RLIMIT_FSIZE), signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, ignored)


@pytest.mark.parametrize("name", NAMES)
def test_a_failed_export_leaves_nothing(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match=f"{name} can't be written: File too large"), full_disk():
        write_results(tmp_path / name, PROJECT, [], [])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", NAMES)
def test_a_failed_export_keeps_the_older_file(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("results of last week")
    with pytest.raises(InputError, match="can't be written"), full_disk():
        write_results(tmp_path / name, PROJECT, [], [])
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [(name, "results of last week")]


def test_whatever_goes_wrong_inside_nothing_is_left(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), output_file(tmp_path / "new.txt") as file:
        file.write_text("half")
        raise ZeroDivisionError
    assert list(tmp_path.iterdir()) == []


def test_a_new_file_takes_the_place_of_an_older_one_with_its_permissions(tmp_path: Path) -> None:
    old, link = tmp_path / "old.txt", tmp_path / "link.txt"
    old.write_text("old")
    old.chmod(0o640)
    link.symlink_to(old)
    with output_file(link) as file:
        file.write_text("new")
    assert (old.read_text(), old.stat().st_mode & 0o777, link.is_symlink()) == ("new", 0o640, True)
    assert len(list(tmp_path.iterdir())) == 2


def test_what_is_no_file_is_written_to_as_it_stands(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    with output_file(pipe) as file:
        file.write_text("through")
        assert os.read(reader, 100) == b"through"
    os.close(reader)
    assert pipe.is_fifo()


def test_a_folder_is_no_place_for_a_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is a folder"), output_file(tmp_path):
        pass


def test_output_file_is_readable_by_its_user_alone(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        write_results(tmp_path / "new.csv", PROJECT, [], [])
        (tmp_path / "old.csv").touch(0o644)
        write_results(tmp_path / "old.csv", PROJECT, [], [])
    finally:
        os.umask(before)
    assert {path.name: path.stat().st_mode & 0o777 for path in tmp_path.iterdir()} == {
        "new.csv": 0o600,
        "old.csv": 0o644,
    }
