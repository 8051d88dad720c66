"""Projects and their dimensions."""

from collections.abc import Sequence

from sqlalchemy import func
from sqlmodel import Session, col, select

from app.domain.name import checked_name, quoted
from app.domain.project import Project
from app.domain.task import Dimension, Task
from app.errors import ConflictError, InputError, NotFoundError
from db.models import DimensionRow, ProjectRow


class Projects:
    def __init__(self, session: Session) -> None:
        self._session = session

    def all(self) -> list[Project]:
        """Newest first."""
        rows = self._session.exec(select(ProjectRow).order_by(col(ProjectRow.created_at).desc()))
        return [_project(row) for row in rows]

    def find(self, name: str) -> Project | None:
        row = self._session.exec(select(ProjectRow).where(ProjectRow.name == name)).first()
        return _project(row) if row else None

    def get(self, name: str) -> Project:
        project = self.find(name)
        if project is None:
            raise NotFoundError(f"There is no project {quoted(name)}.", "`interacteval project list` shows them.")
        return project

    def by_id(self, project_id: int) -> Project:
        row = self._session.get(ProjectRow, project_id)
        if row is None:
            raise NotFoundError("This project is no longer there.", "Go to Overview and choose another.")
        return _project(row)

    def add(self, name: str, task: Task, notice: str = "") -> Project:
        cleaned = checked_name(name, "project")
        if self.find(cleaned):
            raise ConflictError(f"There is already a project “{cleaned}”.", "Choose another name.")
        row = ProjectRow(
            name=cleaned,
            text_name=task.text_name,
            source_name=task.source_name,
            description=task.description,
            language=task.language,
            writer_name=task.writer_name,
            notice=notice,
        )
        self._session.add(row)
        self._session.flush()
        return _project(row)

    def set_task(self, project_id: int, task: Task) -> None:
        row = self._session.get_one(ProjectRow, project_id)
        row.text_name, row.source_name = task.text_name, task.source_name
        row.description, row.language, row.writer_name = task.description, task.language, task.writer_name

    def human_systems(self, project_id: int) -> tuple[str, ...]:
        """Which of the project's systems are people."""
        return tuple(self._session.get_one(ProjectRow, project_id).human_systems)

    def set_human_systems(self, project_id: int, systems: Sequence[str]) -> None:
        self._session.get_one(ProjectRow, project_id).human_systems = list(systems)

    def set_research(self, project_id: int, on: bool) -> None:
        self._session.get_one(ProjectRow, project_id).research = on

    def delete(self, project_id: int) -> None:
        self._session.delete(self._session.get_one(ProjectRow, project_id))

    def dimensions(self, project_id: int) -> list[Dimension]:
        rows = self._session.exec(
            select(DimensionRow)
            .where(DimensionRow.project_id == project_id)
            .order_by(col(DimensionRow.position), col(DimensionRow.id))
        )
        return [_dimension(row) for row in rows]

    def dimension(self, project_id: int, name: str) -> Dimension:
        """Case doesn't matter where it isn't needed to tell two dimensions apart."""
        found = self.dimensions(project_id)
        exact = [d for d in found if d.name == name] or [d for d in found if d.name.lower() == name.lower()]
        if not exact:
            add = "It has none yet. Add one on Texts, or with `interacteval dimension add`."
            names = ", ".join(d.name for d in found)
            raise NotFoundError(
                f"There is no dimension {quoted(name)} in this project.", f"It has: {names}." if names else add
            )
        return exact[0]

    def dimension_by_id(self, dimension_id: int) -> Dimension:
        row = self._session.get(DimensionRow, dimension_id)
        if row is None:
            raise NotFoundError("This dimension is no longer there.", "Choose another.")
        return _dimension(row)

    def project_of(self, dimension_id: int) -> Project:
        row = self._session.get(DimensionRow, dimension_id)
        if row is None:
            raise NotFoundError("This dimension is no longer there.", "Choose another.")
        return self.by_id(row.project_id)

    def add_dimension(self, project_id: int, dimension: Dimension) -> Dimension:
        name = _dimension_name(dimension.name)
        if any(d.name == name for d in self.dimensions(project_id)):
            raise ConflictError(f"There is already a dimension “{name}”.", "Choose another name.")
        last = self._session.exec(
            select(func.max(DimensionRow.position)).where(DimensionRow.project_id == project_id)
        ).one()
        row = DimensionRow(
            project_id=project_id,
            name=name,
            rubric=dimension.rubric,
            low=dimension.low,
            high=dimension.high,
            position=0 if last is None else last + 1,
        )
        _check_range(row)
        self._session.add(row)
        self._session.flush()
        return _dimension(row)

    def set_dimension(self, dimension: Dimension) -> None:
        """Overwrite name, rubric and range of the dimension with this id."""
        row = self._session.get_one(DimensionRow, dimension.id)
        name = row.name if dimension.name == row.name else _dimension_name(dimension.name)
        if any(d.name == name and d.id != dimension.id for d in self.dimensions(row.project_id)):
            raise ConflictError(f"There is already a dimension “{name}”.", "Choose another name.")
        row.name, row.rubric = name, dimension.rubric
        row.low, row.high = dimension.low, dimension.high
        _check_range(row)


def _dimension_name(name: str) -> str:
    return checked_name(name, "dimension", "Give it one, for example coherence.")


def _check_range(row: DimensionRow) -> None:
    if not row.low < row.high:
        raise InputError(
            f"The lowest score of “{row.name}” ({row.low:g}) is not below its highest ({row.high:g}).",
            "Give the range of the ratings, for example 1 to 5.",
        )


def _project(row: ProjectRow) -> Project:
    assert row.id is not None
    task = Task(row.text_name, row.source_name, row.description, row.language, row.writer_name)
    return Project(row.id, row.name, task, row.notice, row.research, row.created_at)


def _dimension(row: DimensionRow) -> Dimension:
    assert row.id is not None
    return Dimension(row.name, row.rubric, row.low, row.high, row.position, row.id)
