"""My work: an expert's open tasks on each dimension, and those of all members."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from app.domain.people import ProjectMember
from app.domain.project import Dimension
from app.domain.roles_and_rights import Right, Role
from app.services.attributes.pairs import pair_sheet
from app.services.attributes.side_by_side import QUESTIONS, side_by_sides_of
from app.services.checklists.assignments import given_dimensions
from app.services.checklists.expert_answers import own_sheet
from app.services.people.invitations import members_of
from app.services.runtime.workbench import Workbench, may, use_case
from app.services.think_aloud.independence import is_done, own_attributes_of, standing

IDLE_DAYS = 3
"""Days without a visit after which somebody with work left counts as idle."""


class TaskKind(StrEnum):
    THINK_ALOUD = "think_aloud"
    ANSWER = "answer"
    SIDE_BY_SIDE = "side_by_side"
    DECIDE_TOGETHER = "decide_together"
    WHICH_IS_BETTER = "which_is_better"


@dataclass(frozen=True, slots=True)
class ExpertTask:
    """A task of one expert. `done` of `all` are finished: attributes for thinking aloud (`all` is None), texts for
    answering, questions for a side-by-side comparison, votes in a room, pairs of texts."""

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
    """The tasks of a project member; facilitators and readers have none. `given`: dimensions assigned to an expert, ()
    for all."""

    member: ProjectMember
    tasks: tuple[ExpertTask, ...]
    given: tuple[Dimension, ...] = ()

    @property
    def finished(self) -> int:
        return sum(task.finished for task in self.tasks)

    @property
    def texts(self) -> tuple[int, int]:
        """Return how many of their texts they have answered, and how many they have."""
        answering = [task for task in self.tasks if task.kind is TaskKind.ANSWER]
        return sum(task.done for task in answering), sum(task.all or 0 for task in answering)

    def idle_days(self, now: datetime) -> int | None:
        """Return whole days since the expert's last visit, or since the invitation; None if nothing is left to do or
        the last visit is recent."""
        days = (now - (self.member.seen_at or self.member.joined_at)).days
        return days if days >= IDLE_DAYS and self.finished < len(self.tasks) else None


@use_case(Right.TAKE_PART)
def tasks_of(workbench: Workbench, project_id: int, expert: str) -> list[ExpertTask]:
    """Return an expert's tasks on their dimensions, in the order of the method, open ones first within a dimension."""
    with workbench.database.read() as work:
        has_texts, given = work.texts.count(project_id) > 0, work.assignments.given(project_id)
        dimensions = [one for one in work.projects.dimensions(project_id) if one.id in given.get(expert, (one.id,))]
        research = work.projects.by_id(project_id).research
    found = [task for one in dimensions if (task := _deciding(workbench, one, expert))]
    found += [_thinking(workbench, project_id, one, expert) for one in dimensions if has_texts]
    found += [task for one in dimensions if (task := _comparing_texts(workbench, one, expert))]
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
    attributes = standing(own_attributes_of(workbench, project_id, dimension.id, expert))
    done = is_done(workbench, project_id, dimension.id, expert)
    return ExpertTask(TaskKind.THINK_ALOUD, dimension, len(attributes), None, done)


def _answering(workbench: Workbench, dimension: Dimension, expert: str) -> ExpertTask | None:
    sheet = own_sheet(workbench, dimension.id, expert)
    if sheet is None or not sheet.texts:
        return None
    texts = len(sheet.texts)
    return ExpertTask(TaskKind.ANSWER, dimension, sheet.done, texts, sheet.done == texts)


def _deciding(workbench: Workbench, dimension: Dimension, expert: str) -> ExpertTask | None:
    """Return the task of an open room, which comes first because others wait in it; None without one."""
    if not may(workbench, Right.ANSWER, dimension_id=dimension.id, expert=expert):
        return None  # they are still thinking aloud
    with workbench.database.read() as work:
        rooms = [room.seen_by(expert) for room in work.rooms.of_dimension(dimension.id)]
    room = next((room for room in rooms if room.open and room.can_join(expert)), None)
    if room is None:
        return None
    return ExpertTask(TaskKind.DECIDE_TOGETHER, dimension, room.voted.get(expert, 0), len(room.texts), False)


def _comparing_texts(workbench: Workbench, dimension: Dimension, expert: str) -> ExpertTask | None:
    sheet = pair_sheet(workbench, dimension.id, expert)
    if sheet is None or not sheet.pairs:
        return None
    pairs = len(sheet.pairs)
    return ExpertTask(TaskKind.WHICH_IS_BETTER, dimension, sheet.done, pairs, sheet.done == pairs)


def _comparing(workbench: Workbench, dimension: Dimension, expert: str) -> ExpertTask:
    mine = next((one for one in side_by_sides_of(workbench, dimension.id) if one.expert == expert), None)
    answered = sum(bool(text.strip()) for text in mine.answers.values()) if mine else 0
    return ExpertTask(TaskKind.SIDE_BY_SIDE, dimension, answered, len(QUESTIONS), bool(mine and mine.revealed))
