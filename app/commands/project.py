"""What a command works on: the workbench, opened, with a project and its dimensions by their names.

Services are imported when a command runs: the database alone takes a second, and help needs none of it.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.domain.project import Dimension, Project
    from app.services.runtime.workbench import Workbench


def open_workbench() -> "Workbench":
    from app.services.runtime import workbench

    return workbench.open_workbench()


def open_project(name: str) -> "tuple[Workbench, Project]":
    """Raises NotFoundError."""
    from app.services.data.projects import get_project

    workbench = open_workbench()
    return workbench, get_project(workbench, name)


def open_dimension(project: str, name: str) -> "tuple[Workbench, Dimension]":
    """Raises NotFoundError."""
    from app.services.data.projects import one_dimension

    workbench = open_workbench()
    return workbench, one_dimension(workbench, project, name)


def open_dimensions(project: str, names: str) -> "tuple[Workbench, list[Dimension]]":
    """names: with commas, or all. Raises NotFoundError."""
    from app.services.data.projects import dimensions_named

    workbench = open_workbench()
    return workbench, dimensions_named(workbench, project, names)
