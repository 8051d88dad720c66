"""A project that two people and two models have thought aloud about, and a study of it judged by rules."""

import pytest

from app.domain.project import Project
from app.services.conditions.study import StudyOptions
from app.services.runtime.workbench import Workbench
from tests.support.fake_llm.behaviour import Answer, all_yes
from tests.support.fake_llm.server import Usual
from tests.support.study_project import ferry_project


@pytest.fixture
def usual() -> Usual:
    return Answer(all_yes)


@pytest.fixture
def project(workbench: Workbench) -> Project:
    return ferry_project(workbench)


@pytest.fixture
def options(workbench: Workbench, project: Project) -> StudyOptions:
    with workbench.database.read() as work:
        return StudyOptions(tuple(work.projects.dimensions(project.id)), "rules", "rules")
