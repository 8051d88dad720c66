"""Which Python `make` takes of those on the PATH, asked of stand-ins that answer as a Python of each kind does."""

import subprocess
from pathlib import Path

import pytest

from tests.support.repository import ROOT

SOUND = ""
IN_A_LIBRARY = "*getsize*) exit 1 ;;"
TOO_OLD = "*version_info*) exit 1 ;;"
WITHOUT_VENV = "*ensurepip*) exit 1 ;;"


def python(folder: Path, fault: str, name: str = "python3.11") -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(f'#!/bin/sh\ncase "$2" in {fault or "nothing) ;;"} esac\nexit 0\n')
    path.chmod(0o755)
    return path


def found(tmp_path: Path, **given: str) -> str:
    """The Python that is found, or the sentence that says why none is."""
    folders = ":".join(str(tmp_path / name) for name in "ab")
    done = subprocess.run(
        ["/bin/sh", ROOT / ".tools" / "find-python"],
        env={"PATH": folders, **given},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == (0 if done.stdout else 1)
    return (done.stdout or done.stderr).strip()


@pytest.mark.parametrize("fault", [IN_A_LIBRARY, TOO_OLD, WITHOUT_VENV])
def test_find_python_takes_the_sound_one_behind_another(tmp_path: Path, fault: str) -> None:
    python(tmp_path / "a", fault)
    sound = python(tmp_path / "b", SOUND)
    assert found(tmp_path) == str(sound)


def test_find_python_takes_one_in_a_library_where_no_other_is(tmp_path: Path) -> None:
    only = python(tmp_path / "a", IN_A_LIBRARY)
    assert found(tmp_path) == str(only)


def test_find_python_prefers_the_newer_of_two_sound_ones(tmp_path: Path) -> None:
    python(tmp_path / "a", SOUND)
    newer = python(tmp_path / "b", SOUND, "python3.13")
    assert found(tmp_path) == str(newer)


def test_find_python_takes_the_one_that_is_named(tmp_path: Path) -> None:
    python(tmp_path / "a", SOUND)
    named = python(tmp_path / "b", IN_A_LIBRARY, "own")
    assert found(tmp_path, PYTHON=str(named)) == str(named)


@pytest.mark.parametrize(("fault", "said"), [(TOO_OLD, "3.11 or newer"), (WITHOUT_VENV, "python3-venv")])
def test_find_python_says_what_to_do_where_there_is_none(tmp_path: Path, fault: str, said: str) -> None:
    python(tmp_path / "a", fault)
    assert said in found(tmp_path)
