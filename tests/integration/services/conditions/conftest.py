"""A project that two people and two models have thought aloud about, and a study of it judged by rules."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from app.domain.project import Project
from app.services.conditions.study import StudyOptions
from app.services.runtime.workbench import Workbench
from tests.support.fake_llm.behaviour import Answer, all_yes
from tests.support.fake_llm.server import FakeLlm, Usual
from tests.support.prepared import Prepared, prepared
from tests.support.projects import workbench_at
from tests.support.study_project import ferry_project


@pytest.fixture
def usual() -> Usual:
    return Answer(all_yes)


@cache
def _ferry() -> Prepared[Project]:
    return prepared(ferry_project)


@pytest.fixture
def workbench(llm: FakeLlm, tmp_path: Path) -> Iterator[Workbench]:
    """One with the project."""
    _ferry().copy(tmp_path)
    made = workbench_at(tmp_path, f"{llm.url}/v1")
    yield made
    made.database.close()


@pytest.fixture
def project() -> Project:
    return _ferry().made


@pytest.fixture
def options(workbench: Workbench, project: Project) -> StudyOptions:
    with workbench.database.read() as work:
        return StudyOptions(tuple(work.projects.dimensions(project.id)), "rules", "rules")
