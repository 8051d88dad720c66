"""Projects on the command line."""

from collections.abc import Callable
from io import StringIO
from pathlib import Path
from zipfile import ZipFile

import pytest

from app.domain.project import Dimension, Task
from app.services.data.projects import create_project, list_projects
from app.services.runtime.workbench import open_workbench
from tests.support.small_project import document

Run = Callable[..., tuple[int, str, str]]


def test_a_project_leaves_a_copy_behind_where_that_is_asked_for(run: Run, tmp_path: Path) -> None:
    workbench = open_workbench()
    create_project(workbench, "News", Task())
    copy = tmp_path / "news.zip"
    status, _, said = run("project", "delete", "News", "--archive", copy, "--yes")
    assert (status, list_projects(workbench)) == (0, [])
    assert f"Wrote {copy}." in said
    with ZipFile(copy) as archive:
        assert archive.read("README.txt").decode().startswith("News, exported ")


def test_a_copy_that_cannot_be_written_keeps_the_project(run: Run, tmp_path: Path) -> None:
    workbench = open_workbench()
    create_project(workbench, "News", Task())
    status, _, said = run("project", "delete", "News", "--archive", tmp_path, "--yes")
    assert status
    assert "is a folder" in said
    assert [project.name for project in list_projects(workbench)] == ["News"]


def test_a_project_goes_out_and_comes_back_under_another_name(run: Run, tmp_path: Path) -> None:
    workbench = open_workbench()
    create_project(workbench, "News", Task(), (Dimension("order"),))
    file = tmp_path / "news.zip"
    status, printed, _ = run("project", "export", "News", file, "--json")
    assert (status, document(printed)) == (
        0,
        {"project": "News", "file": str(file), "texts": 0, "runs": 0, "recordings": 0},
    )
    status, printed, _ = run("project", "import", file, "--as", "News, second try", "--json")
    assert (status, document(printed)["project"]) == (0, "News, second try")
    assert {project.name for project in list_projects(workbench)} == {"News, second try", "News"}
    status, _, said = run("project", "import", file)
    assert status == 2
    assert "There is already a project “News”. Give this one another name: --as NAME." in said


def test_a_script_that_nobody_can_answer_keeps_the_project(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    workbench = open_workbench()
    create_project(workbench, "News", Task())
    monkeypatch.setattr("sys.stdin", StringIO(""))
    assert run("project", "delete", "News")[0] == 2
    assert [project.name for project in list_projects(workbench)] == ["News"]
    monkeypatch.setattr("sys.stdin", StringIO("y\n"))
    assert run("project", "delete", "News")[0] == 0
    assert list_projects(workbench) == []
