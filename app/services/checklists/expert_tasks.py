"""Tasks of an expert: what is theirs to do in a project, how far they are, and where to go on."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from app.domain.people.actor import Right, Role
from app.domain.people.person import ProjectMember
from app.domain.task import Dimension
from app.services.attributes.side_by_side import QUESTIONS, side_by_sides_of
from app.services.checklists.assignments import given_dimensions
from app.services.checklists.expert_answers import own_sheet
from app.services.people.invitations import members_of
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench
from app.services.think_aloud.independence import considerations_of, is_done, standing

IDLE_DAYS = 3
"""Days without a visit after which somebody with work left counts as idle."""


class TaskKind(StrEnum):
    THINK_ALOUD = "think_aloud"
    ANSWER = "answer"
    SIDE_BY_SIDE = "side_by_side"


@dataclass(frozen=True, slots=True)
class ExpertTask:
    """`done` of `all` are finished: points for thinking aloud, which has no number to reach (None), texts for
    answering, questions for a comparison."""

    kind: TaskKind
    dimension: Dimension
    done: int
    all: int | None
    finished: bool

    @property
    def begun(self) -> bool:
        return self.done > 0


@dataclass(frozen=True, slots=True)
class MemberTasks:
    """`tasks` is empty for those who have none: facilitators and readers. `given`: the dimensions that an expert was
    given, none where all are theirs."""

    member: ProjectMember
    tasks: tuple[ExpertTask, ...]
    given: tuple[Dimension, ...] = ()

    @property
    def finished(self) -> int:
        return sum(task.finished for task in self.tasks)

    @property
    def texts(self) -> tuple[int, int]:
        """How many of how many texts that are theirs they have answered."""
        answering = [task for task in self.tasks if task.kind is TaskKind.ANSWER]
        return sum(task.done for task in answering), sum(task.all or 0 for task in answering)

    def idle_days(self, now: datetime) -> int | None:
        """Whole days since an expert was last there, or since they were asked to come; None for whoever has nothing
        left to do, or was there in the last days."""
        days = (now - (self.member.seen_at or self.member.joined_at)).days
        return days if days >= IDLE_DAYS and self.finished < len(self.tasks) else None


@use_case(Right.TAKE_PART)
def tasks_of(workbench: Workbench, project_id: int, expert: str) -> list[ExpertTask]:
    """Of the dimensions that are theirs, in the order of the method: what is open first, dimension by dimension."""
    with workbench.database.read() as work:
        has_texts, given = work.texts.count(project_id) > 0, work.assignments.given(project_id)
        dimensions = [one for one in work.projects.dimensions(project_id) if one.id in given.get(expert, (one.id,))]
        research = work.projects.by_id(project_id).research
    found = [_thinking(workbench, project_id, one, expert) for one in dimensions if has_texts]
    found += [task for one in dimensions if (task := _answering(workbench, one, expert))]
    if research:
        done = {task.dimension.id for task in found if task.kind is TaskKind.THINK_ALOUD and task.finished}
        found += [_comparing(workbench, one, expert) for one in dimensions if one.id in done]
    return sorted(found, key=lambda task: task.finished)


@use_case(Right.FACILITATE)
def tasks_of_members(workbench: Workbench, project_id: int) -> list[MemberTasks]:
    given = given_dimensions(workbench, project_id)
    return [
        MemberTasks(member, tuple(tasks_of(workbench, project_id, member.name)), tuple(given.get(member.name, ())))
        if member.role is Role.EXPERT
        else MemberTasks(member, ())
        for member in members_of(workbench, project_id)
    ]


def _thinking(workbench: Workbench, project_id: int, dimension: Dimension, expert: str) -> ExpertTask:
    points = standing(considerations_of(workbench, project_id, dimension.id, expert))
    done = is_done(workbench, project_id, dimension.id, expert)
    return ExpertTask(TaskKind.THINK_ALOUD, dimension, len(points), None, done)


def _answering(workbench: Workbench, dimension: Dimension, expert: str) -> ExpertTask | None:
    sheet = own_sheet(workbench, dimension.id, expert)
    if sheet is None or not sheet.texts:
        return None
    texts = len(sheet.texts)
    return ExpertTask(TaskKind.ANSWER, dimension, sheet.done, texts, sheet.done == texts)


def _comparing(workbench: Workbench, dimension: Dimension, expert: str) -> ExpertTask:
    mine = next((one for one in side_by_sides_of(workbench, dimension.id) if one.expert == expert), None)
    answered = sum(bool(text.strip()) for text in mine.answers.values()) if mine else 0
    return ExpertTask(TaskKind.SIDE_BY_SIDE, dimension, answered, len(QUESTIONS), bool(mine and mine.revealed))
