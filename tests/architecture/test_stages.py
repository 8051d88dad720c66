"""`make test` and `make test-all` run every test, and their last line tells the truth about all stages."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import compiled, stages


def stage(folder: Path, name: str, code: str) -> tuple[str, tuple[str, ...]]:
    path = folder / f"test_{name}.py"
    path.write_text(code, encoding="utf-8")
    return name, (str(path), "-p", "no:cacheprovider")


@pytest.mark.parametrize("at_once", [False, True])
def test_the_last_line_sums_up_all_stages_and_none_is_left_out_for_an_earlier_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], at_once: bool
) -> None:
    first = stage(tmp_path, "first", "def test_a(): assert False\ndef test_b(): pass\n")
    second = stage(
        tmp_path,
        "second",
        "import pytest\ndef test_c(): pass\ndef test_d(): pytest.skip('not here')\n"
        "@pytest.fixture\ndef broken(): raise OSError\ndef test_e(broken): pass\n",
    )
    absent = stage(tmp_path, "absent", "def test_f(): assert False\n")
    monkeypatch.setattr(stages, "NEEDS", {"absent": tmp_path / "nothing"})
    monkeypatch.setattr(stages, "RESULTS", tmp_path / "results")
    assert stages.main(dict([first, second, absent]), minutes=60, at_once=at_once) == 1
    said = capfd.readouterr().out
    assert said.splitlines()[-1] == "2 passed, 2 failed, 1 skipped"
    assert "raise OSError" in said


def test_compile_tests_writes_what_pytest_reads(tmp_path: Path) -> None:
    path = tmp_path / "test_compiled.py"
    path.write_text("def test_a(): assert 1 == 2\n", encoding="utf-8")
    (tmp_path / "test_broken.py").write_text("def test_a(:\n", encoding="utf-8")
    compiled.compile_tests(tmp_path)
    written = {file: file.stat().st_mtime_ns for file in tmp_path.rglob("*.pyc")}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", str(path), f"--rootdir={tmp_path}"],
        env={**os.environ, **stages.KEEP_COMPILED},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "assert 1 == 2" in done.stdout
    assert {file: file.stat().st_mtime_ns for file in tmp_path.rglob("*.pyc")} == written


def test_a_stage_that_can_not_run_is_no_success(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stages, "RESULTS", tmp_path / "results")
    assert stages.main({"gone": (str(tmp_path / "nowhere.py"),)}) == 1


def test_stages_after_the_deadline_count_tests_as_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    name, arguments = stage(tmp_path, "late", "def test_a(): assert False\ndef test_b(): assert False\n")
    monkeypatch.setattr(stages, "RESULTS", tmp_path / "results")
    assert stages.main({name: (*arguments, "-n", "1")}, minutes=0) == 0
    *_, listed, last = capfd.readouterr().out.splitlines()
    assert "test_late.py: 2 not run" in listed
    assert last == "0 passed, 0 failed, 0 skipped, 2 not run"


def test_every_folder_of_tests_belongs_to_a_stage() -> None:
    listed = subprocess.run(
        ["git", "ls-files", "tests/*/test_*.py"], cwd=stages.ROOT, capture_output=True, text=True, check=True
    ).stdout.split()
    folders = {"/".join(path.split("/")[:2]) for path in listed}
    words = {word for stage in stages.STAGES.values() for word in stage}
    left_out = {word.removeprefix("--ignore=") for word in words if word.startswith("--ignore=")}
    assert left_out <= words  # of one stage, to be run by another
    staged = {"/".join(word.split("/")[:2]) for word in words if word.startswith("tests/")}
    by_itself = {"tests/real"}  # make test-real
    assert staged | by_itself | {*stages.LONG_STAGES["Exported files in other tools"]} == folders


def test_no_test_is_left_out_of_both_commands() -> None:
    marks = [
        [arguments[arguments.index("-m") + 1] for arguments in each.values() if "-m" in arguments]
        for each in (stages.STAGES, stages.LONG_STAGES)
    ]
    assert marks == [["not long"] * 3, ["long"] * 2]
